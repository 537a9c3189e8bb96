// The methods about connections and keys (docs/protocol/50-wallet-service.md#31-client).
import { randomUUID } from "node:crypto";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import { approvedOrThrow, rejected } from "./failures.ts";
import { SharedQuestions } from "./open-wallets.ts";
import { cancelledByApplication, internalError, unsupportedType, userRejected } from "./rpc.ts";
import type { Call, Connection, Method } from "./running-call.ts";
import { tokenHash } from "./tokens.ts";

type NamedKeys = readonly { readonly name: string; readonly publicKey: string }[];

/** The form of names and public keys in results. */
function keysJson(keys: NamedKeys): string {
  return JSON.stringify({ keys: keys.map(({ name, publicKey }) => ({ name, publicKey })) });
}

export const connectWallet: Method = async (call) => {
  const { service, hostname, origin, signal } = call;
  const { wallets, approver, sessions, keepSessions, wallMs, blocked } = service.parts;
  // Every other method that asks a person needs a token, which no simple request can carry.
  if (call.isSimple) throw unsupportedType();
  service.count(hostname);
  if (await blocked?.has(hostname)) throw userRejected("the user blocked this site");
  const names = await wallets.store.names().catch(() => {
    throw internalError("could not connect to the wallet");
  });
  if (names.length === 0) throw cancelledByApplication("the application cancelled the request");
  const receivedAt = new Date(wallMs()).toISOString();
  const entry = { time: receivedAt, kind: "connection", hostname, wallet: names[0]! } as const;
  const request = {
    kind: "connection",
    id: randomUUID(),
    hostname,
    origin,
    receivedAt,
    wallets: names,
    pairing: pairingOf(call),
  } as const;
  const decision = await approver.decide(request, signal);
  if (decision.outcome !== "approved") service.record({ ...entry, outcome: decision.outcome });
  const approved = approvedOrThrow(decision, rejected.connection);
  const wallet = approved.wallet ?? names[0]!;
  if (!names.includes(wallet)) throw internalError("could not connect to the wallet");
  await service.unlocked(wallet, call);
  // Unlocking takes its time: the page may have been thrown out meanwhile.
  signal.throwIfAborted();
  service.record({ ...entry, wallet, outcome: "done" });
  call.handOut(await sessions.open(hostname, wallet, approved.isKept ?? keepSessions));
  return undefined;
};

/** Of a program that was paired; what a page has there is the token of a session that has ended, or nothing. */
function pairingOf(call: Call): string | undefined {
  try {
    return tokenHash(call.token());
  } catch {
    return undefined;
  }
}

/** Any well-formed token is good: tokens that have expired need not be ended. */
export const disconnectWallet: Method = async (call) => {
  const token = call.token();
  const { sessions } = call.service.parts;
  const connection = ifConnected(call);
  if (connection?.kind !== "session" || sessions.find(token) === undefined) return undefined;
  await sessions.close(connection.session);
  call.dropToken();
  return undefined;
};

function ifConnected(call: Call): Connection | undefined {
  try {
    return call.connection();
  } catch {
    return undefined;
  }
}

export const getChainId: Method = async ({ service, hostname }) => {
  // It needs no token, and each asks a node.
  service.count(hostname);
  return JSON.stringify({ chainID: await service.parts.sender.chainId() });
};

export const listKeys: Method = async (call) => {
  const { kind, wallet: name } = call.connection();
  const wallet = await call.service.unlocked(name, call, rejected.keys);
  if (kind === "token") return keysJson(wallet.keys.filter(({ isTainted }) => !isTainted));
  if (wallet.permissions(call.hostname).publicKeys.access === "none") await askForKeys(call, wallet);
  return keysJson(wallet.keysFor(call.hostname));
};

const asking = new WeakMap<UnlockedWallet, SharedQuestions<void>>();

function askForKeys(call: Call, wallet: UnlockedWallet): Promise<void> {
  const questions = asking.get(wallet) ?? new SharedQuestions<void>();
  asking.set(wallet, questions);
  call.service.count(call.hostname);
  return questions.ask(call.hostname, call.signal, () => askOnce(call, wallet));
}

async function askOnce(call: Call, wallet: UnlockedWallet): Promise<void> {
  const { service, hostname, origin, signal } = call;
  const { approver, wallMs } = service.parts;
  const keys = wallet.keys.filter(({ isTainted }) => !isTainted);
  if (keys.length === 0) throw internalError("could not list the keys");
  const receivedAt = new Date(wallMs()).toISOString();
  const request = {
    kind: "keys",
    id: randomUUID(),
    hostname,
    origin,
    receivedAt,
    wallet: wallet.name,
    keys,
  } as const;
  const decision = await approver.decide(request, signal);
  const outcome = decision.outcome === "approved" ? "done" : decision.outcome;
  service.record({ time: receivedAt, kind: "keys", hostname, wallet: wallet.name, outcome });
  const { allowedKeys = [] } = approvedOrThrow(decision, rejected.keys);
  await call.checkOpen();
  await wallet.updatePermissions(hostname, { publicKeys: { access: "read", allowedKeys } });
}
