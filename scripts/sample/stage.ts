// The parts of the sample network, put together.
import { Banking } from "./banking.ts";
import { Collateral } from "./collateral.ts";
import { Epochs } from "./epochs.ts";
import { Governance } from "./governance.ts";
import { Market } from "./market.ts";
import { COMET, METEOR } from "./market-config.ts";
import { Network } from "./network.ts";
import { Rewards } from "./rewards.ts";
import { Staking } from "./staking.ts";
import { World } from "./world.ts";

export interface Stage {
  readonly world: World;
  readonly collateral: Collateral;
  readonly epochs: Epochs;
  readonly staking: Staking;
  readonly rewards: Rewards;
  readonly network: Network;
  readonly banking: Banking;
  readonly governance: Governance;
  readonly comet: Market;
  readonly meteor: Market;
}

export function setStage(): Stage {
  const world = new World();
  const collateral = new Collateral(world);
  const epochs = new Epochs(world);
  // At the end of an epoch the transfers come before the rewards (docs/protocol/60-state-engine-blocks.md#17-epochs).
  epochs.onEnd((epoch) => banking.endEpoch(epoch));
  const staking = new Staking(world, epochs);
  const rewards = new Rewards(world, collateral, staking);
  epochs.onEnd((epoch) => rewards.payOut(epoch, [COMET.id, METEOR.id]));
  const network = new Network(world, epochs);
  const banking = new Banking(world, collateral, epochs, () => network.checkpoint());
  const governance = new Governance(world, staking);
  const comet = new Market(world, collateral, rewards, COMET);
  const meteor = new Market(world, collateral, rewards, METEOR);
  return { world, collateral, epochs, staking, rewards, network, banking, governance, comet, meteor };
}
