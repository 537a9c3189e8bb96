// Transactions: the vectors of docs/protocol/30-node-api-transactions.md#26-test-vectors, the order and texts of the
// checks on an envelope (3.2), identifiers (docs/protocol/60-state-engine-parameters.md#13-identifiers) and the two
// forms in which the API takes a transaction.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ed25519KeyPair, ed25519Verify } from "../../src/crypto/ed25519.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import {
  encodeInputData,
  encodeTransaction,
  type Transaction,
  TxVersion,
} from "../../src/wire/generated/commands.ts";
import { base64Bytes, emptyMessage, fromJson, toPlain } from "../../src/wire/json.ts";
import {
  type CommandInit,
  encodeCommand,
  rootId,
  serializeTransaction,
  signedBytes,
  signingDigest,
  signTransaction,
  TRANSACTION_BYTES_MAX,
  transactionHash,
} from "../../src/wire/transaction.ts";
import { checkSignature, checkTransaction, examine } from "../../src/wire/transaction-check.ts";
import { COMMAND_KINDS, COMMANDS, commandKindOf } from "../../src/wire/transaction-commands.ts";
import { runs } from "../support/seed.ts";
import { buildTransaction } from "../support/transactions.ts";

const TRANSACTION = "vega.commands.v1.Transaction";
const CHAIN_ID = "vega-devnet-0001";
const KEY = ed25519KeyPair(Uint8Array.from({ length: 32 }, (_, index) => index + 1));
const PARTY = "79b5562e8fe654f94078b112e8a98ba7901f853ae695bed7e0e3910bad049664";
const POW = { tid: "3954a15b2e1ec457ae100c56e2aa43786b4612644926403d59fd8cdcb29d825f", nonce: 38186n };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const ofHex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
const id = (byte: string) => byte.repeat(32);

const vote: CommandInit = { kind: "voteSubmission", payload: { proposalId: id("ab"), value: 2 } };
const transfer: CommandInit = {
  kind: "transfer",
  payload: {
    fromAccountType: 4,
    to: id("0c"),
    toAccountType: 4,
    asset: id("d1"),
    amount: "1000",
    reference: "hello",
    oneOff: {},
  },
};
const cancel: CommandInit = { kind: "cancelTransfer", payload: { transferId: id("ee") } };

const VECTORS = [
  {
    title: "1: a vote, version 3",
    version: TxVersion.TX_VERSION_V3,
    bytes: encodeCommand(vote, 1n, 10n),
    inputData: `0801100af23e440a40${"6162".repeat(32)}1002`,
    digest: "4e2bcaef47eeec8203da5734cf39619b95e429064ed99fa2876b4817c6ed7615",
    signature:
      "ecde7408942bd77ce50d200c6bdc275c04e45936ef21bde52fc17f9cdc4b1b7df0b4d79f0cfb1b978e54fe1757b1d1883d6a08b658ce64a42a3e3d19c090bf0b",
    hash: "6AA69E14728C62BC7FDDEA6BB1EB29A4518C3A6903F6C46EDE27667B1C6C90C0",
    size: 371,
    id: "0ab0768cce8097b6e96ffa2e0afa43179e3c2475b1ac29d76afa15df23e35bd8",
  },
  {
    title: "2: a transfer with the largest nonce, version 3",
    version: TxVersion.TX_VERSION_V3,
    bytes: encodeCommand(transfer, (1n << 64n) - 1n, 300n),
    inputData: `08ffffffffffffffffff0110ac02a23f980108041240${"3063".repeat(32)}18042240${"6431".repeat(32)}2a0431303030320568656c6c6faa0600`,
    digest: "4469e0814fe70e5227f706530ac03564362fa9b7a4e07aadd4d913334ee94bf6",
    signature:
      "c9a8e1fb57ad369705391d401cae85f4115307f0ce256e93c29e8c66b603c6ba7983ec3288243e2f761fe01c95a165a3513acf15b71cea85d29ef4bd184d7902",
    hash: "E82E65761679CCDC7F5E552F2CE4F7E0230FEE32A8ED1178BF4C98B2FE9CE326",
    size: 467,
    id: "ae3259961b1332c84b719a3ed18ca0dd59fda63619a79d8d4aca7c5e01f3a221",
  },
  {
    title: "3: a cancellation, version 2",
    version: TxVersion.TX_VERSION_V2,
    bytes: encodeCommand(cancel, 7n, 300n),
    inputData: `080710ac02aa3f420a40${"65".repeat(64)}`,
    digest: "27d421a3f554108702856bae6a356718aa8a82cf0361df6ae341507a90cb7a10",
    signature:
      "4251598982f8f643f1176a3ad254570d4a94c5e4a6dda17a1952a074723d3875d596066233782f2414909325e1fb5233e62419ef57fc8357823150e13bc4b606",
  },
] as const;

