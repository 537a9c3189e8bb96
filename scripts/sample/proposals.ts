// The proposals of the sample: one of each kind, and some that fail.
import { NodeSignatureKind } from "../../src/wire/generated/commands.ts";
import { AssetStatus, ProposalError } from "../../src/wire/generated/vega.ts";
import { ASSET, PARTY, PEARL_ADDRESS, VALIDATORS } from "./cast.ts";
import { Governance } from "./governance.ts";
import type { Market } from "./market.ts";
import { COMET, dataSources, proposedMarket } from "./market-config.ts";
import type { Stage } from "./stage.ts";
import { Step } from "./world.ts";

const [FEN, GUS, HANA] = PARTY.holders;
/** Blocks from an enactment to what the bridge answers. */
const BRIDGE_BLOCKS = 12;

export function planProposals(stage: Stage): void {
  planMarkets(stage);
  planPearl(stage);
  planPearlLimits(stage);
  planParameter(stage);
  planTexts(stage);
  planMarketUpdate(stage);
}

function planMarkets({ governance, comet, meteor }: Stage): void {
  const create = (market: Market, name: string, height: number) =>
    governance.propose({
      name,
      party: PARTY.founder,
      title: `Open the market ${market.config.code}`,
      description: `A future on an invented thing, for ${market.config.name}.`,
      change: { newMarket: { changes: proposedMarket(market.config) } },
      height,
      close: height + 60,
      enact: height + 100,
      votes: [
        [height + 8, FEN, true],
        [height + 15, GUS, true],
        [height + 20, HANA, false],
        [height + 31, HANA, true],
      ],
      onOpen: () => market.create(),
      onPass: () => market.startAuction(height + 105),
    });
  create(comet, "comet market", 120);
  create(meteor, "meteor market", 300);
}

const PEARL_DETAILS = { name: "Pearl (sample)", symbol: "PRL", decimals: 8n, quantum: "100000" };
const PEARL_LIMITS = { lifetimeLimit: "500000000000", withdrawThreshold: "10000000000" };
const PEARL_NEW_LIMITS = { lifetimeLimit: "900000000000", withdrawThreshold: "25000000000" };
const PEARL_NEW_QUANTUM = "200000";

function planPearl({ world, governance, banking, collateral }: Stage): void {
  const details = { ...PEARL_DETAILS, erc20: { contractAddress: PEARL_ADDRESS, ...PEARL_LIMITS } };
  const tell = (status: number) => world.emit({ asset: { id: ASSET.pearl, details, status } });
  const enact = 740;
  governance.propose({
    name: "pearl asset",
    party: PARTY.founder,
    title: "List Pearl",
    description: "Pearl is a token on Ethereum with 8 decimals; let it be used here.",
    change: { newAsset: { changes: details } },
    height: 640,
    close: 700,
    enact,
    votes: [
      [650, FEN, true],
      [655, PARTY.founder, true],
      [660, HANA, true],
    ],
    isValidated: true,
    onSubmit: () => tell(AssetStatus.STATUS_PROPOSED),
    onPrepare: () => tell(AssetStatus.STATUS_PENDING_LISTING),
  });
  banking.sign(enact + 1, ASSET.pearl, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_NEW);
  world.at(enact + BRIDGE_BLOCKS, Step.banking, () => {
    tell(AssetStatus.STATUS_ENABLED);
    collateral.openAsset(ASSET.pearl);
  });
}

function planPearlLimits({ world, governance, banking }: Stage): void {
  const enact = 1_640;
  governance.propose({
    name: "pearl limits",
    party: PARTY.founder,
    title: "More Pearl",
    description: "Raise the limits of Pearl on the bridge, and its quantum.",
    change: {
      updateAsset: {
        assetId: ASSET.pearl,
        changes: { quantum: PEARL_NEW_QUANTUM, erc20: PEARL_NEW_LIMITS },
      },
    },
    height: 1_560,
    close: 1_600,
    enact,
    votes: [
      [1_565, GUS, true],
      [1_570, FEN, true],
    ],
  });
  const update = Governance.idOf("pearl limits");
  banking.sign(enact + 1, update, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_UPDATE);
  world.at(enact + BRIDGE_BLOCKS, Step.banking, () => {
    const erc20 = { contractAddress: PEARL_ADDRESS, ...PEARL_NEW_LIMITS };
    const details = { ...PEARL_DETAILS, quantum: PEARL_NEW_QUANTUM, erc20 };
    world.emit({ asset: { id: ASSET.pearl, details, status: AssetStatus.STATUS_ENABLED } });
  });
}

