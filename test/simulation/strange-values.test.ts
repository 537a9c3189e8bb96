// A command cannot stop the chain: whatever values a valid command carries, the engine takes it or refuses it, the store
// can hold the result, and blocks go on. Every text, number and integer of every command is replaced by strange ones in turn.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Dice } from "../../scripts/sample/seeded.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { WireError } from "../../src/wire/errors.ts";
import { decodeInputData } from "../../src/wire/generated/commands.ts";
import { fromJson } from "../../src/wire/json.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { type CommandInit, encodeCommand } from "../../src/wire/transaction.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { COMMANDS, type CommandKind } from "../../src/wire/transaction-commands.ts";
import { Scratch } from "../rig/homes.ts";
import { fundsCases } from "../support/rules/funds.ts";
import { governanceCases } from "../support/rules/governance.ts";
import { validatorCases } from "../support/rules/validators.ts";
import { LENGTH, SEED } from "../support/seed.ts";
import { Simulation } from "./simulation.ts";
import { EUR, keyOf, PARTIES, TOKEN, USD, VALIDATORS, WORLDS } from "./world.ts";

const node = VALIDATORS[0]!;
const TEXTS = [
  ...[
    "",
    "0",
    "1",
    "-1",
    "+1",
    "1e3",
    "1e-3",
    "1e999999999",
    "0x10",
    " 1",
    "1.5",
    ".5",
    "NaN",
    "Infinity",
    "0h",
    "-5s",
  ],
  ...[
    `${2n ** 255n}`,
    `${2n ** 256n - 1n}`,
    `${2n ** 256n}`,
    "9".repeat(400),
    "999999999999999h",
    "{}",
    "null",
    "[1]",
  ],
  ...[
    USD,
    EUR,
    TOKEN,
    "VOTE",
    PARTIES[0]!,
    PARTIES[0]!.toUpperCase(),
    node.nodeId,
    "0".repeat(64),
    `0x${USD}`,
    "5e".repeat(20),
    `0X${"5e".repeat(20)}`,
  ],
  ...[
    "2026-01-01T00:00:05Z",
    "2999-01-01T00:00:00Z",
    "9999-99-99T99:99:99Z",
    "__proto__",
    "constructor",
    "é\u0000",
    `${"a".repeat(199)}😀`,
    `${"0".repeat(250)}32`,
    String.raw`{"triggers":[{"horizon":5,"auction_extension":5,"probability":"\ud83d"}]}`,
    "transfer.fee.factor",
  ],
];
const INTEGERS = [0n, 1n, -1n, 2n ** 31n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n];
const NUMBERS = [0, 1, 2, 3, 4, 5, 12, 13, 14, 16, 17, 99, -1];

const fields = messageDescriptor("vega.commands.v1.InputData").fields;
const fromCases = Object.entries({ ...fundsCases, ...governanceCases, ...validatorCases }).flatMap(
  ([kind, { valid }]) => {
    const { typeName } = fields.find(({ jsonName }) => jsonName === kind)!;
    return Object.values(valid).map((json) => [kind as CommandKind, fromJson(typeName, json)] as const);
  },
);

