// The multisig contract as the chain sees it, and the signatures for changes of its signers:
// docs/protocol/60-state-engine-staking.md#94-multisig-contract-view and #95-signer-change-signatures.
import { beforeEach, describe, expect, test } from "bun:test";
import { bridgeDigest } from "../../src/crypto/multisig.ts";
import { checksumAddress } from "../../src/crypto/secp256k1.ts";
import { sha3HexOf } from "../../src/crypto/sha.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { ALICE, NodeKeys, of, type SeenEvent, START, ValidatorRig } from "./validator-rig.ts";

const SIGNER = checksumAddress("a1".repeat(20));
const OTHER = checksumAddress("b2".repeat(20));
const SUBMITTER = checksumAddress("5b".repeat(20));
const ADD = 3;
const REMOVE = 4;

let rig: ValidatorRig;

beforeEach(() => {
  rig = new ValidatorRig({ nodes: 2 });
  rig.events();
});

interface Given {
  readonly kind?: "signerAdded" | "signerRemoved";
  readonly threshold?: number;
  readonly signer?: string;
  readonly blockTime?: bigint;
  readonly index?: bigint;
  readonly id?: string;
}

function send({
  kind = "signerAdded",
  threshold,
  signer = SIGNER,
  blockTime = 5n,
  index = 1n,
  id,
}: Given): string {
  const event = {
    index,
    block: 8n,
    signerAdded:
      threshold === undefined && kind === "signerAdded"
        ? { newSigner: signer, nonce: "9", blockTime }
        : undefined,
    signerRemoved:
      threshold === undefined && kind === "signerRemoved"
        ? { oldSigner: signer, nonce: "9", blockTime }
        : undefined,
    thresholdSet: threshold === undefined ? undefined : { newThreshold: threshold, nonce: "9", blockTime },
  };
  return rig.send(rig.nodes[0]!.key, () => rig.multisig.processEvent(event, "0xbeef"), id);
}

const ofContract = (events: readonly SeenEvent[]): Record<string, unknown>[] =>
  events
    .filter(({ member }) => member.startsWith("erc20Multisig"))
    .map(({ member, payload }) => ({ member, ...payload }));

describe("the view of the contract", () => {
  test("given a signer was added, then it counts one tick after the witness let it through", () => {
    const id = "1d".repeat(32);
    expect(send({ id })).toBe("");
    expect(ofContract(rig.block())).toEqual([]);
    rig.witnessAll();
    // The witness ticks after this domain.
    expect(ofContract(rig.block())).toEqual([]);
    expect(rig.multisig.isSigner(SIGNER)).toBe(false);
    expect(ofContract(rig.block())).toEqual([
      {
        member: "erc20MultisigSignerEvent",
        id,
        type: 1,
        signer: SIGNER,
        nonce: "9",
        blockTime: 5n,
        txHash: "0xbeef",
        logIndex: 1n,
        blockNumber: 8n,
      },
    ]);
    expect(rig.multisig.isSigner(SIGNER)).toBe(true);
    expect(rig.multisig.isSigner(SIGNER.toLowerCase())).toBe(true);
    expect(rig.multisig.signers()).toEqual([SIGNER]);
  });

  test("given a threshold and a signer in one block, then the threshold comes first", () => {
    send({ id: "aa".repeat(32) });
    send({ threshold: 667, id: "bb".repeat(32) });
    rig.witnessAll();
    rig.block();
    const seen = ofContract(rig.block());
    expect(seen.map(({ member }) => member)).toEqual([
      "erc20MultisigSetThresholdEvent",
      "erc20MultisigSignerEvent",
    ]);
    expect(seen[0]).toEqual({
      member: "erc20MultisigSetThresholdEvent",
      id: "bb".repeat(32),
      newThreshold: 667,
      nonce: "9",
      blockTime: 5n,
      txHash: "0xbeef",
      logIndex: 1n,
      blockNumber: 8n,
    });
    expect(rig.multisig.threshold()).toBe(667);
  });

  test.each([
    ["a later removal", { kind: "signerRemoved", blockTime: 6n }, false],
    ["an earlier removal that is told later", { kind: "signerRemoved", blockTime: 4n }, true],
    ["a removal in the same block behind it", { kind: "signerRemoved", index: 2n }, false],
    ["a removal in the same block before it", { kind: "signerRemoved", index: 0n }, true],
    ["a removal of another one", { kind: "signerRemoved", signer: OTHER, blockTime: 6n }, true],
  ] as const)("given %s, then the latest on Ethereum holds", (_title, event, isSigner) => {
    send({});
    rig.witnessAll();
    rig.block();
    rig.block();
    send(event);
    rig.witnessAll();
    rig.block();
    expect(ofContract(rig.block())).toHaveLength(1);
    expect(rig.multisig.isSigner(SIGNER)).toBe(isSigner);
  });

  test.each([
    ["the same event", {}, "duplicated signer event"],
    ["the same event in lower case", { signer: SIGNER.toLowerCase() }, "duplicated signer event"],
    ["another log entry", { index: 2n }, ""],
    ["its removal", { kind: "signerRemoved" }, ""],
    ["no address", { signer: "0x12" }, "invalid ethereum address of the signer"],
    ["the threshold", { threshold: 500 }, "duplicated threshold event"],
    ["another threshold", { threshold: 501 }, ""],
    ["no threshold", { threshold: 0 }, "invalid threshold"],
    ["too much of a threshold", { threshold: 1001 }, "invalid threshold"],
  ] as const)(
    "given a signer and a threshold, when %s comes, then it answers as documented",
    (_title, event, text) => {
      send({});
      send({ threshold: 500 });
      expect(send(event)).toBe(text);
    },
  );

  test("given no votes for 21 days, then nothing happens", () => {
    send({});
    rig.block(22n * 86_400n);
    expect(ofContract(rig.block())).toEqual([]);
    expect(rig.multisig.signers()).toEqual([]);
  });

  test("given an event that says nothing, then it is refused", () => {
    const nothing = {
      index: 1n,
      block: 1n,
      signerAdded: undefined,
      signerRemoved: undefined,
      thresholdSet: undefined,
    };
    expect(rig.send(ALICE, () => rig.multisig.processEvent(nothing, "0x"))).toBe(
      "unsupported erc20 multisig event",
    );
  });
});

