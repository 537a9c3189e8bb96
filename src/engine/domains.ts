/**
 * The domains of the engine, made and called in the protocol's order. A domain gets another
 * as a port; this is the only place that orders their hooks (docs/protocol/60-state-engine-blocks.md#13-initchain to
 * #18-endblock-and-commit).
 */
import { AccountType } from "../wire/generated/vega.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import type { CommandKind, CommandPayload } from "../wire/transaction-commands.ts";
import { Assets } from "./assets.ts";
import { Banking } from "./banking.ts";
import { ChainEvents } from "./chain-events.ts";
import { loadCheckpoint } from "./checkpoint-load.ts";
import { saveCheckpoint } from "./checkpoint-save.ts";
import {
  Checkpoints,
  type CheckpointText,
  checkpointHash,
  checkpointText,
  genesisCheckpoint,
} from "./checkpoints.ts";
import { accountId, Collateral, ZERO_PARTY } from "./collateral.ts";
import { ConsensusSet } from "./consensus-set.ts";
import type { Core } from "./core.ts";
import { Delegation } from "./delegation.ts";
import { Epochs } from "./epochs.ts";
import { CommandError } from "./errors.ts";
import type { GenesisAppState } from "./genesis.ts";
import { Governance, type GovernedMarkets } from "./governance.ts";
import { Limits } from "./limits.ts";
import { Gas } from "./markets/gas.ts";
import { MarketRegistry } from "./markets/market-registry.ts";
import { checkNewMarket, checkUpdateMarket, completedTerms, usedTerms } from "./markets/proposals.ts";
import { type MarketRules, PRESENT_RULES } from "./markets/rules.ts";
import { Multisig } from "./multisig.ts";
import { Notary } from "./notary.ts";
import { NetworkParameters } from "./parameters.ts";
import type { Duty, EpochInfo } from "./ports.ts";
import { Rewards } from "./rewards.ts";
import { Staking } from "./staking.ts";
import { Upgrades } from "./upgrades.ts";
import { Validators } from "./validators.ts";
import { Witness } from "./witness.ts";

/** Called as things happen inside a block; admission follows them. */
export interface EngineListener {
  onEpochStart?(epoch: EpochInfo): void;
  onParameter?(key: string, value: string): void;
  /** Whether a market's price bounds are agreed on, where several validators work them out; else they always are. */
  hasModels?(market: string): boolean;
  /** The id that follows an id in a transaction; its hash unless another rule is given. */
  idAfter?(id: string): string | undefined;
  /** Of markets; the present ones unless an older network's commands are re-executed. */
  readonly marketRules?: MarketRules;
  /** An internal fault: the command failed, and the chain goes on. @param subject e.g. `transaction HASH (Order)` */
  onCommandError?(subject: string, error: unknown): void;
  /** An internal fault: the market is halted, and the chain goes on. @param step e.g. `tick` */
  onMarketHalted?(market: string, step: string, error: unknown): void;
}

export type CommandTable = { readonly [K in CommandKind]?: (payload: CommandPayload<K>) => void };

/** Commands whose sender must be a validator's current key, for the mempool and in a block. */
const SENT_BY_VALIDATORS: ReadonlySet<CommandKind> = new Set([
  "nodeVote",
  "nodeSignature",
  "chainEvent",
  "stateVariableProposal",
  "ethereumKeyRotateSubmission",
]);
/** 2^64 divided by the golden ratio. */
const GOLDEN_RATIO = 11_400_714_819_323_198_485n;
const SNAPSHOT_INTERVAL = "snapshot.interval.length";

export class Domains {
  readonly params: NetworkParameters;
  readonly collateral: Collateral;
  readonly epochs: Epochs;
  readonly validators: Validators;
  readonly consensus: ConsensusSet;
  readonly witness: Witness;
  readonly notary: Notary;
  readonly assets: Assets;
  readonly limits: Limits;
  readonly staking: Staking;
  readonly delegation: Delegation;
  readonly multisig: Multisig;
  readonly markets: MarketRegistry;
  readonly gas: Gas;
  readonly governance: Governance;
  readonly banking: Banking;
  readonly rewards: Rewards;
  readonly checkpoints: Checkpoints;
  readonly upgrades: Upgrades;
  private readonly chainEvents: ChainEvents;

