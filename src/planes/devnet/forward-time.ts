// The time control of the network's single-process chain, for tools that were made for it
// (docs/protocol/30-node-api-events.md#12-null-chain):
// `POST /api/v1/forwardtime` with `{"forward": "10s"}` or a time of RFC 3339. The chain's time is moved when the answer
// comes: one block has it, where the original makes one for each second of the way; waiting transactions come first.

import { badRequest } from "../../http/errors.ts";
import { durationNs, timeNs } from "../../wire/time-text.ts";
import type { DevnetContext } from "./context.ts";
import type { Fields } from "./fields.ts";
import { statusJson } from "./tools.ts";

export const FORWARD_TIME_PATH = "/api/v1/forwardtime";

const NO_TIME = "invalid request: time is not a duration or RFC3339 datetime";
const BACKWARDS = "invalid request: cannot step backwards in time";

/** @throws ApiError 400, ChainCallError */
export async function forwardTime({ chain }: DevnetContext, fields: Fields): Promise<object> {
  if (!fields.has("forward")) throw badRequest("unexpected request body");
  const text = fields.text("forward");
  fields.end();
  const time = timeNs(text);
  const way = time === undefined ? wayOf(text) : time - chain.status.timeNs;
  if (time !== undefined && way <= 0n) throw badRequest(BACKWARDS);
  // Waiting transactions were sent before the time moves: a vote counts although its proposal closes on the way.
  if (chain.status.mempool.count > 0) await chain.mine(1);
  if (time !== undefined) return statusJson(await chain.reachTime(time));
  await chain.forwardTime(way);
  return statusJson(await chain.mine(1));
}

/** Nanoseconds of a duration. @throws ApiError 400 */
function wayOf(text: string): bigint {
  const isBack = text.startsWith("-");
  let way: bigint;
  try {
    way = durationNs(isBack ? text.slice(1) : text);
  } catch {
    throw badRequest(NO_TIME);
  }
  if (isBack && way > 0n) throw badRequest(BACKWARDS);
  return way;
}
