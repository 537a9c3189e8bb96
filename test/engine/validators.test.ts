// The validator set: events of nodes, scores and ranking at the end of an epoch, announcements, heartbeats
// (docs/protocol/60-state-engine-staking.md#75-validator-set-events to #77-heartbeats and #93-announce-node).
import { describe, expect, test } from "bun:test";
import { fnv1a64 } from "../../src/engine/performance.ts";
import { emptySignature } from "../../src/wire/generated/commands.ts";
import { ALICE, kinds, NodeKeys, of, ValidatorRig } from "./validator-rig.ts";

const NEW = new NodeKeys(51);

/** Two validators, all slots free, so that an announced node is promoted as soon as it has a ranking. */
function rigWith(parameters: Record<string, string> = {}, nodes = 1): ValidatorRig {
  return new ValidatorRig({
    nodes,
    parameters: {
      "reward.staking.delegation.minValidators": "1",
      "network.validators.minimumEthereumEventsForNewValidator": "1",
      ...parameters,
    },
  });
}

function announce(rig: ValidatorRig, node = NEW, changes = {}): string {
  return rig.send(node.key, () => rig.validators.announceNode(node.announcement(changes)));
}

/** Gives a node stake of its own. */
function stakeOn(rig: ValidatorRig, node: NodeKeys, amount: bigint, seconds = 1n): void {
  rig.link(node.key, amount, { seconds });
  expect(rig.delegate(node.key, node.id, amount)).toBe("");
}

/** Answers a heartbeat that the node owes. */
function beat(rig: ValidatorRig, node: NodeKeys, changes: object = {}): string {
  const message = rig.validators.heartbeatDue(node.id) ?? "";
  const payload = {
    nodeId: node.id,
    message,
    vegaSignature: node.vegaSignature(message),
    ethereumSignature: node.ethereumSignature(message),
    ...changes,
  };
  return rig.send(node.key, () => rig.validators.acceptHeartbeat(payload));
}

describe("nodes of the genesis", () => {
  test("given two, then each has its update and its ranking, with power 10", () => {
    const rig = new ValidatorRig({ nodes: 2 });
    const seen = rig
      .events()
      .filter(({ member }) => member === "validatorUpdate" || member === "rankingEvent");
    expect(seen.map(({ member }) => member)).toEqual([
      "validatorUpdate",
      "rankingEvent",
      "validatorUpdate",
      "rankingEvent",
    ]);
    const [node] = rig.nodes;
    expect(seen[0]!.payload).toEqual({
      nodeId: node!.id,
      vegaPubKey: node!.key,
      ethereumAddress: node!.address,
      tmPubKey: node!.chainKey,
      infoUrl: "",
      country: "",
      name: "node-1",
      avatarUrl: "",
      vegaPubKeyIndex: 1,
      added: true,
      fromEpoch: 0n,
      submitterAddress: "",
      epochSeq: 0n,
    });
    expect(seen[1]!.payload).toEqual({
      nodeId: node!.id,
      stakeScore: "0",
      performanceScore: "0",
      rankingScore: "0",
      previousStatus: "pending",
      nextStatus: "tendermint",
      epochSeq: "0",
      tmVotingPower: 10,
    });
    expect(rig.validators.totalPower()).toBe(20n);
    expect(rig.validators.nodeByKey(node!.key)?.nodeId).toBe(node!.id);
  });

  test.each([
    ["id", { id: "xx" }, "id must be 64 lower-case hexadecimal digits"],
    ["vega_pub_key", { vega_pub_key: "ab" }, "vega_pub_key must be 64 lower-case hexadecimal digits"],
    ["ethereum_address", { ethereum_address: "0x12" }, "ethereum_address must be an Ethereum address"],
    ["tm_pub_key", { tm_pub_key: "AAAA" }, "tm_pub_key must be 32 bytes in base64"],
  ])("given a wrong %s, then the genesis is refused with its place", (_name, changes, text) => {
    const rig = new ValidatorRig({ nodes: 0 });
    expect(() => rig.validators.initGenesis({ KEY: { ...NEW.genesis, ...changes } })).toThrow(
      `validator 'KEY': ${text}`,
    );
  });

  test("given an address without 0x, then it is shown with it", () => {
    const rig = new ValidatorRig();
    rig.events();
    rig.validators.initGenesis({ KEY: { ...NEW.genesis, ethereum_address: NEW.address.slice(2) } });
    expect(of(rig.events(), "validatorUpdate")[0]).toMatchObject({ ethereumAddress: NEW.address });
  });

  test("given two with one key, then the genesis is refused", () => {
    const rig = new ValidatorRig({ nodes: 0 });
    const twin = { ...NEW.genesis, id: "99".repeat(32) };
    expect(() => rig.validators.initGenesis({ a: NEW.genesis, b: twin })).toThrow(
      "that of another validator",
    );
  });
});

