/**
 * The state of a new devnet before its first user: the staking token's supply, the validators on the multisig contract,
 * balances of the parties in every asset, stake and delegations. It comes in as everything later does, by events of
 * Ethereum, votes and commands: a few blocks hold them, and the history shows them.
 */

import type { ChainPart } from "../chain/options.ts";
import type { DevnetPort } from "../engine/chain-port.ts";
import { ZERO_PARTY } from "../engine/collateral.ts";
import type { Genesis, GenesisAsset } from "../engine/genesis.ts";
import { NodeError } from "../errors/node-error.ts";
import type { BridgeSimulator } from "../ethereum/bridge-simulator.ts";
import type { EthereumLog } from "../ethereum/logs.ts";
import type { ValidatorAgent } from "../ethereum/validator-agent.ts";
import { lifetimeLimitOf, rewardAsset } from "./genesis.ts";
import { DEVNET_PARTIES, type DevnetParty, type PartiesChoice } from "./keys.ts";

/** Whole units of each asset that every party gets by default; of an asset with 8 or more decimals and no bridge, fewer. */
const UNITS = "1000000";
const COIN_UNITS = "100";
const COIN_DECIMALS = 8;
const TOKEN = 10n ** 18n;
/** The first parties have stake, and the first of them have delegated half of it. */
const STAKERS = 5;
const DELEGATORS = 4;
const STAKE = 1_000_000n * TOKEN;
const DELEGATED = 500_000n * TOKEN;
/** Of each validator, which delegates two thirds of it to itself; less where many share the supply. */
const VALIDATOR_STAKE = 3_000_000n * TOKEN;
const VALIDATORS_STAKE_MAX = 45_000_000n * TOKEN;
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
  /** Empty: then only the validators are funded. */
  readonly parties: readonly DevnetParty[];
  /** Those of the genesis, at least one. */
  readonly validators: readonly { readonly nodeId: string; readonly vegaPubKey: string }[];
}

/** Whole units of every asset that each party gets, or of some by their symbols, such as `"2.5"`. */
export type StartBalance = string | Readonly<Record<string, string>>;

type Step = "new" | "deposited" | "done";

interface FundingState {
  readonly step: Step;
  readonly parties: PartiesChoice;
  readonly balance: StartBalance;
}

/**
 * Stores its progress with the chain, so that a devnet that was killed meanwhile continues, and which parties it has: a chain
 * keeps its own.
 */
export class Funding implements ChainPart {
  readonly name = "funding";
  private step: Step = "new";

  /** @param parties @param balance of a new chain */
  constructor(
    private chosen: PartiesChoice = DEVNET_PARTIES,
    private balance: StartBalance = {},
  ) {}

  get parties(): PartiesChoice {
    return this.chosen;
  }

  get isDone(): boolean {
    return this.step === "done";
  }

  /** Runs the remaining steps. The chain is in manual mode meanwhile. */
  async run(options: FundingOptions): Promise<void> {
    if (this.step === "new") await this.deposit(options);
    if (this.step === "deposited") await this.delegate(options);
  }

  save(): string {
    const state: FundingState = { step: this.step, parties: this.chosen, balance: this.balance };
    return JSON.stringify(state);
  }

