// Blocks until a devnet is where a test wants it: at a height, at a time, or where a condition holds.
import { NodeError } from "../errors/node-error.ts";
import { type OptionNames, unknownOption } from "../errors/options.ts";
import { rfc3339Nano, timeNs } from "../wire/time-text.ts";
import type { DevnetStatus, DevnetTools } from "./tools.generated.ts";

/** Is looked at before the first block and after each. */
export type BlockCondition = (status: DevnetStatus) => boolean | Promise<boolean>;

/** A height, a time (`Date`, or RFC 3339 in UTC), or a condition. */
export type MineTarget = bigint | number | Date | string | BlockCondition;

export interface MineUntilOptions {
  /** Blocks after which a condition is given up; default 1,000. */
  readonly blocksMax?: number;
}

const OPTIONS: OptionNames<MineUntilOptions> = { blocksMax: true };
const BLOCKS_MAX = 1_000;
/** Blocks of one call of the tool. */
const BLOCKS_AT_ONCE = 10_000n;

/**
 * Makes blocks until the target is reached: none when it is reached already. A time is reached by one block at that time;
 * for a condition each block is a second of the chain's clock after the one before, or more.
 * @throws NodeError `usage`, `blocks_exhausted`, and of the tools
 */
export async function mineUntil(
  tools: DevnetTools,
  target: MineTarget,
  options: MineUntilOptions = {},
): Promise<DevnetStatus> {
  const wrong = unknownOption(options, Object.keys(OPTIONS));
  if (wrong) throw new NodeError("devnet.mineUntil", "usage", wrong.message, wrong.hint);
  const { blocksMax = BLOCKS_MAX } = options;
  if (typeof target === "function") return mineUntilCondition(tools, target, blocksMax);
  if (typeof target === "string" || target instanceof Date) return mineUntilTime(tools, target);
  if (typeof target === "bigint" || Number.isSafeInteger(target))
    return mineUntilHeight(tools, BigInt(target));
  throw wrongTarget(`'${String(target).slice(0, 60)}' is not a height, a time or a condition`);
}

async function mineUntilHeight(tools: DevnetTools, height: bigint): Promise<DevnetStatus> {
  let status = await tools.status();
  for (;;) {
    // Other transactions may have made some of the blocks.
    const missing = height - BigInt(status.height);
    if (missing <= 0n) return status;
    status = await tools.mine(Number(missing < BLOCKS_AT_ONCE ? missing : BLOCKS_AT_ONCE));
  }
}

async function mineUntilTime(tools: DevnetTools, time: string | Date): Promise<DevnetStatus> {
  const target = time instanceof Date ? BigInt(time.getTime()) * 1_000_000n : timeNs(time);
  if (target === undefined) throw wrongTarget(`'${String(time).slice(0, 60)}' is not a time in RFC 3339`);
  let status = await tools.status();
  // A block of another transaction may come first, a moment earlier.
  while (timeNs(status.time)! < target) {
    await tools.time.set(rfc3339Nano(target));
    status = await tools.mine();
  }
  return status;
}

async function mineUntilCondition(
  tools: DevnetTools,
  isReached: BlockCondition,
  blocksMax: number,
): Promise<DevnetStatus> {
  let status = await tools.status();
  for (let blocks = 0; !(await isReached(status)); blocks++) {
    if (blocks >= blocksMax) {
      const text = `the condition does not hold after ${blocksMax} more blocks`;
      const hint = `the last one is ${status.height}; for more: { blocksMax: ... }`;
      throw new NodeError("devnet.mineUntil", "blocks_exhausted", text, hint);
    }
    // Blocks of "instant" and "manual" come within milliseconds: no epoch would end, and no order expire.
    await tools.time.forward("1s");
    status = await tools.mine();
  }
  return status;
}

function wrongTarget(message: string): NodeError {
  const hint = "such as 120, new Date(), '2030-01-01T00:00:00Z' or ({ epoch }) => Number(epoch.seq) >= 3";
  return new NodeError("devnet.mineUntil", "usage", message, hint);
}
