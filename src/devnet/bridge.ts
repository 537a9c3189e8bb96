/**
 * A developer's acts on the simulated Ethereum: deposits, stake, listings, claims, signers. Bundles are read from
 * the data API, as any client reads them. Each call ends when its effect is on the chain.
 */
import { type BridgeArguments, type BridgeFunction, bridgeDigest } from "../crypto/multisig.ts";
import { checksumAddress, isEthereumAddress } from "../crypto/secp256k1.ts";
import { type BridgePort, type BridgeReceipt, ChainCallError, type TxOutcome } from "../engine/chain-port.ts";
import type { BridgeSimulator } from "../ethereum/bridge-simulator.ts";
import { reverted, sameAddress } from "../ethereum/contracts.ts";
import type { EthereumLog } from "../ethereum/logs.ts";
import type { ValidatorAgent } from "../ethereum/validator-agent.ts";
import type { ClientReader } from "../node/reading.ts";
import { madeUpAddress } from "./keys.ts";

/** The chain, and a way to make blocks: an effect may need blocks that nothing else triggers. */
interface BridgeChain {
  /** As `LocalChain.execute`; of a chain with other validators it takes until a block has it. */
  execute(make: () => Uint8Array, takeBack: () => void): TxOutcome | Promise<TxOutcome>;
  mine(blocks: number): Promise<unknown>;
}

interface DevnetBridgeOptions {
  readonly chain: BridgeChain;
  readonly simulator: BridgeSimulator;
  readonly agent: ValidatorAgent;
  readonly reader: ClientReader;
  readonly collateralBridge: string;
}

/** The event in one block, the votes in the next, the effect in the one after; some more for full blocks. */
const EFFECT_BLOCKS_MAX = 12;
/** Code of a refusal by a contract or the chain. */
const REFUSED = "bridge";
/** Changes of signers show one tick after the votes (docs/protocol/60-state-engine-staking.md#94-multisig-contract-view). */
const LATE_BLOCKS = 2;
/** The account from which operators call the contracts. */
const OPERATOR = madeUpAddress("operator");

interface Asset {
  readonly id: string;
  readonly status: string;
  readonly details: {
    readonly builtinAsset?: object;
    readonly erc20?: {
      readonly contractAddress: string;
      readonly lifetimeLimit: string;
      readonly withdrawThreshold: string;
    };
  };
}

interface SignerBundle {
  readonly newSigner: string;
  readonly oldSigner: string;
  readonly submitter: string;
  readonly nonce: string;
  readonly signatures: string;
}

export class DevnetBridge implements BridgePort {
  private mining: Promise<unknown> | undefined;

  constructor(private readonly options: DevnetBridgeOptions) {}

  async deposit(party: string, asset: string, amount: bigint): Promise<BridgeReceipt> {
    const { simulator, reader } = this.options;
    const { details } = this.asset(asset);
    const id = await this.submitEvent(() =>
      details.erc20
        ? simulator.depositErc20(party, asset, amount)
        : simulator.depositBuiltin(party, asset, amount),
    );
    return this.until(id, "the deposit is credited", () => {
      const answer = reader.get<{ deposit: { status: string } }>("/api/v2/deposit/{id}", { id });
      if (answer?.deposit.status === "STATUS_CANCELLED") throw refused("the chain cancelled the deposit");
      return answer?.deposit.status === "STATUS_FINALIZED";
    });
  }

  async stake(party: string, amount: bigint): Promise<BridgeReceipt> {
    const id = await this.submitEvent(() => this.options.simulator.stake(party, amount));
    return this.untilLinked(party, id);
  }

  async unstake(party: string, amount: bigint): Promise<BridgeReceipt> {
    const id = await this.submitEvent(() => this.options.simulator.unstake(party, amount));
    return this.untilLinked(party, id);
  }

  async list(asset: string): Promise<BridgeReceipt> {
    const { details } = this.asset(asset);
    const bundle = this.bundle<{ assetSource: string; nonce: string }>("/api/v2/erc20/asset/list/bundle", {
      assetId: asset,
    });
    const id = await this.submitEvent(() =>
      this.options.simulator.listAsset({
        token: bundle.assetSource,
        assetId: asset,
        lifetimeLimit: BigInt(details.erc20!.lifetimeLimit),
        withdrawThreshold: BigInt(details.erc20!.withdrawThreshold),
        nonce: BigInt(bundle.nonce),
        signatures: bundle.signatures,
      }),
    );
    return this.until(id, "the asset is enabled", () => this.asset(asset).status === "STATUS_ENABLED");
  }