/** Commands that go deep into the engine as they stand. */
function realistic(nowSeconds: bigint): (readonly [CommandKind, object])[] {
  const transfer = {
    fromAccountType: 4,
    to: PARTIES[1]!,
    toAccountType: 4,
    asset: USD,
    amount: "100000",
    reference: "",
  };
  const rationale = { title: "t", description: "d" };
  const proposal = (change: object, enactment = nowSeconds + 8n) => ({
    reference: "",
    rationale,
    terms: {
      closingTimestamp: nowSeconds + 4n,
      enactmentTimestamp: enactment,
      validationTimestamp: 0n,
      ...change,
    },
  });
  const parameter = (key: string, value: string) =>
    proposal({ updateNetworkParameter: { changes: { key, value } } });
  const recurring = { startEpoch: 6n, endEpoch: undefined, factor: "1", dispatchStrategy: undefined };
  const stake = { ethereumAddress: "0x", vegaPublicKey: PARTIES[1]!, amount: "5", blockTime: 3n };
  const details = { name: "n", symbol: "s", decimals: 5n, quantum: "1" };
  const bridged = {
    vegaAssetId: TOKEN,
    sourceEthereumAddress: "0x",
    targetPartyId: PARTIES[1]!,
    amount: "5",
  };
  return [
    ["transfer", { ...transfer, oneOff: { deliverOn: 0n } }],
    ["transfer", { ...transfer, recurring }],
    ["cancelTransfer", { transferId: "ab".repeat(32) }],
    ["withdrawSubmission", { amount: "1000", asset: USD, ext: undefined }],
    [
      "withdrawSubmission",
      { amount: "1000", asset: TOKEN, ext: { erc20: { receiverAddress: `0x${"5e".repeat(20)}` } } },
    ],
    ["delegateSubmission", { nodeId: node.nodeId, amount: "10" }],
    ["undelegateSubmission", { nodeId: node.nodeId, amount: "10", method: 1 }],
    ["proposalSubmission", proposal({ newFreeform: {} }, 0n)],
    ["proposalSubmission", parameter("transfer.fee.factor", "0.5")],
    ["proposalSubmission", parameter("validators.epoch.length", "5s")],
    ["proposalSubmission", parameter("reward.asset", USD)],
    ["proposalSubmission", parameter("market.monitor.price.defaultParameters", '{"triggers":[]}')],
    ["proposalSubmission", parameter("network.transactions.minBlockCapacity", "33")],
    ["proposalSubmission", parameter("spam.pow.difficulty", "5")],
    ["proposalSubmission", parameter("limits.assets.proposeEnabledFrom", "2030-01-01T00:00:00Z")],
    ["proposalSubmission", parameter("network.validators.tendermint.number", "1")],
    [
      "proposalSubmission",
      {
        ...proposal({
          newAsset: { changes: { ...details, builtinAsset: { maxFaucetAmountMint: "1" }, erc20: undefined } },
          validationTimestamp: nowSeconds + 3n,
          closingTimestamp: nowSeconds + 200_000n,
          enactmentTimestamp: nowSeconds + 200_000n,
        }),
      },
    ],
    [
      "chainEvent",
      { txId: "", nonce: 1n, builtin: { deposit: { vegaAssetId: USD, partyId: PARTIES[1]!, amount: "5" } } },
    ],
    ["chainEvent", { txId: "0x5", nonce: 5n, erc20: { index: 0n, block: 1n, deposit: bridged } }],
    ["protocolUpgradeProposal", { upgradeBlockHeight: 1_000_000n, vegaReleaseTag: "v0.72.0" }],
    ["chainEvent", { txId: "0x1", nonce: 2n, stakingEvent: { index: 0n, block: 1n, stakeDeposited: stake } }],
    [
      "chainEvent",
      {
        txId: "internal",
        nonce: 3n,
        stakingEvent: { index: 0n, block: 1n, totalSupply: { tokenAddress: "", totalSupply: "7" } },
      },
    ],
    [
      "chainEvent",
      {
        txId: "0x2",
        nonce: 4n,
        erc20Multisig: { index: 0n, block: 9n, thresholdSet: { newThreshold: 5, nonce: "1", blockTime: 9n } },
      },
    ],
  ];
}

/** Copies of a command with one value replaced. */
function* strange(value: unknown, replace: (value: unknown) => object): Generator<object> {
  if (typeof value === "string") for (const text of TEXTS) yield replace(text);
  else if (typeof value === "bigint") for (const integer of INTEGERS) yield replace(integer);
  else if (typeof value === "number") for (const number of NUMBERS) yield replace(number);
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    for (const [name, member] of Object.entries(value)) {
      yield* strange(member, (other) => {
        const copy = Array.isArray(value) ? [...value] : { ...value };
        (copy as Record<string, unknown>)[name] = other;
        return replace(copy);
      });
    }
  }
}

