// The network's public JavaScript packages, as a client uses them: what they encode and sign is accepted here, and
// both sides agree on every byte that is signed, on hashes and on identifiers. They are of a later version of the
// network (0.79), so some members of 0.71 are unknown to them; the table below says which.
import { describe, expect, test } from "bun:test";
import { HARDENED, VegaWallet } from "@vegaprotocol/crypto";
import { KeyPair } from "@vegaprotocol/crypto/keypair";
import { encode as encodeInputByThem } from "@vegaprotocol/protos/vega/commands/v1/InputData/encode";
import { decode as decodeByThem } from "@vegaprotocol/protos/vega/commands/v1/Transaction/decode";
import { encode as encodeByThem } from "@vegaprotocol/protos/vega/commands/v1/Transaction/encode";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { sha3Of } from "../../src/crypto/sha.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { decodeInputData } from "../../src/wire/generated/commands.ts";
import { fromJson } from "../../src/wire/json.ts";
import {
  type CommandInit,
  encodeCommand,
  signedBytes,
  signingDigest,
  transactionHash,
} from "../../src/wire/transaction.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { COMMAND_KINDS, type CommandKind } from "../../src/wire/transaction-commands.ts";
import type { CasesByKind } from "../support/rules/cases.ts";
import { fundsCases } from "../support/rules/funds.ts";
import { governanceCases } from "../support/rules/governance.ts";
import { orderCases } from "../support/rules/orders.ts";
import { validatorCases } from "../support/rules/validators.ts";
import { buildTransaction } from "../support/transactions.ts";

const CHAIN_ID = "vega-devnet-0001";
const CASES: CasesByKind = { ...orderCases, ...fundsCases, ...governanceCases, ...validatorCases };
const seed = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const ours = ed25519KeyPair(seed);
const theirs = await KeyPair.fromSeed(0, seed);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Valid commands that the packages cannot write as 0.71 reads them, and why. */
const CHANGED: ReadonlyMap<string, string> = new Map([
  ["liquidityProvisionSubmission provision", "shapes are gone in 0.79"],
  ["liquidityProvisionAmendment shapes", "shapes are gone in 0.79"],
  ["nodeVote one", "a type without a name is written as no protobuf at all"],
]);

/**
 * Only ASCII: the packages' encoder counts the characters of a text for its bytes, on Node as well, so that any
 * other text makes a transaction that no node can read.
 */
const ascii = (json: object): object => JSON.parse(JSON.stringify(json).replace(/[^ -~]/g, "e"));

const fields = messageDescriptor("vega.commands.v1.InputData").fields;
const commands = COMMAND_KINDS.flatMap((kind) => {
  const typeName = fields.find((field) => field.jsonName === kind)!.typeName;
  return Object.entries(CASES[kind]!.valid).map(([name, json]): [string, CommandKind, object] => [
    `${kind} ${name}`,
    kind,
    fromJson(typeName, ascii(json)),
  ]);
});

function readOrError(inputData: Uint8Array, kind: CommandKind): unknown {
  try {
    return decodeInputData(inputData)[kind];
  } catch (error) {
    return error;
  }
}

/** A transaction made the way that a client makes it: their encoder, their signature, their envelope. */
async function madeByThem(inputData: Uint8Array, pow: { tid: string; nonce: bigint }): Promise<Uint8Array> {
  const signature = await theirs.sign(inputData, CHAIN_ID);
  return encodeByThem({
    inputData,
    signature: {
      value: hex(signature),
      algo: theirs.algorithm.name,
      version: theirs.algorithm.version,
    },
    from: { pubKey: theirs.publicKey.toString() },
    version: 3,
    pow,
  } as Parameters<typeof encodeByThem>[0]);
}