const VECTOR_1_BASE64 =
  "CksIARAK8j5ECkBhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiEAISkwEKgAFlY2RlNzQwODk0MmJkNzdjZTUwZDIwMGM2YmRjMjc1YzA0ZTQ1OTM2ZWYyMWJkZTUyZmMxN2Y5Y2RjNGIxYjdkZjBiNGQ3OWYwY2ZiMWI5NzhlNTRmZTE3NTdiMWQxODgzZDZhMDhiNjU4Y2U2NGE0MmEzZTNkMTljMDkwYmYwYhIMdmVnYS9lZDI1NTE5GAGAfQPCuwFGCkAzOTU0YTE1YjJlMWVjNDU3YWUxMDBjNTZlMmFhNDM3ODZiNDYxMjY0NDkyNjQwM2Q1OWZkOGNkY2IyOWQ4MjVmEKqqAtI+QDc5YjU1NjJlOGZlNjU0Zjk0MDc4YjExMmU4YTk4YmE3OTAxZjg1M2FlNjk1YmVkN2UwZTM5MTBiYWQwNDk2NjQ=";

// docs/protocol/30-node-api-transactions.md#26-test-vectors.
describe("vectors", () => {
  for (const vector of VECTORS) {
    test(vector.title, () => {
      expect(hex(KEY.publicKey)).toBe(PARTY);
      expect(hex(vector.bytes)).toBe(vector.inputData);
      expect(hex(signingDigest(vector.version, CHAIN_ID, vector.bytes))).toBe(vector.digest);
      const signed = signTransaction(vector.bytes, KEY, {
        chainId: CHAIN_ID,
        version: vector.version,
        pow: POW,
      });
      expect(signed.signature?.value).toBe(vector.signature);
      const bytes = serializeTransaction(signed);
      const verdict = checkTransaction(bytes, CHAIN_ID);
      if (!verdict.ok) throw new Error(verdict.refusal.text);
      expect(hex(verdict.transaction.signature)).toBe(vector.signature);
      if (!("hash" in vector)) return;
      expect(bytes.length).toBe(vector.size);
      expect(transactionHash(bytes).toUpperCase()).toBe(vector.hash);
      expect(verdict.transaction.hash.toUpperCase()).toBe(vector.hash);
      expect(verdict.transaction.id).toBe(vector.id);
    });
  }

  test("1: the bytes as base64, and what is read from them", () => {
    const bytes = base64Bytes(VECTOR_1_BASE64);
    expect(
      buildTransaction(vote, { key: KEY, chainId: CHAIN_ID, nonce: 1n, blockHeight: 10n, pow: POW }),
    ).toEqual(bytes);
    expect(checkTransaction(bytes, CHAIN_ID)).toEqual({
      ok: true,
      transaction: {
        kind: "voteSubmission",
        payload: { proposalId: id("ab"), value: 2 },
        party: PARTY,
        nonce: 1n,
        blockHeight: 10n,
        pow: POW,
        version: 3,
        signature: ofHex(VECTORS[0].signature),
        hash: VECTORS[0].hash.toLowerCase(),
        id: VECTORS[0].id,
      },
    });
  });

  test("4: a cancellation of an order by another key, version 2", () => {
    const inputData = ofHex(
      "08959aef3a10fd0dd23e200a1537666136643966366139646661396636366661646112075553442f425443",
    );
    const publicKey = "b5fd9d3c4ad553cb3196303b6e6df7f484cf7f5331a572a45031239fd71ad8a0";
    const value =
      "876e46defc40030391b5feb2c9bb0b6b68b2d95a6b5fd17a730a46ea73f3b1808420c8c609be6f1c6156e472ecbcd09202f750da000dee41429947a4b7eca00b";
    const digest = signingDigest(TxVersion.TX_VERSION_V2, CHAIN_ID, inputData);
    expect(hex(digest)).toBe("587dcef02be7de03883e12f22e3955fa65c13287cf29ba87b8143c0b8c9891fd");
    expect(ed25519Verify(ofHex(publicKey), digest, ofHex(value))).toBe(true);
    const signature = { value, algo: "vega/ed25519", version: 1 };
    const verdict = checkTransaction(
      encodeTransaction({ inputData, signature, pubKey: publicKey, version: 2 }),
      "any chain",
    );
    expect(verdict).toMatchObject({
      ok: true,
      transaction: { kind: "orderCancellation", nonce: 123456789n, blockHeight: 1789n, party: publicKey },
    });
  });
});

