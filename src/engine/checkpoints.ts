/**
 * Checkpoints: their times and their events (docs/protocol/60-state-engine-parameters.md#12-checkpoints). The event has
 * the hash of the contents, which a chain can begin with; they themselves are not kept, but put together again on
 * request (checkpoint-save.ts).
 */

import { sha3HexOf } from "../crypto/sha.ts";
import { NodeError } from "../errors/node-error.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  decodeCheckpointState,
  encodeCheckpoint,
} from "../wire/generated/checkpoint.ts";
import type { Core } from "./core.ts";
import type { GenesisAppState } from "./genesis.ts";
import type { ParameterReader } from "./ports.ts";
import type { Cell } from "./state.ts";

const INTERVAL = "network.checkpoint.timeElapsedBetweenCheckpoints";

interface Schedule {
  /** Block time from which the next one is due, Unix nanoseconds. */
  readonly nextNs: bigint;
  /** The interval that `nextNs` was made with. */
  readonly intervalNs: bigint;
}

export class Checkpoints {
  private readonly schedule: Cell<Schedule | undefined>;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    /** SHA3-256 of the contents as of now, lower-case hex. */
    private readonly contentHash: () => string,
  ) {
    this.schedule = core.state.cell<Schedule | undefined>("checkpoints.schedule", undefined);
  }

  /** Before the EndBlock event: the first time only the next one's time is set. */
  onCommit(): void {
    const intervalNs = this.params.duration(INTERVAL);
    const { nowNs } = this.core;
    const last = this.schedule.get();
    if (last === undefined) {
      this.schedule.set({ nextNs: nowNs + intervalNs, intervalNs });
      return;
    }
    // A changed interval moves the planned time by the difference.
    const nextNs = last.nextNs + intervalNs - last.intervalNs;
    if (nextNs <= nowNs) {
      this.schedule.set({ nextNs: nowNs + intervalNs, intervalNs });
      this.emitCheckpoint();
    } else if (intervalNs !== last.intervalNs) {
      this.schedule.set({ nextNs, intervalNs });
    }
  }

  /**
   * Also called beside the schedule: after each withdrawal that succeeds. All of a block have one hash, of the contents behind it:
   * a block full of withdrawals costs one walk over all accounts, and a client can have the contents that were hashed.
   */
  emitCheckpoint(): void {
    this.core.emitLate("checkpoint", this.payload);
  }

  private readonly payload = () => {
    const { block } = this.core;
    return {
      hash: this.contentHash(),
      blockHash: block.hash.toUpperCase(),
      blockHeight: BigInt(block.height),
    };
  };
}

// A checkpoint as it travels: the components of the state that a network starts from, and their hash
// (docs/protocol/60-state-engine-parameters.md#12-checkpoints). A genesis names the hash that it expects.

/** As `app_state.checkpoint` of a genesis holds it. */
export interface CheckpointText {
  /** SHA3-256 over the components, lower-case hex. */
  readonly load_hash: string;
  /** The components, base64. */
  readonly state: string;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function checkpointHash(content: Checkpoint): string {
  const { networkParameters, assets, collateral, delegation, epoch, block, governance } = content;
  const { rewards, banking, validators, staking, marketTracker, multisigControl } = content;
  return sha3HexOf(
    Buffer.concat([
      ...[networkParameters, assets, collateral, delegation, epoch, block, governance],
      ...[rewards, banking, validators, staking, marketTracker, multisigControl],
    ]),
  );
}

export function checkpointText(content: Checkpoint): CheckpointText {
  const state = encodeCheckpoint(content).toBase64();
  return { load_hash: checkpointHash(content), state };
}

/**
 * The member of a genesis from a file: the text above as JSON, or a network's own checkpoint file, which is a message
 * of hash and state. @throws NodeError `checkpoint_invalid`
 */
export function readCheckpointFile(bytes: Uint8Array): CheckpointText {
  const text = Buffer.from(bytes).toString("utf8");
  if (text.trimStart().startsWith("{")) {
    const { load_hash, state } = parsed(text);
    if (typeof load_hash !== "string" || typeof state !== "string") {
      throw invalidCheckpoint("it has no load_hash and no state");
    }
    return { load_hash, state };
  }
  try {
    const { hash, state } = decodeCheckpointState(bytes);
    return {
      load_hash: hash.toHex(),
      state: state.toBase64(),
    };
  } catch {
    throw invalidCheckpoint("it is neither JSON nor a checkpoint's message");
  }
}

/**
 * The checkpoint of a genesis; undefined when it names none.
 * @throws NodeError `checkpoint_invalid` for bytes that are not a checkpoint or have another hash than the genesis says
 */
export function genesisCheckpoint({
  checkpoint,
}: Pick<GenesisAppState, "checkpoint">): Checkpoint | undefined {
  const { load_hash: hash = "", state = "" } = checkpoint ?? {};
  if (hash === "") return undefined;
  if (typeof state !== "string" || !BASE64.test(state)) throw invalidCheckpoint("its state is not base64");
  let content: Checkpoint;
  try {
    content = decodeCheckpoint(Buffer.from(state, "base64"));
  } catch (error) {
    throw invalidCheckpoint(`its state cannot be read: ${(error as Error).message}`);
  }
  const got = checkpointHash(content);
  if (got !== String(hash).toLowerCase()) {
    throw invalidCheckpoint(
      `its state has the hash ${got}, and the genesis asks for ${String(hash).slice(0, 64)}`,
    );
  }
  return content;
}

function parsed(text: string): Partial<CheckpointText> {
  try {
    return JSON.parse(text) as Partial<CheckpointText>;
  } catch (error) {
    throw invalidCheckpoint(`it is not JSON: ${(error as Error).message}`);
  }
}

export function invalidCheckpoint(reason: string): NodeError {
  return new NodeError(
    "engine.checkpoint",
    "checkpoint_invalid",
    `the chain cannot begin from this checkpoint: ${reason}`,
    "take one with: lyra devnet checkpoint, or leave app_state.checkpoint.load_hash empty",
  );
}
