import { NodeError } from "../../src/errors/node-error.ts";

/** @returns the error that the call is refused with @throws Error when it is not refused, and whatever else it throws */
export function nodeRefusal(call: () => unknown): NodeError {
  try {
    call();
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
  throw new Error("nothing is refused");
}
