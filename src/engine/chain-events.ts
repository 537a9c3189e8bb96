/**
 * Reports of validators on what happened outside the chain
 * (docs/protocol/60-state-engine-accounts.md#32-chain-event-intake-all-kinds and #36-other-erc20-chain-events).
 */
import { sha3HexOf } from "../crypto/sha.ts";
import { type ChainEvent, encodeChainEvent } from "../wire/generated/commands.ts";
import type {
  BuiltinAssetEvent,
  ERC20Event,
  ERC20MultiSigEvent,
  StakingEvent,
} from "../wire/generated/vega.ts";
import type { Banking } from "./banking.ts";
import type { ForeignPlace } from "./bridge.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { ValidatorReader } from "./ports.ts";
import type { Table } from "./state.ts";

/** Handlers of the events that are not about assets. @throws CommandError */
interface ChainEventHandlers {
  /** @param txId hash of the transaction on the other chain */
  staking(event: StakingEvent, txId: string): void;
  multisig(event: ERC20MultiSigEvent, txId: string): void;
}

const UNSUPPORTED = "unsupported event action";

export class ChainEvents {
  /** Digests of the events that were accepted. */
  private readonly acknowledged: Table<true>;

  constructor(
    private readonly core: Core,
    private readonly validators: ValidatorReader,
    private readonly banking: Pick<Banking, "bridge" | "deposits" | "withdrawals">,
    private readonly handlers: ChainEventHandlers,
  ) {
    this.acknowledged = core.state.table("chainEvents.acknowledged");
  }

  /**
   * The ChainEvent command. @throws CommandError; then the event counts as not seen, unless its events stay, but as
   * forwarded all the same
   */
  process(event: ChainEvent): void {
    const node = this.validators.nodeByKey(this.core.currentTx.party);
    if (node === undefined) throw new CommandError("chain event emitted from a non-validator node");
    this.validators.countForwarded(node.nodeId);
    const digest = sha3HexOf(encodeChainEvent(event));
    if (this.acknowledged.has(digest)) return;
    const { state, log } = this.core;
    const [mark, events] = [state.mark(), log.length];
    this.acknowledged.set(digest, true);
    try {
      this.dispatch(event);
    } catch (error) {
      if (!(error instanceof CommandError) || error.options.keepChanges) throw error;
      state.rollback(mark);
      log.truncate(events);
      throw error.keepingChanges();
    }
  }

  private dispatch({ txId, nonce, builtin, erc20, stakingEvent, erc20Multisig }: ChainEvent): void {
    if (builtin !== undefined) this.processBuiltin(builtin, nonce);
    else if (erc20 !== undefined) this.processErc20(erc20, txId);
    else if (stakingEvent !== undefined) this.handlers.staking(stakingEvent, txId);
    else if (erc20Multisig !== undefined) this.handlers.multisig(erc20Multisig, txId);
    else throw new CommandError(UNSUPPORTED);
  }

  private processBuiltin({ deposit }: BuiltinAssetEvent, nonce: bigint): void {
    if (deposit === undefined) throw new CommandError(UNSUPPORTED);
    this.banking.deposits.depositBuiltin(deposit, nonce);
  }

  private processErc20(event: ERC20Event, txHash: string): void {
    const { bridge, deposits, withdrawals } = this.banking;
    const place: ForeignPlace = { assetClass: "erc20", block: event.block, txHash, logIndex: event.index };
    if (event.deposit !== undefined) deposits.depositErc20(event.deposit, place);
    else if (event.withdrawal !== undefined) withdrawals.claim(event.withdrawal, txHash);
    else if (event.assetList !== undefined) bridge.startListing(event.assetList, place);
    else if (event.assetLimitsUpdated !== undefined) bridge.startLimits(event.assetLimitsUpdated, place);
    else if (event.assetDelist !== undefined) throw new CommandError("ERC20.AssetDelist not implemented");
    else if (event.bridgeStopped !== undefined) bridge.startStop(place);
    else if (event.bridgeResumed !== undefined) bridge.startResume(place);
    else throw new CommandError(UNSUPPORTED);
  }
}
