// The small worlds of the simulation: a genesis that the engine is given, and the same as the naive ledger has it.

import { ethereumAddress } from "../../src/crypto/secp256k1.ts";
import { DEVNET_VALIDATORS_MAX, devnetParties, ValidatorKeys } from "../../src/devnet/keys.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { accountOf, NETWORK, Type, ZERO_PARTY } from "./naive-book.ts";
import { type LedgerData, NaiveLedger } from "./naive-ledger.ts";

export const USD = "aa".repeat(32);
export const EUR = "0b".repeat(32);
export const TOKEN = "cc".repeat(32);
export const UNKNOWN = "dd".repeat(32);
export const VOTE = "VOTE";
export const ASSETS = [USD, EUR, TOKEN, VOTE, UNKNOWN] as const;
export const RECEIVER = `0x${"5e1f".repeat(10)}`;

export const PARTIES: readonly string[] = devnetParties()
  .slice(0, 3)
  .map(({ publicKey }) => publicKey);
export const VALIDATORS = Array.from({ length: DEVNET_VALIDATORS_MAX }, (_, at) => new ValidatorKeys(at + 1));
export const keyOf = (keys: ValidatorKeys) => Buffer.from(keys.vega(1).publicKey).toString("hex");
/** Everybody who can send or receive: the parties, the validators' own keys, and the treasury. */
export const everybody = (nodes: number) => [
  ...PARTIES,
  ...VALIDATORS.slice(0, nodes).map(keyOf),
  ZERO_PARTY,
];

export interface World {
  readonly name: string;
  readonly nodes: number;
  /** Signers in the contract: the first validators, by number. */
  readonly signers: number;
  readonly hasForeignSigner: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether parties have funds, stake and delegations to begin with. */
  readonly isFunded: boolean;
}

const world = (name: string, rest: Partial<World>): World => ({
  name,
  nodes: 1,
  signers: rest.nodes ?? 1,
  hasForeignSigner: false,
  parameters: {},
  isFunded: true,
  ...rest,
});

export const WORLDS: readonly World[] = [
  world("one validator", {}),
  world("one validator, nobody has anything", { isFunded: false }),
  world("two validators", { nodes: 2 }),
  world("two validators, one of them no signer", { nodes: 2, signers: 1 }),
  world("three validators that share by the book", {
    nodes: 3,
    parameters: {
      "reward.staking.delegation.competitionLevel": "1.1",
      "reward.staking.delegation.minValidators": "5",
      "validator.performance.scaling.factor": "0.3",
      "validators.vote.required": "0.5",
    },
  }),
  world("rewards with a cap", {
    nodes: 2,
    parameters: { "reward.staking.delegation.maxPayoutPerParticipant": "300000000000000000" },
  }),
  world("a foreign signer", { nodes: 2, hasForeignSigner: true }),
  world("no fees, no minimum", {
    parameters: { "transfer.fee.factor": "0", "transfer.minTransferQuantumMultiple": "0" },
  }),
  world("fees as high as the amount", {
    nodes: 2,
    parameters: {
      "transfer.fee.factor": "1",
      "reward.staking.delegation.minimumValidatorStake": "1000000",
      "reward.staking.delegation.delegatorShare": "1",
    },
  }),
];

const ETHEREUM_CONFIG = JSON.stringify({
  network_id: "1337",
  chain_id: "1337",
  confirmations: 1,
  collateral_bridge_contract: { address: "0x7Df0b7246DC7645Cbc93014700C2d019E23E6BF1" },
  multisig_control_contract: {
    address: "0xC4166Ca7714F6B822e235979769247091b320cBC",
    deployment_block_height: 1,
  },
  staking_bridge_contract: {
    address: "0x743c23b71D4d614c7a1B3211a17CeFdD7E734bC0",
    deployment_block_height: 1,
  },
  token_vesting_contract: { address: "", deployment_block_height: 0 },
});

/**
 * Parameters that the worlds set, and those that the ledger reads, with the network's defaults
 * (docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults).
 */