describe("the end of an epoch", () => {
  test("given stake on a single validator, then scores, ranking and power are those worked out by hand", () => {
    const rig = rigWith();
    const [node] = rig.nodes;
    rig.setSigner(node!.address);
    stakeOn(rig, node!, 400n);
    rig.link(ALICE, 600n);
    rig.delegate(ALICE, node!.id, 600n);
    rig.endEpoch();
    const seen = rig.endEpoch();
    expect(of(seen, "validatorScore")).toEqual([
      {
        nodeId: node!.id,
        epochSeq: "1",
        validatorScore: "1",
        normalisedScore: "1",
        validatorPerformance: "1",
        rawValidatorScore: "1",
        validatorStatus: "tendermint",
        multisigScore: "1",
      },
    ]);
    expect(of(seen, "rankingEvent")).toEqual([
      {
        nodeId: node!.id,
        stakeScore: "1",
        performanceScore: "1",
        rankingScore: "2",
        previousStatus: "tendermint",
        nextStatus: "tendermint",
        epochSeq: "2",
        tmVotingPower: 10_000,
      },
    ]);
  });

  test("given the default parameters, then a single validator has far too much stake to score", () => {
    const rig = new ValidatorRig();
    stakeOn(rig, rig.nodes[0]!, 400n);
    rig.endEpoch();
    const [score] = of(rig.endEpoch(), "validatorScore");
    expect(score).toMatchObject({ rawValidatorScore: "0", normalisedScore: "0", validatorPerformance: "1" });
  });

  test("given three validators, of which the first proposes, then performance and power follow the blocks", () => {
    const rig = rigWith(
      { "reward.staking.delegation.minValidators": "3", "validators.epoch.length": "1m" },
      3,
    );
    for (const node of rig.nodes) rig.setSigner(node.address);
    for (const [index, node] of rig.nodes.entries()) stakeOn(rig, node, [500n, 300n, 200n][index]!);
    // The few blocks of epoch 0 count against no validator, so the power in epoch 1 follows the stake: the optimum is
    // a third of 1000, and 333.33…, 300 and 200 are 0.4, 0.36 and 0.24 of their sum.
    rig.endEpoch();
    expect(rig.validators.tendermint().map(({ power }) => power)).toEqual([4000n, 3600n, 2400n]);
    // 16 blocks, and the one that ends the epoch is not counted, for any proposer.
    for (let block = 0; block < 16; block++) {
      rig.proposer = rig.nodes[block % 2]!.id;
      rig.block(4n);
    }
    rig.proposer = rig.nodes[2]!.id;
    const seen = rig.endEpoch();
    // (8 + 2) / 16 is more than 0.4 and 0.36; 2 / 16 of 0.24 is less than 1.
    const scores = of(seen, "validatorScore");
    expect(scores.map(({ validatorPerformance }) => validatorPerformance)).toEqual([
      "1",
      "1",
      "0.5208333333333333",
    ]);
    expect(scores.map(({ rawValidatorScore }) => rawValidatorScore)).toEqual([
      "0.3333333333333333",
      "0.3",
      "0.2",
    ]);
    expect(scores[2]!.validatorScore).toBe("0.10416666666666666");
    // Of the sum 0.7375.
    expect(scores.map(({ normalisedScore }) => (normalisedScore as string).slice(0, 8))).toEqual([
      "0.451977",
      "0.406779",
      "0.141242",
    ]);
    const rankings = of(seen, "rankingEvent");
    expect(rankings.map(({ stakeScore, rankingScore }) => [stakeScore, rankingScore])).toEqual([
      ["0.5", "1"],
      ["0.3", "0.6"],
      ["0.2", "0.20833333333333332"],
    ]);
    expect(rankings.map(({ tmVotingPower }) => tmVotingPower)).toEqual([4519, 4067, 1412]);
    expect(rig.validators.totalPower()).toBe(4519n + 4067n + 1412n);
  });

  test("given the contract has no signers, then nobody scores, though the ranking and the power are there", () => {
    const rig = rigWith();
    stakeOn(rig, rig.nodes[0]!, 400n);
    rig.endEpoch();
    const seen = rig.endEpoch();
    expect(of(seen, "validatorScore")[0]).toMatchObject({
      multisigScore: "0",
      validatorScore: "0",
      normalisedScore: "0",
    });
    expect(of(seen, "rankingEvent")[0]).toMatchObject({ rankingScore: "2", tmVotingPower: 10_000 });
  });

  test("given a state that is loaded in the middle of an epoch, then its end is the same", () => {
    const run = (reload: boolean) => {
      let rig = rigWith({}, 3);
      for (const node of rig.nodes) stakeOn(rig, node, BigInt(node.number) * 100n);
      announce(rig);
      rig.endEpoch();
      rig.proposer = rig.nodes[1]!.id;
      rig.block();
      if (reload) {
        const entries = [...rig.core.state.entries()];
        const { block } = rig.core;
        const other = rigWith({}, 3);
        other.core.state.load(entries);
        other.core.block = block;
        // @ts-expect-error the rig's own clock
        other.seconds = rig.seconds;
        other.proposer = rig.proposer;
        rig = other;
      }
      return rig.endEpoch();
    };
    expect(run(true)).toEqual(run(false));
  });
});

