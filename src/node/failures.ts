// Errors of any origin as errors for people and scripts.
import { NodeError } from "../errors/node-error.ts";
import { isDiskFull } from "../files/sqlite-error.ts";

/**
 * The error for something that was being made beside the blocks, such as history segments: a full disk keeps
 * its code, wherever it was met (a worker hands on only the sentence).
 * @param what as the subject of a sentence: `history segments`
 */
export function failureOf(error: unknown, attempt: string, what: string): NodeError {
  if (isDiskFull(error)) {
    const sentence = `the disk is full: ${what} could not be made`;
    return new NodeError(attempt, "disk_full", sentence, "make room and start again; all blocks are safe");
  }
  if (error instanceof NodeError) return error;
  const sentence = `${what} could not be made`;
  return new NodeError(attempt, "internal", sentence, "check the disk, then: lyra doctor --home DIR", {
    cause: error,
  });
}
