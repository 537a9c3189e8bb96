// Every kind of refusal, in any number, and what each leaves behind in memory: nothing.
import { heapStats } from "bun:jsc";
import { leadingZeroBits, proofHash } from "../../src/chain/admission/pow/function.ts";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { startNode } from "../../src/start-node.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { DOLLAR } from "../rig/devnet-client.ts";
import { buildTransaction } from "../support/transactions.ts";

const MIB = 1024 ** 2;
const DIFFICULTY = 1;
/** A party without funds and stake. */
const STRANGER = ed25519KeyPair(new Uint8Array(32).fill(0x5a));
const PARAMETERS = {
  "spam.pow.difficulty": String(DIFFICULTY),
  "spam.pow.increaseDifficulty": "0",
  "spam.pow.numberOfTxPerBlock": "1000000000",
  "spam.protection.maxUserTransfersPerEpoch": "1000000000",
};

export interface Sizes {
  /** Refusals before the first look at the memory: what is bounded by a count is full then. */
  readonly warmUp: number;
  readonly count: number;
  /** Characters of what may be of any length. */
  readonly characters: number;
}

export interface Growth {
  readonly kind: string;
  readonly mib: number;
}

type Kind = (n: number) => Promise<unknown>;

interface Bytes {
  readonly command: CommandInit;
  readonly tid?: string;
  readonly isUnproven?: boolean;
  readonly blockHeight?: bigint;
}

/** Does each kind so often. @returns how much more is held after the last one than after the warm-up */
export async function growthOf({ warmUp, count, characters }: Sizes, only?: string): Promise<Growth[]> {
  const devnet = await startNode({ kind: "devnet", parameters: PARAMETERS });
  try {
    const growths: Growth[] = [];
    for (const [kind, run] of Object.entries(kindsOf(devnet, characters))) {
      if (only !== undefined && kind !== only) continue;
      for (let n = 0; n < warmUp; n++) await run(n);
      const before = heldMib();
      for (let n = warmUp; n < warmUp + count; n++) await run(n);
      growths.push({ kind, mib: heldMib() - before });
    }
    return growths;
  } finally {
    await devnet.stop();
  }
}

function heldMib(): number {
  for (let n = 0; n < 3; n++) Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return (heapSize + extraMemorySize) / MIB;
}

/** Calls that throw unless they are refused as they should be. */
function kindsOf(devnet: Devnet, characters: number): Readonly<Record<string, Kind>> {
  const { chain, nodeUrl, faucetUrl } = devnet;
  const poor: CommandInit = transfer("100000000");
  const long = (n: number) => `${n} `.padEnd(characters, "x");
  const submit = async (n: number, bytes: Bytes, rule: string) => {
    const tx = signed(devnet, n, bytes);
    expectRule(await chain.submit(tx, "check"), rule);
    expectRule(await chain.check(tx), rule);
  };
  return {
    undecodable: async (n) => {
      const bytes = Buffer.from(`\xff${long(n)}`, "latin1");
      expectRule(await chain.submit(bytes, "check"), "undecodable_transaction");
    },
    "wrong signature": async (n) => {
      const bytes = signed(devnet, n, { command: proposal(long(n)) });
      bytes[bytes.length - 1]! ^= 1;
      expectRule(await chain.submit(bytes, "check"), "invalid_transaction");
    },
    "broken rules": (n) => submit(n, { command: transfer(long(n)) }, "invalid_transaction"),
    "long tid": (n) => submit(n, { command: poor, tid: long(n) }, "pow_tid_too_long"),
    "no proof": (n) => submit(n, { command: poor, isUnproven: true }, "pow_invalid"),
    "unknown height": (n) => submit(n, { command: poor, blockHeight: 10n ** 9n }, "pow_unknown_height"),
    "no funds": (n) => submit(n, { command: poor }, "command_failed"),
    "no stake": (n) => submit(n, { command: proposal(`${n}`) }, "spam_proposal_tokens"),
    "no stake for a vote": (n) => submit(n, { command: vote(n) }, "spam_vote_tokens"),
    "good, only checked": async (n) => {
      const outcome = await chain.check(signed(devnet, n, { command: poor }, devnet.parties[0]!.key));
      if (outcome.code !== 0) throw new Error(`${outcome.code}: ${outcome.text}`);
    },
    impersonated: async (n) => {
      const { kind, payload } = transfer(`${100_000_000 + n}`) as { kind: string; payload: object };
      const outcome = await chain.impersonate(STRANGER_PARTY, {
        [kind]: { ...payload, to: "00".repeat(32) },
      });
      if (outcome.code === 0) throw new Error("a transfer of what is not there was executed");
    },
    "asked over HTTP": async (n) => {
      const party = n.toString(16).padStart(64, "0");
      await expectStatus(`${nodeUrl}/statistics/spam/${party}`, 200);
      await expectStatus(`${nodeUrl}/no/such/path/${n}`, 404);
      await expectStatus(`${nodeUrl}/transaction/raw`, 400, `{"tx":"${n}`);
      await expectStatus(`${nodeUrl}/devnet/fund`, 400, `{"party":"${n}","asset":"x","amount":"1"}`);
      await expectStatus(`${faucetUrl}/api/v1/mint`, 400, `{"party":"${n}"}`);
    },
  };
}

const STRANGER_PARTY = Buffer.from(STRANGER.publicKey).toString("hex");

function signed(devnet: Devnet, n: number, bytes: Bytes, key = STRANGER): Uint8Array {
  const { chainId, height, hash } = devnet.chain.status;
  const tid = bytes.tid ?? n.toString(16).padStart(64, "0");
  return buildTransaction(bytes.command, {
    chainId,
    key,
    nonce: BigInt(n + 1),
    blockHeight: bytes.blockHeight ?? BigInt(height),
    // Unverified proofs need not be worked out.
    pow: { tid, nonce: tid.length > 64 ? 0n : solve(hash, tid, bytes.isUnproven ?? false) },
  });
}

function solve(blockHash: string, tid: string, isUnproven: boolean): bigint {
  for (let nonce = 0n; ; nonce++) {
    const isProof = leadingZeroBits(proofHash({ blockHash, tid, nonce })) >= DIFFICULTY;
    if (isProof !== isUnproven) return nonce;
  }
}

function transfer(amount: string): CommandInit {
  const type = AccountType.ACCOUNT_TYPE_GENERAL;
  const payload = { fromAccountType: type, toAccountType: type, to: "ab".repeat(32), asset: DOLLAR, amount };
  return { kind: "transfer", payload: { ...payload, oneOff: { deliverOn: 0n } } };
}

function proposal(title: string): CommandInit {
  const rationale = { title: title.slice(0, 90), description: title };
  return {
    kind: "proposalSubmission",
    payload: {
      reference: "r",
      rationale,
      terms: { closingTimestamp: 4_000_000_000n, enactmentTimestamp: 0n, newFreeform: {} },
    },
  };
}

function vote(n: number): CommandInit {
  return { kind: "voteSubmission", payload: { proposalId: n.toString(16).padStart(64, "0"), value: 2 } };
}

function expectRule(outcome: { details: { rule: string } | undefined; text: string }, rule: string): void {
  const actual = outcome.details?.rule;
  if (actual !== rule) throw new Error(`${actual}: ${outcome.text.slice(0, 200)}, and not ${rule}`);
}

async function expectStatus(url: string, status: number, body?: string): Promise<void> {
  const response = await fetch(url, body === undefined ? {} : { method: "POST", body });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`);
}
