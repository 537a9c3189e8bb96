/**
 * Heartbeats (reference 60, section 7.7): now and then a node is asked to sign the block's hash, and what came of the
 * last ten makes its performance. Validators of status tendermint are judged by their blocks and owe none
 * (docs/compatibility.md).
 */
import type { ValidatorHeartbeat } from "../wire/generated/commands.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { checkEthereumSignature, checkVegaSignature } from "./node-signatures.ts";
import type { ParameterReader, ValidatorReader } from "./ports.ts";
import type { Table } from "./state/state.ts";

/** Heartbeats that count. */
const REMEMBERED = 10;
const INTERVAL_MIN_NS = 50n * 1_000_000_000n;

interface Heartbeats {
  /** The message that is waited for; empty when none is. */
  readonly expected: string;
  /** When the node was asked last; Unix nanoseconds. */
  readonly sinceNs: bigint;
  /** 1 for good and 0 for missed, the newest last. */
  readonly results: readonly number[];
}

const NONE: Heartbeats = { expected: "", sinceNs: 0n, results: [] };

export class HeartbeatTracker {
  private readonly table: Table<Heartbeats>;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly validators: ValidatorReader,
  ) {
    this.table = core.state.table("validators.heartbeats");
  }

  /** Good ones among the last ten. */
  good(nodeId: string): number {
    return this.of(nodeId).results.reduce((sum, result) => sum + result, 0);
  }

  /** What the node has to sign now. */
  expected(nodeId: string): string | undefined {
    return this.of(nodeId).expected || undefined;
  }

  forget(nodeId: string): void {
    this.table.delete(nodeId);
  }

  /** Once a block: what is late counts as missed, and one node that is due is asked. */
  onBeginBlock(): void {
    const owing = this.validators.nodes().filter(({ status }) => status !== "tendermint");
    if (owing.length === 0) return;
    const intervalNs = this.intervalNs();
    for (const { nodeId } of owing) {
      const { expected, sinceNs } = this.of(nodeId);
      if (expected !== "" && sinceNs + intervalNs / 2n < this.core.nowNs) this.record(nodeId, 0);
    }
    const due = owing.filter(({ nodeId }) => {
      const { expected, sinceNs } = this.of(nodeId);
      return expected === "" && sinceNs + intervalNs < this.core.nowNs;
    });
    if (due.length === 0) return;
    const trace = this.core.block.hash.toUpperCase();
    const { nodeId } = due[Number(fnv1a64(trace) % BigInt(due.length))]!;
    this.table.set(nodeId, { expected: trace, sinceNs: this.core.nowNs, results: this.of(nodeId).results });
  }

  /** The ValidatorHeartbeat command. @throws CommandError */
  heartbeat({ nodeId, message, vegaSignature, ethereumSignature }: ValidatorHeartbeat): void {
    const node = this.validators.node(nodeId);
    if (node === undefined) {
      throw new CommandError(`received an heartbeat from a non-validator node: ${nodeId}`);
    }
    const { expected } = this.of(nodeId);
    if (expected === "" || expected !== message) throw new CommandError("heartbeat received after expiry");
    checkVegaSignature(node.vegaPubKey, message, vegaSignature);
    checkEthereumSignature(node.ethereumAddress, message, ethereumSignature);
    this.record(nodeId, 1);
  }

  private of(nodeId: string): Heartbeats {
    return this.table.get(nodeId) ?? NONE;
  }

  private record(nodeId: string, result: number): void {
    const { sinceNs, results } = this.of(nodeId);
    this.table.set(nodeId, { expected: "", sinceNs, results: [...results, result].slice(-REMEMBERED) });
  }

  /** A hundredth of an epoch, and never less than 50 seconds. */
  private intervalNs(): bigint {
    const hundredth = this.params.duration("validators.epoch.length") / 100n;
    return hundredth > INTERVAL_MIN_NS ? hundredth : INTERVAL_MIN_NS;
  }
}

/** FNV-1a, 64 bits, of an ASCII text. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text, "latin1")) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}