  constructor(
    readonly core: Core,
    private readonly listener: EngineListener,
  ) {
    this.params = new NetworkParameters(core);
    this.collateral = new Collateral(core);
    this.epochs = new Epochs(core, this.params);
    this.validators = new Validators(core, this.params, this.epochs);
    this.consensus = new ConsensusSet(core, this.validators);
    this.witness = new Witness(core, this.params, this.validators);
    this.notary = new Notary(core, this.params, this.validators);
    this.assets = new Assets(core, this.params, this.collateral, this.notary);
    this.limits = new Limits(core, this.params);
    this.staking = new Staking(core, this.witness);
    this.delegation = new Delegation(core, this.params, this.epochs, this.staking, this.validators);
    this.multisig = new Multisig(core, this.witness, this.notary);
    const { params, collateral, assets } = this;
    const hasModels = (market: string) => listener.hasModels?.(market) ?? true;
    const rules = listener.marketRules ?? PRESENT_RULES;
    const idAfter = (id: string) => listener.idAfter?.(id);
    const onHalted = (market: string, step: string, error: unknown) =>
      listener.onMarketHalted?.(market, step, error);
    this.markets = new MarketRegistry({
      core,
      params,
      collateral,
      assets,
      hasModels,
      idAfter,
      rules,
      onHalted,
    });
    this.gas = new Gas(params, this.markets);
    const markets: GovernedMarkets = {
      has: (id) => this.markets.get(id) !== undefined,
      checkNew: (terms) => checkNewMarket(terms, { assets, params }),
      checkUpdate: (terms) => checkUpdateMarket(terms),
      completedTerms: (terms) => completedTerms(terms, params),
      usedTerms,
      equityShare: (market, party) => this.markets.equityShare(market, party),
      propose: (proposal) => this.markets.propose(proposal),
      onVoteClosed: (id, isPassed) => this.markets.onVoteClosed(id, isPassed),
      update: (proposal) => this.markets.update(proposal),
    };
    const onFault = (subject: string, error: unknown) => listener.onCommandError?.(subject, error);
    const { staking, witness } = this;
    this.governance = new Governance(core, this.params, this.assets, staking, witness, markets, onFault);
    this.checkpoints = new Checkpoints(core, this.params, () => checkpointHash(saveCheckpoint(this)));
    this.banking = new Banking(
      core,
      this.params,
      this.collateral,
      this.assets,
      this.witness,
      this.notary,
      () => this.checkpoints.emitCheckpoint(),
      this.markets,
    );
    this.rewards = new Rewards(core, this.params, this.collateral, this.markets.contributions);
    this.upgrades = new Upgrades(core, this.params, this.validators);
    this.chainEvents = new ChainEvents(core, this.validators, this.banking, {
      staking: (event, txId) => this.staking.processEvent(event, txId),
      multisig: (event, txId) => this.multisig.processEvent(event, txId),
    });
    this.connect();
  }

