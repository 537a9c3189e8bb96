// Flags of the mempool of a validator, or of a network's.
import type { MempoolLimits } from "../chain/options.ts";
import type { ValuesOf } from "./command/command.ts";
import { wholeNumber } from "./command/usage-error.ts";
import type { MEMPOOL } from "./flags.ts";

const SIZE_MAX = 1_000_000;
const BYTES_MAX = 64 * 1024 ** 3;

/** @throws NodeError with exit code 2 */
export function mempoolLimitsOf(command: string, values: ValuesOf<typeof MEMPOOL>): MempoolLimits {
  const { "mempool-size": size, "mempool-max-txs-bytes": bytes } = values;
  const numberOf = (flag: string, text: string, most: number) => wholeNumber(command, flag, text, most, 1);
  return {
    ...(size !== undefined && { mempoolTxsMax: numberOf("--mempool-size", size, SIZE_MAX) }),
    ...(bytes !== undefined && {
      mempoolBytesMax: numberOf("--mempool-max-txs-bytes", bytes, BYTES_MAX),
    }),
  };
}