describe("announcing a node", () => {
  test("given a good announcement, then the node is pending", () => {
    const rig = rigWith();
    rig.endEpoch();
    rig.events();
    expect(announce(rig)).toBe("");
    const seen = rig.events();
    expect(kinds(seen)).toEqual(["validatorUpdate", "rankingEvent"]);
    expect(seen[0]!.payload).toMatchObject({
      nodeId: NEW.id,
      added: true,
      fromEpoch: 1n,
      epochSeq: 1n,
      country: "ZZ",
    });
    expect(seen[1]!.payload).toMatchObject({
      previousStatus: "pending",
      nextStatus: "pending",
      tmVotingPower: 0,
      epochSeq: "1",
    });
    expect(rig.validators.node(NEW.id)).toMatchObject({ status: "pending", power: 0n });
    expect(rig.validators.tendermint()).toHaveLength(1);
  });

  const other = new NodeKeys(52);
  test.each([
    ["no index", { vegaPubKeyIndex: 0 }, "missing required announce node fields"],
    ["no epoch", { fromEpoch: 0n }, "missing required announce node fields"],
    ["no name", { name: "" }, "missing required announce node fields"],
    ["no country", { country: "" }, "missing required announce node fields"],
    ["no URL", { infoUrl: "" }, "missing required announce node fields"],
    ["no avatar", { avatarUrl: "" }, "missing required announce node fields"],
    ["a consensus key that is none", { chainPubKey: "AAAA" }, "invalid blockchain public key"],
    ["another's Vega signature", { vegaSignature: other.vegaSignature("x") }, "invalid vega signature"],
    [
      "a Vega signature of another kind",
      { vegaSignature: { ...emptySignature(), algo: "rsa", version: 1 } },
      "unsupported algorithm of the vega signature",
    ],
    [
      "another's Ethereum signature",
      { ethereumSignature: other.ethereumSignature("x") },
      "invalid ethereum signature",
    ],
    [
      "no hexadecimal signature",
      { ethereumSignature: { ...emptySignature(), value: "zz" } },
      "invalid ethereum signature",
    ],
    [
      "an id that is there",
      { id: "01".repeat(32) },
      "a vega node is already registered with the blockchain node",
    ],
    ["a key that is there", { vegaPubKey: new NodeKeys(1).key }, "vega public key is already used by a node"],
    [
      "a consensus key that is there",
      { chainPubKey: new NodeKeys(1).chainKey },
      "blockchain public key is already used by a node",
    ],
  ])("given %s, then it is refused and nothing is told", (_title, changes, text) => {
    const rig = rigWith();
    rig.events();
    expect(announce(rig, NEW, changes)).toBe(text);
    expect(rig.events()).toEqual([]);
  });

  test("given the address in lower case, then the signature is still over its checksummed form", () => {
    const rig = rigWith();
    expect(announce(rig, NEW, { ethereumAddress: NEW.address.toLowerCase() })).toBe("");
    expect(rig.validators.node(NEW.id)!.ethereumAddress).toBe(NEW.address);
  });
});

