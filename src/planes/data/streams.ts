// The routes that answer with a stream of bytes instead of one message: the two exports.

import { ROOM_BYTES } from "../../history/export.ts";
import { errorAnswer } from "../../http/answers.ts";
import { ApiError } from "../../http/errors.ts";
import { isHeadersAlone } from "../../http/plugin.ts";
import { flagIn, parsePairs, type QueryPairs, type RequestFields, readRequest } from "../../http/query.ts";
import type { ServerStatus } from "../../http/status.ts";
import { checkRequest } from "../../http/strict.ts";
import { segmentDirectory } from "../../store/database.ts";
import { CSV_TYPE, exportLedgerEntries, ledgerExportError, openLedgerExport } from "./ledger.ts";
import {
  ARCHIVE_TYPE,
  EXPORT_PATH,
  ExportSlots,
  errorResponse,
  exportError,
  NetworkHistoryExports,
} from "./network-history.ts";
import type { DataPlane } from "./plane.ts";

interface StreamRoute {
  readonly path: string;
  /** Full name of the request message. */
  readonly request: string;
  answer(request: Request, fields: RequestFields, pairs: QueryPairs): Response | Promise<Response>;
  /**
   * The same for a stream of messages. It holds a place among the exports until it ends.
   * @throws ApiError for a request that cannot be exported
   */
  open(fields: RequestFields, signal: AbortSignal): Promise<OpenStream>;
}

/** An export under way. */
export interface OpenStream {
  readonly contentType: string;
  /** For `content-disposition`. */
  readonly disposition: string;
  /** Leaving the loop early ends the export. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Bytes before each piece in its buffer that are free. */
  readonly roomBytes: number;
  /** A failure to read the next piece, as an error of the interface. */
  failure(error: unknown): ApiError;
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
          manifest: flagIn(pairs, "manifest"),
          isHeadersAlone: isHeadersAlone(request),
          signal: request.signal,
        }),
      open: async (fields, signal) => ({
        ...(await exports.open(fields, signal)),
        contentType: ARCHIVE_TYPE,
        roomBytes: ROOM_BYTES,
        failure: exportError,
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
      async open(fields) {
        const release = slots.acquire();
        try {
          const { disposition, pieces } = openLedgerExport(plane.context, fields);
          const failed = () => status.counts.exportsFailed++;
          return {
            disposition,
            contentType: CSV_TYPE,
            roomBytes: 0,
            pieces: released(pieces, release, failed),
            failure: ledgerExportError,
          };
        } catch (error) {
          release();
          throw error;
        }
      },
    },
  ];
}

async function* released(
  pieces: AsyncIterable<Uint8Array>,
  release: () => void,
  failed: () => void,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    failed();
    throw error;
  } finally {
    release();
  }
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
    checkRequest(pairs, route.request, [], ["manifest"]);
    return await route.answer(request, readRequest(route.request, pairs, {}, filterValuesMax), pairs);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, body, contentType } = errorAnswer(error, "normal", undefined);
    return new Response(body, { status, headers: { "content-type": contentType } });
  }
}
