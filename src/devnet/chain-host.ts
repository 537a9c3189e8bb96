// The side that has the chain: runs the calls of another thread, and posts the status after every block.
import type { ChainStatus, DevnetPort } from "../engine/chain-port.ts";
import { checkTransaction, INVALID_SIGNATURE, readTrusted, type Verdict } from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import {
  type CallMessage,
  type ChainMessage,
  errorText,
  notStarted,
  type SignatureFinding,
} from "./chain-messages.ts";

const NO_MEMPOOL: ChainStatus["mempool"] = { count: 0, bytes: 0 };

export class ChainHost {
  private chain: DevnetPort | undefined;
  /** What the other side has found of the signature; the chain need not do it again. */
  private readonly signatures = new WeakMap<Uint8Array, SignatureFinding>();
  private stopListening: (() => void) | undefined;

  constructor(private readonly post: (message: ChainMessage) => void) {}

  /** For the chain's options: verifies signatures that the other side has not verified. */
  readonly checkTransaction = (bytes: Uint8Array, chainId: string, hash: string): Verdict => {
    const signature = this.signatures.get(bytes) ?? "unknown";
    if (signature === "unknown") return checkTransaction(bytes, chainId);
    const transaction = readTrusted(bytes, hash);
    // Refused before the signature matters.
    if (transaction instanceof PropertyErrors) return checkTransaction(bytes, chainId);
    return signature === "valid" ? { ok: true, transaction } : INVALID_SIGNATURE;
  };

  serve(chain: DevnetPort): void {
    this.stopListening = chain.onBlock((status) => this.post({ kind: "status", status }));
    this.chain = chain;
    this.postStatus();
  }

  /** After a change that is not a block: the chain has halted, or goes on. */
  postStatus(): void {
    if (this.chain !== undefined) this.post({ kind: "status", status: this.chain.status });
  }

  receive(message: CallMessage): void {
    const { id } = message;
    this.run(message).then(
      (value) => this.post({ kind: "answer", id, value, mempool: this.mempool }),
      (error) => this.post({ kind: "answer", id, error: errorText(error), mempool: this.mempool }),
    );
  }

  close(): void {
    this.stopListening?.();
  }

  private get mempool(): ChainStatus["mempool"] {
    return this.chain?.status.mempool ?? NO_MEMPOOL;
  }

  private async run({ method, values, signature }: CallMessage): Promise<unknown> {
    const { chain } = this;
    if (chain === undefined) throw notStarted();
    if (signature !== undefined) this.signatures.set(values[0] as Uint8Array, signature);
    const isOfBridge = method.startsWith("bridge.");
    const target = isOfBridge ? chain.bridge : chain;
    const name = isOfBridge ? method.slice("bridge.".length) : method;
    type Call = (...given: readonly unknown[]) => Promise<unknown>;
    return (target as unknown as Record<string, Call>)[name]!.apply(target, [...values]);
  }
}