/** A signed vote with some members of its envelope replaced. */
function envelope(change: Partial<Transaction> = {}): Transaction {
  const signed = signTransaction(encodeCommand(vote, 1n, 10n), KEY, { chainId: CHAIN_ID, pow: POW });
  return { ...emptyMessage("vega.commands.v1.Transaction"), ...signed, ...change } as Transaction;
}
const textOf = (transaction: Transaction, chainId = CHAIN_ID) => {
  const verdict = checkTransaction(encodeTransaction(transaction), chainId);
  return verdict.ok ? "" : verdict.refusal.text;
};
const good = envelope().signature!;
const unusable = "tx.signature.algo (unsupported algorithm), tx.signature.version (unsupported algorithm)";
const invalid = "tx.signature.value (invalid signature)";

// docs/protocol/30-node-api-transactions.md#32-order-of-checks-on-a-transaction.
describe("checks on the envelope, in their order", () => {
  const rows: [string, Partial<Transaction>, string][] = [
    ["as it is", {}, ""],
    ["no version", { version: 0 }, "tx.version (is required)"],
    ["the reserved version", { version: 1 }, "tx.version (is not supported)"],
    ["a later version", { version: 4 }, "tx.version (is not supported)"],
    ["the version is first", { version: 9, pubKey: undefined }, "tx.version (is not supported)"],
    ["no sender", { pubKey: undefined }, "tx.from (is required)"],
    ["an address", { pubKey: undefined, address: "x" }, "tx.from.pub_key (is required)"],
    ["an empty key", { pubKey: "" }, "tx.from.pub_key (is required)"],
    ["a short key", { pubKey: PARTY.slice(2) }, "tx.from.pub_key (should be a valid vega public key)"],
    ["no hex", { pubKey: `${PARTY.slice(1)}g` }, "tx.from.pub_key (should be a valid vega public key)"],
    [
      "the sender before the command",
      { pubKey: "", inputData: new Uint8Array() },
      "tx.from.pub_key (is required)",
    ],
    ["no command at all", { inputData: new Uint8Array() }, "tx.input_data (is required)"],
    ["only a nonce", { inputData: encodeInputData({ nonce: 1n }) }, "tx.input_data.command (is required)"],
    [
      "only a height",
      { inputData: encodeInputData({ blockHeight: 1n }) },
      "tx.input_data.command (is required), tx.input_data.nonce (must be positive)",
    ],
    [
      "a command that is wrong, and the signature is not looked at",
      { inputData: encodeInputData({ voteSubmission: {} }), signature: undefined },
      "tx.input_data.nonce (must be positive), vote_submission.proposal_id (is required), " +
        "vote_submission.value (is required)",
    ],
    [
      // 4001 is reserved: what no version knows reads as no command.
      "an unknown command",
      { inputData: ofHex("0801ca fa 01 00".replaceAll(" ", "")) },
      "tx.input_data.command (is required)",
    ],
    ["no signature", { signature: undefined }, "tx.signature (is required)"],
    ["an empty value", { signature: { ...good, value: "" } }, "tx.signature.value (is required)"],
    ["no hex", { signature: { ...good, value: "0xab" } }, "tx.signature.value (should be hex encoded)"],
    [
      "no algorithm",
      { signature: { ...good, algo: "" } },
      "tx.signature.algo (is required, unsupported algorithm), tx.signature.version (unsupported algorithm)",
    ],
    ["another algorithm", { signature: { ...good, algo: "ed25519" } }, unusable],
    ["another version", { signature: { ...good, version: 2 } }, unusable],
    [
      "nothing in the signature",
      { signature: { value: "", algo: "", version: 0 } },
      "tx.signature.algo (is required, unsupported algorithm), tx.signature.value (is required), " +
        "tx.signature.version (unsupported algorithm)",
    ],
    ["a short signature", { signature: { ...good, value: good.value.slice(2) } }, invalid],
    ["a long signature", { signature: { ...good, value: `${good.value}00` } }, invalid],
    ["capitals in the signature", { signature: { ...good, value: good.value.toUpperCase() } }, ""],
    ["another nonce", { inputData: encodeCommand(vote, 2n, 10n) }, invalid],
    ["signed for every chain, sent as for one", { version: 2 }, invalid],
    ["another key", { pubKey: id("12") }, invalid],
    ["a key that is no point of the curve", { pubKey: id("ff") }, invalid],
    // Not signed: any sender can change it.
    ["another proof of work", { pow: { tid: "x", nonce: 0n } }, ""],
    ["no proof of work, which is no matter of this check", { pow: undefined }, ""],
  ];
  test.each(rows)("%s", (_, change, text) => {
    expect(textOf(envelope(change))).toBe(text);
  });

  test("another chain", () => {
    expect(textOf(envelope(), "vega-devnet-0002")).toBe(invalid);
    expect(textOf(envelope(), "")).toBe(invalid);
  });

  test("a name of a chain cannot run into the command", () => {
    expect(signedBytes(3, "ab", ofHex("63"))).toEqual(ofHex("61620063"));
    expect(signedBytes(3, "", ofHex("63"))).toEqual(ofHex("0063"));
    expect(signedBytes(2, "ab", ofHex("63"))).toEqual(ofHex("63"));
  });

  test("the key in capitals is another party with the same signature", () => {
    const verdict = checkTransaction(encodeTransaction(envelope({ pubKey: PARTY.toUpperCase() })), CHAIN_ID);
    expect(verdict).toMatchObject({ ok: true, transaction: { party: PARTY.toUpperCase() } });
  });

  test("no transaction, and a sender that is none", () => {
    expect(String(examine(undefined))).toBe("tx (is required)");
    expect(String(checkSignature(envelope({ pubKey: undefined }), CHAIN_ID))).toBe(
      "tx.signature.value (signature is not verifiable)",
    );
  });

  test("codes, reasons and errors by property", () => {
    const verdict = checkTransaction(encodeTransaction(envelope({ version: 0 })), CHAIN_ID);
    expect(verdict).toMatchObject({ ok: false, refusal: { reason: "invalid", code: 60 } });
    expect(!verdict.ok && JSON.stringify(verdict.refusal.errors)).toBe('{"tx.version":["is required"]}');
  });

  test("bytes that are no transaction", () => {
    const broken = checkTransaction(ofHex("0aff"), CHAIN_ID);
    expect(broken).toMatchObject({ ok: false, refusal: { reason: "undecodable", code: 60 } });
    expect(!broken.ok && broken.refusal.text).toStartWith("unable to unmarshal transaction: ");
    expect(textOf(envelope({ inputData: ofHex("0aff") }))).toStartWith(
      "tx.input_data (couldn't unmarshall input data: ",
    );
  });

  test("a byte too many", () => {
    const filled = (size: number) => envelope({ inputData: new Uint8Array(size).fill(0x0b) });
    const free = TRANSACTION_BYTES_MAX - encodeTransaction(filled(500_000)).length + 500_000;
    expect(encodeTransaction(filled(free)).length).toBe(TRANSACTION_BYTES_MAX);
    expect(textOf(filled(free))).toStartWith("tx.input_data (couldn't unmarshall");
    const verdict = checkTransaction(encodeTransaction(filled(free + 1)), CHAIN_ID);
    expect(verdict).toMatchObject({
      ok: false,
      refusal: {
        reason: "too_large",
        text: `Tx too large. Max size is 1048576, but got ${TRANSACTION_BYTES_MAX + 1}`,
      },
    });
  });
});