describe("the way of a node", () => {
  test("given stake, forwarded events and heartbeats, then it is promoted, and asked to sign in", () => {
    const submitter = `0x${"5b".repeat(20)}`;
    const rig = rigWith({ "validators.epoch.length": "5m" });
    stakeOn(rig, rig.nodes[0]!, 1_000n);
    announce(rig, NEW, { submitterAddress: submitter });
    stakeOn(rig, NEW, 300n);
    rig.validators.countForwarded(NEW.id);
    rig.endEpoch();
    // Asked at once, it answers three times.
    for (let beats = 0; beats < 3; beats++) {
      rig.block(51n);
      expect(beat(rig, NEW)).toBe("");
    }
    const before = rig.core.nowSeconds;
    const seen = rig.endEpoch();
    const ranking = of(seen, "rankingEvent").find(({ nodeId }) => nodeId === NEW.id);
    expect(ranking).toMatchObject({
      stakeScore: "0.2307692307692308",
      performanceScore: "0.3",
      previousStatus: "pending",
      nextStatus: "tendermint",
    });
    expect(rig.validators.tendermint().map(({ nodeId }) => nodeId)).toEqual([rig.nodes[0]!.id, NEW.id]);
    // The nonce follows the block before the one that ends the epoch, which began later than `before`.
    const [added] = of(seen, "erc20MultisigSignerAdded");
    expect(added).toMatchObject({ validatorId: NEW.id, newSigner: NEW.address, epochSeq: "1" });
    expect(BigInt(added!.nonce as string) > before).toBe(true);
    expect(kinds(seen).indexOf("erc20MultisigSignerAdded")).toBe(kinds(seen).indexOf("rankingEvent") - 1);
    expect(rig.notary.owedSignatures(rig.nodes[0]!.id).map(({ kind }) => kind)).toEqual([3]);
    expect(rig.validators.heartbeatDue(NEW.id)).toBeUndefined();
  });

  test("given fewer slots, then the worst is demoted, and as the contract never had it nothing is to be signed", () => {
    const rig = rigWith({ "validators.epoch.length": "1m" }, 2);
    stakeOn(rig, rig.nodes[0]!, 1_000n);
    stakeOn(rig, rig.nodes[1]!, 100n);
    rig.endEpoch();
    rig.params.setValue("network.validators.multisig.numberOfSigners", "1");
    rig.params.setValue("network.validators.tendermint.number", "1");
    rig.events();
    const seen = rig.endEpoch();
    const ranking = of(seen, "rankingEvent").find(({ nodeId }) => nodeId === rig.nodes[1]!.id);
    // Half a slot for standby validators rounds to zero.
    expect(ranking).toMatchObject({ previousStatus: "tendermint", nextStatus: "pending", tmVotingPower: 0 });
    expect(rig.multisig.changes.pendingChanges()).toEqual([]);
    expect(rig.validators.tendermint()).toHaveLength(1);
  });

  test("given a demoted validator, then it is judged by heartbeats from there on, ten good ones to begin with", () => {
    const rig = rigWith({ "validators.epoch.length": "20m" }, 2);
    rig.params.setValue("network.validators.ersatz.multipleOfTendermintValidators", "1");
    rig.params.setValue("network.validators.multisig.numberOfSigners", "1");
    rig.params.setValue("network.validators.tendermint.number", "1");
    const [, second] = rig.nodes as [NodeKeys, NodeKeys];
    stakeOn(rig, rig.nodes[0]!, 1_000n);
    stakeOn(rig, second, 100n);
    rig.validators.countForwarded(second.id);
    const ranked = () => of(rig.endEpoch(), "rankingEvent").find(({ nodeId }) => nodeId === second.id);
    rig.endEpoch();
    expect(rig.validators.node(second.id)).toMatchObject({ status: "ersatz" });
    for (let round = 0; round < 3; round++) {
      rig.block(51n);
      expect(beat(rig, second)).toBe("");
    }
    expect(ranked()).toMatchObject({ performanceScore: "1", nextStatus: "ersatz" });
    // From here on it is down.
    for (let round = 0; round < 20; round++) rig.block(51n);
    expect(ranked()).toMatchObject({ performanceScore: "0" });
  });

  test("given no stake and no ranking for ten epochs, then an announced node is removed, with an update", () => {
    const rig = rigWith({ "validators.epoch.length": "1s" });
    announce(rig, NEW, { fromEpoch: 3n });
    stakeOn(rig, rig.nodes[0]!, 10n);
    let removed: ReturnType<typeof rig.endEpoch> | undefined;
    let epoch = 0n;
    for (let count = 0; count < 40 && removed === undefined; count++) {
      epoch = rig.epochs.current.seq;
      const seen = rig.endEpoch();
      if (of(seen, "validatorUpdate").length > 0) removed = seen;
    }
    // Safe until epoch 3 + 10; by then it has been idle for more than 10 blocks.
    expect(epoch).toBe(13n);
    expect(of(removed!, "validatorUpdate")).toMatchObject([
      { nodeId: NEW.id, added: false, fromEpoch: 13n, epochSeq: 13n },
    ]);
    const ranking = of(removed!, "rankingEvent").find(({ nodeId }) => nodeId === NEW.id);
    expect(ranking).toMatchObject({ previousStatus: "pending", nextStatus: "removed" });
    const order = kinds(removed!);
    expect(order.indexOf("validatorUpdate")).toBe(order.indexOf("rankingEvent") + 1);
    expect(rig.validators.node(NEW.id)).toBeUndefined();
    expect(rig.delegate(rig.nodes[0]!.key, NEW.id, 1n)).toBe("invalid node ID");
  });

  test("given long epochs, then a node is removed only after ten times their seconds in blocks", () => {
    const rig = rigWith();
    announce(rig);
    stakeOn(rig, rig.nodes[0]!, 10n);
    let last = 0;
    while (rig.validators.node(NEW.id) !== undefined && rig.core.height < 300) {
      last = rig.core.height;
      rig.endEpoch();
    }
    // Announced in block 1; an epoch has 10 seconds.
    expect(rig.core.height - 1).toBeGreaterThan(100);
    expect(last - 1).toBeLessThanOrEqual(100);
  });

  test("given stake without a ranking, then an announced node stays", () => {
    const rig = rigWith({ "validators.epoch.length": "1s" });
    announce(rig);
    stakeOn(rig, NEW, 10n);
    for (let epoch = 0; epoch < 30; epoch++) rig.endEpoch();
    expect(rig.validators.node(NEW.id)).toMatchObject({ status: "pending" });
  });
});

