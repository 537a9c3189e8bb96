/**
 * The state of a new devnet before its first user: the staking token's supply, the validators on the multisig contract,
 * balances of the parties in every asset, stake and delegations. It comes in as everything later does, by events of
 * Ethereum, votes and commands: a few blocks hold them, and the history shows them.
 */

import type { ChainPart } from "../chain/options.ts";
import type { DevnetPort } from "../engine/chain-port.ts";
import { ZERO_PARTY } from "../engine/collateral.ts";
import type { Genesis } from "../engine/genesis.ts";
import { NodeError } from "../errors/node-error.ts";
import type { BridgeSimulator } from "../ethereum/bridge-simulator.ts";
import type { EthereumLog } from "../ethereum/logs.ts";
import type { ValidatorAgent } from "../ethereum/validator-agent.ts";
import { rewardAsset } from "./genesis.ts";
import type { DevnetParty } from "./keys.ts";

/** Whole units of each asset that every party gets; of an asset with 8 or more decimals and no bridge, fewer. */
const UNITS = 1_000_000n;
const COIN_UNITS = 100n;
const COIN_DECIMALS = 8;
const TOKEN = 10n ** 18n;
/** The first parties have stake, and the first of them have delegated half of it. */
const STAKERS = 5;
const DELEGATORS = 4;
const STAKE = 1_000_000n * TOKEN;
const DELEGATED = 500_000n * TOKEN;
const VALIDATOR_STAKE = 3_000_000n * TOKEN;
const VALIDATOR_DELEGATED = 2_000_000n * TOKEN;
/** In the treasury, for the rewards of the first epochs. */
const TREASURY = 10_000n * TOKEN;
/** Until the votes are counted: two blocks, unless the genesis makes blocks small. */
const BLOCKS_MAX = 100;
/**
 * Then comes the effect, and one tick later the chain knows the signers
 * (docs/protocol/60-state-engine-staking.md#94-multisig-contract-view).
 */
const LATE_BLOCKS = 2;

export interface FundingOptions {
  readonly genesis: Genesis;
  readonly chain: Pick<DevnetPort, "submit" | "mine" | "impersonate">;
  readonly simulator: BridgeSimulator;
  readonly agent: ValidatorAgent;
  /** Empty: then only the validator is funded. */
  readonly parties: readonly DevnetParty[];
  readonly validator: { readonly nodeId: string; readonly vegaPubKey: string };
}

type Step = "new" | "deposited" | "done";

/** Stores its progress with the chain, so that a devnet that was killed meanwhile continues. */
export class Funding implements ChainPart {
  readonly name = "funding";
  private step: Step = "new";

  get isDone(): boolean {
    return this.step === "done";
  }

  /** Runs the remaining steps. The chain is in manual mode meanwhile. */
  async run(options: FundingOptions): Promise<void> {
    if (this.step === "new") await this.deposit(options);
    if (this.step === "deposited") await this.delegate(options);
  }

  save(): string {
    return this.step;
  }

  load(text: string): void {
    this.step = text as Step;
  }

  private async deposit(options: FundingOptions): Promise<void> {
    const { chain, simulator } = options;
    const before = simulator.save();
    try {
      await this.bringBalances(options);
    } catch (error) {
      // No block has the events: the deposits have no effect, and the next start retries.
      simulator.load(before);
      this.step = "new";
      throw error;
    }
    for (let blocks = 1; blocks < BLOCKS_MAX && simulator.pending().length > 0; blocks++) await chain.mine(1);
    await chain.mine(LATE_BLOCKS);
  }

  /** The events are in a single block, unless it fails. */
  private async bringBalances({
    genesis,
    chain,
    simulator,
    agent,
    parties,
    validator,
  }: FundingOptions): Promise<void> {
    // A checkpoint has balances, stake and delegations, but not the supply.
    const isRestored = (genesis.appState.checkpoint?.load_hash ?? "") !== "";
    const logs = isRestored
      ? simulator.deploymentLogs()
      : [
          ...simulator.deploymentLogs(),
          ...parties.flatMap(({ publicKey }) => balancesOf(publicKey, genesis, simulator)),
          ...parties.slice(0, STAKERS).map(({ publicKey }) => simulator.stake(publicKey, STAKE)),
          simulator.stake(validator.vegaPubKey, VALIDATOR_STAKE),
          ...(parties.length > 0 ? treasury(genesis, simulator) : []),
        ];
    const events = logs.map(({ event, voteType }) => agent.chainEvent(event, voteType).bytes);
    const outcomes = await Promise.all(events.map((bytes) => chain.submit(bytes, "check")));
    const refused = outcomes.find(({ code }) => code !== 0);
    if (refused) throw failed(refused.text);
    // In the same commit as the block that holds the events.
    this.step = isRestored ? "done" : "deposited";
    await chain.mine(1);
  }

  private async delegate({ chain, parties, validator }: FundingOptions): Promise<void> {
    const { nodeId } = validator;
    const wishes = [
      { party: validator.vegaPubKey, amount: VALIDATOR_DELEGATED },
      ...parties.slice(0, DELEGATORS).map(({ publicKey }) => ({ party: publicKey, amount: DELEGATED })),
    ];
    const sent = wishes.map(({ party, amount }) =>
      chain.impersonate(party, { delegateSubmission: { nodeId, amount: amount.toString() } }),
    );
    this.step = "done";
    try {
      await chain.mine(1);
    } catch (error) {
      this.step = "deposited";
      throw error;
    }
    for (const { code, text } of await Promise.all(sent)) if (code !== 0) throw failed(text);
  }
}

function balancesOf(party: string, genesis: Genesis, simulator: BridgeSimulator): EthereumLog[] {
  return Object.entries(genesis.appState.assets ?? {}).map(([id, { decimals, source }]) => {
    const isCoin = source.erc20 === undefined && decimals >= COIN_DECIMALS;
    const amount = (isCoin ? COIN_UNITS : UNITS) * 10n ** BigInt(decimals);
    if (source.erc20 === undefined) return simulator.depositBuiltin(party, id, amount);
    const limit = simulator.collateral.listing(id)!.lifetimeLimit;
    return simulator.depositErc20(party, id, amount < limit ? amount : limit);
  });
}

function treasury(genesis: Genesis, simulator: BridgeSimulator): EthereumLog[] {
  const id = rewardAsset(genesis);
  const source = genesis.appState.assets?.[id]?.source;
  if (source === undefined) return [];
  return source.erc20
    ? [simulator.depositErc20(ZERO_PARTY, id, TREASURY)]
    : [simulator.depositBuiltin(ZERO_PARTY, id, TREASURY)];
}

function failed(text: string): NodeError {
  return new NodeError(
    "devnet.funding",
    "funding_failed",
    `the devnet's parties could not be funded: ${text}`,
    "is it a genesis of your own? with --no-funding the parties get nothing",
  );
}
