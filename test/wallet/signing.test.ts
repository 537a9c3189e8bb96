// Signed contents: messages, transactions and rotations; and commands as they are written.
import { describe, expect, test } from "bun:test";
import { KeyPair } from "@vegaprotocol/crypto/keypair";
import fc from "fast-check";
import { sha3Of } from "../../src/crypto/sha.ts";
import { isTransactionContent, verifyMessage } from "../../src/wallet/signing/message.ts";
import {
  originalTransactionJson,
  parseExactJson,
  readCommand,
  readSigned,
  withProof,
} from "../../src/wallet/signing/transaction.ts";
import { decodeInputData } from "../../src/wire/generated/commands.ts";
import { encodeCommand } from "../../src/wire/transaction.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { commandKindOf } from "../../src/wire/transaction-commands.ts";
import { readCommandText } from "../support/command-text.ts";
import { runs } from "../support/seed.ts";
import { codeOf, failureOf } from "./support/failures.ts";
import {
  CHAIN_SIGNATURE,
  KEY_1,
  KEY_2,
  KEY_3,
  KEYS,
  MESSAGE_SIGNATURES,
  TRANSACTION,
  WALLET_ID,
} from "./support/vectors.ts";
import { bytes, cheapStore, hex, vectorWallet } from "./support/wallets.ts";

const UNKNOWN = "ab".repeat(32);
const OTHER = bytes("another one");

describe("messages", () => {
  test.each(MESSAGE_SIGNATURES)(
    "version %i signs %j as the original does",
    async (version, message, signature) => {
      const wallet = await vectorWallet(cheapStore(), "w", version);
      const { publicKey } = wallet.keys[0]!;
      const signed = wallet.signMessage(publicKey, bytes(message));
      expect(hex(signed)).toBe(signature);
      const key = Buffer.from(publicKey, "hex");
      expect(verifyMessage(key, bytes(message), signed)).toBe(true);
      expect(verifyMessage(key, bytes(`${message}!`), signed)).toBe(false);
      expect(verifyMessage(key, bytes(message), signed.subarray(1))).toBe(false);
      expect(await codeOf(() => verifyMessage(key.subarray(1), bytes(message), signed))).toBe(
        "public_key_invalid",
      );
    },
  );

  test("the network's public package agrees, both ways", async () => {
    const wallet = await vectorWallet();
    const theirs = await KeyPair.fromSeed(0, Buffer.from(KEYS[3]![3], "hex"));
    const key = Buffer.from(KEY_1, "hex");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (message) => {
        fc.pre(!isTransactionContent(message));
        const ours = wallet.signMessage(KEY_1, message);
        expect(await theirs.verify(ours, message)).toBe(true);
        expect(verifyMessage(key, message, await theirs.sign(message))).toBe(true);
      }),
      { numRuns: runs(30) },
    );
  });

  test("that are transactions in disguise are not signed", async () => {
    const wallet = await vectorWallet();
    const content = encodeCommand(readCommand(TRANSACTION.command), 1n, 1n);
    for (const disguised of [content, Buffer.concat([Buffer.from("any-chain\0"), content])]) {
      expect(await codeOf(() => wallet.signMessage(KEY_1, disguised))).toBe("message_is_transaction");
    }
    // Tags may be written longer than they need to be, nonces are ten bytes long, and unknown fields are passed over.
    const nonce = Buffer.from("08ffffffffffffffffff01", "hex");
    const long = Buffer.concat([nonce, Buffer.from("a21f027878", "hex"), lengthened(content.subarray(4))]);
    expect(isTransactionContent(long)).toBe(true);
    for (const harmless of ["", "hello", "\0", "\0\0", "a\0b", '{"voteSubmission":{}}']) {
      expect(wallet.signMessage(KEY_1, bytes(harmless))).toHaveLength(64);
    }
  });

  test("a disguise that is too deep for this decoder is found: the network's go deeper", () => {
    const content = encodeCommand(
      readCommand({ voteSubmission: { proposalId: "aa".repeat(32), value: "VALUE_NO" } }),
      5n,
      10n,
    );
    const groups = (tag: number) => Buffer.alloc(200, tag);
    expect(isTransactionContent(Buffer.concat([groups(0x23), groups(0x24), content]))).toBe(true);
  });

  test("disguises are found wherever decoding finds a command", () => {
    const decoded = (message: Uint8Array): boolean => {
      try {
        return commandKindOf(decodeInputData(message)) !== undefined;
      } catch {
        return false;
      }
    };
    const oracle = (message: Uint8Array) => {
      const end = message.indexOf(0);
      return decoded(message) || (end >= 0 && decoded(message.subarray(end + 1)));
    };
    const content = encodeCommand(readCommand(TRANSACTION.command), 1n, 1n);
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom(content, content.subarray(4), Buffer.from("c\0"), Buffer.from("a21f027878", "hex")),
      fc.constantFrom(
        lengthened(content.subarray(4)),
        Buffer.from("ca3e00", "hex"),
        Buffer.from("fa5d00", "hex"),
      ),
    );
    let matches = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const message = Buffer.concat(parts);
        expect(isTransactionContent(message)).toBe(oracle(message));
        if (oracle(message)) matches++;
      }),
      { numRuns: runs(2_000) },
    );
    expect(matches).toBeGreaterThan(runs(2_000) / 20);
  });
});