  /** The handlers of the commands that this chain executes; the others are refused with code 80. */
  readonly handlers: CommandTable = {
    orderSubmission: (payload) => this.markets.submitOrder(payload),
    orderAmendment: (payload) => this.markets.amendOrder(payload),
    orderCancellation: (payload) => this.markets.cancelOrder(payload),
    batchMarketInstructions: (payload) => this.markets.batch(payload),
    liquidityProvisionSubmission: (payload) => this.markets.submitProvision(payload),
    liquidityProvisionAmendment: (payload) => this.markets.amendProvision(payload),
    liquidityProvisionCancellation: (payload) => this.markets.cancelProvision(payload),
    oracleDataSubmission: (payload) => this.markets.submitOracleData(payload),
    withdrawSubmission: (payload) => this.banking.withdraw(payload),
    transfer: (payload) => this.banking.transfer(payload),
    cancelTransfer: (payload) => this.banking.cancelTransfer(payload),
    proposalSubmission: (payload) => this.governance.submitProposal(payload),
    voteSubmission: (payload) => this.governance.submitVote(payload),
    delegateSubmission: (payload) => this.delegation.delegate(payload),
    undelegateSubmission: (payload) => this.delegation.undelegate(payload),
    announceNode: (payload) => this.validators.announceNode(payload),
    issueSignatures: (payload) => this.multisig.changes.issueSignatures(payload),
    keyRotateSubmission: (payload) => this.validators.keyRotate(payload),
    ethereumKeyRotateSubmission: (payload) => this.validators.ethereumKeyRotate(payload),
    validatorHeartbeat: (payload) => this.validators.acceptHeartbeat(payload),
    protocolUpgradeProposal: (payload) => this.upgrades.submitProposal(payload),
    nodeVote: (payload) => this.witness.nodeVote(payload),
    nodeSignature: (payload) => this.notary.nodeSignature(payload),
    chainEvent: (payload) => this.chainEvents.process(payload),
  };

  /** Further checks of the mempool (docs/protocol/60-state-engine-blocks.md#16-transactions, "Mempool admission checks"). */
  readonly checks: CommandTable = {
    proposalSubmission: (payload) => this.governance.checkProposal(payload),
    transfer: (payload) => this.banking.checkTransfer(payload),
    batchMarketInstructions: (payload) => this.markets.checkBatch(payload),
    oracleDataSubmission: (payload) => this.markets.checkOracleData(payload),
    // Whether a validator's key sent these two is asked here alone: in a block they have rules of their own.
    validatorHeartbeat: () => this.checkValidator(this.core.currentTx.party),
    protocolUpgradeProposal: (payload) => {
      this.checkValidator(this.core.currentTx.party);
      this.upgrades.checkProposal(payload);
    },
  };

  /** Rules about senders of commands, and commands that are not allowed now. @throws CommandError */
  checkSender(tx: CheckedTransaction): void {
    this.limits.checkEnabled(tx);
    if (SENT_BY_VALIDATORS.has(tx.kind)) this.checkValidator(tx.party);
    if (tx.kind === "keyRotateSubmission" && this.validators.node(tx.party) === undefined) {
      throw new CommandError("node signature not signed with validator master key");
    }
  }

  /** @throws CommandError for a key that no validator has */
  private checkValidator(key: string): void {
    if (this.validators.nodeByKey(key) !== undefined) return;
    throw new CommandError("node signature not sent by validator");
  }

  /**
   * The tick of the genesis block: nothing is loaded yet, so only epoch 0 is visible
   * (docs/protocol/60-state-engine-blocks.md#13-initchain).
   */
  startFirstEpoch(): void {
    this.epochs.onTick();
  }

  loadGenesis(state: GenesisAppState): void {
    const checkpoint = genesisCheckpoint(state);
    this.assets.initGenesis(state.assets);
    this.params.initGenesis(state.network_parameters);
    this.validators.initGenesis(state.validators);
    this.limits.initGenesis(state.network_limits);
    if (checkpoint) loadCheckpoint(checkpoint, this, state.network_parameters_checkpoint_overwrite);
    this.consensus.onBlockEnd();
  }

  /** A checkpoint for another chain. */
  checkpoint(): CheckpointText {
    return checkpointText(saveCheckpoint(this));
  }

  /** Tick listeners in the order of docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact. */
  tick(): void {
    this.epochs.onTick();
    this.markets.publishTime();
    this.params.onTick();
    this.multisig.onTick();
    this.witness.onTick();
    this.staking.onTick();
    this.markets.onTick();
    this.delegation.onTick();
    this.notary.onTick();
    this.banking.onTick();
    this.limits.onTick();
    this.governance.onTick();
  }

