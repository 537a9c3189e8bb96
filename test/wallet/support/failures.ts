// The failure of an action, as its code and what a person is told.
import { NodeError } from "../../../src/errors/node-error.ts";

export async function failureOf(action: () => unknown): Promise<NodeError> {
  try {
    await action();
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

export async function codeOf(action: () => unknown): Promise<string> {
  return (await failureOf(action)).code;
}
