// Why a contract of the simulated Ethereum refuses a call: the transaction would revert, nothing has changed.
import { ChainCallError } from "../engine/chain-port.ts";

/** @param sentence what is wrong, for a person */
export function reverted(sentence: string): ChainCallError {
  return new ChainCallError("bridge", `the Ethereum bridge refuses it: ${sentence}`);
}

/** Addresses are compared without their checksum. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