describe("keys and signatures", () => {
  test("the same seed, public key, digest and signature", async () => {
    const inputData = new Uint8Array([1, 2, 3]);
    expect(theirs.publicKey.toString()).toBe(hex(ours.publicKey));
    expect(hex(await theirs.hash(inputData, CHAIN_ID))).toBe(hex(signingDigest(3, CHAIN_ID, inputData)));
    expect(hex(await theirs.hash(inputData, undefined))).toBe(hex(signingDigest(2, CHAIN_ID, inputData)));
    expect(hex(sha3Of(signedBytes(3, CHAIN_ID, inputData)))).toBe(
      hex(await theirs.hash(inputData, CHAIN_ID)),
    );
    const signature = await theirs.sign(inputData, CHAIN_ID);
    expect(hex(ours.sign(signingDigest(3, CHAIN_ID, inputData)))).toBe(hex(signature));
    expect(await theirs.verify(ours.sign(signingDigest(3, CHAIN_ID, inputData)), inputData, CHAIN_ID)).toBe(
      true,
    );
  });

  test("a wallet's key", async () => {
    const wallet = await VegaWallet.fromMnemonic(
      "swing ceiling chaos green put insane ripple desk match tip melt usual shrug turkey renew icon parade veteran lens govern path rough page render",
    );
    const pair = await wallet.keyPair(HARDENED + 1);
    expect(pair.publicKey.toString()).toBe(
      "b5fd9d3c4ad553cb3196303b6e6df7f484cf7f5331a572a45031239fd71ad8a0",
    );
  });
});

describe("every command, encoded and signed by the public packages", () => {
  const pow = { tid: "ab".repeat(32), nonce: 77n };
  test.each(commands)("%s", async (name, kind, payload) => {
    const input = { nonce: (1n << 64n) - 1n, blockHeight: 300n };
    const inputData = encodeInputByThem({ ...input, [kind]: payload } as Parameters<
      typeof encodeInputByThem
    >[0]);
    if (CHANGED.has(name)) {
      expect(readOrError(inputData, kind)).not.toEqual(payload);
      return;
    }
    const bytes = await madeByThem(inputData, pow);
    const verdict = checkTransaction(bytes, CHAIN_ID);
    if (!verdict.ok) throw new Error(verdict.refusal.text);
    const { transaction } = verdict;
    expect<unknown>(transaction).toMatchObject({
      ...input,
      kind,
      payload,
      pow,
      party: theirs.publicKey.toString(),
    });
    expect(transaction.hash).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    const signature = await theirs.sign(inputData, CHAIN_ID);
    expect(transaction.id).toBe(hex(new Bun.CryptoHasher("sha3-256").update(signature).digest()));

    // Made here, it is the same to the last byte: so hashes can be told before a transaction is sent.
    const command = { kind, payload } as CommandInit;
    expect(hex(encodeCommand(command, input.nonce, input.blockHeight))).toBe(hex(inputData));
    const built = buildTransaction(command, { ...input, key: ours, chainId: CHAIN_ID, pow });
    expect(hex(built)).toBe(hex(bytes));
    expect(transactionHash(built)).toBe(transaction.hash);
  });

  test("transactions made here are read by them", async () => {
    const command: CommandInit = {
      kind: "voteSubmission",
      payload: { proposalId: "ab".repeat(32), value: 2 },
    };
    const built = buildTransaction(command, {
      key: ours,
      nonce: 1n,
      blockHeight: 10n,
      chainId: CHAIN_ID,
      pow,
    });
    const decoded = decodeByThem(built) as unknown as {
      inputData: Uint8Array;
      signature: { value: string };
      from: { pubKey: string };
      pow: { tid: string; nonce: bigint };
    };
    expect(decoded.from.pubKey).toBe(hex(ours.publicKey));
    expect(decoded.pow).toEqual(pow);
    const signature = new Uint8Array(Buffer.from(decoded.signature.value, "hex"));
    expect(await theirs.verify(signature, decoded.inputData, CHAIN_ID)).toBe(true);
    expect(await theirs.verify(signature, decoded.inputData, "other")).toBe(false);
  });
});
