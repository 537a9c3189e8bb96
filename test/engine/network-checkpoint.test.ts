// A checkpoint as a core of the network writes it (docs/protocol/60-state-engine-parameters.md#12-checkpoints), put
// together by hand: what a chain has that begins with it. Accounts of the network are named by their type, those of
// metrics with the market behind it; validators have a core's own numbers of statuses, and their scores.
import { expect, test } from "bun:test";
import { checkpointHash, readCheckpointFile } from "../../src/engine/checkpoints.ts";
import { Engine } from "../../src/engine/engine.ts";
import {
  decodeCheckpoint,
  encodeAssets,
  encodeBanking,
  encodeBlock,
  encodeCheckpoint,
  encodeCheckpointState,
  encodeCollateral,
  encodeDelegate,
  encodeMarketTracker,
  encodeMultisigControl,
  encodeNetParams,
  encodeProposals,
  encodeStaking,
  encodeValidators,
} from "../../src/wire/generated/checkpoint.ts";
import { decodeBusEvent, encodeEpochEvent } from "../../src/wire/generated/events.ts";
import { AccountType, ProposalState } from "../../src/wire/generated/vega.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";
import { createMarketRig, idOf } from "./markets/rig.ts";

const USD = idOf("USD");
const [MARKET, PARTY, LP] = [idOf("market"), idOf("party"), idOf("provider")] as [string, string, string];
const [PENDING, ERSATZ, TENDERMINT] = [0, 1, 2];

const node = (name: string, status: number, power: bigint, hasScore = true) => ({
  validatorUpdate: {
    nodeId: idOf(name),
    vegaPubKey: idOf(`key of ${name}`),
    vegaPubKeyIndex: 1,
    ethereumAddress: `0x${idOf(name).slice(0, 40)}`,
    tmPubKey: Buffer.from(idOf(name), "hex").toString("base64"),
    name,
    fromEpoch: 0n,
  },
  status,
  ethEventsForwarded: 3n,
  validatorPower: power,
  ...(hasScore && {
    rankingScore: {
      ...{ stakeScore: "0.5", performanceScore: "1", rankingScore: "0.5", votingPower: 5_000 },
      ...{ previousStatus: 1, status: 1 },
    },
  }),
});

const proposal = (name: string, state: number, terms: object) => ({
  ...{ id: idOf(name), reference: name, partyId: PARTY, state: state as never, timestamp: 5n },
  terms: { closingTimestamp: 1n, enactmentTimestamp: 2n, ...terms },
  rationale: { title: name, description: name },
  ...{ requiredMajority: "0.66", requiredParticipation: "0.01" },
});

const balance = (party: string, amount: bigint) => ({ party, asset: USD, balance: amount.toString() });

const content = decodeCheckpoint(
  encodeCheckpoint({
    validators: encodeValidators({
      validatorState: [
        node("a", TENDERMINT, 10n),
        node("b", ERSATZ, 0n),
        node("c", PENDING, 0n, false),
        node("d", TENDERMINT, 20n),
      ],
    }),
    assets: encodeAssets({
      assets: [
        {
          id: USD,
          assetDetails: {
            ...{ name: "Dollar", symbol: "USD", decimals: 5n, quantum: "10" },
            builtinAsset: { maxFaucetAmountMint: "100" },
          },
        },
      ],
    }),
    // General, margin and bond are one balance; insurance and liquidity fees are in the treasury.
    collateral: encodeCollateral({
      balances: [
        balance("*", 100n),
        balance("*ACCOUNT_TYPE_FEES_INFRASTRUCTURE", 7n),
        balance("*ACCOUNT_TYPE_PENDING_TRANSFERS", 11n),
        balance("*ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES___!", 13n),
        balance(`*ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES___${MARKET}`, 17n),
        balance(PARTY, 1_000n),
        balance(LP, 2_000n),
      ],
    }),
    networkParameters: encodeNetParams({
      params: [
        { key: "market.fee.factors.makerFee", value: "0.003" },
        { key: "a.parameter.of.another.version", value: "1" },
      ],
    }),
    marketTracker: encodeMarketTracker({
      marketActivity: [
        {
          market: MARKET,
          asset: USD,
          makerFeesPaid: [{ party: PARTY, fee: "5" }],
          lpFees: [{ party: LP, fee: "3" }],
          proposer: PARTY,
          bonusPaid: [],
          valueTraded: "12345",
          readyToDelete: false,
        },
      ],
    }),
    governance: encodeProposals({
      proposals: [
        { ...proposal("enacted market", ProposalState.STATE_ENACTED, { newMarket: {} }), id: MARKET },
        proposal("changed market", ProposalState.STATE_ENACTED, { updateMarket: { marketId: MARKET } }),
        proposal("passed market", ProposalState.STATE_PASSED, { newMarket: { changes: {} } }),
      ],
    }),
    epoch: encodeEpochEvent({
      seq: 17n,
      action: 1,
      startTime: 1_700_000_000n * 10n ** 9n,
      expireTime: 1_800_000_000n * 10n ** 9n,
    }),
    block: encodeBlock({ height: 1_234n }),
    multisigControl: encodeMultisigControl({ lastBlockSeen: 99n }),
    staking: encodeStaking({
      accepted: [
        {
          ...{ id: idOf("linking"), type: 1, ts: 1_600_000_000n, party: PARTY, amount: "500", status: 2 },
          ...{ finalizedAt: 1n, txHash: "0xab", blockHeight: 9n, logIndex: 1n, ethereumAddress: "0xcd" },
        },
      ],
      lastBlockSeen: 9n,
    }),
    delegation: encodeDelegate({
      active: [{ party: PARTY, node: idOf("a"), amount: "300", epochSeq: 17n }],
      pending: [{ party: PARTY, node: idOf("d"), amount: "300", epochSeq: 18n }],
    }),
    banking: encodeBanking({
      bridgeState: { active: true, blockHeight: 1n, logIndex: 2n },
      lastSeenEthBlock: 3n,
    }),
  }),
);

