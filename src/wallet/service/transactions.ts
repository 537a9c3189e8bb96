// Signing, sending and checking of transactions (docs/protocol/50-wallet-service.md#31-client: the order of the checks
// is its order).
import { randomUUID } from "node:crypto";
import { NodeError } from "../../errors/node-error.ts";
import { toPlain } from "../../wire/json.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { Approver, Destination, Outcome, Purpose, TransactionRequest } from "../approvals/approver.ts";
import type { ApprovalDesk } from "../approvals/desk.ts";
import { NO_FACTS, plainJson } from "../approvals/formatting.ts";
import { wordsOf } from "../approvals/words.ts";
import { walletError, walletLocked } from "../errors.ts";
import { isNoHealthyNode } from "../sending/nodes.ts";
import type { SendingMode } from "../sending/raw-submission.ts";
import type { Job } from "../sending/sender.ts";
import { readCommand, walletCommand } from "../signing/transaction.ts";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import { approvedOrThrow, rejected } from "./failures.ts";
import { Params, sendingModeOf, transactionResultJson } from "./params.ts";
import { internalError, invalidParams, notPermitted, RpcError } from "./rpc.ts";
import type { Call, Connection, Method } from "./running-call.ts";

const REQUEST = "vega.wallet.v1.SubmitTransactionRequest";

interface Wanted {
  readonly publicKey: string;
  readonly command: CommandInit;
  readonly mode: SendingMode;
}

export const signTransaction: Method = (call) =>
  approved(call, "sign", async (job) => {
    const { transaction } = await call.service.parts.sender.sign(job);
    return { result: `{"transaction":${transactionResultJson(transaction.transaction)}}` };
  });

export const checkTransaction: Method = (call) =>
  approved(call, "check", async (job, { receivedAt }) => {
    const { sender, wallMs } = call.service.parts;
    let sentAt = receivedAt;
    const checked = await sender.check(job, () => {
      sentAt = new Date(wallMs()).toISOString();
    });
    const transaction = transactionResultJson(checked.transaction.transaction);
    return {
      result: `{"receivedAt":${JSON.stringify(receivedAt)},"sentAt":${JSON.stringify(sentAt)},"transaction":${transaction}}`,
    };
  });

export const sendTransaction: Method = (call) =>
  approved(call, "send", async (job, { receivedAt }, mode) => {
    const { sender, wallMs } = call.service.parts;
    let sentAt = receivedAt;
    const sent = await sender.send(job, mode, () => {
      sentAt = new Date(wallMs()).toISOString();
    });
    const head = JSON.stringify({ receivedAt, sentAt, transactionHash: sent.hash }).slice(0, -1);
    return {
      result: `${head},"transaction":${transactionResultJson(sent.transaction.transaction)}}`,
      hash: sent.hash,
      height: sent.height,
    };
  });

type Act = (
  job: Job,
  request: TransactionRequest,
  mode: SendingMode,
) => Promise<{ readonly result: string; readonly hash?: string; readonly height?: bigint }>;

/** Does it once everything is right and the approver has approved. */
async function approved(call: Call, purpose: Purpose, act: Act): Promise<string> {
  const connection = call.connection();
  const input = wantedOf(call.given.release(), purpose);
  const wallet = await call.service.unlocked(connection.wallet, call, () => rejected.transaction(purpose));
  checkKey(wallet, connection, call.hostname, input.publicKey);
  const command = walletCommand(input.command());
  const { service } = call;
  const { approver } = service.parts;
  service.count(call.hostname);
  const request = await requestOf(call, connection, wallet, { ...input, command }, purpose);
  const isAsked = connection.kind === "session" || approver.decidesOnTokens === true;
  const decision = isAsked ? await approver.decide(request, call.signal) : ({ outcome: "approved" } as const);
  const noted = entryOf(request, service);
  const record = async (rest: { outcome: string; hash?: string }) =>
    service.record({ ...(await noted), ...rest });
  if (decision.outcome !== "approved") await record({ outcome: decision.outcome });
  const { isByPerson = false } = approvedOrThrow(decision, () => rejected.transaction(purpose));
  let done: Awaited<ReturnType<Act>>;
  let isSigned = false;
  const job = jobOf(call, connection, wallet, request, async (chainId) => {
    await checkChain(call, request, chainId, isByPerson);
    approver.signing?.(request);
    isSigned = true;
  });
  try {
    done = await act(job, request, input.mode);
  } catch (error) {
    const outcome = failureOf(error, isSigned);
    approver.settled?.(request, outcome);
    await record({ outcome: outcome.kind === "unknown" ? "done" : "failed" });
    throw error;
  }
  const { hash, height = 0n } = done;
  if (hash === undefined) approver.settled?.(request, { kind: "signed" });
  else noteSent(service, approver, request, { hash, height, isByPerson });
  await record({ outcome: "done", ...(done.hash !== undefined && { hash: done.hash }) });
  return done.result;
}

