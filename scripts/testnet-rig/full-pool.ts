import { type Ed25519KeyPair, ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { alike } from "./comparison.ts";
import { atOneHeight, heightOf, progress, type RigNetwork, rowsIn, urlOf } from "./network.ts";
import { parties, send, signed, type Tip, tipOf, transfer } from "./transactions.ts";
import type { Trial } from "./trial.ts";

const PARTIES = 200;
/** Transactions that may wait: what the parties send for two blocks. */
const POOL = 1_000;
/** Gas of a block, at its least: as many transfers. */
const GAS_MAX = 100;
/** Of a party on one block, before its proofs must be harder. */
const QUOTA = 3;
/** Every tenth party sends more than its quota, with proofs that are too easy, and is banned. */
const GREEDY = 10;
/** Under way at once, of each validator. */
const WIDTH = 50;
const DRAINED_MS = 1_200_000;
const HASHES_A_CALL = 500;
const TYPES = ["TYPE_ASYNC", "TYPE_SYNC", "TYPE_COMMIT"] as const;

export const fullPool: Trial = {
  number: 14,
  title:
    "transactions of 200 parties, with bans, into mempools that are full again and again: all have the same verdicts, and senders know theirs",
  network: {
    mempool: { mempoolTxsMax: POOL },
    // Blocks take fewer than are sent.
    settings: { consensus: { timeout_commit: '"2s"' } },
    parameters: {
      "network.transactions.maxgasperblock": String(GAS_MAX),
      "spam.pow.numberOfTxPerBlock": String(QUOTA),
      "spam.pow.increaseDifficulty": "1",
      "spam.protection.maxUserTransfersPerEpoch": "30",
    },
  },
  async run(network) {
    const { pairs } = network;
    const senders = Array.from({ length: PARTIES }, (_, n) => new Sender(n));
    await fund(network, senders);
    const count = network.times(2_400, 10_000);
    const tally = new Tally();
    const began = await heightOf(pairs[0]!);
    await Promise.all(
      pairs.map(async (pair, at) => {
        const own = senders.filter((_, n) => n % pairs.length === at);
        for (let height = 0n; tally.sent < count; ) {
          const tip = await nextTip(pair, height);
          height = tip.height;
          const txs = (await Promise.all(own.map((sender) => sender.next(pair, tip)))).flat();
          for (let from = 0; from < txs.length; from += WIDTH)
            await Promise.all(txs.slice(from, from + WIDTH).map((bytes) => tally.submit(pair, bytes)));
        }
      }),
    );
    const blocks = (await heightOf(pairs[0]!)) - began;
    if (blocks < 3) throw new Error(`${blocks} blocks while the mempools were full`);
    await tally.settle();
    await progress(pairs);
    const codes = await sameVerdicts(pairs, senders);
    tally.check(pairs);
    return `${tally.summary()}; codes in blocks: ${codes}`;
  },
};

/** A party that sends as many as its quota, or more. */
class Sender {
  readonly key: Ed25519KeyPair;
  readonly party: string;

  constructor(private readonly number: number) {
    this.key = ed25519KeyPair(Uint8Array.fromHex(sha256HexOf(Buffer.from(`sender ${number}`))));
    this.party = hexOf(this.key.publicKey);
  }

  /** Transactions on a block: transfers, and commands that fail in their block. */
  next(pair: ValidatorPair, tip: Tip): Promise<Uint8Array[]> {
    const count = this.number % GREEDY === 0 ? 2 * QUOTA : QUOTA;
    return Promise.all(
      Array.from({ length: count }, async (_, n) =>
        signed(n % 2 === 0 ? cancellation(n) : await transfer(pair, this.number, 100_000n), this, tip),
      ),
    );
  }
}

/** Passes each check, and fails in its block: there is no such market. */
function cancellation(n: number): CommandInit {
  return { kind: "orderCancellation", payload: { orderId: "aa".repeat(32), marketId: `b${n}`.repeat(32) } };
}

/** A party's quota is of one block: waits until that is not the former one. */
async function nextTip(pair: ValidatorPair, before: bigint): Promise<Tip> {
  for (;;) {
    const tip = await tipOf(pair);
    if (tip.height > before) return tip;
    await Bun.sleep(50);
  }
}

/** Gives each party something to send. */
async function fund({ pairs }: RigNetwork, senders: readonly Sender[]): Promise<void> {
  const pair = pairs[0]!;
  let height = 0n;
  for (let from = 0; from < senders.length; from += QUOTA * parties.length) {
    const tip = await nextTip(pair, height);
    height = tip.height;
    await Promise.all(
      senders.slice(from, from + QUOTA * parties.length).map(async ({ party }, n) => {
        const { kind, payload } = await transfer(pair, 0, 10_000_000n);
        const command = { kind, payload: { ...payload, to: party } } as CommandInit;
        const { success, log } = await send(
          pair,
          signed(command, parties[n % parties.length]!, tip),
          "TYPE_COMMIT",
        );
        if (!success) throw new Error(`the funding of a party was refused: ${log}`);
      }),
    );
  }
}

/** Forms of answers to a submission. */
interface Answer {
  readonly success?: boolean;
  readonly height?: string;
  readonly log?: string;
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly { readonly code: number; readonly message: string; readonly inner: string }[];
}

interface Outcome {
  readonly txHash: string;
  readonly state: "executed" | "failed" | "refused" | "waiting" | "unknown";
  readonly data?: string;
}

const FULL = /^mempool is full.*number of txs (\d+) \(max: (\d+)\), total txs bytes \d+ \(max: \d+\)$/;
/** As the original answers: `google.rpc.Code`, and the detail's number. */
const INTERNAL = 13;
const CHAIN_CALL = 10_000;

/** Answers to senders, and where their transactions are afterwards. */
class Tally {
  sent = 0;
  /** Taken, by the validator that took them. */
  private readonly open = new Map<ValidatorPair, Set<string>>();
  /** Refused before any block, or told so later. */
  private readonly refused = new Set<string>();
  private readonly executed = new Set<string>();
  private readonly reasons = new Map<string, number>();
  private readonly commits: Promise<void>[] = [];
  /** Answers of full mempools, by validator. */
  private readonly full = new Map<ValidatorPair, number>();

  /** Settles with the verdict of the check. */
  async submit(pair: ValidatorPair, bytes: Uint8Array): Promise<void> {
    const type = TYPES[this.sent++ % TYPES.length]!;
    const answer = this.answer(pair, bytes, type);
    // A sender that waits for its block keeps no other from sending.
    if (type === "TYPE_COMMIT") this.commits.push(answer);
    else await answer;
  }

  private async answer(pair: ValidatorPair, bytes: Uint8Array, type: (typeof TYPES)[number]): Promise<void> {
    const hash = sha256HexOf(bytes).toUpperCase();
    const answer = (await send(pair, bytes, type)) as Answer;
    const { success, height = "0", log = "", details = [] } = answer;
    const message = details[0]?.message ?? answer.message ?? "";
    if (message.startsWith("mempool is full")) this.noteFull(pair, answer);
    const isLate = message.startsWith("timed out");
    if (success || height !== "0" || isLate) {
      const own = this.open.get(pair) ?? new Set();
      this.open.set(pair, own.add(hash));
      if (isLate) this.count("late");
    } else if (success === undefined && message === "")
      throw new Error(`a submission answers ${JSON.stringify(answer)}`);
    else this.refuse(hash, log || message);
  }

  /** Waits until each that was taken is in a block, or its sender can read why not. @throws Error for one that is lost */
  async settle(): Promise<void> {
    await Promise.all(this.commits);
    const end = performance.now() + DRAINED_MS;
    for (const [pair, hashes] of this.open)
      while (hashes.size > 0) {
        if (performance.now() > end) throw new Error(`${hashes.size} transactions still wait`);
        const some = [...hashes].slice(0, HASHES_A_CALL);
        const body = JSON.stringify({ hashes: some, wait: "1s" });
        const answer = await fetch(urlOf(pair, "/devnet/outcomes"), { method: "POST", body });
        const { outcomes } = (await answer.json()) as { outcomes: Outcome[] };
        const stored = outcomes.some(({ state }) => state === "unknown") ? hashesIn(pair) : new Set();
        for (const { txHash, state, data = "" } of outcomes) {
          if (state === "waiting") continue;
          hashes.delete(txHash);
          if (state === "refused") this.refuse(txHash, data);
          else if (state !== "unknown" || stored.has(txHash)) this.executed.add(txHash);
          else throw new Error(`transaction ${txHash} was taken, and is in no block, without a reason`);
        }
      }
  }

  /** Blocks hold those that were taken, and no others; every mempool was full. */
  check(pairs: readonly ValidatorPair[]): void {
    const stored = hashesIn(pairs[0]!);
    const roomy = pairs.filter((pair) => !this.full.has(pair));
    if (roomy.length > 0)
      throw new Error(`the mempools of ${roomy.length} validators were never full: ${this.summary()}`);
    if (this.executed.size === 0) throw new Error(`none is in a block: ${this.summary()}`);
    for (const hash of this.executed) if (!stored.has(hash)) throw new Error(`${hash} is in no block`);
    for (const hash of this.refused)
      if (stored.has(hash)) throw new Error(`${hash} was refused, and is in a block`);
  }

  /** @throws Error when the answer does not say how full the mempool is */
  private noteFull(pair: ValidatorPair, answer: Answer): void {
    const { code, message } = answer.details![0]!;
    const [, count = "", most] = FULL.exec(message) ?? [];
    if (Number(most) !== POOL || Number(count) < POOL / 2 || answer.code !== INTERNAL || code !== CHAIN_CALL)
      throw new Error(`a full mempool answers ${JSON.stringify(answer)}`);
    this.full.set(pair, (this.full.get(pair) ?? 0) + 1);
  }

  summary(): string {
    const reasons = [...this.reasons].map(([reason, times]) => `${times} ${reason}`);
    return `${this.sent} sent, ${this.executed.size} in blocks, ${this.refused.size} refused (${reasons.join("; ")})`;
  }

  private refuse(hash: string, reason: string): void {
    this.refused.add(hash);
    this.count(
      reason
        .replace(/[0-9a-f]{64}/g, "#")
        .replace(/\d+/g, "n")
        .slice(0, 60),
    );
  }

  private count(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}

function hashesIn(pair: ValidatorPair): ReadonlySet<string> {
  using db = rowsIn(pair);
  const rows = db.query("SELECT bytes FROM chain_txs").all() as { bytes: Uint8Array }[];
  return new Set(rows.map(({ bytes }) => sha256HexOf(bytes).toUpperCase()));
}

/** Verdicts of all transactions, and what each party can read of its standing, at one height. @returns counts by code */
function sameVerdicts(pairs: readonly ValidatorPair[], senders: readonly Sender[]): Promise<string> {
  return atOneHeight(pairs, async (height) => {
    alike(`verdicts at block ${height}`, pairs.map(verdictsIn));
    alike(`statistics at block ${height}`, await Promise.all(pairs.map((pair) => standings(pair, senders))));
    return codesIn(pairs[0]!);
  });
}

function verdictsIn(pair: ValidatorPair): Map<string, string> {
  using db = rowsIn(pair);
  const sql = `SELECT t.height, t.n, t.code, t.bytes, x.text FROM chain_txs t
    LEFT JOIN chain_texts x ON x.height = t.height AND x.n = t.n`;
  const rows = db.query(sql).all() as {
    height: bigint;
    n: bigint;
    code: bigint;
    bytes: Uint8Array;
    text: string;
  }[];
  return new Map(
    rows.map(({ height, n, code, bytes, text }) => [
      `${height}/${n}`,
      `${sha256HexOf(bytes)} ${code} ${text}`,
    ]),
  );
}

async function standings(pair: ValidatorPair, senders: readonly Sender[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { party } of senders)
    texts.set(party, await (await fetch(urlOf(pair, `/statistics/spam/${party}`))).text());
  return texts;
}

function codesIn(pair: ValidatorPair): string {
  using db = rowsIn(pair);
  const rows = db.query("SELECT code, count(*) AS n FROM chain_txs GROUP BY code").all() as {
    code: bigint;
    n: bigint;
  }[];
  return rows.map(({ code, n }) => `${n} with ${code}`).join(", ");
}
