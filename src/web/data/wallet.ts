/**
 * The wallet service of the page's user, by the JSON-RPC that every site speaks to it: a person approves there what is
 * asked for here. The token is kept in `sessionStorage`, so that it outlives a reload and not the tab: an origin such
 * as `127.0.0.1:3003` belongs to whatever program listens there at the time, and the next one could read `localStorage`.
 */
import { signal } from "@preact/signals";
import { walletOriginFor } from "../../http/wallet-address.ts";
import { visible } from "../format.ts";
import { chainId } from "./node.ts";

interface WalletKey {
  readonly name: string;
  readonly publicKey: string;
}

interface Connection {
  readonly token: string;
  readonly keys: readonly WalletKey[];
}

/** The wallet did not do it, with the reason in a sentence. */
export class WalletFailure extends Error {
  constructor(
    readonly kind: "away" | "refused" | "cancelled",
    message: string,
  ) {
    super(message);
  }
}

const walletOrigin = walletOriginFor(location.href);
export const walletHost = new URL(walletOrigin).host;

const STORED = `lyra.wallet ${walletOrigin}`;
const PUBLIC_KEY = /^[0-9a-f]{64}$/;
const HASH = /^[0-9A-F]{64}$/i;
const TOKEN = /^VWT [\w.-]{1,500}$/;
const TOKEN_REFUSED = -32003;

const wallet = signal(stored());

/** Keys that the wallet shows this tab; undefined without a connection. */
export const walletKeys = () => wallet.value?.keys;

/**
 * A person decides about the connection, and about the keys.
 * @param onKeys called when the connection is approved, and the keys are asked for
 * @throws WalletFailure
 */
export async function connectWallet(signal: AbortSignal, onKeys: () => void): Promise<void> {
  const { token } = await call("client.connect_wallet", undefined, { signal });
  if (token === undefined) throw notAWallet();
  onKeys();
  try {
    const { result } = await call("client.list_keys", {}, { token, signal });
    const keys = keysIn(result);
    if (keys.length === 0) throw new WalletFailure("refused", "the wallet shows no key to this page");
    keep({ token, keys });
  } catch (error) {
    await end(token);
    throw error;
  }
}

export async function disconnectWallet(): Promise<void> {
  const token = wallet.value?.token;
  keep(undefined);
  if (token !== undefined) await end(token);
}

async function end(token: string): Promise<void> {
  // The wallet may be gone, and the token with it.
  await call("client.disconnect_wallet", {}, { token }).catch(() => {});
}

/**
 * Asks for a signature, and has the wallet send it.
 * @param command as JSON, such as `{voteSubmission: {...}}`
 * @returns the hash
 * @throws WalletFailure
 */
export async function sendByWallet(publicKey: string, command: object, signal: AbortSignal): Promise<string> {
  const token = wallet.value?.token;
  if (token === undefined) throw new WalletFailure("refused", "no wallet is connected");
  // A wallet may serve several pages, and has nodes of its own.
  const chain = memberOf((await call("client.get_chain_id", undefined, { signal })).result, "chainID");
  if (chain !== chainId.value)
    throw new WalletFailure(
      "refused",
      `the wallet signs for the chain ${String(chain)}, and this node's is ${chainId.value}: nothing was asked`,
    );
  const params = { publicKey, sendingMode: "TYPE_SYNC", transaction: command };
  const { result } = await call("client.send_transaction", params, { token, signal });
  const hash = memberOf(result, "transactionHash");
  if (typeof hash !== "string" || !HASH.test(hash)) throw notAWallet();
  return hash.toUpperCase();
}

interface CallOptions {
  readonly token?: string;
  readonly signal?: AbortSignal;
}

async function call(method: string, params: unknown, { token, signal }: CallOptions) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: "1", method, ...(params !== undefined && { params }) });
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: token }),
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${walletOrigin}/api/v2/requests`, {
      ...{ method: "POST", body, headers, credentials: "omit", cache: "no-store", redirect: "error" },
      ...(signal !== undefined && { signal }),
    });
    text = await response.text();
  } catch {
    if (signal?.aborted) throw new WalletFailure("cancelled", cancelledSentence(method));
    throw new WalletFailure("away", `No wallet answers at ${walletHost}.`);
  }
  const answer = jsonIn(text);
  const failure = memberOf(answer, "error");
  if (failure !== undefined) {
    if (memberOf(failure, "code") === TOKEN_REFUSED && token === wallet.value?.token) keep(undefined);
    throw new WalletFailure("refused", sentenceOf(failure));
  }
  if (!response.ok) throw notAWallet();
  const authorization = response.headers.get("authorization") ?? "";
  return { result: memberOf(answer, "result"), token: TOKEN.test(authorization) ? authorization : undefined };
}

/** The person may have approved a moment before. */
const cancelledSentence = (method: string) =>
  method === "client.send_transaction"
    ? "not waited for any more: the wallet shows whether it was sent"
    : "cancelled: nothing was signed";

const notAWallet = () => new WalletFailure("away", `The server at ${walletHost} is not a wallet.`);

function sentenceOf(failure: unknown): string {
  if (memberOf(failure, "code") === TOKEN_REFUSED)
    return "the wallet ended this connection: connect it again";
  const sentences = [memberOf(failure, "data"), memberOf(failure, "message")];
  return (
    sentences.find((text) => typeof text === "string" && text !== "")?.toString() ?? "the wallet refused"
  );
}

/** @throws WalletFailure */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => (typeof value === "string" ? visible(value) : value));
  } catch {
    throw notAWallet();
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function keysIn(result: unknown): WalletKey[] {
  const keys = memberOf(result, "keys");
  if (!Array.isArray(keys)) throw notAWallet();
  return keys.flatMap((key) => {
    const [name, publicKey] = [memberOf(key, "name"), memberOf(key, "publicKey")];
    if (typeof name !== "string" || typeof publicKey !== "string" || !PUBLIC_KEY.test(publicKey)) return [];
    return [{ name, publicKey }];
  });
}

function keep(connection: Connection | undefined): void {
  wallet.value = connection;
  try {
    if (connection === undefined) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify(connection));
  } catch {
    // The storage is full or switched off: the connection lasts until the page is loaded again.
  }
}

function stored(): Connection | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? "null");
    const token = memberOf(value, "token");
    return typeof token === "string" && TOKEN.test(token) ? { token, keys: keysIn(value) } : undefined;
  } catch {
    return undefined;
  }
}
