// A wallet service for tests: wallets in memory with the phrase of the vectors, a person who answers at once, and a
// node of the test's choice. Requests go in without a socket, unless a test wants one.
import {
  type RunningWalletService,
  startWalletService,
  type WalletServiceOptions,
} from "../../../src/planes/wallet/start.ts";
import type { ApprovalRequest, Approver, Decision } from "../../../src/wallet/approvals/approver.ts";
import type { NodeClient } from "../../../src/wallet/sending/nodes.ts";
import { tokenHash } from "../../../src/wallet/service/tokens.ts";
import type { WalletStore } from "../../../src/wallet/wallet-store.ts";
import { FakeNode } from "../sending/fake-node.ts";
import { cheapStore, PASSPHRASE, vectorWallet } from "../support/wallets.ts";

export const ORIGIN = "https://dapp.example";
export const KEY_1 = "b5fd9d3c4ad553cb3196303b6e6df7f484cf7f5331a572a45031239fd71ad8a0";
export const KEY_2 = "988eae323a07f12363c17025c23ee58ea32ac3912398e16bb0b56969f57adc52";
/** Of a program that a policy was paired with, and what the policy holds of it. */
const PAIRING_TOKEN = "p".repeat(64);
export const PAIRING = tokenHash(PAIRING_TOKEN);
export const VOTE = {
  voteSubmission: {
    proposalId: "eb2d3902fdda9c3eb6e369f2235689b871c7322cf3ab284dde3e9dfc13863a17",
    value: "VALUE_YES",
  },
} as const;

/** Answers as the test says; remembers what it was asked. */
export class Person implements Approver {
  readonly name = "test";
  readonly asked: ApprovalRequest[] = [];
  answer: (request: ApprovalRequest, signal?: AbortSignal) => Decision | Promise<Decision> = (request) =>
    request.kind === "passphrase"
      ? { outcome: "approved", passphrase: Uint8Array.from(PASSPHRASE) }
      : { outcome: "approved" };

  async decide(request: ApprovalRequest, signal?: AbortSignal): Promise<Decision> {
    this.asked.push(request);
    return this.answer(request, signal);
  }

  get kinds(): string[] {
    return this.asked.map(({ kind }) => kind);
  }
}

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests
  readonly body: any;
  /** The `Authorization` header. */
  readonly token: string | null;
}

export interface RigOptions extends Partial<Omit<WalletServiceOptions, "nodes">> {
  readonly nodes?: readonly NodeClient[];
  /** Names of wallets to make; default one. */
  readonly wallets?: readonly string[];
}

export class Rig {
  readonly person = new Person();
  readonly node = new FakeNode("test-chain", { "spam.pow.numberOfTxPerBlock": "40" });
  store!: WalletStore;
  running!: RunningWalletService;

  static async start(options: RigOptions = {}): Promise<Rig> {
    const rig = new Rig();
    rig.store = options.store ?? cheapStore();
    for (const name of options.wallets ?? ["vectors"]) {
      const wallet = await vectorWallet(rig.store, name);
      await wallet.generateKey();
      wallet.lock();
    }
    rig.running = await startWalletService({
      store: rig.store,
      nodes: [rig.node],
      approver: rig.person,
      port: 0,
      waitMs: 500,
      watchMs: 0,
      checkMs: 0,
      isOwnChain: options.chainId === undefined,
      ...options,
    });
    return rig;
  }

  /** A call of the owner's, by the local socket. */
  async callBySocket(method: string, params?: unknown): Promise<RpcAnswer> {
    const body = JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" });
    return answerOf(await fetch("http://wallet/", { unix: this.running.socket!, method: "POST", body }));
  }

  /** A body as it is. */
  async post(
    body: string,
    headers: Record<string, string | undefined> = {},
    init: RequestInit = {},
  ): Promise<RpcAnswer> {
    const all = {
      host: "127.0.0.1:1789",
      origin: ORIGIN,
      "content-type": "application/json-rpc",
      ...headers,
    };
    const defined = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const request = new Request("http://127.0.0.1:1789/api/v2/requests", {
      method: "POST",
      headers: defined,
      // Without a type of its own: bytes have none, where a text would be text/plain.
      body: typeof body === "string" ? new TextEncoder().encode(body) : body,
      ...init,
    });
    return answerOf(await this.running.fetch(request));
  }

  call(
    method: string,
    params?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<RpcAnswer> {
    const member = params === undefined ? {} : { params };
    return this.post(JSON.stringify({ jsonrpc: "2.0", method, ...member, id: "1" }), headers);
  }

  /** A token of a new session. */
  async connect(origin = ORIGIN): Promise<string> {
    const authorization = `VWT ${PAIRING_TOKEN}`;
    const { token, text } = await this.call("client.connect_wallet", {}, { origin, authorization });
    if (token === null) throw new Error(`not connected: ${text}`);
    return token;
  }

  /** A session that may see and use the keys. */
  async ready(origin = ORIGIN): Promise<string> {
    const authorization = await this.connect(origin);
    await this.call("client.list_keys", {}, { origin, authorization });
    return authorization;
  }

  send(authorization: string, params: Record<string, unknown> = {}, origin = ORIGIN): Promise<RpcAnswer> {
    const all = { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE, ...params };
    return this.call("client.send_transaction", all, { authorization, origin });
  }

  stop(): Promise<void> {
    return this.running.close();
  }
}

export async function answerOf(response: Response): Promise<RpcAnswer> {
  const text = await response.text();
  const isJson = text.startsWith("{");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
    token: response.headers.get("authorization"),
  };
}