describe("a chain's name that was made to be something else", () => {
  const VOTE = { proposalId: "aa".repeat(32), value: "VALUE_NO" };
  const inputData = encodeCommand(readCommand({ voteSubmission: VOTE }), 5n, 16_450n);
  /** An unknown field that takes in this many bytes of what stands behind it. */
  const swallow = (length: number) => `"${String.fromCharCode(length)}`;

  test("is not signed for: as version 2, the same signature would be good on every chain", async () => {
    const wallet = await vectorWallet();
    // All of it can be seen, and it is no longer than names are.
    const chainId = `${swallow(32)}devnet-of-a-friend-0001-aaaaaaa`;
    const forged = Buffer.concat([Buffer.from(`${chainId}\0`), inputData]);
    expect(commandKindOf(decodeInputData(forged))).toBe("voteSubmission");
    const failure = await failureOf(() => wallet.signTransaction(KEY_1, { inputData, chainId }));
    expect([failure.code, failure.message.includes("friend")]).toEqual(["chain_id_unusable", false]);
    // A letter more, and nothing follows from it any more.
    expect(wallet.signTransaction(KEY_1, { inputData, chainId: `a${chainId}` }).bytes.length).toBeGreaterThan(
      0,
    );
  });

  test("is not signed for: another chain's name with another command behind it", async () => {
    const wallet = await vectorWallet();
    // Height and tag are written longer than needed, which makes text of them.
    const vote = Buffer.concat([
      Buffer.from("080510c28001f2be808000440a40", "hex"),
      Buffer.from("bb".repeat(32)),
      Buffer.from("1002", "hex"),
      Buffer.from(swallow(inputData.length + 1)),
    ]);
    const chainId = `mainnet-v1\0${new TextDecoder("utf-8", { fatal: true }).decode(vote)}`;
    const behind = Buffer.concat([Buffer.from(`${chainId}\0`), inputData]).subarray("mainnet-v1\0".length);
    expect(decodeInputData(behind).voteSubmission?.proposalId).toBe("bb".repeat(32));
    expect(await codeOf(() => wallet.signTransaction(KEY_1, { inputData, chainId }))).toBe(
      "chain_id_unusable",
    );
    const rotation = { fromPublicKey: KEY_1, toPublicKey: KEY_2, submissionHeight: 1n, enactmentHeight: 2n };
    await wallet.generateKey();
    expect(await codeOf(() => wallet.rotateKey({ ...rotation, chainId }))).toBe("chain_id_unusable");
  });

  test.each(["vega-mainnet-0011", "chain-1", "1789", "a chain", "\u00e9", "lyra-devnet"])(
    "%s is not",
    async (chainId) => {
      const { transaction, bytes } = (await vectorWallet()).signTransaction(KEY_1, { inputData, chainId });
      expect(transaction.inputData).toBe(inputData);
      expect(bytes.length).toBeGreaterThan(inputData.length);
    },
  );
});

describe("transactions", () => {
  test("the vector: command, signature, proof and bytes", async () => {
    const wallet = await vectorWallet();
    const { chainId, nonce, blockHeight, pow } = TRANSACTION;
    const inputData = encodeCommand(readCommand(TRANSACTION.command), nonce, blockHeight);
    expect(Buffer.from(inputData).toString("base64")).toBe(TRANSACTION.inputData);
    const { transaction, bytes: signed } = wallet.signTransaction(KEY_1, { inputData, chainId });
    expect(transaction.signature?.value).toBe(TRANSACTION.signature);
    const proven = withProof(readSigned(signed), pow);
    expect(hex(proven)).toBe(TRANSACTION.hex);
    expect(checkTransaction(proven, chainId)).toMatchObject({
      ok: true,
      transaction: { party: KEY_1, kind: "voteSubmission" },
    });
    expect(checkTransaction(proven, "another-chain").ok).toBe(false);
    expect(originalTransactionJson({ ...transaction, pow })).toBe(
      `{"input_data":"${TRANSACTION.inputData}","signature":{"value":"${TRANSACTION.signature}","algo":"vega/ed25519","version":1},` +
        `"From":{"PubKey":"${KEY_1}"},"version":3,"pow":{"tid":"${pow.tid}","nonce":5}}`,
    );
  });

  test("the chain's name is signed with them", async () => {
    const wallet = await vectorWallet();
    const signed = wallet.signTransaction(KEY_1, { inputData: bytes("hello world"), chainId: "mainnet-v1" });
    expect(signed.transaction.signature?.value).toBe(CHAIN_SIGNATURE);
  });

  test("are not signed by tainted keys, nor by locked wallets", async () => {
    const wallet = await vectorWallet();
    const sign = () => wallet.signTransaction(KEY_1, { inputData: bytes("x"), chainId: "c" });
    sign();
    await wallet.taintKey(KEY_1);
    expect(await codeOf(sign)).toBe("key_tainted");
    await wallet.untaintKey(KEY_1);
    wallet.lock();
    expect(await codeOf(sign)).toBe("wallet_locked");
  });
});

