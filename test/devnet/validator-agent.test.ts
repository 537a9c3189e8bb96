// The holder of the validators' keys does their work: real transactions for the chain's requests, and for nothing else.
import { beforeEach, describe, expect, test } from "bun:test";
import { ed25519Verify } from "../../src/crypto/ed25519.ts";
import { bundleSigners } from "../../src/crypto/multisig.ts";
import { ethereumAddress, keccakOf, secp256k1Signer } from "../../src/crypto/secp256k1.ts";
import { sha3Of } from "../../src/crypto/sha.ts";
import { ValidatorKeys } from "../../src/devnet/keys.ts";
import type { Duty } from "../../src/engine/ports.ts";
import { type AgentView, ValidatorAgent } from "../../src/ethereum/validator-agent.ts";
import { NodeVoteType } from "../../src/wire/generated/commands.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import { type CheckedTransaction, checkTransaction } from "../../src/wire/transaction-check.ts";

const CHAIN = "test-chain";
const DEPOSITED = NodeVoteType.TYPE_FUNDS_DEPOSITED;
const VALIDATE = NodeVoteType.TYPE_GOVERNANCE_VALIDATE_ASSET;
const DIGEST = "d1".repeat(32);

let keys: ValidatorKeys;
let duties: Duty[];
let height: number;
let timeNs: bigint;
let rotation: { vega: number; ethereum: number };
let seen: Map<string, number>;
let validAssets: Set<string>;

function agent(): ValidatorAgent {
  const view: AgentView = {
    chainId: CHAIN,
    get height() {
      return height;
    },
    get timeNs() {
      return timeNs;
    },
    node: (nodeId) =>
      nodeId === keys.nodeId
        ? {
            vegaPubKey: hexOf(keys.vega(rotation.vega).publicKey),
            vegaPubKeyIndex: rotation.vega,
            ethereumAddress: ethereumAddress(keys.ethereum(rotation.ethereum)),
          }
        : undefined,
    duties: () => duties,
  };
  const ethereum = {
    confirms: (id: string, type: number) => seen.get(id) === type,
    openVote: (id: string, type: number | undefined) => void (type === undefined || seen.set(id, type)),
    closeVote: (id: string) => void seen.delete(id),
    pending: () => [...seen.keys()],
  };
  return new ValidatorAgent(view, ethereum, [keys, new ValidatorKeys(2)], (id) => validAssets.has(id));
}

function read(bytes: Uint8Array): CheckedTransaction {
  const verdict = checkTransaction(bytes, CHAIN);
  if (!verdict.ok) throw new Error(verdict.refusal.text);
  return verdict.transaction;
}

beforeEach(() => {
  keys = new ValidatorKeys(1);
  duties = [];
  height = 10;
  timeNs = 1_000_000_000_000n;
  rotation = { vega: 1, ethereum: 1 };
  seen = new Map([["deposit", DEPOSITED]]);
  validAssets = new Set(["asset"]);
});

describe("votes", () => {
  test("given a resource that happened on Ethereum, then it is voted for with the validator's Vega key", () => {
    duties = [{ kind: "vote", reference: "deposit", type: DEPOSITED }];
    const [transaction] = agent().answerDuties().map(read);
    expect(transaction).toMatchObject({
      kind: "nodeVote",
      payload: { reference: "deposit", type: DEPOSITED },
      party: hexOf(keys.vega(1).publicKey),
      blockHeight: 10n,
    });
  });

  test("given resources that did not happen, or not so, then nobody votes", () => {
    duties = [
      { kind: "vote", reference: "unheard", type: DEPOSITED },
      { kind: "vote", reference: "deposit", type: NodeVoteType.TYPE_STAKE_DEPOSITED },
      { kind: "vote", reference: "forged-asset", type: VALIDATE },
    ];
    expect(agent().answerDuties()).toEqual([]);
  });

  test("given a proposed asset that is what its contract says, then it is voted for", () => {
    duties = [{ kind: "vote", reference: "asset", type: VALIDATE }];
    expect(agent().answerDuties().map(read)).toMatchObject([
      { payload: { reference: "asset", type: VALIDATE } },
    ]);
  });

  test("given a vote on its way, then it is not sent again before ten seconds and two blocks", () => {
    duties = [{ kind: "vote", reference: "deposit", type: DEPOSITED }];
    const one = agent();
    expect(one.answerDuties()).toHaveLength(1);
    expect(one.answerDuties()).toHaveLength(0);
    timeNs += 3_600_000_000_000n;
    height += 1;
    expect(one.answerDuties()).toHaveLength(0);
    height += 1;
    expect(one.answerDuties()).toHaveLength(1);
  });

  test("given a vote that the chain has counted, then the resource is settled and forgotten", () => {
    duties = [{ kind: "vote", reference: "deposit", type: DEPOSITED }];
    const one = agent();
    one.answerDuties();
    expect(one.isSettled("deposit")).toBe(false);
    duties = [];
    one.answerDuties();
    expect(one.isSettled("deposit")).toBe(true);
  });

  test("given an event that the chain has not taken yet, then it is not forgotten", () => {
    const one = agent();
    const { id } = one.chainEvent({ nonce: 1n, builtin: { deposit: {} } }, DEPOSITED);
    one.answerDuties();
    expect(one.isSettled(id)).toBe(false);
    duties = [{ kind: "vote", reference: id, type: DEPOSITED }];
    expect(one.answerDuties().map(read)).toMatchObject([{ payload: { reference: id } }]);
  });
});

