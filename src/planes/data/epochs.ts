// Epochs (reference 10, section 5.9). Each has two rows, its start and its end; the newest is its state.

import type { Endpoint } from "../../http/endpoint.ts";
import { notFound } from "../../http/errors.ts";
import { type EpochEvent, readEpochEventAt } from "../../wire/generated/events.ts";
import type { Epoch } from "../../wire/generated/vega.ts";
import { type DataContext, perContext, truncatedNs } from "./context.ts";
import { delegationsIn, nodesOf, validatorsOf } from "./validators.ts";

const ACTION_END = 2;
const INT64_MAX = 2n ** 63n - 1n;
const NANOSECONDS_PER_MINUTE = 60_000_000_000;

interface EpochRow {
  data: Uint8Array;
}

/** Newest state of an epoch; the current one when none is named. @throws ApiError 404 */
export function requireEpoch(context: DataContext, id: bigint | undefined): EpochEvent {
  const row =
    id === undefined
      ? context.get<EpochRow>("SELECT data FROM epochs ORDER BY id DESC, block DESC LIMIT 1")
      : id <= INT64_MAX
        ? context.get<EpochRow>("SELECT data FROM epochs WHERE id = ? ORDER BY block DESC LIMIT 1", id)
        : undefined;
  if (!row) throw notFound("failed to get epoch");
  return readEpoch(row.data);
}

/** An epoch's times as the original keeps them: cut to microseconds, no end before the end is told. */
function readEpoch(data: Uint8Array): EpochEvent {
  const event = readEpochEventAt(data, 0, data.length);
  event.startTime = truncatedNs(event.startTime);
  event.expireTime = truncatedNs(event.expireTime);
  event.endTime = event.action === ACTION_END ? truncatedNs(event.endTime) : 0n;
  return event;
}

/** Height of the block at exactly this time, 0 when there is none. */
function heightAt(context: DataContext, timeNs: bigint): bigint {
  if (timeNs === 0n) return 0n;
  const { no, exact } = context.blocks.position(Number(timeNs / 1000n));
  if (!exact) return 0n;
  return context.get<{ height: bigint }>("SELECT height FROM blocks WHERE no = ?", no)!.height;
}

/** Length of the finished epochs of each store: only what follows the last known one is read again. */
const finishedEpochs = perContext(() => ({ through: -1n, ns: 0n }));

/** Minutes of all completed epochs together. */
export function completedMinutes(context: DataContext): number {
  const finished = finishedEpochs(context);
  const rows = context.db
    .query("SELECT data FROM epochs WHERE id > ? ORDER BY id, block")
    .iterate(finished.through) as Iterable<EpochRow>;
  let last: EpochEvent | undefined;
  for (const row of rows) {
    const event = readEpoch(row.data);
    if (last && last.seq !== event.seq) {
      // A later epoch has begun: the one before it does not change any more.
      finished.through = last.seq;
      finished.ns += durationNs(last);
    }
    last = event;
  }
  return Number(finished.ns + (last ? durationNs(last) : 0n)) / NANOSECONDS_PER_MINUTE;
}

function durationNs(epoch: EpochEvent): bigint {
  return epoch.action === ACTION_END ? epoch.endTime - epoch.startTime : 0n;
}

const getEpoch: Endpoint<DataContext> = {
  path: "/api/v2/epoch",
  request: "datanode.api.v2.GetEpochRequest",
  response: "datanode.api.v2.GetEpochResponse",
  tag: "Epochs",
  summary: "Get an epoch",
  description:
    "The epoch `id`, or the current one for 0 or none, with its validators by id and its delegations by node and party.",
  handle(context, request) {
    const id = (request.id as bigint | undefined) ?? 0n;
    const event = requireEpoch(context, id === 0n ? undefined : id);
    const epoch: Epoch = {
      seq: event.seq,
      timestamps: {
        startTime: event.startTime,
        expiryTime: event.expireTime,
        endTime: event.endTime,
        firstBlock: heightAt(context, event.startTime),
        lastBlock: heightAt(context, event.endTime),
      },
      validators: nodesOf(context, event.seq, validatorsOf(context, event.seq)),
      delegations: delegationsIn(context, event.seq),
    };
    return { epoch };
  },
};

export const epochEndpoints = [getEpoch];
