// A node plane over the fake chain and a real small store, without a socket.

import { ed25519KeyPair } from "../../../src/crypto/ed25519.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../src/http/limits.ts";
import { DataPlane } from "../../../src/planes/data/plane.ts";
import { nodeApp } from "../../../src/planes/node/app.ts";
import { NodeContext } from "../../../src/planes/node/context.ts";
import { NodePlane } from "../../../src/planes/node/plane.ts";
import { type Event, type Json, openChain } from "../../support/small-chain.ts";
import { buildTransaction } from "../../support/transactions.ts";
import { CHAIN_ID, FakeChain } from "./fake-chain.ts";

const NOW_NS = 1_800_000_000_123_456_789n;
const KEY = ed25519KeyPair(Uint8Array.from({ length: 32 }, (_, index) => index + 1));
export const PARTY = "79b5562e8fe654f94078b112e8a98ba7901f853ae695bed7e0e3910bad049664";

export interface Asked {
  readonly status: number;
  readonly text: string;
  readonly body: Json;
  readonly headers: Headers;
}

export function smallNode(blocks: readonly (readonly Event[])[] = [[]], limits: Partial<Limits> = {}) {
  const chain = new FakeChain();
  const all = { ...DEFAULT_LIMITS, ...limits };
  const { context: store } = openChain(blocks, all);
  const data = new DataPlane(store);
  const context = new NodeContext(chain, {
    limits: all,
    build: { version: "v0.71.6", commit: "abc123" },
    nowNs: () => NOW_NS,
  });
  const plane = new NodePlane(context, data);
  const app = nodeApp(plane);
  const ask = async (path: string, init: RequestInit = {}): Promise<Asked> => {
    const response = await app.handle(new Request(`http://localhost${path}`, init));
    const text = await response.text();
    return { status: response.status, text, body: jsonOf(text), headers: response.headers };
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Asked> =>
    ask(path, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });
  return { chain, data, plane, app, ask, post };
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes of a signed transfer, another for every nonce. */
export function signedTransfer(nonce: bigint, chainId = CHAIN_ID): Uint8Array {
  const payload = {
    fromAccountType: 4,
    to: "0c".repeat(32),
    toAccountType: 4,
    asset: "d1".repeat(32),
    amount: "1000",
    oneOff: {},
  };
  const pow = { tid: "ab".repeat(32), nonce: 5n };
  return buildTransaction({ kind: "transfer", payload }, { key: KEY, chainId, nonce, blockHeight: 7n, pow });
}

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
