/**
 * Rate of admission (decode, signature, proof of work, spam) against bare native Ed25519 verification of the same
 * transactions, on one core and with all of them.
 *
 * `bun bench/admission.ts [--rounds N] [--only one]` prints one JSON line; `one` is the rate of one core alone. The clock counts, which needs a quiet machine: processor
 * time would count the runtime's compiling and collecting threads too. The ratios are medians of rounds in which each side
 * has a turn. The gain of bare verification itself from a second core (`bareRatioAllCores`) is measured in the same rounds:
 * many machines run one busy core faster than two.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { availableParallelism } from "node:os";
import { Admission } from "../src/chain/admission/admission.ts";
import { openSearch } from "../src/chain/admission/pow/nonce-search.ts";
import { ed25519KeyPair, ed25519VerifyAsync } from "../src/crypto/ed25519.ts";
import { readTransaction, signingDigest } from "../src/wire/transaction.ts";
import { type CheckedTransaction, checkTransaction, readUnverified } from "../src/wire/transaction-check.ts";
import { buildTransaction } from "../test/support/transactions.ts";
import { argument, median } from "./support.ts";

const ROUNDS = Number(argument("--rounds") ?? 75);
/** They compile the code and wake the threads. */
const WARM_UP_ROUNDS = 4;
const CHAIN = "bench-chain";
const COUNT = 4_000;
const PARTIES = 1_000;
const DIFFICULTY = 4;
const BLOCK_HASH = "d".repeat(64);
const WRONG_SIGNATURE = "a signature of the benchmark is wrong";
const KEY_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

function makeTransactions(): Uint8Array[] {
  const keys = Array.from({ length: PARTIES }, (_, index) => {
    const seed = new Uint8Array(32);
    new DataView(seed.buffer).setUint32(0, index + 1);
    return ed25519KeyPair(seed);
  });
  return Array.from({ length: COUNT }, (_, index) => {
    const tid = index.toString(16).padStart(64, "0");
    const search = openSearch({ blockHash: BLOCK_HASH, tid }, DIFFICULTY);
    const nonce = search.search(0n, 1 << 16) ?? 0n;
    const payload = {
      fromAccountType: 4,
      to: "0c".repeat(32),
      toAccountType: 4,
      asset: "d1".repeat(32),
      amount: "1000",
      oneOff: { deliverOn: 0n },
    };
    const options = { chainId: CHAIN, nonce: BigInt(index + 1), blockHeight: 10n, pow: { tid, nonce } };
    return buildTransaction({ kind: "transfer", payload }, { ...options, key: keys[index % PARTIES]! });
  });
}

function openAdmission(): Admission {
  const admission = new Admission(CHAIN);
  const parameters = {
    "spam.pow.numberOfPastBlocks": "100",
    "spam.pow.difficulty": String(DIFFICULTY),
    "spam.pow.hashFunction": "sha3_24_rounds",
    "spam.pow.numberOfTxPerBlock": "1000",
    "spam.pow.increaseDifficulty": "0",
    "spam.protection.maxUserTransfersPerEpoch": "1000000",
    "validators.epoch.length": "1h",
  };
  for (const [key, value] of Object.entries(parameters)) admission.setParameter(key, value);
  admission.beginBlock(10n, BLOCK_HASH, 1n);
  return admission;
}

function admit(admission: Admission, { party, hash, blockHeight, pow, kind }: CheckedTransaction): void {
  const proof = { tid: pow?.tid ?? "", nonce: pow?.nonce ?? 0n };
  const verdict = admission.check({ party, hash, blockHeight, ...proof, command: kind }, undefined);
  if (!verdict.accepted) throw new Error(`a transaction of the benchmark is refused: ${verdict.text}`);
}

declare const self: Worker;

const transactions = makeTransactions();
const bareInput = transactions.map((bytes) => {
  const { inputData, pubKey, signature } = readTransaction(bytes);
  const digest = signingDigest(3, CHAIN, inputData);
  return { digest, key: Buffer.from(pubKey!, "hex"), signature: Buffer.from(signature!.value, "hex") };
});

function keyObject(key: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([KEY_PREFIX, key]), format: "der", type: "spki" });
}

