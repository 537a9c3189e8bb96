/**
 * The blocks after the stored state are made again at a start. Each is held against what it was when it was made: a
 * chain that comes to another result than the one that its users saw does not go on.
 */
import { NodeError } from "../errors/node-error.ts";
import { readTrusted } from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import type { BlockTx } from "./block-runner.ts";
import type { ChainPoint, StoredBlock } from "./chain-store.ts";
import type { Resumption } from "./options.ts";

/** What happened at the start of a chain that had nothing. */
export function newChain(height: number): Resumption {
  return { height, stateHeight: undefined, replayed: 0, tookMs: 0, sentence: "a new chain" };
}

/** What happened at the start of a chain that goes on. */
export function resumed(height: number, stateHeight: number, tookMs: number): Resumption {
  const replayed = height - stateHeight;
  const sentence = `resumed at block ${height}: state of block ${stateHeight}, ${replayed} blocks replayed in ${tookMs} ms`;
  return { height, stateHeight, replayed, tookMs, sentence };
}

/** Its transactions, to be executed. @throws NodeError `state_mismatch` */
export function storedTxs({ height, txs }: StoredBlock): BlockTx[] {
  return txs.map(({ bytes, isImpersonated }) => {
    const tx = readTrusted(bytes);
    if (tx instanceof PropertyErrors)
      throw contradiction(`block ${height} holds a transaction that is none: ${tx}`);
    return { bytes, tx, isImpersonated };
  });
}

/** @param now where the block led this time @throws NodeError `state_mismatch` */
export function checkReplayed({ height, appHash }: StoredBlock, now: ChainPoint): void {
  if (appHash === undefined || appHash === now.appHash) return;
  throw contradiction(
    `block ${height} gives the application hash ${now.appHash}, but it had ${appHash} when it was made`,
  );
}

/** @param now where the last block led @throws NodeError `state_mismatch` */
export function checkArrived(stateHeight: number, head: ChainPoint, now: ChainPoint): void {
  if (now.height === head.height && now.appHash === head.appHash) return;
  throw contradiction(
    `replaying from block ${stateHeight} ends at block ${now.height} with application hash ${now.appHash}, but block ${head.height} had ${head.appHash}`,
  );
}

export function contradiction(text: string): NodeError {
  return new NodeError(
    "chain.open",
    "state_mismatch",
    `the chain in this home contradicts itself: ${text}`,
    "it was changed by hand, or made by another version of Lyra: go on with the version that made it, or use another --home",
  );
}