const SET: Readonly<Record<string, string>> = {
  "blockchains.ethereumConfig": ETHEREUM_CONFIG,
  "reward.asset": TOKEN,
  "validators.epoch.length": "10s",
  "reward.staking.delegation.competitionLevel": "1",
  "reward.staking.delegation.minValidators": "1",
  "spam.protection.minimumWithdrawalQuantumMultiple": "10",
  "governance.proposal.updateNetParam.minClose": "2s",
  "governance.proposal.updateNetParam.maxClose": "100s",
  "governance.proposal.updateNetParam.minEnact": "3s",
  "governance.proposal.updateNetParam.maxEnact": "110s",
  "governance.proposal.freeform.minClose": "2s",
  "governance.proposal.freeform.maxClose": "100s",
  "governance.proposal.freeform.minProposerBalance": "100",
  "governance.proposal.freeform.minVoterBalance": "50",
};
const DEFAULTS: Readonly<Record<string, string>> = {
  "validators.delegation.minAmount": "1",
  "validators.vote.required": "0.67",
  "validator.performance.scaling.factor": "0",
  "reward.staking.delegation.delegatorShare": "0.883",
  "reward.staking.delegation.minimumValidatorStake": "0",
  "reward.staking.delegation.maxPayoutPerParticipant": "0",
  "reward.staking.delegation.optimalStakeMultiplier": "3.0",
  "network.validators.incumbentBonus": "1",
  "transfer.fee.factor": "0.001",
  "transfer.minTransferQuantumMultiple": "0.1",
  "governance.proposal.updateNetParam.requiredParticipation": "0.00001",
  "governance.proposal.updateNetParam.requiredMajority": "0.66",
  "governance.proposal.updateNetParam.minProposerBalance": "1",
  "governance.proposal.updateNetParam.minVoterBalance": "1",
  "governance.proposal.freeform.requiredParticipation": "0.00001",
  "governance.proposal.freeform.requiredMajority": "0.66",
};

const QUANTA: Readonly<Record<string, string>> = {
  [USD]: "1000",
  [EUR]: "0.5",
  [TOKEN]: "2.75",
  [VOTE]: "1",
};
const TIME = "2026-01-01T00:00:00Z";

export function genesisOf({ nodes, parameters }: World): Genesis {
  const assets = Object.entries(QUANTA).map(([id, quantum]) => {
    const erc20 = { contract_address: RECEIVER, lifetime_limit: "1000000", withdraw_threshold: "1000" };
    const source = id === TOKEN ? { erc20 } : { builtin_asset: { max_faucet_amount_mint: "1000" } };
    return [id, { name: id, symbol: id, decimals: 5, quantum, source }];
  });
  const validators = VALIDATORS.slice(0, nodes).map((keys) => [
    keys.tmPubKey,
    {
      id: keys.nodeId,
      vega_pub_key: keyOf(keys),
      vega_pub_key_index: 1,
      ethereum_address: ethereumAddress(keys.ethereum(1)),
      tm_pub_key: keys.tmPubKey,
      country: "ZZ",
      name: `node ${keys.number}`,
    },
  ]);
  return readGenesis(
    JSON.stringify({
      genesis_time: TIME,
      chain_id: "simulation",
      initial_height: "1",
      app_state: {
        assets: Object.fromEntries(assets),
        validators: Object.fromEntries(validators),
        network: { replay_attack_threshold: 30 },
        network_parameters: { ...SET, ...parameters },
        network_limits: {},
      },
    }),
  );
}

export function ledgerOf({ nodes, parameters }: World): NaiveLedger {
  const start = BigInt(Date.parse(TIME)) * 1_000_000n;
  const data: LedgerData = {
    assets: new Map(Object.entries(QUANTA).map(([id, quantum]) => [id, { quantum, isErc20: id === TOKEN }])),
    balances: new Map(),
    inside: new Map(),
    parameters: new Map(Object.entries({ ...DEFAULTS, ...SET, ...parameters })),
    staking: {
      linkings: new Map(),
      seen: new Set(),
      accepted: new Map(),
      totalSupply: 0n,
      supplyAsked: "",
      pendingSupply: 0n,
      current: new Map(),
      next: new Map(),
      auto: new Set(),
      reconciled: start,
    },
    nodes: {
      list: VALIDATORS.slice(0, nodes)
        .map((keys) => ({
          id: keys.nodeId,
          key: keyOf(keys),
          ethereumAddress: ethereumAddress(keys.ethereum(1)),
          power: 10n,
          proposed: 0n,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      signers: [],
      isNewEpoch: false,
    },
    governance: { active: [], ids: [] },
    resources: new Map(),
    seenEvents: new Set(),
    seenRefs: new Set(),
    deposits: new Map(),
    withdrawals: new Map(),
    withdrawalCount: 0n,
    isBridgeStopped: false,
    bridgeSwitchedAt: 0n,
    scheduled: [],
    recurring: [],
    transferIds: [],
    now: start,
    epoch: { seq: 0n, start, expire: start, phase: "runs" },
  };
  for (const asset of data.assets.keys()) {
    for (const type of [Type.infrastructure, Type.external, Type.treasury, Type.pending]) {
      data.balances.set(accountOf(NETWORK, asset, type), 0n);
    }
  }
  return new NaiveLedger(data);
}

/** The addresses that the contract knows, once the validators have seen it. */
export function signersOf({ signers, hasForeignSigner }: World): string[] {
  const signing = VALIDATORS.slice(0, signers).map((keys) => ethereumAddress(keys.ethereum(1)));
  return hasForeignSigner ? [...signing, RECEIVER] : signing;
}
