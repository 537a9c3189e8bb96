// A transaction that was signed elsewhere, against a real devnet: its place, its proof, its one execution, and its end.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { leadingZeroBits, proofHash } from "../../../src/chain/admission/pow/function.ts";
import { Solver } from "../../../src/chain/admission/pow/solver.ts";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import type { LastBlock } from "../../../src/wallet/sending/blocks.ts";
import { GivenSender, type GivenTransaction, tidOf } from "../../../src/wallet/sending/given-sender.ts";
import { HttpNode } from "../../../src/wallet/sending/http-node.ts";
import { NodePool } from "../../../src/wallet/sending/nodes.ts";
import { TransactionSender } from "../../../src/wallet/sending/sender.ts";
import { FileLedger, PlannerBook } from "../../../src/wallet/sending/sent-ledger.ts";
import { withProof } from "../../../src/wallet/signing/transaction.ts";
import type { ProofOfWork } from "../../../src/wire/generated/commands.ts";
import {
  type CommandInit,
  encodeCommand,
  readTransaction,
  serializeTransaction,
  signTransaction,
} from "../../../src/wire/transaction.ts";
import { DOLLAR } from "../../rig/devnet-client.ts";
import { executedOf as amountsOf, bannedUntil } from "../../support/devnet-party.ts";
import { LeapingClock } from "../../support/leaping-clock.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";

import { codeOf, failureOf } from "../support/failures.ts";
import { privateFolder } from "../support/wallets.ts";

/** Between questions nothing is under way: the pauses of a sender take no time. */
const { nowMs, sleep } = new LeapingClock();
let devnet: Devnet;
let clean: string;
let solver: Solver;
const endings: (() => void)[] = [];
beforeAll(async () => {
  devnet = await borrowDevnet({ "spam.pow.difficulty": "4" });
  clean = await devnet.chain.snapshot();
  await devnet.chain.setBlockMode({ kind: "manual" });
});
afterAll(async () => {
  await devnet.chain.setBlockMode({ kind: "instant" });
  await returnDevnet();
});
afterEach(() => {
  for (const end of endings.splice(0).reverse()) end();
});
beforeEach(() => {
  solver = new Solver({ nowMs: () => performance.now(), threads: 0 });
  endings.push(() => solver.close());
});

async function start(parameters: Readonly<Record<string, string>>): Promise<void> {
  await devnet.chain.revert(clean);
  for (const [key, value] of Object.entries(parameters)) await devnet.chain.setParameter(key, value);
}

/** The sender of a command: like each one, it begins with what the one before wrote down. */
function given(folder: string, waitMs = 200): { given: GivenSender; close(): void } {
  const book = new PlannerBook({ ledger: new FileLedger(`${folder}/sent.db`) });
  const nodes = new NodePool([new HttpNode(devnet.nodeUrl)], { nowMs, sleep });
  const parts = { nodes, solver, random: secureRandom, nowMs, wallMs: Date.now, book, watchMs: 0, waitMs };
  const sender = new TransactionSender(parts);
  const close = () => {
    sender.close();
    book.close();
  };
  return { given: new GivenSender(sender, nowMs), close };
}

async function once<T>(folder: string, action: (sender: GivenSender) => Promise<T>): Promise<T> {
  const { given: sender, close } = given(folder);
  try {
    return await action(sender);
  } finally {
    close();
  }
}

let nonce = 1n;
/** The work of the machine without a network. */
function signed(block: LastBlock, dollars = "5"): GivenTransaction {
  const [alice, bob] = devnet.parties;
  const account = { fromAccountType: 4, toAccountType: 4, to: bob!.publicKey, asset: DOLLAR };
  const command: CommandInit = {
    kind: "transfer",
    payload: { ...account, amount: `${dollars}00000`, oneOff: {} },
  };
  const inputData = encodeCommand(command, nonce++, block.height);
  const signing = signTransaction(inputData, alice!.key, { chainId: block.chainId });
  const transaction = readTransaction(serializeTransaction(signing));
  return {
    publicKey: alice!.publicKey,
    command,
    signature: new Uint8Array(Buffer.from(transaction.signature!.value, "hex")),
    height: block.height,
    block,
    bytesWith: (pow) => withProof(transaction, pow),
  };
}

const executedOf = async (from: Devnet, party: string) =>
  (await amountsOf(from, party)).map((amount) => amount.replace(/00000$/, ""));
function nextNonce(blockHash: string, { tid, nonce }: ProofOfWork): bigint {
  let next = nonce + 1n;
  while (leadingZeroBits(proofHash({ blockHash, tid, nonce: next })) < 4) next++;
  return next;
}
const alice = () => devnet.parties[0]!.publicKey;