  /** An update may change only the quantum, or be followed by a later update, so the asset's limits do not prove the effect. */
  async setLimits(proposal: string): Promise<BridgeReceipt> {
    const bundle = this.bundle<{
      assetSource: string;
      nonce: string;
      lifetimeLimit: string;
      threshold: string;
    }>("/api/v2/erc20/asset/limits/bundle", { proposalId: proposal });
    return this.operate(() =>
      this.options.simulator.setLimits({
        token: bundle.assetSource,
        lifetimeLimit: BigInt(bundle.lifetimeLimit),
        withdrawThreshold: BigInt(bundle.threshold),
        nonce: BigInt(bundle.nonce),
        signatures: bundle.signatures,
      }),
    );
  }

  async claim(withdrawal: string): Promise<BridgeReceipt> {
    const { simulator, reader } = this.options;
    const bundle = this.bundle<{
      assetSource: string;
      amount: string;
      nonce: string;
      targetAddress: string;
      creation: string;
    }>("/api/v2/erc20/asset/withdrawal/bundle", { withdrawalId: withdrawal });
    const id = await this.submitEvent(() =>
      simulator.withdraw({
        token: bundle.assetSource,
        amount: BigInt(bundle.amount),
        receiver: bundle.targetAddress,
        creation: BigInt(bundle.creation),
        nonce: BigInt(bundle.nonce),
        signatures: bundle.signatures,
      }),
    );
    return this.until(id, "the claim is reported", () => {
      const answer = reader.get<{ withdrawal: { withdrawnTimestamp: string } }>("/api/v2/withdrawal/{id}", {
        id: withdrawal,
      });
      return answer !== undefined && answer.withdrawal.withdrawnTimestamp !== "0";
    });
  }

  /** With the validators' valid bundle if the chain has issued one, else with one that operators sign. */
  async addSigner(address: string): Promise<BridgeReceipt> {
    const { agent, simulator } = this.options;
    const signer = addressOf(address);
    return this.operate(() => {
      const issued = this.issued("added", (bundle) => bundle.newSigner, signer);
      const log = issued && unlessReverted(() => simulator.addSigner(issued, issued.submitter));
      if (log) return log;
      const values = { signer, nonce: agent.operatorNonce() };
      const signatures = this.operators("add_signer", values, OPERATOR);
      return simulator.addSigner({ ...values, signatures }, OPERATOR);
    });
  }

  /** As `addSigner`. */
  async removeSigner(address: string): Promise<BridgeReceipt> {
    const { agent, simulator } = this.options;
    const signer = addressOf(address);
    return this.operate(() => {
      const issued = this.issued("removed", (bundle) => bundle.oldSigner, signer);
      const log = issued && unlessReverted(() => simulator.removeSigner(issued, issued.submitter));
      if (log) return log;
      const values = { signer, nonce: agent.operatorNonce() };
      const signatures = this.operators("remove_signer", values, OPERATOR);
      return simulator.removeSigner({ ...values, signatures }, OPERATOR);
    });
  }

  async setThreshold(threshold: number): Promise<BridgeReceipt> {
    if (!Number.isInteger(threshold) || threshold < 1 || threshold > 999) {
      throw reverted("a threshold is a whole number from 1 to 999, in parts of a thousand");
    }
    return this.operate(() => {
      const values = { threshold: BigInt(threshold), nonce: this.options.agent.operatorNonce() };
      const signatures = this.operators("set_threshold", values, OPERATOR);
      return this.options.simulator.setThreshold({ ...values, signatures }, OPERATOR);
    });
  }

  async stopBridge(): Promise<BridgeReceipt> {
    const { agent, simulator, collateralBridge } = this.options;
    return this.operate(() => {
      const values = { nonce: agent.operatorNonce() };
      const signatures = this.operators("global_stop", values, collateralBridge);
      return simulator.stopBridge({ ...values, signatures });
    });
  }

  async resumeBridge(): Promise<BridgeReceipt> {
    const { agent, simulator, collateralBridge } = this.options;
    return this.operate(() => {
      const values = { nonce: agent.operatorNonce() };
      const signatures = this.operators("global_resume", values, collateralBridge);
      return simulator.resumeBridge({ ...values, signatures });
    });
  }

  /** Signed by every signer of the contract whose keys the devnet has. */
  private operators<F extends BridgeFunction>(name: F, values: BridgeArguments<F>, target: string): string {
    const { agent, simulator } = this.options;
    return agent.operatorBundle(bridgeDigest(name, values, target), simulator.multisig.currentSigners);
  }

