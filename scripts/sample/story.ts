// The story of the sample chain, by height. Heights are seconds, more or less.
import { AccountType, EpochAction } from "../../src/wire/generated/vega.ts";
import type { Banking } from "./banking.ts";
import { ASSET, DOLLAR, LYRE, NETWORK_TREASURY, PARTY, PEARL, resetKeys, VALIDATORS } from "./cast.ts";
import { tellGenesis } from "./genesis.ts";
import { COMET } from "./market-config.ts";
import { planProposals } from "./proposals.ts";
import { type Stage, setStage } from "./stage.ts";
import { planTrading } from "./trading.ts";

/** Three segments of a thousand blocks, and a rest that is not a segment yet. */
const HEIGHT_MAX = 3_010;

/** The recording, not compressed. */
export function tellStory(): Uint8Array {
  resetKeys();
  const stage = setStage();
  const { world, collateral, epochs } = stage;
  planStaking(stage);
  planBanking(stage);
  planNetwork(stage);
  planProposals(stage);
  planTrading(stage);
  world.genesis(() => {
    epochs.tell(EpochAction.EPOCH_ACTION_START);
    tellGenesis(world, collateral);
  });
  world.run(HEIGHT_MAX);
  return world.recording();
}

function planStaking({ staking }: Stage): void {
  const [sheliak, sulafat, aladfar] = VALIDATORS;
  const [fen, gus, hana] = PARTY.holders;
  for (const [i, node] of VALIDATORS.entries()) {
    staking.link(4 + i, node.pubKey, BigInt(3_000 + 500 * i) * LYRE);
    staking.delegate(12 + i, node.pubKey, node, BigInt(3_000 + 500 * i) * LYRE);
  }
  const stakes: readonly (readonly [string, bigint])[] = [
    [fen, 1_200n],
    [gus, 800n],
    [hana, 450n],
    [PARTY.founder, 2_000n],
    [PARTY.provider, 600n],
  ];
  for (const [i, [party, amount]] of stakes.entries()) staking.link(6 + i, party, amount * LYRE);
  staking.delegate(20, fen, sheliak, 700n * LYRE);
  staking.delegate(21, fen, aladfar, 300n * LYRE);
  staking.delegate(22, gus, sulafat, 800n * LYRE);
  staking.delegate(24, hana, aladfar, 400n * LYRE);
  staking.delegate(26, PARTY.founder, sheliak, 1_500n * LYRE);
  staking.undelegate(980, gus, sulafat, 300n * LYRE);
  staking.delegate(990, gus, aladfar, 250n * LYRE);
  staking.link(1_400, hana, 250n * LYRE);
  staking.delegate(1_420, hana, sulafat, 250n * LYRE);
  staking.link(2_100, gus, -40n * LYRE);
}

function planBanking({ banking }: Stage): void {
  const rich = [PARTY.makerNorth, PARTY.makerSouth, PARTY.provider, PARTY.treasury];
  for (const [i, party] of rich.entries()) banking.deposit(30 + i, party, ASSET.dollar, 250_000n * DOLLAR);
  for (const [i, party] of PARTY.traders.entries()) {
    banking.deposit(36 + i, party, ASSET.dollar, BigInt(20_000 + 2_500 * i) * DOLLAR);
  }
  banking.deposit(44, PARTY.treasury, ASSET.token, 90_000n * LYRE);
  banking.deposit(46, PARTY.founder, ASSET.token, 5_000n * LYRE);
  banking.deposit(48, NETWORK_TREASURY, ASSET.token, 1_000n * LYRE);
  banking.deposit(52, PARTY.saver, ASSET.dollar, 1_000n * DOLLAR);
  banking.deposit(820, PARTY.saver, ASSET.pearl, 25n * PEARL);
  banking.deposit(1_700, PARTY.traders[0], ASSET.dollar, 4_321_987_654n);

  banking.withdraw(600, PARTY.founder, ASSET.token, 120n * LYRE, 25);
  banking.withdraw(900, PARTY.saver, ASSET.pearl, 7n * PEARL + 1_234n, 40);
  banking.withdraw(905, PARTY.saver, ASSET.pearl, 15n);
  banking.withdraw(1_250, PARTY.saver, ASSET.dollar, 200n * DOLLAR);
  banking.withdraw(2_400, PARTY.founder, ASSET.token, 75n * LYRE);
  banking.withdraw(2_950, PARTY.treasury, ASSET.token, 10n * LYRE);
  planTransfers(banking);
}

function planTransfers(banking: Banking): void {
  const { ACCOUNT_TYPE_GENERAL, ACCOUNT_TYPE_GLOBAL_REWARD, ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES } =
    AccountType;
  const toParty = (from: string, to: string, asset: string, amount: bigint, reference: string) => ({
    from,
    to,
    toType: ACCOUNT_TYPE_GENERAL,
    asset,
    amount,
    reference,
  });
  banking.transfer(200, toParty(PARTY.treasury, PARTY.holders[0], ASSET.token, 40n * LYRE, "welcome, fen"));
  banking.transfer(210, toParty(PARTY.treasury, PARTY.oracle, ASSET.dollar, 500n * DOLLAR, "oracle fee"));
  const loan = toParty(PARTY.makerNorth, PARTY.traders[4], ASSET.dollar, 1_500n * DOLLAR, 'loan "E-7"');
  banking.transfer(1_100, loan, 1_180);
  const reward = {
    from: PARTY.treasury,
    to: NETWORK_TREASURY,
    toType: ACCOUNT_TYPE_GLOBAL_REWARD,
    asset: ASSET.token,
    amount: 300n * LYRE,
    reference: "staking rewards",
  };
  banking.repeat(220, reward, { startEpoch: 2, factor: 9n });
  const takers = {
    ...reward,
    toType: ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
    asset: ASSET.dollar,
    amount: 150n * DOLLAR,
    reference: "taker bonus",
  };
  banking.repeat(700, takers, { startEpoch: 3, endEpoch: 6, factor: 10n, market: COMET.id });
  const allowance = toParty(PARTY.founder, PARTY.saver, ASSET.token, 5n * LYRE, "allowance");
  const id = banking.repeat(1_300, allowance, { startEpoch: 4, factor: 10n });
  banking.cancel(2_100, PARTY.founder, id);
}

function planNetwork({ network, banking }: Stage): void {
  network.seeMultisig(5);
  network.rotateKey(1_510, VALIDATORS[1], 1_540);
  network.rotateKey(2_210, VALIDATORS[2], 2_230);
  network.rotateEthereumKey(banking, 1_800, VALIDATORS[0], 1_830);
  network.rotateEthereumKey(banking, 2_600, VALIDATORS[2], 2_640);
  network.proposeUpgrade(2_500, VALIDATORS[0], "v0.72.0", 9_000, 2_700);
}