describe("a place that is kept for the key", () => {
  test("is used by what is signed for it, whatever happened on the chain meanwhile", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "2" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    const block = await once(path, (sender) => sender.offer(alice()));
    expect(block.height).toBe(BigInt(devnet.chain.status.height));
    const transaction = signed(block);
    await devnet.chain.mine(5);
    const { pow, lastHeight, head } = await once(path, (sender) => sender.prove(transaction));
    expect([lastHeight - block.height, head - block.height]).toEqual([block.pastBlocks - 1n, 5n]);
    const { hash } = await once(path, (sender) => sender.send({ ...transaction, pow }, "TYPE_SYNC"));
    await devnet.chain.mine(1);
    expect(await executedOf(devnet, alice())).toEqual(["5"]);
    expect(hash).toMatch(/^[0-9A-F]{64}$/);
  });

  test("is one of two: commands of one home do not give the same one away twice", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "2" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    // Half of a block's quota, where somebody else may use the key.
    const first = await once(path, (sender) => sender.offer(alice()));
    const failure = await failureOf(() => once(path, (sender) => sender.offer(alice())));
    expect([failure.code, failure.exitCode]).toEqual(["quota_reached", 3]);
    expect(failure.message).toContain("2 for each block, of which half is left to another wallet");
    await devnet.chain.mine(1);
    const second = await once(path, (sender) => sender.offer(alice()));
    expect(second.height).toBe(first.height + 1n);
  });
});

describe("without such a place", () => {
  test("difficulty grows exactly as the network asks, and nobody is banned", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "1", "spam.pow.increaseDifficulty": "1" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    const book = new PlannerBook({ ledger: new FileLedger(`${path}/sent.db`), isSoleUser: true });
    const nodes = new NodePool([new HttpNode(devnet.nodeUrl)], { nowMs, sleep });
    const parts = {
      nodes,
      solver,
      random: secureRandom,
      nowMs,
      wallMs: Date.now,
      book,
      watchMs: 0,
      waitMs: 200,
    };
    const sender = new TransactionSender(parts);
    endings.push(() => sender.close());
    const block = await sender.lastBlock();
    const givens = new GivenSender(sender, nowMs);
    for (let count = 1; count <= 6; count++) await givens.send(signed(block, `${count}`), "TYPE_SYNC");
    const slots = book.of(block.chainId, alice()).planner.save().blocks.at(-1)!.sent;
    expect(slots.reduce((sum, [, bits]) => sum + bits, 0)).toBeGreaterThanOrEqual(4 + 5 + 6 + 7 + 8 + 9);
    await devnet.chain.mine(1);
    expect((await executedOf(devnet, alice())).sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(await bannedUntil(devnet, alice())).toBeUndefined();
    book.close();
  });

  test("a transaction that would get the key banned waits, and is refused with the reason and the time", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "1", "spam.pow.increaseDifficulty": "0" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    const block = await once(path, (sender) => sender.offer(alice()));
    const [one, two] = [signed(block, "1"), signed(block, "2")];
    await once(path, (sender) => sender.send(one, "TYPE_SYNC"));
    const failure = await failureOf(() => once(path, (sender) => sender.send(two, "TYPE_SYNC")));
    expect([failure.code, failure.exitCode]).toEqual(["quota_reached", 3]);
    expect(failure.message).toMatch(/the next block takes more|try again at/);
    await devnet.chain.mine(1);
    expect([await executedOf(devnet, alice()), await bannedUntil(devnet, alice())]).toEqual([
      ["1"],
      undefined,
    ]);
  });
});

describe("the same signature", () => {
  test("proven twice and sent by two machines is executed once", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "4" });
    const folders = [privateFolder(), privateFolder()];
    for (const { remove } of folders) endings.push(remove);
    const [here, there] = folders.map(({ path }) => path) as [string, string];
    const block = await once(here, (sender) => sender.offer(alice()));
    const transaction = signed(block);
    const [one, two] = [
      await once(here, (s) => s.prove(transaction)),
      await once(there, (s) => s.prove(transaction)),
    ];
    expect(one.pow.tid).toBe(two.pow.tid);
    const sent = await once(here, (sender) => sender.send({ ...transaction, pow: one.pow }, "TYPE_SYNC"));
    const same = () => once(here, (sender) => sender.send({ ...transaction, pow: one.pow }, "TYPE_SYNC"));
    // The same bytes: as long as they wait for a block the network has them, and in a block it had them.
    expect((await same()).hash).toBe(sent.hash);
    await devnet.chain.mine(1);
    expect(await codeOf(same)).toBe("already_sent");
    // Another proof of the same signature, as a solver with more threads may find it.
    const other = { ...two.pow, nonce: nextNonce(block.hash, two.pow) };
    const third = () => once(there, (sender) => sender.send({ ...transaction, pow: other }, "TYPE_SYNC"));
    expect(await codeOf(third)).toBe("already_sent");
    await devnet.chain.mine(1);
    expect([await executedOf(devnet, alice()), await bannedUntil(devnet, alice())]).toEqual([
      ["5"],
      undefined,
    ]);
  });
});

