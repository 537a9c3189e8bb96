// Checks before every read of the store: a damaged one is not read, and a height that is asked for is waited for.
import { Grpc } from "../../errors/statuses.ts";
import { DAMAGED, errorAnswer, refuse, toResponse } from "../../http/answers.ts";
import { ApiError, badRequest } from "../../http/errors.ts";
import type { ServerStatus } from "../../http/status.ts";
import type { JsonMode } from "../../wire/json.ts";
import type { DataPlane } from "./plane.ts";

const HEIGHT = /^\d{1,15}$/;

/** @throws ApiError 503 */
export function whenReadable(
  plane: DataPlane,
  status: ServerStatus,
  request: Request,
  read: () => Response | Promise<Response>,
  mode?: JsonMode,
): Response | Promise<Response> {
  if (status.isDamaged) throw DAMAGED;
  const least = request.headers.get("x-min-height");
  return least === null ? read() : afterHeight(plane, request, least, read, mode);
}

/** Reads once the store has the height asked for; answers 412 with the height it has when that takes too long. */
async function afterHeight(
  plane: DataPlane,
  request: Request,
  least: string,
  read: () => Response | Promise<Response>,
  mode?: JsonMode,
): Promise<Response> {
  if (!HEIGHT.test(least)) return refuse(request, badRequest("X-Min-Height must be a block height"), mode);
  const minHeight = Number(least);
  if (await plane.heightWaiters.waitFor(minHeight, request.signal)) return read();
  const { height = 0, timeUs = 0 } = plane.head() ?? {};
  const error = new ApiError(
    Grpc.failedPrecondition,
    `height ${minHeight} is not reached: the last block is ${height}`,
  );
  return toResponse(errorAnswer(error, mode ?? "normal", { height, timeUs }));
}