/** As long as the block of a transaction is looked for, on a chain that makes blocks slowly, or by hand. */
const INCLUSION_MS = 10 * 60_000;

/**
 * Tells that it was sent, and to a person then its block, where a node says it: nobody else waits for that. The page that asked
 * is answered before.
 */
function noteSent(
  { parts: { sender } }: Call["service"],
  approver: Approver,
  request: TransactionRequest,
  {
    hash,
    height,
    isByPerson,
  }: { readonly hash: string; readonly height: bigint; readonly isByPerson: boolean },
): void {
  if (approver.settled === undefined) return;
  const sent = { kind: "sent", hash, height } as const;
  if (height > 0n || !isByPerson) {
    approver.settled(request, sent);
    return;
  }
  approver.settled(request, { ...sent, isFollowed: true });
  void sender.inclusion(hash, INCLUSION_MS).then((inclusion) => {
    const isRefused = inclusion !== undefined && inclusion.code !== 0;
    approver.settled!(
      request,
      isRefused
        ? { kind: "refused", reason: `${inclusion.reason} (in block ${inclusion.height})` }
        : { ...sent, height: inclusion?.height ?? 0n },
    );
  });
}

/** The signature is for the chain that was shown, or for one that its owner stands by. @throws NodeError */
async function checkChain(
  { service }: Pick<Call, "service">,
  { destination }: TransactionRequest,
  chainId: string,
  isByPerson: boolean,
): Promise<void> {
  const { chains, sender } = service.parts;
  if (isByPerson && destination.chainId === chainId) await chains.confirm(chainId);
  else await chains.check(chainId);
  if ((await chains.standing(chainId)) !== "own") sender.pin(chainId);
}

function failureOf(error: unknown, isSigned: boolean): Outcome {
  const reason = error instanceof NodeError || error instanceof RpcError ? error.message : "it failed";
  if (!isSigned) return { kind: "unsigned", reason };
  const isUnknown = error instanceof NodeError && error.code === "outcome_unknown";
  return { kind: isUnknown ? "unknown" : "refused", reason };
}

function wantedOf(value: unknown, purpose: Purpose): Omit<Wanted, "command"> & { command(): CommandInit } {
  const params = new Params(value);
  const publicKey = params.text("publicKey", "public key");
  const mode = purpose === "send" ? sendingModeOf(params) : "TYPE_SYNC";
  if (!params.has("transaction")) throw invalidParams("the transaction is required");
  let command: CommandInit;
  try {
    command = readCommand(params.raw("transaction"));
  } catch (error) {
    // That there is no command at all is one of the command's own rules, which come after the key.
    if (!(error instanceof NodeError) || error.code !== "command_broken") throw error;
    return {
      publicKey,
      mode,
      command: () => {
        throw error;
      },
    };
  }
  return { publicKey, mode, command: () => command };
}

function checkKey(wallet: UnlockedWallet, connection: Connection, hostname: string, publicKey: string): void {
  const keys =
    connection.kind === "token"
      ? wallet.keys.filter(({ isTainted }) => !isTainted)
      : wallet.keysFor(hostname);
  if (keys.some((key) => key.publicKey === publicKey)) return;
  throw notPermitted("this public key is not allowed to be used");
}

/** A page's session, or a program's token. */
type Asker = { readonly kind: "session" } | { readonly kind: "token"; readonly id: string };

/**
 * Sends a command that the wallet's owner asks for on the wallet's own page, once a person approves it at the desk.
 * @throws NodeError when it is rejected, and for all that can fail on its way
 */
