// Rotations of Vega and Ethereum keys: docs/protocol/60-state-engine-staking.md#91-vega-key-rotation and
// #92-ethereum-key-rotation.
import { beforeEach, describe, expect, test } from "bun:test";
import { checksumAddress } from "../../src/crypto/secp256k1.ts";
import { sha3HexOf } from "../../src/crypto/sha.ts";
import { kinds, NodeKeys, of, ValidatorRig } from "./validator-rig.ts";

const SUBMITTER = checksumAddress("5b".repeat(20));
const NEW = new NodeKeys(71);

let rig: ValidatorRig;
let node: NodeKeys;

beforeEach(() => {
  rig = new ValidatorRig({ nodes: 2 });
  [node] = rig.nodes as [NodeKeys, NodeKeys];
  rig.block();
  rig.block();
  expect(rig.core.height).toBe(3);
});

describe("a Vega key rotation", () => {
  function rotate(changes: object = {}, party = node.id): string {
    const payload = {
      newPubKeyIndex: 2,
      targetBlock: 5n,
      newPubKey: NEW.key,
      currentPubKeyHash: sha3HexOf(Buffer.from(node.key, "hex")),
      ...changes,
    };
    return rig.send(party, () => rig.validators.keyRotate(payload));
  }

  test("given the vector of the protocol, then the hash is of the key's bytes", () => {
    const hash = "c0dce27cacfb72e862f5e7980a17c6e98bccb6d8abfbde30ef37553d57f9b14f";
    expect(sha3HexOf(Buffer.from("ab".repeat(32), "hex"))).toBe(hash);
  });

  test("given a rotation, then nothing is told before its block, whose event names both keys, behind the votes", () => {
    expect(rotate()).toBe("");
    expect(rig.events()).toEqual([]);
    expect(of(rig.block(), "keyRotation")).toEqual([]);
    const seen = rig.block();
    expect(seen.at(-1)).toEqual({
      member: "keyRotation",
      payload: { nodeId: node.id, oldPubKey: node.key, newPubKey: NEW.key, blockHeight: 5n },
    });
    // Governance was told before the event.
    expect(rig.rotated).toEqual([`${node.key} ${NEW.key} ${seen.length - 1}`]);
    expect(rig.validators.node(node.id)).toMatchObject({ vegaPubKey: NEW.key, vegaPubKeyIndex: 2 });
    expect(rig.validators.nodeByKey(NEW.key)!.nodeId).toBe(node.id);
    expect(rig.validators.nodeByKey(node.key)).toBeUndefined();
  });

  test("given two nodes rotate at one height, then they do so by id", () => {
    const [, second] = rig.nodes;
    const hash = sha3HexOf(Buffer.from(second!.key, "hex"));
    const other = new NodeKeys(72);
    expect(rotate({ newPubKey: other.key, currentPubKeyHash: hash }, second!.id)).toBe("");
    expect(rotate()).toBe("");
    rig.block();
    expect(of(rig.block(), "keyRotation").map(({ nodeId }) => nodeId)).toEqual([node.id, second!.id]);
  });

  test.each([
    [
      "a key that is no node's id",
      {},
      "ff".repeat(32),
      "node signature not signed with validator master key",
    ],
    ["the node's Vega key", {}, new NodeKeys(1).key, "node signature not signed with validator master key"],
    [
      "the running height",
      { targetBlock: 3n },
      undefined,
      "target block height must be greater then current block",
    ],
    [
      "a height that is gone",
      { targetBlock: 2n },
      undefined,
      "target block height must be greater then current block",
    ],
    [
      "the same index",
      { newPubKeyIndex: 1 },
      undefined,
      "a new vega public key index must be greather then current public key index",
    ],
    ["another hash", { currentPubKeyHash: "ab" }, undefined, "current public key hash does not match"],
    ["no key", { newPubKey: "ab" }, undefined, "new vega public key is not a valid public key"],
    [
      "the key of another node",
      { newPubKey: new NodeKeys(2).key },
      undefined,
      "new vega public key is already used by a node",
    ],
    [
      "its own key",
      { newPubKey: new NodeKeys(1).key },
      undefined,
      "new vega public key is already used by a node",
    ],
  ])("given %s, then it is refused", (_title, changes, party, text) => {
    expect(rotate(changes, party)).toBe(text);
  });

  test("given a rotation is pending, then another one waits until it is done", () => {
    rotate();
    expect(rotate()).toBe("node already has a pending key rotation");
    const [, second] = rig.nodes;
    const hash = sha3HexOf(Buffer.from(second!.key, "hex"));
    expect(rotate({ currentPubKeyHash: hash }, second!.id)).toBe(
      "new vega public key is already used by a node",
    );
    rig.block();
    rig.block();
    const next = { newPubKey: new NodeKeys(73).key, newPubKeyIndex: 3, targetBlock: 9n };
    expect(rotate({ ...next, currentPubKeyHash: sha3HexOf(Buffer.from(NEW.key, "hex")) })).toBe("");
  });

  test("given stake that the old key delegated, then it is no longer the node's own", () => {
    rig.link(node.key, 10n);
    rig.delegate(node.key, node.id, 10n);
    rig.endEpoch();
    expect(rig.stakeOf(node.id)).toMatchObject({ self: 10n, byDelegators: 0n });
    expect(rotate({ targetBlock: BigInt(rig.core.height) + 1n })).toBe("");
    rig.block();
    expect(rig.stakeOf(node.id)).toMatchObject({ self: 0n, byDelegators: 10n });
    rig.endEpoch();
    expect(rig.scores!.stakes.get(node.id)).toMatchObject({ self: 0n, byDelegators: 10n });
  });
});