  load(text: string): void {
    // Older chains have the step alone.
    const { step, parties, balance } = text.startsWith("{")
      ? (JSON.parse(text) as FundingState)
      : { step: text as Step, parties: DEVNET_PARTIES, balance: {} };
    this.step = step;
    this.chosen = parties;
    this.balance = balance;
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
    validators,
  }: FundingOptions): Promise<void> {
    // A checkpoint has balances, stake and delegations, but not the supply.
    const isRestored = (genesis.appState.checkpoint?.load_hash ?? "") !== "";
    const logs = isRestored
      ? simulator.deploymentLogs()
      : [
          ...simulator.deploymentLogs(),
          ...deposits(parties, startAmounts(genesis, this.balance), simulator),
          ...parties.slice(0, STAKERS).map(({ publicKey }) => simulator.stake(publicKey, STAKE)),
          ...validators.map(({ vegaPubKey }) =>
            simulator.stake(vegaPubKey, validatorStake(validators.length)),
          ),
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

  /** Parties in turn: a validator without stake would have next to no voting power from the second epoch on. */
  private async delegate({ chain, parties, validators }: FundingOptions): Promise<void> {
    const own = (validatorStake(validators.length) * 2n) / 3n;
    const wishes = [
      ...validators.map(({ vegaPubKey, nodeId }) => ({ party: vegaPubKey, nodeId, amount: own })),
      ...parties.slice(0, DELEGATORS).map(({ publicKey }, at) => {
        const { nodeId } = validators[at % validators.length]!;
        return { party: publicKey, nodeId, amount: DELEGATED };
      }),
    ];
    const sent = wishes.map(({ party, nodeId, amount }) =>
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

function validatorStake(validators: number): bigint {
  const part = VALIDATORS_STAKE_MAX / BigInt(validators);
  return part < VALIDATOR_STAKE ? part : VALIDATOR_STAKE;
}

/** Whole units that a party gets of an asset. */
function unitsOf(balance: StartBalance, { symbol, decimals, source }: GenesisAsset): string {
  if (typeof balance === "string") return balance;
  const isCoin = source.erc20 === undefined && decimals >= COIN_DECIMALS;
  return balance[symbol] ?? (isCoin ? COIN_UNITS : UNITS);
}

interface StartAmount {
  readonly id: string;
  readonly isBridged: boolean;
  /** In the smallest unit. */
  readonly amount: bigint;
}

/** Deposits of each party. @throws NodeError `usage` for a balance that an asset cannot have */
export function startAmounts({ appState }: Genesis, balance: StartBalance): readonly StartAmount[] {
  const assets = Object.entries(appState.assets ?? {});
  const symbols = assets.map(([, { symbol }]) => symbol);
  const named = typeof balance === "string" ? [] : Object.keys(balance);
  const stray = named.find((symbol) => !symbols.includes(symbol));
  if (stray !== undefined)
    throw wrongBalance(
      `there is no asset '${stray.slice(0, 60)}'`,
      `give ${symbols.slice(0, 20).join(", ")}`,
    );
  return assets.map(([id, asset]) => {
    const { symbol, decimals, source } = asset;
    const amount = scaledAmount(unitsOf(balance, asset), decimals);
    if (amount === undefined) {
      const text = `the balance of ${symbol} must be a number of zero or more with at most ${decimals} decimals`;
      throw wrongBalance(text, "such as 1000 or 2.5");
    }
    const limit = source.erc20 === undefined ? amount : lifetimeLimitOf(source.erc20);
    if (amount > limit && (typeof balance === "string" || named.includes(symbol))) {
      const text = `the balance of ${symbol} is above what its bridge takes from one address`;
      throw wrongBalance(text, `at most ${limit} of its smallest unit`);
    }
    return { id, isBridged: source.erc20 !== undefined, amount: amount < limit ? amount : limit };
  });
}

function deposits(
  parties: readonly DevnetParty[],
  amounts: readonly StartAmount[],
  simulator: BridgeSimulator,
): EthereumLog[] {
  const held = amounts.filter(({ amount }) => amount > 0n);
  return parties.flatMap(({ publicKey }) =>
    held.map(({ id, isBridged, amount }) =>
      isBridged
        ? simulator.depositErc20(publicKey, id, amount)
        : simulator.depositBuiltin(publicKey, id, amount),
    ),
  );
}

function treasury(genesis: Genesis, simulator: BridgeSimulator): EthereumLog[] {
  const id = rewardAsset(genesis);
  const source = genesis.appState.assets?.[id]?.source;
  if (source === undefined) return [];
  return source.erc20
    ? [simulator.depositErc20(ZERO_PARTY, id, TREASURY)]
    : [simulator.depositBuiltin(ZERO_PARTY, id, TREASURY)];
}

const WHOLE_DIGITS_MAX = 40;

/** An amount in the smallest unit; undefined where the text is not an amount of such an asset. */
function scaledAmount(text: string, decimals: number): bigint | undefined {
  const [, whole = "", digits = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === "" || whole.length > WHOLE_DIGITS_MAX || digits.length > decimals) return undefined;
  return BigInt(whole + digits.padEnd(decimals, "0"));
}

function wrongBalance(message: string, hint: string): NodeError {
  return new NodeError("devnet.funding", "usage", message, hint);
}

function failed(text: string): NodeError {
  return new NodeError(
    "devnet.funding",
    "funding_failed",
    `the devnet's parties could not be funded: ${text}`,
    "is it a genesis of your own? with --no-funding the parties get nothing",
  );
}
