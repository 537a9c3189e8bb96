/**
 * Makes sure that a validator's own keys and the key of its consensus engine are of one validator, before anything is signed.
 * The engine may start later, and be started again with other files: it is asked again whenever a connection of it begins or ends.
 */

import type { CometClient } from "../comet/client.ts";
import { consensusAddress } from "../crypto/consensus-address.ts";
import { ChainCallError } from "../engine/chain-port.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";

const LOOK_MS = 1_000;

interface EngineKeyOptions {
  readonly engine: Pick<CometClient, "ownValidator" | "url">;
  /** Of the keys that sign here. */
  readonly nodeId: string;
  /** The consensus key beside them, base64, where the chain has none for the node. */
  readonly consensusKey: string;
  /** As the chain has them. */
  nodes(): readonly { readonly nodeId: string; readonly key: string }[];
  /** Called when both are of one validator. */
  onSame(): void;
  /** Called when they are not: nothing is signed from then on. */
  onDiffer(error: NodeError): void;
}

export class EngineKeyCheck {
  private isConfirmed = false;
  private difference: NodeError | undefined;
  /** Connections that began or ended: an answer from before the last of them says nothing. */
  private changes = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(private readonly options: EngineKeyOptions) {}

  /** Whether the keys may sign. */
  get isSame(): boolean {
    return this.isConfirmed;
  }

  /** Asks the engine until it answers. */
  async follow(): Promise<void> {
    clearTimeout(this.timer);
    try {
      await this.confirm();
    } catch {
      // It is not up yet, or has another key, which is reported.
    }
    if (this.isStopped || this.isConfirmed || this.difference) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), LOOK_MS);
  }

  /** A connection of the engine began or ended: another engine may have come, with another key. */
  forgetEngine(): void {
    this.changes++;
    if (!this.isConfirmed || this.isStopped) return;
    this.isConfirmed = false;
    void this.follow();
  }

  /** Settles when the keys may sign. @throws NodeError `keys_differ`; ChainCallError of an engine that does not answer */
  async confirm(): Promise<void> {
    while (!this.isConfirmed) {
      if (this.difference) throw this.difference;
      const { changes } = this;
      const address = await this.engineAddress();
      if (changes === this.changes) this.compare(address);
    }
  }

  private async engineAddress(): Promise<string> {
    const { engine } = this.options;
    try {
      return (await engine.ownValidator()).address;
    } catch (error) {
      const reason = reasonOf(error);
      throw new ChainCallError("stopped", `the consensus engine at ${engine.url} cannot be asked: ${reason}`);
    }
  }

  private compare(address: string): void {
    if (this.isConfirmed || this.difference) return;
    const { engine, nodeId, consensusKey, nodes } = this.options;
    const own = nodes().find((node) => node.nodeId === nodeId)?.key ?? consensusKey;
    if (address === addressOf(own)) {
      this.isConfirmed = true;
      this.options.onSame();
      return;
    }
    const owner = nodes().find(({ key }) => addressOf(key) === address)?.nodeId;
    this.difference = new NodeError(
      "validator.keys",
      "keys_differ",
      `the keys are those of validator ${nodeId}, and the consensus engine at ${engine.url} signs with ${
        owner === undefined ? "a key of no validator" : `that of validator ${owner}`
      }`,
      "take validator-keys.json and the engine's priv_validator_key.json from one backup",
    );
    this.options.onDiffer(this.difference);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}

/** @param key base64 */
const addressOf = (key: string) => consensusAddress(Buffer.from(key, "base64"));