describe("an Ethereum key rotation", () => {
  function rotate(changes: object = {}, signer = NEW, from = node): string {
    const base = {
      targetBlock: 5n,
      newAddress: NEW.address,
      currentAddress: from.address,
      submitterAddress: "",
      ...changes,
    };
    const text = `${base.currentAddress}${base.newAddress}${base.targetBlock}`;
    const payload = { ...base, ethereumSignature: signer.ethereumSignature(text) };
    return rig.send(from.key, () => rig.validators.ethereumKeyRotate(payload));
  }

  test("given no submitter, then nothing is told before the block, and the changes wait to be asked for", () => {
    rig.setSigner(node.address);
    rig.events();
    expect(rotate()).toBe("");
    expect(rig.events()).toEqual([]);
    const pending = () =>
      rig.multisig.changes
        .pendingChanges()
        .map(({ action, address }) => `${action} ${address}`)
        .sort();
    expect(pending()).toEqual([`remove ${node.address}`]);
    rig.block();
    const seen = rig.block();
    expect(of(seen, "ethereumKeyRotation")).toEqual([
      { nodeId: node.id, oldAddress: node.address, newAddress: NEW.address, blockHeight: 5n },
    ]);
    expect(rig.validators.node(node.id)!.ethereumAddress).toBe(NEW.address);
    expect(pending()).toEqual([`add ${NEW.address}`, `remove ${node.address}`]);
  });

  test("given a submitter, then the removal comes at once and the addition with the block", () => {
    expect(rotate({ submitterAddress: SUBMITTER.toLowerCase() })).toBe("");
    const removed = rig.events();
    expect(kinds(removed)).toEqual(["erc20MultisigSignerRemoved"]);
    expect(removed[0]!.payload).toMatchObject({ validatorId: node.id, oldSigner: node.address });
    expect(removed[0]!.payload.signatureSubmitters).toMatchObject([{ submitter: SUBMITTER }]);
    rig.block();
    const seen = rig.block();
    expect(kinds(seen).slice(-2)).toEqual(["ethereumKeyRotation", "erc20MultisigSignerAdded"]);
    expect(of(seen, "erc20MultisigSignerAdded")).toMatchObject([
      // The block began a moment ago: its time and 1.
      {
        validatorId: node.id,
        newSigner: NEW.address,
        submitter: SUBMITTER,
        nonce: `${rig.core.nowSeconds + 1n}`,
      },
    ]);
  });

  test("given a node that is not a validator yet, then the contract has nothing to do with it", () => {
    const pending = new NodeKeys(75);
    rig.send(pending.key, () => rig.validators.announceNode(pending.announcement()));
    expect(rotate({ submitterAddress: SUBMITTER }, NEW, pending)).toBe("");
    rig.events();
    rig.block();
    const seen = rig.block();
    expect(kinds(seen)).toContain("ethereumKeyRotation");
    expect(kinds(seen)).not.toContain("erc20MultisigSignerAdded");
    expect(rig.multisig.changes.pendingChanges()).toEqual([]);
    const back = { currentAddress: NEW.address, newAddress: pending.address, targetBlock: 9n };
    expect(rotate(back, pending, pending)).toBe("");
  });

  test.each([
    [
      "the running height",
      { targetBlock: 3n },
      NEW,
      "target block height must be greater then current block",
    ],
    [
      "another current address",
      { currentAddress: NEW.address },
      NEW,
      "current Ethereum address does not match",
    ],
    [
      "the current address in another case",
      { currentAddress: new NodeKeys(1).address.toLowerCase() },
      NEW,
      "current Ethereum address does not match",
    ],
    [
      "the same address",
      { newAddress: new NodeKeys(1).address },
      new NodeKeys(1),
      "new Ethereum address cannot be the same as the previous Ethereum address",
    ],
    [
      "the same address in another case",
      { newAddress: new NodeKeys(1).address.toLowerCase() },
      new NodeKeys(1),
      "new Ethereum address cannot be the same as the previous Ethereum address",
    ],
    ["the old key's signature", {}, new NodeKeys(1), "invalid ethereum signature"],
  ])("given %s, then it is refused", (_title, changes, signer, text) => {
    expect(rotate(changes, signer)).toBe(text);
  });

  test.each([[NEW.address.slice(2)], [`0X${NEW.address.slice(2)}`]])(
    "given the new address as %p, then it is signed like this, and shown with 0x",
    (newAddress) => {
      expect(rotate({ newAddress })).toBe("");
      rig.block();
      const [rotation] = of(rig.block(), "ethereumKeyRotation");
      expect(rotation).toMatchObject({ newAddress: NEW.address });
    },
  );

  test("given a v of 27 or 28, then the signature is good", () => {
    const text = `${node.address}${NEW.address}5`;
    const signature = NEW.ethereumSignature(text);
    const v = Number.parseInt(signature.value.slice(-2), 16) + 27;
    const ethereumSignature = { ...signature, value: `0x${signature.value.slice(0, -2)}${v.toString(16)}` };
    const payload = {
      targetBlock: 5n,
      newAddress: NEW.address,
      currentAddress: node.address,
      submitterAddress: "",
      ethereumSignature,
    };
    expect(rig.send(node.key, () => rig.validators.ethereumKeyRotate(payload))).toBe("");
  });

  test("given a key that is no node's, then it is refused", () => {
    const payload = {
      targetBlock: 5n,
      newAddress: NEW.address,
      currentAddress: node.address,
      submitterAddress: "",
      ethereumSignature: undefined,
    };
    expect(rig.send(NEW.key, () => rig.validators.ethereumKeyRotate(payload))).toBe(
      "ethereum key rotation is not from a validator",
    );
  });

  test("given a rotation, then the next one waits until it is done and the contract has followed", () => {
    rig.setSigner(node.address);
    expect(rotate()).toBe("");
    expect(rotate()).toBe("node already has a pending key rotation");
    rig.block();
    rig.block();
    const third = new NodeKeys(74);
    const again = () =>
      rotate({ currentAddress: NEW.address, newAddress: third.address, targetBlock: 9n }, third);
    const unresolved =
      "ethereum keys from a previous rotation have not been resolved on the multisig control contract";
    expect(again()).toBe(unresolved);
    rig.setSigner(NEW.address, { seconds: 6n });
    rig.block();
    expect(again()).toBe(unresolved);
    rig.setSigner(node.address, { remove: true, seconds: 7n });
    rig.block();
    expect(again()).toBe("");
  });

  test("given the contract has followed and later loses the signer, then the next one need not wait", () => {
    rig.setSigner(node.address);
    expect(rotate()).toBe("");
    rig.block();
    rig.block();
    rig.setSigner(NEW.address, { seconds: 6n });
    rig.setSigner(node.address, { remove: true, seconds: 7n });
    rig.block();
    rig.setSigner(NEW.address, { remove: true, seconds: 8n });
    rig.block();
    const third = new NodeKeys(74);
    const next = { currentAddress: NEW.address, newAddress: third.address, targetBlock: 9n };
    expect(rotate(next, third)).toBe("");
  });
});