describe("the table of commands", () => {
  test("has every command of InputData, under its number and name", () => {
    const fields = messageDescriptor("vega.commands.v1.InputData").fields.filter((field) => field.oneof);
    expect(fields.map((field) => [field.jsonName, field.name, field.number])).toEqual(
      COMMAND_KINDS.map((kind) => [kind, COMMANDS[kind].field, COMMANDS[kind].number]),
    );
    expect(new Set(COMMAND_KINDS.map((kind) => COMMANDS[kind].byte)).size).toBe(25);
    expect(new Set(COMMAND_KINDS.map((kind) => COMMANDS[kind].displayName)).size).toBe(25);
  });

  test("classes of commands: validators' work, silent, first, or trading", () => {
    const those = (is: (kind: (typeof COMMAND_KINDS)[number]) => boolean) => COMMAND_KINDS.filter(is);
    expect(those((kind) => COMMANDS[kind].isValidatorCommand)).toEqual([
      "nodeVote",
      "nodeSignature",
      "chainEvent",
      "keyRotateSubmission",
      "stateVariableProposal",
      "validatorHeartbeat",
      "ethereumKeyRotateSubmission",
    ]);
    expect(those((kind) => !COMMANDS[kind].hasResultEvent)).toEqual([
      "nodeVote",
      "nodeSignature",
      "chainEvent",
      "stateVariableProposal",
      "validatorHeartbeat",
    ]);
    expect(those((kind) => COMMANDS[kind].priority === 100)).toEqual([
      "proposalSubmission",
      "voteSubmission",
    ]);
    expect(those((kind) => COMMANDS[kind].priority === 10_000)).toEqual(
      those((kind) => COMMANDS[kind].isValidatorCommand),
    );
    expect(those((kind) => COMMANDS[kind].isTrading)).toEqual([
      "orderSubmission",
      "orderCancellation",
      "orderAmendment",
      "liquidityProvisionSubmission",
      "liquidityProvisionCancellation",
      "liquidityProvisionAmendment",
    ]);
  });

  test("the policy of each command", () => {
    const policies = COMMAND_KINDS.flatMap((kind) => {
      const { spamPolicy } = COMMANDS[kind];
      return spamPolicy ? [`${kind} ${spamPolicy}`] : [];
    });
    expect(policies).toEqual([
      "proposalSubmission proposal",
      "voteSubmission vote",
      "delegateSubmission delegation",
      "undelegateSubmission delegation",
      "transfer transfer",
      "cancelTransfer transfer",
      "announceNode validatorJoin",
      "issueSignatures issueSignature",
    ]);
  });

  test("an empty command is a command, none is none", () => {
    expect(commandKindOf(emptyMessage("vega.commands.v1.InputData") as never)).toBeUndefined();
    for (const kind of COMMAND_KINDS) {
      const input = { ...emptyMessage("vega.commands.v1.InputData"), [kind]: {} };
      expect(commandKindOf(input as never)).toBe(kind);
    }
  });
});