  /** docs/protocol/60-state-engine-blocks.md#14-beginblock-order, steps 7 and 8. */
  beginBlock(proposer: string | undefined): void {
    this.upgrades.onBeginBlock();
    this.validators.onBeginBlock(proposer);
  }

  endBlock(): void {
    this.epochs.onEndBlock();
    this.markets.onBlockEnd();
    this.consensus.onBlockEnd();
  }

  /** docs/protocol/60-state-engine-blocks.md#18-endblock-and-commit: checkpoint, then snapshot. */
  commit(): void {
    this.checkpoints.onCommit();
    const isUpgrade = this.upgrades.onCommit();
    const interval = this.params.integer(SNAPSHOT_INTERVAL);
    const isDue = interval > 0n && BigInt(this.core.height) % interval === 0n;
    if (!isUpgrade && !isDue) return;
    this.core.emit("coreSnapshotEvent", {
      blockHeight: BigInt(this.core.height),
      blockHash: this.core.block.hash,
      coreVersion: this.upgrades.release,
      protocolUpgradeBlock: isUpgrade,
    });
  }

  /** @throws InvariantError */
  checkInvariants(): void {
    this.collateral.checkConservation();
  }

  wantsBlock(): boolean {
    return this.witness.hasPassed() || this.multisig.hasVerified();
  }

  duties(nodeId: string): readonly Duty[] {
    const heartbeat = this.validators.heartbeatDue(nodeId);
    return [
      ...this.witness
        .openResources(nodeId)
        .map(({ id, voteType }) => ({ kind: "vote", reference: id, type: voteType }) as const),
      ...this.notary
        .owedSignatures(nodeId)
        .map(
          ({ resource, kind, digest }) => ({ kind: "sign", resource, signatureKind: kind, digest }) as const,
        ),
      ...(heartbeat === undefined ? [] : [{ kind: "heartbeat", message: heartbeat } as const]),
    ];
  }

  /**
   * Proposer of the block of this height: as often as its voting power gives, and evenly spread. The heights are
   * taken to the multiples of the golden ratio, which fill every stretch of the unit in proportion.
   */
  proposerOf(height: number): string | undefined {
    const nodes = this.validators.tendermint();
    const place = BigInt.asUintN(64, BigInt(height) * GOLDEN_RATIO) * this.validators.totalPower();
    let rest = place >> 64n;
    for (const { nodeId, power } of nodes) {
      if (rest < power) return nodeId;
      rest -= power;
    }
    return nodes[0]?.nodeId;
  }

  /** Sets the balance of a party's general account, or of the treasury for 64 zeros: for the tools of a devnet. */
  setBalance(party: string, asset: string, balance: bigint): void {
    if (!this.assets.isEnabled(asset)) throw new CommandError("asset does not exist");
    const treasury = accountId(asset, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
    this.collateral.setBalance(
      party === ZERO_PARTY ? treasury : this.collateral.ensureGeneral(party, asset),
      balance,
    );
  }

  private connect(): void {
    this.params.useAssets((asset) => this.assets.isEnabled(asset));
    this.validators.connect({
      signers: this.multisig,
      onKeyRotated: (oldKey, newKey) => this.governance.moveVotes(oldKey, newKey),
    });
    this.params.watch(
      this.params.entries().map(([key]) => key),
      (key, value) => this.listener.onParameter?.(key, value),
    );
    this.epochs.listen({
      onEpochEnd: (epoch) => {
        this.banking.onEpochEnd(epoch);
        const stakes = this.delegation.onEpochEnd(epoch);
        const scores = this.validators.onEpochEnd(epoch, stakes);
        this.rewards.onEpochEnd(epoch, scores);
      },
      onEpochStart: (epoch) => {
        this.markets.onEpochStart();
        this.delegation.onEpochStart(epoch);
        this.listener.onEpochStart?.(epoch);
      },
    });
  }
}
