// Validators and their signatures, epochs, parameters, checkpoints and upgrades over small made-up chains
// (docs/protocol/10-data-api-endpoints.md#57-nodes to #511-network-parameters, #514-listcheckpoints and
// #519-protocol-upgrade-proposals-and-snapshots).
import { afterAll, describe, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import { encodeNodeSignature } from "../../../src/wire/generated/commands.ts";
import {
  encodeCheckpointEvent,
  encodeCoreSnapshotData,
  encodeDelegationBalanceEvent,
  encodeEpochEvent,
  encodeProtocolUpgradeEvent,
  encodeValidatorRankingEvent,
  encodeValidatorScoreEvent,
  encodeValidatorUpdate,
} from "../../../src/wire/generated/events.ts";
import { encodeNetworkParameter } from "../../../src/wire/generated/vega.ts";
import {
  blockNs,
  chainOf,
  cursorOf,
  type Event,
  id,
  type Json,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

// docs/protocol/10-data-api-endpoints.md#57-nodes, #59-getepoch and #510-network-level-single-objects.
describe("validators of an epoch", () => {
  const A = id(0xa);
  const B = id(0xb);
  const KEY = id(0x11);
  const BIG = 10n ** 19n; // does not fit 63 bits
  const update = (nodeId: string, epochSeq: bigint, added: boolean): Event => [
    Field.validatorUpdate,
    encodeValidatorUpdate({
      nodeId,
      vegaPubKey: KEY.toUpperCase(),
      ethereumAddress: "0xABCD",
      tmPubKey: "dG0=",
      country: "UK",
      name: "n",
      added,
      epochSeq,
    }),
  ];
  const ranking = (
    nodeId: string,
    epochSeq: string,
    previousStatus: string,
    nextStatus: string,
    performanceScore: string,
  ): Event => [
    Field.validatorRanking,
    encodeValidatorRankingEvent({
      nodeId,
      epochSeq,
      previousStatus,
      nextStatus,
      performanceScore,
      stakeScore: "0.250",
      rankingScore: "1.60",
      tmVotingPower: 10,
    }),
  ];
  const delegation = (party: string, nodeId: string, epochSeq: string, amount: bigint): Event => [
    Field.delegationBalance,
    encodeDelegationBalanceEvent({ party, nodeId, epochSeq, amount: amount.toString() }),
  ];
  const epoch = (seq: bigint, action: 1 | 2, startTime: bigint, endTime = 0n): Event => [
    Field.epochUpdate,
    encodeEpochEvent({ seq, action, startTime, expireTime: startTime + 90_000_000_001n, endTime }),
  ];
  const parameter = (key: string, value: string): Event => [
    Field.networkParameter,
    encodeNetworkParameter({ key, value }),
  ];
  const firstEpoch = [
    parameter("network.validators.tendermint.number", "5"),
    parameter("network.validators.ersatz.multipleOfTendermintValidators", "0.5"),
    epoch(1n, 1, blockNs(1)),
    update(A, 1n, true),
    update(B, 1n, true),
    ranking(A, "1", "pending", "tendermint", "1"),
    ranking(B, "1", "tendermint", "ersatz", "0.00"),
  ];
  const get = chainOf([
    [
      ...firstEpoch,
      delegation(KEY, A, "1", BIG),
      delegation(id(0x12), A, "1", 3n),
      delegation(KEY, A, "2", BIG),
    ],
    [
      epoch(1n, 2, blockNs(1), blockNs(2)),
      epoch(2n, 1, blockNs(2)),
      update(B, 2n, false),
      ranking(A, "2", "tendermint", "tendermint", "0.5"),
      [
        Field.validatorScore,
        encodeValidatorScoreEvent({
          nodeId: A,
          epochSeq: "2",
          validatorScore: "0.10",
          validatorStatus: "tendermint",
          multisigScore: "1",
        }),
      ],
    ],
  ]);

  test("a node stays listed until an announcement takes it out, and only from that epoch on", async () => {
    const ids = async (query: string) =>
      (await get(`/nodes${query}`)).body.nodes.edges.map((edge: Json) => edge.node.id);
    expect(await ids("")).toEqual([A]);
    expect(await ids("?epochSeq=1")).toEqual([B, A]);
    expect(await ids("?epochSeq=1&pagination.newestFirst=false")).toEqual([A, B]);
    expect(await ids("?epochSeq=9223372036854775808")).toEqual([A]);
    const unknown = await get("/nodes?epochSeq=3");
    expect([unknown.status, unknown.body.details[0].code]).toEqual([404, 250001]);
  });

  test("stake is told apart by the operator's own key; pending stake is the next epoch's less this one's", async () => {
    const { body } = await get("/nodes?epochSeq=1&pagination.last=1");
    expect(body.nodes.edges[0].node).toEqual({
      id: A,
      pubKey: KEY,
      tmPubKey: "dG0=",
      ethereumAddress: "0xabcd",
      infoUrl: "",
      location: "UK",
      stakedByOperator: BIG.toString(),
      stakedByDelegates: "3",
      stakedTotal: (BIG + 3n).toString(),
      maxIntendedStake: "0",
      pendingStake: "-3",
      epochData: null,
      status: "NODE_STATUS_VALIDATOR",
      delegations: [
        { party: KEY, nodeId: A, amount: BIG.toString(), epochSeq: "1" },
        { party: id(0x12), nodeId: A, amount: "3", epochSeq: "1" },
      ],
      rewardScore: null,
      rankingScore: {
        stakeScore: "0.25",
        performanceScore: "1",
        previousStatus: "VALIDATOR_NODE_STATUS_PENDING",
        status: "VALIDATOR_NODE_STATUS_TENDERMINT",
        votingPower: 10,
        rankingScore: "1.6",
      },
      name: "n",
      avatarUrl: "",
    });
  });

  test("a node by id, with its reward score", async () => {
    const { body } = await get(`/node/${A.toUpperCase()}`);
    expect(body.node.rewardScore).toEqual({
      rawValidatorScore: "0",
      performanceScore: "0",
      multisigScore: "1",
      validatorScore: "0.1",
      normalisedScore: "0",
      validatorStatus: "VALIDATOR_NODE_STATUS_TENDERMINT",
    });
    expect((await get(`/node/${B}`)).status).toBe(404);
    expect((await get("/node/")).body.details[0].code).toBe(10034);
  });

  test("an epoch: an ended one has its last block, a running one has none; 0 is the current one", async () => {
    const first = (await get("/epoch?id=1")).body.epoch;
    expect(first.timestamps).toEqual({
      startTime: blockNs(1).toString(),
      expiryTime: (blockNs(1) + 90_000_000_000n).toString(),
      endTime: blockNs(2).toString(),
      firstBlock: "1",
      lastBlock: "2",
    });
    expect(first.validators.map((node: Json) => node.id)).toEqual([A, B]);
    expect(first.delegations.map((row: Json) => row.amount)).toEqual([BIG.toString(), "3"]);
    const current = (await get("/epoch?id=0")).body.epoch;
    expect([current.seq, current.timestamps.endTime, current.timestamps.lastBlock]).toEqual(["2", "0", "0"]);
  });

  test("the network's totals count the current epoch and the minutes of the completed ones", async () => {
    const { nodeData } = (await get("/network/data")).body;
    expect(nodeData).toEqual({
      stakedTotal: BIG.toString(),
      totalNodes: 1,
      inactiveNodes: 0,
      tendermintNodes: { total: 1, inactive: 0, promoted: [], demoted: [], maximum: 5 },
      ersatzNodes: { total: 0, inactive: 0, promoted: [], demoted: [], maximum: 2 },
      pendingNodes: { total: 0, inactive: 0, promoted: [], demoted: [] },
      uptime: 1,
    });
  });

  test("promoted and demoted nodes stand in the set they came to", async () => {
    const beforeTheEnd = chainOf([[...firstEpoch]]);
    const { nodeData } = (await beforeTheEnd("/network/data")).body;
    expect(nodeData.tendermintNodes.promoted).toEqual([A]);
    expect(nodeData.ersatzNodes).toEqual({ total: 1, inactive: 1, promoted: [], demoted: [B], maximum: 2 });
    expect([nodeData.inactiveNodes, nodeData.uptime]).toEqual([1, 0]);
  });
});

test("an empty store: single objects are not found, lists are empty", async () => {
  const get = chainOf([[]]);
  const codes: [path: string, code: number][] = [
    ["/epoch", 250001],
    ["/nodes", 250001],
    ["/network/data", 250001],
    ["/network/limits", 100001],
    ["/network/parameters/a", 100002],
    ["/governance?reference=a", 170001],
  ];
  for (const [path, code] of codes) {
    const { status, body } = await get(path);
    expect([path, status, body.details[0].code]).toEqual([path, 404, code]);
  }
  for (const path of [
    "/network/parameters",
    "/checkpoints",
    "/snapshots",
    "/upgrade/proposals",
    "/governances",
  ]) {
    const [list] = Object.values((await get(path)).body) as Json[];
    expect([path, list.edges]).toEqual([path, []]);
  }
  expect((await get("/vega/time")).body).toEqual({ timestamp: blockNs(1).toString() });
  expect((await get("/chain/time")).status).toBe(200);
  expect((await get("/upgrade/status")).body).toEqual({ ready: false });
  expect((await get("/info")).body).toEqual({ version: "v1", commitHash: "c" });
});

test("signatures of a resource: each once, newest first means the largest bytes first", async () => {
  const resource = id(7);
  const signature = (byte: number): Event => [
    Field.nodeSignature,
    encodeNodeSignature({ id: resource, sig: new Uint8Array([byte]), kind: 1 }),
  ];
  const get = chainOf([[signature(1), signature(3), signature(2), signature(3)]]);
  const { body } = await get(`/node/signatures?id=${resource}&pagination.first=2`);
  expect(body.signatures.edges.map((edge: Json) => edge.node)).toEqual([
    { id: resource, sig: "Aw==", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" },
    { id: resource, sig: "Ag==", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" },
  ]);
  const after = encodeURIComponent(body.signatures.pageInfo.endCursor);
  const rest = await get(`/node/signatures?id=${resource}&pagination.first=2&pagination.after=${after}`);
  expect(rest.body.signatures.edges.map((edge: Json) => edge.node.sig)).toEqual(["AQ=="]);
});

test("a resource with a well-known name: its cursors lead on", async () => {
  const signature = (byte: number): Event => [
    Field.nodeSignature,
    encodeNodeSignature({ id: "VOTE", sig: new Uint8Array([byte]), kind: 1 }),
  ];
  const get = chainOf([[signature(1), signature(2), signature(3)]]);
  const nodes = await walk(get, "/node/signatures?id=VOTE&", 1);
  expect(nodes.map(({ id: resource, sig }) => [resource, sig])).toEqual([
    ["VOTE", "Aw=="],
    ["VOTE", "Ag=="],
    ["VOTE", "AQ=="],
  ]);
});

test("network parameters: the newest value, always ascending, the recorded Ethereum settings", async () => {
  const parameter = (key: string, value: string): Event => [
    Field.networkParameter,
    encodeNetworkParameter({ key, value }),
  ];
  const get = chainOf([
    [parameter("b", "1"), parameter("a", "<1>"), parameter("blockchains.ethereumConfig", "{}")],
    [parameter("b", "2")],
  ]);
  const page = await get("/network/parameters?pagination.last=2");
  expect(page.body.networkParameters.edges.map((edge: Json) => edge.node)).toEqual([
    { key: "b", value: "2" },
    { key: "blockchains.ethereumConfig", value: "{}" },
  ]);
  expect(page.body.networkParameters.edges[0].cursor).toBe(Buffer.from("b").toString("base64"));
  expect((await get("/network/parameters/a")).body).toEqual({ networkParameter: { key: "a", value: "<1>" } });
});

test("checkpoints of one height are all listed; a cursor with the height alone is taken", async () => {
  const checkpoint = (hash: string, height: number): Event => [
    Field.checkpoint,
    encodeCheckpointEvent({ hash, blockHash: "BB", blockHeight: BigInt(height) }),
  ];
  const get = chainOf([[checkpoint("a", 1), checkpoint("b", 1)], [checkpoint("c", 2)]]);
  const hashes = async (query: string) =>
    (await get(`/checkpoints?${query}`)).body.checkpoints.edges.map(({ node }: Json) => node.hash);
  expect(await hashes("")).toEqual(["c", "b", "a"]);
  const { body } = await get("/checkpoints?pagination.first=2");
  expect(body.checkpoints.edges[0].node).toEqual({ hash: "c", blockHash: "BB", atBlock: "2" });
  const after = encodeURIComponent(body.checkpoints.pageInfo.endCursor);
  expect(await hashes(`pagination.first=2&pagination.after=${after}`)).toEqual(["a"]);
  expect(await hashes(`pagination.after=${cursorOf({ blockHeight: 2 })}`)).toEqual(["b", "a"]);
});

test("an upgrade is ready while the last block is the one that it was agreed to wait behind", async () => {
  const upgrade = (height: bigint, status: number): Event => [
    Field.protocolUpgradeProposal,
    encodeProtocolUpgradeEvent({
      upgradeBlockHeight: height,
      vegaReleaseTag: "v9",
      approvers: ["x"],
      status,
    }),
  ];
  const [pending, approved, rejected] = [1, 2, 3];
  const isReady = async (blocks: Event[][]) => (await chainOf(blocks)("/upgrade/status")).body.ready;
  expect(await isReady([[upgrade(2n, pending)]])).toBe(false);
  expect(await isReady([[upgrade(2n, pending)], [upgrade(2n, approved)]])).toBe(true);
  expect(await isReady([[upgrade(2n, pending)], [upgrade(2n, approved)], []])).toBe(false);
  expect(await isReady([[upgrade(2n, pending)], [upgrade(2n, rejected)]])).toBe(false);
});

test("snapshots by height, upgrade proposals in their current state and by approver", async () => {
  const upgrade = (height: number, vegaReleaseTag: string, approvers: string[], status: number): Event => [
    Field.protocolUpgradeProposal,
    encodeProtocolUpgradeEvent({ upgradeBlockHeight: BigInt(height), vegaReleaseTag, approvers, status }),
  ];
  const snapshot = (height: number): Event => [
    Field.coreSnapshot,
    encodeCoreSnapshotData({
      blockHeight: BigInt(height),
      blockHash: "h",
      coreVersion: "v1",
      protocolUpgradeBlock: true,
    }),
  ];
  const get = chainOf([
    [upgrade(9, "v2", ["x"], 1), upgrade(9, "v1", ["x"], 1), snapshot(1)],
    [upgrade(9, "v2", ["x", "y"], 2), upgrade(8, "v9", ["y"], 1), snapshot(2)],
  ]);
  const tags = async (query: string) =>
    (await get(`/upgrade/proposals?${query}`)).body.protocolUpgradeProposals.edges.map(
      ({ node }: Json) => node.vegaReleaseTag,
    );
  expect(await tags("")).toEqual(["v2", "v1", "v9"]);
  expect(await tags("approvedBy=y")).toEqual(["v2", "v9"]);
  expect(await tags("approvedBy=y&pagination.first=1")).toEqual(["v2"]);
  expect(await tags("approvedBy=Y")).toEqual([]);
  expect(await tags("status=PROTOCOL_UPGRADE_PROPOSAL_STATUS_PENDING")).toEqual(["v1", "v9"]);
  const { body } = await get("/snapshots?pagination.first=1");
  expect(body.coreSnapshots.edges[0].node).toEqual({
    blockHeight: "2",
    blockHash: "h",
    coreVersion: "v1",
    protocolUpgradeBlock: false,
  });
});