/** A raw key has to be made a key object: so has the one of every transaction. */
function bare(): void {
  for (const { digest, key, signature } of bareInput) {
    if (!verify(null, digest, keyObject(key), signature)) throw new Error(WRONG_SIGNATURE);
  }
}

const keyObjects = bareInput.map(({ key }) => keyObject(key));
/** With existing key objects, as admission keeps recent ones: nothing but the verification. */
function bareKept(): void {
  for (const [i, { digest, signature }] of bareInput.entries()) {
    if (!verify(null, digest, keyObjects[i]!, signature)) throw new Error(WRONG_SIGNATURE);
  }
}

function oneCore(): void {
  const admission = openAdmission();
  for (const bytes of transactions) {
    const verdict = checkTransaction(bytes, CHAIN);
    if (!verdict.ok) throw new Error(verdict.refusal.text);
    admit(admission, verdict.transaction);
  }
}

async function allCores(): Promise<void> {
  const admission = openAdmission();
  await Promise.all(
    transactions.map(async (bytes) => {
      const read = readUnverified(bytes, CHAIN);
      if (!read.ok) throw new Error(read.refusal.text);
      const { transaction, claim } = read.unverified;
      const isValid = await ed25519VerifyAsync(claim.publicKey, claim.digest, claim.signature);
      if (!isValid) throw new Error(WRONG_SIGNATURE);
      admit(admission, transaction);
    }),
  );
}

/** Transactions a second of the clock. */
async function byClock(run: () => unknown): Promise<number> {
  const before = Bun.nanoseconds();
  await run();
  return (COUNT * 1e9) / (Bun.nanoseconds() - before);
}

/** Bare verification on as many threads as admission has: each verifies all of them, so that much is done for each. */
class BareThreads {
  private readonly workers = Array.from(
    { length: availableParallelism() },
    () => new Worker(import.meta.path),
  );

  get count(): number {
    return this.workers.length;
  }

  run = async (): Promise<void> => {
    await Promise.all(
      this.workers.map(async (worker) => {
        const done = Promise.withResolvers<void>();
        worker.onmessage = () => done.resolve();
        worker.postMessage("go");
        await done.promise;
      }),
    );
  };
}

interface Round {
  readonly bareRate: number;
  readonly oneRate: number;
  readonly toBare: number;
  readonly toKept: number;
  readonly allClock: number;
  readonly toOne: number;
  readonly bareToOne: number;
}

async function main(): Promise<void> {
  const bareThreads = new BareThreads();
  const rounds: Round[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const bareRate = await byClock(bare);
    const oneRate = await byClock(oneCore);
    const keptRate = await byClock(bareKept);
    const allClock = await byClock(allCores);
    const bareAll = (await byClock(bareThreads.run)) * bareThreads.count;
    if (round < 0) continue;
    const toBare = { toBare: oneRate / bareRate, toKept: oneRate / keptRate };
    const ratios = { ...toBare, toOne: allClock / oneRate, bareToOne: bareAll / bareRate };
    rounds.push({ bareRate, oneRate, allClock, ...ratios });
  }
  const middle = (name: keyof Round) => median(rounds.map((round) => round[name]));
  console.log(
    JSON.stringify({
      barePerSecond: Math.round(middle("bareRate")),
      perSecond: Math.round(middle("oneRate")),
      ratioToBare: Number(middle("toBare").toFixed(3)),
      ratioToBareWithKeptKeys: Number(middle("toKept").toFixed(3)),
      allCoresPerSecond: Math.round(middle("allClock")),
      ratioAllCores: Number(middle("toOne").toFixed(3)),
      bareRatioAllCores: Number(middle("bareToOne").toFixed(3)),
    }),
  );
  process.exit(0);
}

async function oneAlone(): Promise<void> {
  const rates: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const rate = await byClock(oneCore);
    if (round >= 0) rates.push(rate);
  }
  console.log(JSON.stringify({ perSecond: Math.round(median(rates)) }));
}

if (Bun.isMainThread && argument("--only") === "one") await oneAlone();
else if (Bun.isMainThread) await main();
else {
  self.onmessage = () => {
    bare();
    self.postMessage("done");
  };
}