describe("a second attempt that is refused", () => {
  test("leaves the place to the first one, which may be in a block yet", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "1" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    const block = await once(path, (sender) => sender.offer(alice()));
    const transaction = signed(block, "1");
    const { pow } = await once(path, (sender) => sender.prove(transaction));
    await once(path, (sender) => sender.send({ ...transaction, pow }, "TYPE_SYNC"));
    const other = { ...pow, nonce: nextNonce(block.hash, pow) };
    const again = await failureOf(() =>
      once(path, (sender) => sender.send({ ...transaction, pow: other }, "TYPE_SYNC")),
    );
    expect(again.message).toContain("proof of work tid already seen");
    const next = () => once(path, (sender) => sender.send(signed(block, "2"), "TYPE_SYNC"));
    expect(await codeOf(next)).toBe("quota_reached");
    await devnet.chain.mine(1);
    // Executed long ago says no more about what else may name the block.
    expect(
      await codeOf(() => once(path, (sender) => sender.send({ ...transaction, pow: other }, "TYPE_SYNC"))),
    ).toBe("already_sent");
    expect(await codeOf(next)).toBe("quota_reached");
    await devnet.chain.mine(1);
    expect([await executedOf(devnet, alice()), await bannedUntil(devnet, alice())]).toEqual([
      ["1"],
      undefined,
    ]);
  });

  test("leaves it to another machine's as well", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "1" });
    const folders = [privateFolder(), privateFolder()];
    for (const { remove } of folders) endings.push(remove);
    const [here, there] = folders.map(({ path }) => path) as [string, string];
    const block = await once(here, (sender) => sender.offer(alice()));
    const transaction = signed(block, "1");
    const { pow } = await once(here, (sender) => sender.prove(transaction));
    await once(here, (sender) => sender.send({ ...transaction, pow }, "TYPE_SYNC"));
    const other = { ...pow, nonce: nextNonce(block.hash, pow) };
    const again = () => once(there, (sender) => sender.send({ ...transaction, pow: other }, "TYPE_SYNC"));
    expect(await codeOf(again)).toBe("transaction_refused");
    const next = () => once(there, (sender) => sender.send(signed(block, "2"), "TYPE_SYNC"));
    expect(await codeOf(next)).toBe("quota_reached");
    await devnet.chain.mine(1);
    expect(await bannedUntil(devnet, alice())).toBeUndefined();
  });

  test("gives it back where it was the first, and nobody has it", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "1" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    const block = await once(path, (sender) => sender.offer(alice()));
    const transaction = signed(block, "1");
    const pow = { tid: tidOf(transaction.signature), nonce: 0n };
    const strange = { ...transaction, pow, bytesWith: () => new Uint8Array([1, 2, 3]) };
    const proven = nextNonce(block.hash, pow);
    const broken = { ...strange, pow: { ...pow, nonce: proven } };
    expect(await codeOf(() => once(path, (sender) => sender.send(broken, "TYPE_SYNC")))).toMatch(/refused/);
    await once(path, (sender) => sender.send(signed(block, "2"), "TYPE_SYNC"));
    await devnet.chain.mine(1);
    expect(await executedOf(devnet, alice())).toEqual(["2"]);
  });
});

describe("a block that", () => {
  test("is too old, not there yet, or of another chain", async () => {
    await start({ "spam.pow.numberOfTxPerBlock": "2", "spam.pow.numberOfPastBlocks": "20" });
    const { path, remove } = privateFolder();
    endings.push(remove);
    const block = await once(path, (sender) => sender.offer(alice()));
    const codes = async (changed: LastBlock) =>
      codeOf(() => once(path, (sender) => sender.prove(signed(changed))));
    expect(await codes({ ...block, hash: "ab".repeat(32) })).toBe("block_mismatch");
    expect(await codes({ ...block, chainId: "another" })).toBe("block_mismatch");
    expect(await codes({ ...block, height: block.height + 50n })).toBe("block_unknown");
    const unknown = { ...signed({ ...block, height: block.height - 1n }), block: undefined };
    expect(await codeOf(() => once(path, (sender) => sender.prove(unknown)))).toMatch(
      /block_unknown|quota_reached/,
    );
    await devnet.chain.mine(20);
    expect(await codes(block)).toBe("block_too_historic");
  });
});
