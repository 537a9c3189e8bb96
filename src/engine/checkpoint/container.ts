/**
 * A checkpoint as it travels: the components of the state that a network begins anew with, and their hash (reference
 * 60, section 12). A genesis names the hash that it expects.
 */
import { sha3HexOf } from "../../crypto/sha3.ts";
import { NodeError } from "../../errors/node-error.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  decodeCheckpointState,
  encodeCheckpoint,
} from "../../wire/generated/checkpoint.ts";
import type { GenesisAppState } from "../genesis.ts";

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
  const state = Buffer.from(encodeCheckpoint(content)).toString("base64");
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
      throw invalid("it has no load_hash and no state");
    }
    return { load_hash, state };
  }
  try {
    const { hash, state } = decodeCheckpointState(bytes);
    return {
      load_hash: Buffer.from(hash).toString("hex"),
      state: Buffer.from(state).toString("base64"),
    };
  } catch {
    throw invalid("it is neither JSON nor a checkpoint's message");
  }
}

/**
 * What the chain of a genesis begins with; undefined when it names no checkpoint.
 * @throws NodeError `checkpoint_invalid` for bytes that are none, or have another hash than the genesis says
 */
export function genesisCheckpoint({
  checkpoint,
}: Pick<GenesisAppState, "checkpoint">): Checkpoint | undefined {
  const { load_hash: hash = "", state = "" } = checkpoint ?? {};
  if (hash === "") return undefined;
  if (typeof state !== "string" || !BASE64.test(state)) throw invalid("its state is not base64");
  let content: Checkpoint;
  try {
    content = decodeCheckpoint(Buffer.from(state, "base64"));
  } catch (error) {
    throw invalid(`its state cannot be read: ${(error as Error).message}`);
  }
  const got = checkpointHash(content);
  if (got !== String(hash).toLowerCase()) {
    throw invalid(`its state has the hash ${got}, and the genesis asks for ${String(hash).slice(0, 64)}`);
  }
  return content;
}

function parsed(text: string): Partial<CheckpointText> {
  try {
    return JSON.parse(text) as Partial<CheckpointText>;
  } catch (error) {
    throw invalid(`it is no JSON: ${(error as Error).message}`);
  }
}

export function invalid(reason: string): NodeError {
  return new NodeError(
    "engine.checkpoint",
    "checkpoint_invalid",
    `the chain cannot begin from this checkpoint: ${reason}`,
    "take one with: lyra devnet checkpoint, or leave app_state.checkpoint.load_hash empty",
  );
}
