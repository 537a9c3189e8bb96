// Wrong uses of a command.

import { NodeError } from "../../errors/node-error.ts";

export function usageError(command: string, message: string): NodeError {
  return new NodeError(command, "usage", message, `see: lyra ${command} --help`);
}

/** @param least said only where it is not 0 by itself @throws NodeError with exit code 2 */
export function wholeNumber(
  command: string,
  flag: string,
  text: string,
  most: number,
  least?: number,
): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= (least ?? 0) && value <= most) return value;
  const range = least === undefined ? `up to ${most}` : `from ${least} to ${most}`;
  throw usageError(command, `${flag} must be a whole number ${range}`);
}
