/**
 * Ethereum, as far as a devnet needs it: the bridge contracts with their state, and the logs that validators bring to
 * the chain (docs/protocol/60-state-engine-accounts.md#34-erc20-deposit-flow, #36-other-erc20-chain-events,
 * #45-claim-on-ethereum, docs/protocol/60-state-engine-governance.md#54-erc20-listing, #55-asset-update,
 * docs/protocol/60-state-engine-staking.md#71-stake-linking and #94-multisig-contract-view). A call either reverts, and
 * nothing has changed, or gives the event of its log. A call that needs the validators' consent takes a bundle of
 * signatures and checks every one of them: keccak, secp256k1, the signer set, the threshold, the nonce.
 *
 * Its state is part of the chain: saved with every block and taken back with it.
 */

import type { ChainPart } from "../chain/options.ts";
import {
  type BridgeArguments,
  type BridgeFunction,
  bridgeDigest,
  bundleSigners,
} from "../crypto/multisig.ts";
import { checksumAddress } from "../crypto/secp256k1.ts";
import { sha3HexOf } from "../crypto/sha.ts";
import { NodeVoteType } from "../wire/generated/commands.ts";
import {
  CollateralBridge,
  type CollateralBridgeState,
  type Listing,
  MultisigControl,
  type MultisigState,
  reverted,
  StakingBridge,
  type StakingBridgeState,
  sameAddress,
} from "./contracts.ts";
import { type EthereumLog, EthereumLogs, type EthereumLogsState } from "./logs.ts";

export interface SimulatorOptions {
  /** The chain's name; transaction hashes follow from it. */
  readonly chainId: string;
  /** The chain's time, Unix seconds. */
  readonly nowSeconds: () => bigint;
  readonly contracts: { readonly collateralBridge: string; readonly stakingToken: string };
  /** On the multisig contract from the start. */
  readonly signers: readonly string[];
  /** Parts of a thousand. */
  readonly threshold: number;
  /** On the bridge from the start. */
  readonly listings: readonly Listing[];
  readonly tokens: readonly Token[];
  /** Of the staking token. */
  readonly totalSupply: bigint;
}

/** Details in a token's contract. */
export interface Token {
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** Values that validators have signed, and their signatures as clients get them: `0x`, then 65 bytes each. */
export type Bundle<F extends BridgeFunction> = BridgeArguments<F> & { readonly signatures: string };

/** Everything that it knows, as it is saved. */
export interface SimulatorState extends EthereumLogsState {
  readonly multisig: MultisigState;
  readonly collateral: CollateralBridgeState;
  readonly staking: StakingBridgeState;
  readonly tokens: readonly Token[];
  /** Open votes of validators: the kind of vote by the id that the chain gave the event. */
  readonly brought: readonly (readonly [id: string, voteType: number])[];
  readonly supplyReported: boolean;
}

const VOTE = NodeVoteType;

export class BridgeSimulator implements ChainPart {
  readonly name = "bridge";
  readonly multisig: MultisigControl;
  readonly collateral = new CollateralBridge();
  readonly staking = new StakingBridge();
  private readonly logs: EthereumLogs;
  private tokens: readonly Token[];
  private brought = new Map<string, number>();
  private supplyReported = false;
  private saved: string | undefined;

  constructor(private readonly options: SimulatorOptions) {
    this.logs = new EthereumLogs(options.chainId, options.nowSeconds);
    this.multisig = new MultisigControl(options.signers, options.threshold);
    this.tokens = options.tokens;
    for (const listing of options.listings) this.collateral.list(listing);
  }

  /** The first logs for the chain: the supply of the staking token, the signers, the threshold. */
  deploymentLogs(): EthereumLog[] {
    this.saved = undefined;
    this.supplyReported = true;
    const { contracts, totalSupply } = this.options;
    const supply = { tokenAddress: contracts.stakingToken, totalSupply: totalSupply.toString() };
    const logs = [this.logs.supply({ totalSupply: supply }, VOTE.TYPE_STAKE_TOTAL_SUPPLY)];
    for (const signer of this.multisig.currentSigners) logs.push(this.signerAdded(signer, 0n));
    return [...logs, this.thresholdSet(this.multisig.currentThreshold, 0n)];
  }

  /** A deposit of an asset that lives on the chain alone. */
  depositBuiltin(party: string, asset: string, amount: bigint): EthereumLog {
    this.saved = undefined;
    checkAmount(amount);
    const deposit = { vegaAssetId: asset, partyId: party, amount: amount.toString() };
    return this.logs.builtin({ deposit }, VOTE.TYPE_FUNDS_DEPOSITED);
  }

  depositErc20(party: string, asset: string, amount: bigint): EthereumLog {
    this.saved = undefined;
    checkAmount(amount);
    const from = addressOfParty(party);
    this.collateral.deposit(asset, from, amount);
    const deposit = {
      vegaAssetId: asset,
      sourceEthereumAddress: from,
      targetPartyId: party,
      amount: amount.toString(),
    };
    return this.logs.erc20({ deposit }, VOTE.TYPE_FUNDS_DEPOSITED);
  }