const scratch = new Scratch("strange-values");
afterAll(() => scratch.remove());

let simulation: Simulation;
/** Holds nothing for good: each try begins with an empty store. */
let writer: BlockWriter;
beforeAll(() => {
  simulation = new Simulation(WORLDS[2]!);
  writer = new BlockWriter(openWriter(scratch.path()));
});

/** The part of a sent command that arrives; undefined when it cannot be sent at all. */
function received(kind: CommandKind, payload: object): object | undefined {
  try {
    return decodeInputData(encodeCommand({ kind, payload } as CommandInit, 1n, 1n))[kind];
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** The senders that are listened to. */
function senderOf(kind: CommandKind): string {
  if (kind === "keyRotateSubmission") return node.nodeId;
  const isValidator = COMMANDS[kind].isValidatorCommand || kind === "protocolUpgradeProposal";
  return isValidator ? keyOf(node) : PARTIES[0]!;
}

let serial = 0;
function transaction(kind: CommandKind, payload: object, party: string): CheckedTransaction {
  serial += 1;
  const id = serial.toString(16).padStart(64, "0");
  const rest = { nonce: 1n, blockHeight: 1n, pow: undefined, version: 3, signature: new Uint8Array() };
  return { kind, payload, party, hash: id, id, ...rest } as unknown as CheckedTransaction;
}

/** A block with the transactions; then everybody votes on everything, and epochs end. */
function play(transactions: readonly CheckedTransaction[]): number {
  const { engine } = simulation;
  let time = engine.engine.core.nowNs;
  const proposer = node.nodeId;
  let accepted = 0;
  const block = (stepMs: bigint, txs: readonly CheckedTransaction[]) => {
    engine.beginBlock((time += stepMs * (SECOND_NS / 1_000n)), proposer);
    for (const tx of txs) {
      engine.engine.check(tx);
      if (engine.execute(tx).code === 0) accepted += 1;
    }
    writer.stage(engine.endBlock().block);
  };
  try {
    block(1_000n, transactions);
    for (const stepMs of [1_000n, 3_500n, 4_500n, 10_500n, 500n, 10_500n, 500n]) {
      const votes = VALIDATORS.slice(0, 2).flatMap((keys) =>
        engine.engine.duties(keys.nodeId).flatMap((duty) => {
          if (duty.kind !== "vote") return [];
          return [transaction("nodeVote", { reference: duty.reference, type: duty.type }, keyOf(keys))];
        }),
      );
      block(stepMs, votes);
    }
  } finally {
    writer.rollback();
    engine.reset();
  }
  return accepted;
}

test("given strange values in any place of any command, then the engine answers, and blocks go on", () => {
  const nowSeconds = simulation.engine.engine.core.nowSeconds;
  const dice = new Dice(SEED);
  let tried = 0;
  let accepted = 0;
  for (const [kind, payload] of [...realistic(nowSeconds), ...fromCases]) {
    const party = senderOf(kind);
    const sampled = [...strange(payload, (other) => other as object)].filter(
      () => dice.below(1_000) < LENGTH * 1_000,
    );
    const commands = [payload, ...sampled].flatMap((command) => received(kind, command) ?? []);
    // Several in a block: most are refused, and a block costs more than a command.
    for (let at = 0; at < commands.length; at += 20) {
      const transactions = commands.slice(at, at + 20).map((command) => transaction(kind, command, party));
      tried += transactions.length;
      try {
        accepted += play(transactions);
      } catch (error) {
        const text = JSON.stringify(commands.slice(at, at + 20), (_, value) =>
          typeof value === "bigint" ? `${value}` : value,
        );
        throw new Error(`${kind}: ${(error as Error).stack}\namong ${text}`);
      }
    }
  }
  expect(tried).toBeGreaterThan(8_000 * Math.min(LENGTH, 1));
  expect(accepted).toBeGreaterThan(1_000 * Math.min(LENGTH, 1));
}, 120_000);