describe("signatures and heartbeats", () => {
  test("given something to sign, then the signature is that of the node's Ethereum address", () => {
    duties = [{ kind: "sign", resource: "withdrawal", signatureKind: 2, digest: DIGEST }];
    const [transaction] = agent().answerDuties().map(read);
    if (transaction?.kind !== "nodeSignature") throw new Error("no signature");
    expect(transaction.payload).toMatchObject({ id: "withdrawal", kind: 2 });
    const signer = secp256k1Signer(Buffer.from(DIGEST, "hex"), transaction.payload.sig);
    expect(signer).toBe(ethereumAddress(keys.ethereum(1)));
  });

  test("given a heartbeat to give, then both keys sign its message", () => {
    duties = [{ kind: "heartbeat", message: "AB12" }];
    const [transaction] = agent().answerDuties().map(read);
    if (transaction?.kind !== "validatorHeartbeat") throw new Error("no heartbeat");
    const { nodeId, message, vegaSignature, ethereumSignature } = transaction.payload;
    expect({ nodeId, message }).toEqual({ nodeId: keys.nodeId, message: "AB12" });
    const text = Buffer.from("AB12");
    const vega = Buffer.from(vegaSignature!.value, "hex");
    expect(ed25519Verify(keys.vega(1).publicKey, sha3Of(text), vega)).toBe(true);
    const signer = secp256k1Signer(keccakOf(text), Buffer.from(ethereumSignature!.value, "hex"));
    expect(signer).toBe(ethereumAddress(keys.ethereum(1)));
  });

  test("given rotated keys, then the new ones sign", () => {
    rotation = { vega: 3, ethereum: 2 };
    duties = [{ kind: "sign", resource: "withdrawal", signatureKind: 2, digest: DIGEST }];
    const [transaction] = agent().answerDuties().map(read);
    expect(transaction!.party).toBe(hexOf(keys.vega(3).publicKey));
    if (transaction?.kind !== "nodeSignature") throw new Error("no signature");
    const signer = secp256k1Signer(Buffer.from(DIGEST, "hex"), transaction.payload.sig);
    expect(signer).toBe(ethereumAddress(keys.ethereum(2)));
  });

  test("operators' bundles hold the signatures of the contract's signers, rotated ones too, and of nobody else", () => {
    const digest = Buffer.from(DIGEST, "hex");
    const signers = [ethereumAddress(new ValidatorKeys(2).ethereum(3)), ethereumAddress(keys.ethereum(1))];
    const bundle = agent().operatorBundle(digest, [...signers, `0x${"99".repeat(20)}`]);
    expect(bundleSigners(digest, bundle).toSorted()).toEqual(signers.toSorted());
  });
});

describe("the same chain, the same bytes", () => {
  test("two agents send the same, and no two transactions of one are equal", () => {
    const run = () => {
      const one = agent();
      duties = [{ kind: "vote", reference: "deposit", type: DEPOSITED }];
      const event = () => one.chainEvent({ nonce: 1n, builtin: { deposit: {} } }, undefined).bytes;
      return [...one.answerDuties(), event(), event()].map(hexOf);
    };
    const sent = run();
    expect(run()).toEqual(sent);
    expect(new Set(sent).size).toBe(3);
  });

  test("given a state that was taken back, then it goes on as it did, and sends at once what was on its way", () => {
    const one = agent();
    duties = [{ kind: "vote", reference: "deposit", type: DEPOSITED }];
    const saved = one.save();
    const sent = one.answerDuties().map(hexOf);
    expect(sent).toHaveLength(1);
    one.load(saved);
    expect(one.answerDuties().map(hexOf)).toEqual(sent);
  });
});