  /** The newest bundle for this signer that the validators have signed and that is not used yet. */
  private issued(change: "added" | "removed", signerOf: (bundle: SignerBundle) => string, signer: string) {
    const path = `/api/v2/erc20/multisigcontrol/signer/${change}/bundles`;
    const { bundles } = this.options.reader.get<{ bundles: { edges: { node: SignerBundle }[] } }>(path, {})!;
    const { multisig } = this.options.simulator;
    const [usable] = bundles.edges
      .map(({ node }) => node)
      .filter((bundle) => sameAddress(signerOf(bundle), signer) && bundle.signatures !== "")
      .filter(({ submitter, nonce }) => !multisig.isUsed(submitter, BigInt(nonce)));
    if (usable === undefined) return undefined;
    const { submitter, nonce, signatures } = usable;
    return { signer, submitter, nonce: BigInt(nonce), signatures };
  }

  /**
   * Makes a call and the block with its log, atomically: without the block the call has no effect.
   * @returns the event's id
   */
  private async submitEvent(call: () => EthereumLog): Promise<string> {
    const { simulator, agent, chain } = this.options;
    let before = "";
    let id: string | undefined;
    const make = () => {
      before = simulator.save();
      const log = call();
      const signed = agent.chainEvent(log.event, log.voteType);
      id = signed.id;
      return signed.bytes;
    };
    const outcome = await chain.execute(make, () => simulator.undoCall(before, id));
    if (outcome.code !== 0) throw refused(`the chain does not take the event: ${outcome.text}`);
    return id!;
  }

  /** A call whose effect no resource of the data API shows: done when the votes are counted. */
  private async operate(call: () => EthereumLog): Promise<BridgeReceipt> {
    const { agent } = this.options;
    const id = await this.submitEvent(call);
    return this.until(id, "the validators have voted", () => agent.isSettled(id), LATE_BLOCKS);
  }

  private untilLinked(party: string, id: string): Promise<BridgeReceipt> {
    return this.until(id, "the stake is linked", () => {
      const answer = this.options.reader.get<{
        stakeLinkings: { edges: { node: { id: string; status: string } }[] };
      }>("/api/v2/parties/{party_id}/stake", { partyId: party });
      const linking = answer?.stakeLinkings.edges.find(({ node }) => node.id === id)?.node;
      if (linking?.status === "STATUS_REJECTED") throw refused("the chain rejected the stake");
      return linking?.status === "STATUS_ACCEPTED";
    });
  }

  /**
   * Makes blocks until the effect shows. The event is on the chain: a chain that stands still meanwhile is not a failure.
   * @param late blocks that it takes to show after `isSo`
   * @throws ChainCallError when the effect can no longer come
   */
  private async until(id: string, what: string, isSo: () => boolean, late = 0): Promise<BridgeReceipt> {
    try {
      for (let blocks = 0; blocks < EFFECT_BLOCKS_MAX && !isSo(); blocks++) await this.nextBlock();
      if (!isSo())
        return { id, pending: `after ${EFFECT_BLOCKS_MAX} blocks it is still not so that ${what}` };
      if (late > 0) await this.options.chain.mine(late);
      return { id };
    } catch (error) {
      if (error instanceof ChainCallError && error.code === REFUSED) throw error;
      return { id, pending: error instanceof ChainCallError ? error.message : "the chain cannot be read" };
    }
  }

  /** A block for all calls that wait for one. */
  private nextBlock(): Promise<unknown> {
    this.mining ??= this.options.chain.mine(1).finally(() => {
      this.mining = undefined;
    });
    return this.mining;
  }

  private asset(id: string): Asset {
    const answer = this.options.reader.get<{ asset: Asset }>("/api/v2/asset/{asset_id}", { assetId: id });
    if (answer === undefined) throw refused(`there is no asset ${id}`);
    return answer.asset;
  }

  /** @throws ChainCallError while there is no signature */
  private bundle<T>(path: string, values: Readonly<Record<string, string>>): T & { signatures: string } {
    const bundle = this.options.reader.get<T & { signatures: string }>(path, values);
    if (bundle === undefined) throw refused(`there is nothing to sign for ${Object.values(values)[0]}`);
    if (bundle.signatures === "") throw refused("the validators have not signed it yet");
    return bundle;
  }
}

function addressOf(text: string): string {
  if (!isEthereumAddress(text)) throw refused(`'${text.slice(0, 60)}' is not an Ethereum address`);
  return checksumAddress(text);
}

/** Undefined when the contract refuses the call, which then has no effect. */
function unlessReverted(call: () => EthereumLog): EthereumLog | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof ChainCallError) return undefined;
    throw error;
  }
}

function refused(sentence: string): ChainCallError {
  return new ChainCallError(REFUSED, sentence);
}