describe("signer changes", () => {
  const issue = (kind: number, nodeId = rig.nodes[0]!.id, submitter = SUBMITTER) =>
    rig.send(ALICE, () => rig.multisig.changes.issueSignatures({ submitter, kind, validatorNodeId: nodeId }));
  const prepare = (action: "add" | "remove", addresses: string[], seconds = START) =>
    rig.multisig.changes.prepareChanges(
      action,
      addresses.map((address, index) => ({ nodeId: rig.nodes[index]!.id, address })),
      7n,
      seconds,
    );

  test("given an addition, then it is issued once to each submitter, with a digest that binds it to them", () => {
    prepare("add", [SIGNER]);
    expect(issue(ADD, undefined, SUBMITTER.toLowerCase())).toBe("");
    const nonce = START + 1n;
    const signatureId = sha3HexOf(Buffer.from(`${SUBMITTER}${nonce}`));
    expect(ofContract(rig.events())).toEqual([
      {
        member: "erc20MultisigSignerAdded",
        signatureId,
        validatorId: rig.nodes[0]!.id,
        timestamp: START * SECOND_NS,
        newSigner: SIGNER,
        submitter: SUBMITTER,
        nonce: `${nonce}`,
        epochSeq: "7",
      },
    ]);
    const digest = Buffer.from(bridgeDigest("add_signer", { signer: SIGNER, nonce }, SUBMITTER)).toString(
      "hex",
    );
    expect(rig.notary.owedSignatures(rig.nodes[0]!.id)).toEqual([
      { resource: signatureId, kind: ADD, digest },
    ]);
    expect(issue(ADD)).toBe("");
    expect(rig.events()).toEqual([]);
    expect(issue(ADD, undefined, OTHER)).toBe("");
    expect(ofContract(rig.events())).toHaveLength(1);
  });

  test("given a removal, then its id has the old signer in front", () => {
    prepare("remove", [SIGNER]);
    expect(issue(REMOVE)).toBe("");
    const nonce = START + 1n;
    const signatureId = sha3HexOf(Buffer.from(`${SIGNER}${SUBMITTER}${nonce}`));
    expect(ofContract(rig.events())).toEqual([
      {
        member: "erc20MultisigSignerRemoved",
        signatureSubmitters: [{ signatureId, submitter: SUBMITTER }],
        validatorId: rig.nodes[0]!.id,
        timestamp: START * SECOND_NS,
        oldSigner: SIGNER,
        nonce: `${nonce}`,
        epochSeq: "7",
      },
    ]);
    const digest = Buffer.from(bridgeDigest("remove_signer", { signer: SIGNER, nonce }, SUBMITTER)).toString(
      "hex",
    );
    expect(rig.notary.owedSignatures(rig.nodes[0]!.id)).toEqual([
      { resource: signatureId, kind: REMOVE, digest },
    ]);
  });

  test.each([
    ["another kind", 1, undefined, SUBMITTER, "unexpected node-signature kind"],
    [
      "the other action",
      REMOVE,
      undefined,
      SUBMITTER,
      "there are no pending signatures for the given nodeID",
    ],
    ["another node", ADD, "ff".repeat(32), SUBMITTER, "there are no pending signatures for the given nodeID"],
    ["no address", ADD, undefined, "0x12", "invalid ethereum address of the submitter"],
  ] as const)("given %s is asked for, then it is refused", (_title, kind, nodeId, submitter, text) => {
    prepare("add", [SIGNER]);
    expect(issue(kind, nodeId, submitter)).toBe(text);
  });

  test("given several, then nonces follow the addresses, and no nonce comes twice within a second", () => {
    prepare("add", [OTHER, SIGNER]);
    prepare("remove", [SUBMITTER]);
    const nonces = rig.multisig.changes
      .pendingChanges()
      .map(({ address, nonce }) => `${address} ${nonce - START}`);
    expect(nonces.sort()).toEqual([`${SIGNER} 1`, `${OTHER} 2`, `${SUBMITTER} 3`].sort());
    prepare("add", [SIGNER], START + 100n);
    expect(rig.multisig.changes.pendingChanges().find(({ address }) => address === SIGNER)!.nonce).toBe(
      START + 101n,
    );
  });

  test("given the contract has what was asked for, then the change is gone with the next block", () => {
    prepare("add", [SIGNER]);
    rig.block();
    expect(rig.multisig.changes.pendingChanges()).toHaveLength(1);
    rig.setSigner(SIGNER);
    rig.block();
    expect(rig.multisig.changes.pendingChanges()).toEqual([]);
    expect(issue(ADD)).toBe("there are no pending signatures for the given nodeID");
    prepare("remove", [SIGNER]);
    rig.block();
    expect(rig.multisig.changes.pendingChanges()).toHaveLength(1);
    rig.setSigner(SIGNER, { remove: true, seconds: 9n });
    rig.block();
    expect(rig.multisig.changes.pendingChanges()).toEqual([]);
  });

  /** Three validators with stake and submitters, of which the contract has all; the first is the worst. */
  function threeValidators(): ValidatorRig {
    const chain = new ValidatorRig({ nodes: 3, parameters: { "validators.epoch.length": "1m" } });
    for (const node of chain.nodes) {
      chain.setSigner(node.address);
      chain.link(node.key, BigInt(node.number) * 100n);
      chain.delegate(node.key, node.id, BigInt(node.number) * 100n);
      // A genesis gives no submitter; these are as if they had been announced.
      chain.validators.update(node.id, {
        submitterAddress: checksumAddress(`${node.number}${node.number}`.repeat(20)),
      });
    }
    return chain;
  }

  /** Ends an epoch with a slot less. */
  function demote(chain: ValidatorRig) {
    chain.params.setValue("network.validators.multisig.numberOfSigners", "2");
    chain.params.setValue("network.validators.tendermint.number", "2");
    return chain.endEpoch();
  }

  test("given a demoted validator, then each validator with a submitter gets its removal, and its node can be asked for", () => {
    const chain = threeValidators();
    const seen = demote(chain);
    const [worst] = chain.nodes;
    const removals = of(seen, "erc20MultisigSignerRemoved");
    expect(removals).toHaveLength(2);
    expect(removals.map(({ validatorId, oldSigner }) => [validatorId, oldSigner])).toEqual([
      [worst!.id, worst!.address],
      [worst!.id, worst!.address],
    ]);
    const submitters = removals.map(
      (event) => (event.signatureSubmitters as { submitter: string }[])[0]!.submitter,
    );
    expect(submitters).toEqual(["22", "33"].map((digits) => checksumAddress(digits.repeat(20))));
    expect(chain.validators.node(worst!.id)).toMatchObject({ status: "ersatz", power: 0n });
  });

  test("given a demoted validator of which the contract still has the old key, then both are to be removed", () => {
    const chain = threeValidators();
    const worst = chain.nodes[0]!;
    const key = new NodeKeys(81);
    const targetBlock = BigInt(chain.core.height) + 2n;
    const payload = {
      targetBlock,
      newAddress: key.address,
      currentAddress: worst.address,
      submitterAddress: "",
      ethereumSignature: key.ethereumSignature(`${worst.address}${key.address}${targetBlock}`),
    };
    expect(chain.send(worst.key, () => chain.validators.ethereumKeyRotate(payload))).toBe("");
    chain.block();
    chain.block();
    chain.setSigner(key.address, { seconds: 6n });
    const removals = of(demote(chain), "erc20MultisigSignerRemoved");
    const both = [worst.address, key.address].sort();
    expect(removals.map(({ oldSigner }) => oldSigner)).toEqual([...both, ...both]);
  });
});
