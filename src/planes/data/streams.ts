// The routes that answer with a stream of bytes instead of one message: the two exports.

import { errorAnswer } from "../../http/answers.ts";
import { ApiError, badRequest } from "../../http/errors.ts";
import { parsePairs, type QueryPairs, type RequestFields, readRequest } from "../../http/query.ts";
import type { ServerStatus } from "../../http/status.ts";
import { segmentDirectory } from "../../store/database.ts";
import { exportLedgerEntries } from "./ledger.ts";
import { EXPORT_PATH, ExportSlots, errorResponse, NetworkHistoryExports } from "./network-history.ts";
import type { DataPlane } from "./plane.ts";

interface StreamRoute {
  readonly path: string;
  /** Full name of the request message. */
  readonly request: string;
  answer(request: Request, fields: RequestFields, pairs: QueryPairs): Response | Promise<Response>;
}

const LEDGER_EXPORT_PATH = "/api/v2/ledgerentry/export";
export const EXPORT_REQUEST = "datanode.api.v2.ExportNetworkHistoryRequest";
export const LEDGER_EXPORT_REQUEST = "datanode.api.v2.ExportLedgerEntriesRequest";

/** The stream routes of a plane; both count towards `exportsMax`. */
export function streamRoutes(plane: DataPlane, status: ServerStatus): StreamRoute[] {
  const { context } = plane;
  const slots = new ExportSlots(context.limits.exportsMax, status.counts);
  const exports = new NetworkHistoryExports(context.db, segmentDirectory(context.home), slots);
  return [
    {
      path: EXPORT_PATH,
      request: EXPORT_REQUEST,
      answer: (request, fields, pairs) =>
        exports.answer(fields, {
          headers: request.headers,
          manifest: flag(pairs, "manifest"),
          signal: request.signal,
        }),
    },
    {
      path: LEDGER_EXPORT_PATH,
      request: LEDGER_EXPORT_REQUEST,
      answer(_request, fields) {
        let release: () => void;
        try {
          release = slots.acquire();
        } catch (error) {
          return errorResponse(error as ApiError);
        }
        return exportLedgerEntries(plane.context, fields, release, () => status.counts.exportsFailed++);
      },
    },
  ];
}

/** Reads the request of a stream route and answers it. Malformed parameters have the flat error body. */
export async function answerStream(
  route: StreamRoute,
  request: Request,
  query: string,
  filterValuesMax: number,
): Promise<Response> {
  try {
    const pairs = parsePairs(query);
    return await route.answer(request, readRequest(route.request, pairs, {}, filterValuesMax), pairs);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, body, contentType } = errorAnswer(error, "normal", undefined);
    return new Response(body, { status, headers: { "content-type": contentType } });
  }
}

/** A parameter of ours that the request message does not have. */
function flag(pairs: QueryPairs, name: string): boolean {
  const value = pairs.find(([key]) => key === name)?.[1];
  if (value === undefined || value === "false" || value === "0") return false;
  if (value === "true" || value === "1") return true;
  throw badRequest(`parsing field "${name}": ${JSON.stringify(value.slice(0, 100))} is not true or false`);
}