function begun() {
  const file = encodeCheckpointState({
    hash: Buffer.from(checkpointHash(content), "hex"),
    state: encodeCheckpoint(content),
  });
  const { genesis } = createMarketRig().engine;
  const appState = { ...genesis.appState, checkpoint: readCheckpointFile(file) };
  const engine = new Engine({ ...genesis, appState });
  engine.initChain();
  const { block } = engine.commit();
  const around = {
    chainId: "chain",
    height: 1,
    hash: engine.core.block.hash.toUpperCase(),
    txHashes: block.txHashes,
  };
  return { engine, events: block.events.map((event) => decodeBusEvent(wholeEvent(around, event))) };
}

test("a network's file: money, parameters, validators, stake, epoch and proposals are there, and the events tell of them", () => {
  const { engine, events } = begun();
  const { collateral, validators, params, staking, markets, epochs } = engine.domains;
  const held = collateral
    .entries()
    .filter(([, { balance, type }]) => balance > 0n && type !== AccountType.ACCOUNT_TYPE_EXTERNAL)
    .map(([, { owner, type, market, balance }]) => `${owner} ${type} ${market} ${balance}`);
  expect(held.sort()).toEqual(
    [
      `* ${AccountType.ACCOUNT_TYPE_GLOBAL_REWARD} ! 100`,
      `* ${AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE} ! 7`,
      `* ${AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS} ! 11`,
      `* ${AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES} ! 13`,
      `* ${AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES} ${MARKET} 17`,
      `${PARTY} ${AccountType.ACCOUNT_TYPE_GENERAL} ! 1000`,
      `${LP} ${AccountType.ACCOUNT_TYPE_GENERAL} ! 2000`,
    ].sort(),
  );
  const restored = events.flatMap(({ ledgerMovements }) => ledgerMovements?.ledgerMovements ?? []);
  expect(restored.flatMap(({ entries }) => entries).map(({ type }) => type)).toEqual(held.map(() => 25));
  expect(validators.nodes().map(({ name, status, power }) => [name, status, power])).toEqual(
    expect.arrayContaining([
      ["a", "tendermint", 10n],
      ["b", "ersatz", 0n],
      ["c", "pending", 0n],
      ["d", "tendermint", 20n],
    ]),
  );
  expect(params.text("market.fee.factors.makerFee")).toBe("0.003");
  expect(staking.balance(PARTY)).toBe(500n);
  expect(epochs.current.seq).toBe(17n);
  expect(markets.tracked()).toMatchObject([
    {
      market: { id: MARKET, proposer: PARTY, tradedValue: 12_345n },
      activities: [
        { party: LP, liquidityReceived: 3n },
        { party: PARTY, makerPaid: 5n },
      ],
    },
  ]);
  // A market is not made again of what is no whole proposal: that alone is told.
  expect(events.flatMap(({ proposal: proposed }) => proposed?.reference ?? [])).toEqual([
    "enacted market",
    "changed market",
  ]);
  expect(markets.list()).toEqual([]);
});

test("and a checkpoint of that chain holds the same money and the same nodes for the next one", () => {
  const { engine } = begun();
  const { genesis } = engine;
  const next = new Engine({ ...genesis, appState: { ...genesis.appState, checkpoint: engine.checkpoint() } });
  next.initChain();
  next.commit();
  const state = ({ domains }: Engine) => [
    domains.collateral.entries().map(([id, { balance }]) => [id, balance]),
    domains.validators.nodes().map(({ name, status }) => [name, status]),
  ];
  expect(state(next)).toEqual(state(engine));
});
