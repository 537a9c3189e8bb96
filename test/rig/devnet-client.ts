// A party that talks to a devnet over HTTP alone: asks for the last block, proves, signs, submits.
import { leadingZeroBits, proofHash } from "../../src/chain/admission/pow/function.ts";
import type { Ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { buildTransaction } from "../support/transactions.ts";

export const DOLLAR = madeUpAssetId("tUSD");
export const EURO = madeUpAssetId("tEUR");
export const BRIDGED = madeUpAssetId("dUSD");

/** Proofs that cost next to nothing, and no quotas in the way. */
export const EASY: Readonly<Record<string, string>> = {
  "spam.pow.difficulty": "3",
  "spam.pow.increaseDifficulty": "0",
  "spam.pow.numberOfTxPerBlock": "100000",
  "spam.protection.maxUserTransfersPerEpoch": "100000000",
};

/** The block to prove for. */
export interface LastBlock {
  readonly chainId: string;
  readonly height: number;
  readonly hash: string;
  readonly difficulty: number;
}

/** The answer to a submission. */
export interface Submitted {
  readonly status: number;
  readonly success: boolean;
  readonly code: number;
  readonly txHash: string;
  readonly height: number;
  /** The refusal's text, or the error's message. */
  readonly text: string;
}

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export class DevnetClient {
  constructor(
    readonly nodeUrl: string,
    readonly dataUrl: string,
  ) {}

  async lastBlock(): Promise<LastBlock> {
    const answer = (await this.json(`${this.nodeUrl}/blockchain/height`)) as Record<string, string>;
    return {
      chainId: answer.chainId!,
      height: Number(answer.height),
      hash: answer.hash!,
      difficulty: Number(answer.spamPowDifficulty),
    };
  }

  async submit(bytes: Uint8Array, type: "TYPE_SYNC" | "TYPE_ASYNC" | "TYPE_COMMIT"): Promise<Submitted> {
    const body = JSON.stringify({ tx: Buffer.from(bytes).toString("base64"), type });
    const response = await fetch(`${this.nodeUrl}/transaction/raw`, { method: "POST", body });
    const answer = JSON.parse(await response.text());
    if (!response.ok) {
      return {
        status: response.status,
        success: false,
        code: -1,
        txHash: "",
        height: 0,
        text: reasonIn(answer),
      };
    }
    const { success, code, txHash, height, log } = answer;
    return { status: 200, success, code, txHash, height: Number(height), text: log };
  }

  /** A developer's tool. @throws HttpError with its sentence */
  tool(path: string, body: object = {}): Promise<Record<string, string>> {
    return this.json(`${this.nodeUrl}/devnet/${path}`, { method: "POST", body: JSON.stringify(body) });
  }

  /** The chain's own statistics. */
  async status(): Promise<{ readonly mempool: { readonly count: number }; readonly halted?: string }> {
    return (await this.json(`${this.nodeUrl}/devnet/status`)) as never;
  }

  /** A page of the data API. @throws HttpError */
  data(path: string): Promise<unknown> {
    return this.json(`${this.dataUrl}/api/v2/${path}`);
  }

  private async json(url: string, init?: RequestInit): Promise<Record<string, string>> {
    const response = await fetch(url, init);
    const answer = JSON.parse(await response.text());
    if (!response.ok) throw new HttpError(response.status, reasonIn(answer));
    return answer as Record<string, string>;
  }
}

/** The message of an error object: its detail, where it has one. */
function reasonIn({
  message,
  details,
}: {
  message: string;
  details?: readonly { message: string }[];
}): string {
  return details?.[0]?.message ?? message;
}

/** The bytes of a transaction that is proven and signed. @param unique tells it apart from all others of its kind */
export function provenTransaction(
  key: Ed25519KeyPair,
  command: CommandInit,
  { chainId, height, hash, difficulty }: LastBlock,
  unique: string,
): Uint8Array {
  const digest = new Bun.CryptoHasher("sha256").update(`${hexOf(key.publicKey)} ${unique}`).digest("hex");
  return buildTransaction(command, {
    key,
    chainId,
    nonce: BigInt(`0x${digest.slice(0, 15)}`) + 1n,
    blockHeight: BigInt(height),
    pow: { tid: digest, nonce: solved(hash, digest, difficulty) },
  });
}

/** The first nonce of a proof. */
export function solved(blockHash: string, tid: string, bits: number): bigint {
  for (let nonce = 0n; ; nonce++) {
    if (leadingZeroBits(proofHash({ blockHash, tid, nonce })) >= bits) return nonce;
  }
}

export function transferTo(
  to: string,
  asset: string,
  amount: bigint,
  more: object = { oneOff: {} },
): CommandInit {
  const { ACCOUNT_TYPE_GENERAL } = AccountType;
  return {
    kind: "transfer",
    payload: {
      fromAccountType: ACCOUNT_TYPE_GENERAL,
      to,
      toAccountType: ACCOUNT_TYPE_GENERAL,
      asset,
      amount: amount.toString(),
      ...more,
    },
  };
}