  stake(party: string, amount: bigint): EthereumLog {
    this.saved = undefined;
    checkAmount(amount);
    const left = this.options.totalSupply - this.staking.total();
    if (amount > left) throw reverted(`${left} tokens are not staked, and not ${amount}`);
    const ethereumAddress = addressOfParty(party);
    this.staking.stake(ethereumAddress, party, amount);
    const stake = { ethereumAddress, vegaPublicKey: party, amount: amount.toString() };
    return this.logs.staking(
      (blockTime) => ({ stakeDeposited: { ...stake, blockTime } }),
      VOTE.TYPE_STAKE_DEPOSITED,
    );
  }

  unstake(party: string, amount: bigint): EthereumLog {
    this.saved = undefined;
    checkAmount(amount);
    const ethereumAddress = addressOfParty(party);
    this.staking.remove(ethereumAddress, party, amount);
    const stake = { ethereumAddress, vegaPublicKey: party, amount: amount.toString() };
    return this.logs.staking(
      (blockTime) => ({ stakeRemoved: { ...stake, blockTime } }),
      VOTE.TYPE_STAKE_REMOVED,
    );
  }

  withdraw(bundle: Bundle<"withdraw_asset">): EthereumLog {
    const { token, amount, receiver, creation, nonce } = bundle;
    return this.signed("withdraw_asset", bundle, this.options.contracts.collateralBridge, (verify) => {
      if (creation > this.options.nowSeconds()) throw reverted(`it is from the future: ${creation}`);
      const { assetId } = this.collateral.withdraw(token, amount);
      verify();
      const withdrawal = {
        vegaAssetId: assetId,
        // Logs name addresses with their checksum, however the withdrawal wrote it.
        targetEthereumAddress: checksumAddress(receiver),
        referenceNonce: nonce.toString(),
      };
      return this.logs.erc20({ withdrawal }, undefined);
    });
  }

  listAsset(bundle: Bundle<"list_asset">): EthereumLog {
    const { token, assetId, lifetimeLimit, withdrawThreshold } = bundle;
    return this.signed("list_asset", bundle, this.options.contracts.collateralBridge, (verify) => {
      this.collateral.list({ token, assetId, lifetimeLimit, withdrawThreshold });
      verify();
      return this.logs.erc20(
        { assetList: { vegaAssetId: assetId, assetSource: token } },
        VOTE.TYPE_ASSET_LISTED,
      );
    });
  }

  setLimits(bundle: Bundle<"set_asset_limits">): EthereumLog {
    const { token, lifetimeLimit, withdrawThreshold } = bundle;
    return this.signed("set_asset_limits", bundle, this.options.contracts.collateralBridge, (verify) => {
      const { assetId } = this.collateral.setLimits(token, lifetimeLimit, withdrawThreshold);
      verify();
      const assetLimitsUpdated = {
        vegaAssetId: assetId,
        sourceEthereumAddress: token,
        lifetimeLimits: lifetimeLimit.toString(),
        withdrawThreshold: withdrawThreshold.toString(),
      };
      return this.logs.erc20({ assetLimitsUpdated }, VOTE.TYPE_LIMITS_UPDATED);
    });
  }

  /** @param submitter the account that calls: the message is bound to it */
  addSigner(bundle: Bundle<"add_signer">, submitter: string): EthereumLog {
    return this.signed("add_signer", bundle, submitter, (verify) => {
      verify();
      this.multisig.addSigner(bundle.signer);
      return this.signerAdded(bundle.signer, bundle.nonce);
    });
  }

  removeSigner(bundle: Bundle<"remove_signer">, submitter: string): EthereumLog {
    return this.signed("remove_signer", bundle, submitter, (verify) => {
      verify();
      this.multisig.removeSigner(bundle.signer);
      const removed = { oldSigner: bundle.signer, nonce: bundle.nonce.toString() };
      return this.logs.multisig(
        (blockTime) => ({ signerRemoved: { ...removed, blockTime } }),
        VOTE.TYPE_SIGNER_REMOVED,
      );
    });
  }

  setThreshold(bundle: Bundle<"set_threshold">, submitter: string): EthereumLog {
    return this.signed("set_threshold", bundle, submitter, (verify) => {
      verify();
      this.multisig.setThreshold(Number(bundle.threshold));
      return this.thresholdSet(Number(bundle.threshold), bundle.nonce);
    });
  }

  stopBridge(bundle: Bundle<"global_stop">): EthereumLog {
    return this.signed("global_stop", bundle, this.options.contracts.collateralBridge, (verify) => {
      this.collateral.stop();
      verify();
      return this.logs.erc20({ bridgeStopped: true }, VOTE.TYPE_BRIDGE_STOPPED);
    });
  }