// docs/protocol/60-state-engine-parameters.md#131-deterministic-root-id.
describe("identifiers", () => {
  test("the vector: a signature of ones", () => {
    expect(rootId(new Uint8Array(64).fill(1))).toBe(
      "8035f23eee32b7add60ca18d1d1b4b4f935ef1176c31926bb351b76d810985f4",
    );
  });
});

// docs/protocol/30-node-api-endpoints.md#51-coreservice.
describe("forms in which the API takes a transaction", () => {
  const bytes = base64Bytes(VECTOR_1_BASE64);
  const json = {
    inputData: VECTOR_1_BASE64.slice(4, 104),
    signature: { value: VECTORS[0].signature, algo: "vega/ed25519", version: 1 },
    pubKey: PARTY,
    version: "TX_VERSION_V3",
    pow: { tid: POW.tid, nonce: "38186" },
  };
  const transactionBytesOfJson = (value: unknown) =>
    serializeTransaction(fromJson<Transaction>(TRANSACTION, value, { unknown: "ignore" }));
  const typed = { ...json, inputData: Buffer.from(VECTORS[0].inputData, "hex").toString("base64") };

  test("base64 there and back", () => {
    expect(bytes.toBase64()).toBe(VECTOR_1_BASE64);
    expect(bytes.subarray(3, 10).toBase64()).toBe("ARAK8j5ECg==");
    expect(base64Bytes("")).toEqual(new Uint8Array());
  });

  // Wrapped as `base64` and Python's `encodebytes` do it.
  test.each(["AR\nAK\r\n8j5E\nCg==\n", "ARAK8j5ECg=\n=\n", "ARAK8j5E\nCg\n==", "\nARAK8j5ECg=="])(
    "line ends in %j count for nothing",
    (text) => expect(base64Bytes(text)).toEqual(bytes.subarray(3, 10)),
  );

  test.each([
    ["AQ", 0],
    ["AQIDBA", 4],
    ["AQID\nBA", 5],
    ["AQ=", 3],
    ["AQ\n=", 4],
    ["AQ=A", 2],
    ["AQI=\nAQID", 5],
    ["AQID=", 4],
    ["A-==", 1],
    ["A_8=", 1],
    ["AQ\n*A", 3],
    ["====", 0],
    ["AQ==AQ==", 4],
    [" AQ=", 0],
  ])("%j is no base64", (text, at) => {
    expect(() => base64Bytes(text)).toThrow(`illegal base64 data at input byte ${at}`);
  });

  test("an object has the node's own order of fields, whatever its own", () => {
    expect(transactionBytesOfJson(typed)).toEqual(bytes);
    const reversed = Object.fromEntries(Object.entries(typed).toReversed());
    expect(transactionBytesOfJson(reversed)).toEqual(bytes);
    const snake = { ...typed, inputData: undefined, pubKey: undefined, extra: 1, version: 3 };
    const { inputData, pubKey } = typed;
    expect(
      transactionBytesOfJson(
        JSON.parse(JSON.stringify({ ...snake, input_data: inputData, pub_key: pubKey })),
      ),
    ).toEqual(bytes);
    expect(() => transactionBytesOfJson({ pow: 1 })).toThrow("must be an object");
    expect(() => transactionBytesOfJson(null)).toThrow("must be an object");
  });

  test("an envelope as an object", () => {
    expect(toPlain(TRANSACTION, envelope())).toEqual({ ...typed });
  });
});

describe("sign, write, read, verify", () => {
  test("any command, key, nonce, height and chain", () => {
    const uint64 = fc.bigInt(0n, (1n << 64n) - 1n);
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        uint64.filter((nonce) => nonce > 0n),
        uint64,
        fc.string({ maxLength: 30, unit: "binary" }).filter((name) => name.isWellFormed()),
        fc.constantFrom(vote, transfer, cancel),
        fc.constantFrom<2 | 3>(2, 3),
        (seed, nonce, blockHeight, chainId, command, version) => {
          const key = ed25519KeyPair(seed);
          const bytes = buildTransaction(command, { key, nonce, blockHeight, chainId, version, pow: POW });
          const verdict = checkTransaction(bytes, chainId);
          expect(verdict).toMatchObject({
            ok: true,
            transaction: {
              kind: command.kind,
              payload: command.payload,
              party: hex(key.publicKey),
              nonce,
              blockHeight,
              version,
            },
          });
          const other = checkTransaction(bytes, `${chainId}x`);
          expect(other.ok).toBe(version === 2);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
