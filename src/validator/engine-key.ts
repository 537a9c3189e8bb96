/**
 * Makes sure that a validator's own keys and the key of its consensus engine are of one validator, before anything is signed.
 * The engine may start later, and be started again with other files: it is asked again after each of its connections.
 */

import { consensusAddress } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
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

export class EngineKey {
  private state: "unknown" | "same" | "differs" = "unknown";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(private readonly options: EngineKeyOptions) {}

  /** Whether the keys may sign. */
  get isSame(): boolean {
    return this.state === "same";
  }

  /** Asks the engine until it answers. */
  async follow(): Promise<void> {
    clearTimeout(this.timer);
    try {
      if (this.state === "unknown") await this.confirm();
    } catch {
      // It is not up yet, or has another key, which is reported.
    }
    if (this.isStopped || this.state !== "unknown") return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), LOOK_MS);
  }

  /** The engine ended, or begins: it may come with another key. */
  forgetEngine(): void {
    if (this.state !== "same" || this.isStopped) return;
    this.state = "unknown";
    void this.follow();
  }

  /** Settles when the keys may sign. @throws NodeError `keys_differ`; ChainCallError of an engine that does not answer */
  async confirm(): Promise<void> {
    if (this.isSame) return;
    const { engine, nodeId, consensusKey, nodes } = this.options;
    const { address } = await engine.ownValidator().catch((error) => {
      const reason = reasonOf(error);
      throw new ChainCallError("stopped", `the consensus engine at ${engine.url} cannot be asked: ${reason}`);
    });
    const own = nodes().find((node) => node.nodeId === nodeId)?.key ?? consensusKey;
    if (address === consensusAddress(own)) {
      if (this.state === "differs") return;
      this.state = "same";
      this.options.onSame();
      return;
    }
    const owner = nodes().find(({ key }) => consensusAddress(key) === address)?.nodeId;
    const error = new NodeError(
      "validator.keys",
      "keys_differ",
      `the keys are those of validator ${nodeId}, and the consensus engine at ${engine.url} signs with ${
        owner === undefined ? "a key of no validator" : `that of validator ${owner}`
      }`,
      "take validator-keys.json and the engine's priv_validator_key.json from one backup",
    );
    const isNew = this.state !== "differs";
    this.state = "differs";
    if (isNew) this.options.onDiffer(error);
    throw error;
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