describe("heartbeats", () => {
  /** In epoch 1, from which the announced node takes part. */
  function startedRig(parameters: Record<string, string> = {}): ValidatorRig {
    const rig = rigWith(parameters);
    rig.endEpoch();
    return rig;
  }

  test("given the text of the FNV-1a definition, then the digest is its", () => {
    expect(fnv1a64("")).toBe(0xcbf29ce484222325n);
    expect(fnv1a64("a")).toBe(0xaf63dc4c8601ec8cn);
    expect(fnv1a64("foobar")).toBe(0x85944171f73967e8n);
  });

  test("given only validators of status tendermint, then nobody owes one", () => {
    const rig = rigWith({}, 2);
    rig.block(1_000n);
    expect(rig.nodes.map(({ id }) => rig.validators.heartbeatDue(id))).toEqual([undefined, undefined]);
  });

  test("given an announced node, then it is asked for the block's trace id, and again 50 seconds later", () => {
    const rig = startedRig();
    announce(rig);
    rig.block();
    const trace = rig.core.block.hash.toUpperCase();
    expect(rig.validators.heartbeatDue(NEW.id)).toBe(trace);
    expect(beat(rig, NEW)).toBe("");
    expect(beat(rig, NEW)).toBe("heartbeat received after expiry");
    rig.block(50n);
    expect(rig.validators.heartbeatDue(NEW.id)).toBeUndefined();
    rig.block(1n);
    expect(rig.validators.heartbeatDue(NEW.id)).toBe(rig.core.block.hash.toUpperCase());
  });

  test("given an announced node that is to come later, then it is asked from its epoch on", () => {
    const rig = rigWith();
    announce(rig, NEW, { fromEpoch: 3n });
    while (rig.epochs.current.seq < 3n) {
      expect(rig.validators.heartbeatDue(NEW.id)).toBeUndefined();
      rig.block();
    }
    expect(rig.validators.heartbeatDue(NEW.id)).toBe(rig.core.block.hash.toUpperCase());
  });

  test("given a long epoch, then the interval is a hundredth of it and the reply may take half of that", () => {
    const rig = startedRig({ "validators.epoch.length": "4h" });
    announce(rig);
    rig.block();
    const trace = rig.validators.heartbeatDue(NEW.id);
    rig.block(72n);
    expect(rig.validators.heartbeatDue(NEW.id)).toBe(trace!);
    rig.block(1n);
    expect(rig.validators.heartbeatDue(NEW.id)).toBeUndefined();
    expect(beat(rig, NEW, { message: trace })).toBe("heartbeat received after expiry");
    rig.block(71n);
    expect(rig.validators.heartbeatDue(NEW.id)).toBeUndefined();
    rig.block(1n);
    expect(rig.validators.heartbeatDue(NEW.id)).toBeDefined();
  });

  const other = new NodeKeys(52);
  test.each([
    ["another's Vega signature", { vegaSignature: other.vegaSignature("x") }, "invalid vega signature"],
    [
      "another's Ethereum signature",
      { ethereumSignature: other.ethereumSignature("x") },
      "invalid ethereum signature",
    ],
    ["another text", { message: "AB" }, "heartbeat received after expiry"],
    [
      "an unknown node",
      { nodeId: "ff".repeat(32) },
      `received an heartbeat from a non-validator node: ${"ff".repeat(32)}`,
    ],
  ])("given %s, then it is refused", (_title, changes, text) => {
    const rig = startedRig();
    announce(rig);
    rig.block();
    expect(beat(rig, NEW, changes)).toBe(text);
    expect(beat(rig, NEW)).toBe("");
  });

  test("given several nodes that are due, then the digest of the trace picks one a block", () => {
    const rig = startedRig();
    const others = [61, 62, 63].map((number) => new NodeKeys(number));
    for (const node of others) announce(rig, node);
    rig.block();
    const due = others.filter(({ id }) => rig.validators.heartbeatDue(id) !== undefined);
    const index = Number(fnv1a64(rig.core.block.hash.toUpperCase()) % 3n);
    expect(due.map(({ id }) => id)).toEqual([others[index]!.id]);
    rig.block();
    rig.block();
    expect(others.every(({ id }) => rig.validators.heartbeatDue(id) !== undefined)).toBe(true);
  });

  test("given ten good ones and then missed ones, then the last ten count", () => {
    const rig = startedRig({
      "validators.epoch.length": "2h",
      "network.validators.tendermint.number": "1",
      "network.validators.multisig.numberOfSigners": "1",
    });
    stakeOn(rig, rig.nodes[0]!, 10_000n);
    announce(rig);
    stakeOn(rig, NEW, 100n);
    rig.validators.countForwarded(NEW.id);
    const performance = () =>
      of(rig.endEpoch(), "rankingEvent").find(({ nodeId }) => nodeId === NEW.id)!.performanceScore;
    for (let count = 0; count < 12; count++) {
      rig.block(73n);
      expect(beat(rig, NEW)).toBe("");
    }
    expect(performance()).toBe("1");
    for (let count = 0; count < 3; count++) {
      rig.block(73n);
      expect(rig.validators.heartbeatDue(NEW.id)).toBeDefined();
      rig.block(37n);
    }
    // The one that is open when the epoch's last blocks come is missed too.
    expect(performance()).toBe("0.6");
  });
});