  resumeBridge(bundle: Bundle<"global_resume">): EthereumLog {
    return this.signed("global_resume", bundle, this.options.contracts.collateralBridge, (verify) => {
      this.collateral.resume();
      verify();
      return this.logs.erc20({ bridgeResumed: true }, VOTE.TYPE_BRIDGE_RESUMED);
    });
  }

  /** Notes that a log is on its way to the chain, under the id that the chain gives it; the supply's has another. */
  openVote(id: string, voteType: number | undefined): void {
    if (voteType === undefined || voteType === VOTE.TYPE_STAKE_TOTAL_SUPPLY) return;
    this.saved = undefined;
    this.brought.set(id, voteType);
  }

  /** Validators are not asked about it any more. */
  closeVote(id: string): void {
    if (this.brought.delete(id)) this.saved = undefined;
  }

  /** Whether this happened on Ethereum: validators look it up before they vote. */
  confirms(id: string, voteType: number): boolean {
    // The supply's event has an id of its own making (docs/protocol/60-state-engine-parameters.md#132-table), and there
    // is but one.
    if (voteType === VOTE.TYPE_STAKE_TOTAL_SUPPLY) return this.supplyReported;
    return this.brought.get(id) === voteType;
  }

  /** Ids that validators may still be asked about. */
  pending(): string[] {
    return [...this.brought.keys()];
  }

  /**
   * Validators look this up before they vote on a new asset
   * (docs/protocol/60-state-engine-governance.md#53-new-asset-proposal-rules). An unknown contract is deployed with the
   * details of the first proposal that names it: on a devnet its proposer would have done so.
   */
  isToken(token: Token): boolean {
    const listed = this.tokens.find(({ address }) => sameAddress(address, token.address));
    if (listed === undefined) {
      this.saved = undefined;
      const { address, name, symbol, decimals } = token;
      this.tokens = [...this.tokens, { address, name, symbol, decimals }];
      return true;
    }
    return listed.name === token.name && listed.symbol === token.symbol && listed.decimals === token.decimals;
  }

  /**
   * Undoes a call whose log no block has. Questions to validators meanwhile stay.
   * @param before what was saved before it @param id of its log, where it had one
   */
  undoCall(before: string, id: string | undefined): void {
    const { brought, tokens, supplyReported } = this.snapshot();
    const kept = brought.filter(([receiptId]) => receiptId !== id);
    this.load(JSON.stringify({ ...JSON.parse(before), brought: kept, tokens, supplyReported }));
  }

  save(): string {
    this.saved ??= JSON.stringify(this.snapshot());
    return this.saved;
  }

  load(text: string): void {
    const state = JSON.parse(text) as SimulatorState;
    this.logs.load(state);
    this.multisig.load(state.multisig);
    this.collateral.load(state.collateral);
    this.staking.load(state.staking);
    this.tokens = state.tokens;
    this.brought = new Map(state.brought);
    this.supplyReported = state.supplyReported;
    this.saved = text;
  }

  snapshot(): SimulatorState {
    return {
      ...this.logs.save(),
      multisig: this.multisig.save(),
      collateral: this.collateral.save(),
      staking: this.staking.save(),
      tokens: this.tokens,
      brought: [...this.brought],
      supplyReported: this.supplyReported,
    };
  }

  /**
   * A transaction that needs the signers' consent: all of it or nothing. Signatures of another amount or receiver
   * recover to other addresses. @param target the address that the message is bound to
   */
  private signed<F extends BridgeFunction>(
    name: F,
    bundle: Bundle<F>,
    target: string,
    run: (verify: () => void) => EthereumLog,
  ): EthereumLog {
    const signers = bundleSigners(bridgeDigest(name, bundle, target), bundle.signatures);
    const before = this.save();
    this.saved = undefined;
    try {
      return run(() => this.multisig.verify(signers, target, bundle.nonce));
    } catch (error) {
      this.load(before);
      throw error;
    }
  }

  private signerAdded(newSigner: string, nonce: bigint): EthereumLog {
    const added = { newSigner, nonce: nonce.toString() };
    return this.logs.multisig(
      (blockTime) => ({ signerAdded: { ...added, blockTime } }),
      VOTE.TYPE_SIGNER_ADDED,
    );
  }

  private thresholdSet(newThreshold: number, nonce: bigint): EthereumLog {
    const set = { newThreshold, nonce: nonce.toString() };
    return this.logs.multisig(
      (blockTime) => ({ thresholdSet: { ...set, blockTime } }),
      VOTE.TYPE_SIGNER_THRESHOLD_SET,
    );
  }
}

/** Everybody has an Ethereum account on a devnet: it follows from the party. Checksummed. */
export function addressOfParty(party: string): string {
  return checksumAddress(sha3HexOf(Buffer.from(`lyra devnet account of ${party}`, "utf8")).slice(24));
}

function checkAmount(amount: bigint): void {
  if (amount <= 0n) throw reverted("an amount must be above zero");
}