function planParameter({ world, governance, banking }: Stage): void {
  const changes = { key: "transfer.fee.factor", value: "0.0005" };
  governance.propose({
    name: "cheaper transfers",
    party: GUS,
    title: "Halve the fee of transfers",
    description: "From one in a thousand to one in two thousand.",
    change: { updateNetworkParameter: { changes } },
    height: 1_000,
    close: 1_050,
    enact: 1_090,
    votes: [
      [1_003, FEN, true],
      [1_010, HANA, false],
      [1_020, PARTY.founder, true],
      [1_030, VALIDATORS[0].pubKey, true],
    ],
    onEnact: () => {
      world.emit({ networkParameter: changes });
      banking.feeDivisor = 2_000n;
    },
  });
  governance.refuse(
    {
      name: "hasty parameter",
      party: HANA,
      title: "Longer epochs, at once",
      description: "Does not wait as long as the rules ask.",
      change: {
        updateNetworkParameter: { changes: { key: "validators.epoch.length", value: "1h0m0s" } },
      },
      height: 1_150,
      close: 1_160,
      enact: 1_170,
      votes: [],
    },
    ProposalError.PROPOSAL_ERROR_CLOSE_TIME_TOO_SOON,
    "proposal closing time too soon, expected > 2026-01-05 09:19:39 +0000 UTC, got 2026-01-05 09:19:18 +0000 UTC",
  );
}

function planTexts({ governance }: Stage): void {
  governance.propose({
    name: "midsummer",
    party: FEN,
    title: "A day off at midsummer",
    description: "The network rests, and so do we. Nobody is bound by this.",
    change: { newFreeform: {} },
    height: 1_900,
    close: 1_950,
    votes: [
      [1_905, FEN, true],
      [1_911, PARTY.founder, false],
      [1_920, GUS, false],
    ],
  });
  governance.propose({
    name: "open question",
    party: HANA,
    title: "What shall we name the next asset?",
    description: "Still open where the recording ends.",
    change: { newFreeform: {} },
    height: 3_000,
    close: 90_000,
    votes: [
      [3_010, HANA, true],
      [3_015, GUS, false],
      [3_020, FEN, true],
    ],
  });
}

function planMarketUpdate({ governance, comet }: Stage): void {
  const { settlement, termination, binding } = dataSources(COMET);
  const proposed = proposedMarket(COMET);
  const tags = ["class:sample", "base:celestial", "tail:long"];
  governance.propose({
    name: "comet tags",
    party: PARTY.provider,
    title: "Say that the comet has a long tail",
    description: "Only the tags of the market change.",
    change: {
      updateMarket: {
        marketId: COMET.id,
        changes: {
          instrument: {
            code: COMET.code,
            future: {
              quoteName: "sUSD",
              dataSourceSpecForSettlementData: settlement.data,
              dataSourceSpecForTradingTermination: termination.data,
              dataSourceSpecBinding: binding,
            },
          },
          metadata: tags,
          priceMonitoringParameters: proposed.priceMonitoringParameters,
          liquidityMonitoringParameters: proposed.liquidityMonitoringParameters,
          simple: proposed.simple,
          lpPriceRange: proposed.lpPriceRange,
          linearSlippageFactor: proposed.linearSlippageFactor,
          quadraticSlippageFactor: proposed.quadraticSlippageFactor,
        },
      },
    },
    height: 1_200,
    close: 1_260,
    enact: 1_300,
    votes: [
      [1_205, PARTY.provider, true],
      [1_211, FEN, true],
    ],
    equityShare: { [PARTY.provider]: "1" },
    onEnact: () => comet.retag(tags),
  });
}