describe("commands from text", () => {
  test("whole numbers beyond 2^53 are not rounded", () => {
    expect(parseExactJson('{"a":[9007199254740993,-18446744073709551615,1,1.5,1e400]}')).toEqual({
      a: [9007199254740993n, -18446744073709551615n, 1, 1.5, Number.POSITIVE_INFINITY],
    });
    const command = readCommandText('{"delegateSubmission":{"nodeId":"x","amount":"1"}}');
    expect(command).toMatchObject({ kind: "delegateSubmission", payload: { amount: "1" } });
    const order = readCommandText(
      `{"order_submission":{"marketId":"${UNKNOWN}","size":9007199254740993,"timeInForce":1}}`,
    );
    expect((order.payload as { size: bigint }).size).toBe(9007199254740993n);
  });

  test.each([
    ["[]", "the transaction: must be an object, is a list"],
    ["{}", "submit_transaction_request.command (is required)"],
    ['{"voteSubmision":{}}', 'has no field called "voteSubmision"'],
    ['{"voteSubmission":{"value":"MAYBE"}}', "voteSubmission.value: "],
    ['{"voteSubmission":{},"transfer":{}}', "cannot be set together with another member of command"],
  ])("%s is refused", async (text, message) => {
    expect((await failureOf(() => readCommandText(text))).message).toContain(message);
  });
});

describe("rotation", () => {
  const rotation = {
    fromPublicKey: KEY_1,
    toPublicKey: KEY_2,
    chainId: "c-1",
    submissionHeight: 10n,
    enactmentHeight: 20n,
  };

  test("is signed by the master key", async () => {
    const wallet = await vectorWallet();
    await wallet.generateKey();
    const { masterPublicKey, transaction } = wallet.rotateKey(rotation, 7n);
    expect(masterPublicKey).toBe(WALLET_ID);
    const verdict = checkTransaction(transaction, "c-1");
    expect(verdict).toMatchObject({
      ok: true,
      transaction: {
        kind: "keyRotateSubmission",
        party: WALLET_ID,
        nonce: 7n,
        blockHeight: 10n,
        pow: undefined,
        payload: {
          newPubKeyIndex: 2,
          targetBlock: 20n,
          newPubKey: KEY_2,
          currentPubKeyHash: hex(sha3Of(Buffer.from(KEY_1, "hex"))),
        },
      },
    });
    expect(hex(wallet.rotateKey(rotation).transaction)).not.toBe(hex(wallet.rotateKey(rotation).transaction));
  });

  test.each([
    [{ toPublicKey: KEY_1 }, "the next and current public keys cannot be the same"],
    [{ enactmentHeight: 10n }, "the enactment block height must be greater than the submission one"],
    [{ fromPublicKey: UNKNOWN }, "the current public key does not exist"],
    [{ toPublicKey: UNKNOWN }, "the next public key does not exist"],
    [{ toPublicKey: KEY_3 }, "the next public key is tainted"],
    [{ chainId: "" }, "the chain ID is required"],
  ])("%p is refused: %s", async (change, message) => {
    const wallet = await vectorWallet();
    await wallet.generateKey();
    await wallet.generateKey();
    await wallet.taintKey(KEY_3);
    expect((await failureOf(() => wallet.rotateKey({ ...rotation, ...change }))).message).toBe(message);
  });

  test("needs the master key", async () => {
    const store = cheapStore();
    const wallet = await vectorWallet(store, "w");
    const name = await store.isolate(wallet, KEY_1, OTHER);
    const alone = await store.unlock(name, OTHER);
    expect((await failureOf(() => alone.rotateKey(rotation))).message).toBe(
      "cannot rotate keys on an isolated wallet",
    );
  });
});

/** The first tag of two bytes in three. */
function lengthened(field: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([field[0]!, field[1]! | 0x80, 0]), field.subarray(2)]);
}