export async function sendForOwner(
  service: Call["service"],
  desk: ApprovalDesk,
  { wallet, publicKey, command, hostname, origin }: OwnerRequest,
): Promise<{ readonly hash: string; readonly height: bigint }> {
  const asker = { service, hostname, origin };
  const transfer = await requestOf(asker, { kind: "session" }, wallet, { publicKey, command }, "send");
  const request = { ...transfer, isOwn: true } as const;
  const decision = await desk.decide(request, undefined);
  const noted = entryOf(request, service);
  const record = async (rest: { outcome: string; hash?: string }) =>
    service.record({ ...(await noted), ...rest });
  if (decision.outcome !== "approved") {
    await record({ outcome: decision.outcome });
    throw walletError("not_confirmed", "it was not signed");
  }
  let isSigned = false;
  const sign: Job["sign"] = async (content) => {
    if (wallet.isLocked) throw walletLocked();
    await checkChain({ service }, request, content.chainId, decision.isByPerson === true);
    isSigned = true;
    return wallet.signTransaction(publicKey, content);
  };
  try {
    const { hash, height } = await service.parts.sender.send({ publicKey, command, sign }, "TYPE_SYNC");
    noteSent(service, desk, request, { hash, height, isByPerson: true });
    await record({ outcome: "done", hash });
    return { hash, height };
  } catch (error) {
    const outcome = failureOf(error, isSigned);
    desk.settled(request, outcome);
    await record({ outcome: outcome.kind === "unknown" ? "done" : "failed" });
    throw error;
  }
}

interface OwnerRequest {
  readonly wallet: UnlockedWallet;
  readonly publicKey: string;
  readonly command: CommandInit;
  readonly hostname: string;
  readonly origin: string;
}

async function requestOf(
  { service, hostname, origin }: Pick<Call, "service" | "hostname" | "origin">,
  connection: Asker,
  wallet: UnlockedWallet,
  { publicKey, command }: Pick<Wanted, "publicKey" | "command">,
  purpose: Purpose,
): Promise<TransactionRequest> {
  const { facts, sender, wallMs } = service.parts;
  const isShown = connection.kind === "session";
  const [resolvedFacts, destination] = await Promise.all([
    isShown ? facts.of(command) : NO_FACTS,
    destinationOf(service),
  ]);
  const costs = isShown ? await facts.costs(command, publicKey, resolvedFacts) : [];
  let epoch: Promise<bigint> | undefined;
  return {
    kind: "transaction",
    id: randomUUID(),
    hostname,
    origin,
    receivedAt: new Date(wallMs()).toISOString(),
    purpose,
    wallet: wallet.name,
    publicKey,
    keyName: wallet.key(publicKey).name,
    token: connection.kind === "token" ? connection.id : undefined,
    command,
    words: wordsOf(command, { ...resolvedFacts, publicKey }),
    destination,
    costs,
    raw: plainJson(JSON.stringify(toPlain(REQUEST, { [command.kind]: command.payload }), undefined, 2)),
    epoch: () => {
      epoch ??= sender.epoch(publicKey);
      return epoch;
    },
  };
}

/** @throws NodeError `wrong_chain`: nobody is asked about a transaction for a chain that is not the right one */
async function destinationOf({ parts: { sender, chains } }: Call["service"]): Promise<Destination> {
  let destination: { readonly chainId: string; readonly node: string };
  try {
    destination = await sender.destination();
  } catch (error) {
    if (!isNoHealthyNode(error)) throw error;
    const chainId = await chains.expected();
    return { chainId, standing: chainId === undefined ? "new" : "confirmed", node: "" };
  }
  return { ...destination, standing: await chains.standing(destination.chainId) };
}

function jobOf(
  call: Call,
  connection: Connection,
  wallet: UnlockedWallet,
  { publicKey, command, purpose }: TransactionRequest,
  onSigning: (chainId: string) => Promise<void>,
): Job {
  return {
    publicKey,
    command,
    signal: call.signal,
    sign: async (content) => {
      // Between the approval and now the page may have been thrown out, its token removed, or the wallet locked.
      await call.checkOpen();
      const current = call.service.parts.wallets.get(connection.wallet) ?? wallet;
      if (current.isLocked) throw unavailable(purpose);
      checkKey(current, connection, call.hostname, publicKey);
      await onSigning(content.chainId);
      return current.signTransaction(publicKey, content);
    },
  };
}

/** Locked, or gone, while it was waited for. The original says the same of signing and of sending. */
function unavailable(purpose: Purpose) {
  return internalError(purpose === "check" ? "could not check transaction" : "could not sign transaction");
}

async function entryOf(request: TransactionRequest, service: Call["service"]) {
  const { receivedAt, hostname, wallet, token, publicKey, purpose, command } = request;
  const isLimited = service.parts.approver.decidesOnTokens === true;
  const epoch = await (isLimited
    ? request.epoch().catch(() => undefined)
    : service.recentEpoch(request.epoch));
  return {
    time: receivedAt,
    kind: "transaction",
    hostname,
    wallet,
    purpose,
    publicKey,
    command: toPlain(REQUEST, { [command.kind]: command.payload }),
    ...(token !== undefined && { token }),
    ...(epoch !== undefined && { epoch: epoch.toString() }),
  } as const;
}
