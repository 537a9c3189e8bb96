// Network history: the export, and what segments there are (docs/protocol/20-network-history-export.md#1-endpoints).
import type { Database } from "bun:sqlite";
import { reasonOf } from "../../errors/node-error.ts";
import { Grpc } from "../../errors/statuses.ts";
import {
  CHUNK_BYTES,
  exportBody,
  exportBytes,
  exportPieces,
  exportStream,
  MESSAGE_BYTES,
} from "../../history/export.ts";
import { archiveTag, type ExportPlan, type ExportRequest, planExport } from "../../history/export-plan.ts";
import { ExportRefusal, listSegments, type SegmentRow } from "../../history/segment-table.ts";
import { acceptedForm } from "../../http/accept.ts";
import { isKnown, requestedRange } from "../../http/byte-range.ts";
import { ServerCounts } from "../../http/counts.ts";
import type { Endpoint, RequestOf, Resource } from "../../http/endpoint.ts";
import { ApiError, internal, invalidArgument } from "../../http/errors.ts";
import { retryAfter } from "../../http/http.ts";
import { readHead } from "../../store/head.ts";
import type { HistorySegment } from "../../wire/generated/datanode.ts";
import type { DataContext } from "./context.ts";

/** Path of the export; its request message is `datanode.api.v2.ExportNetworkHistoryRequest`. */
export const EXPORT_PATH = "/api/v2/networkhistory/export";
/** Up to this an archive, or a range, is put together first: its length is announced, and damage is an error. */
const AT_ONCE_BYTES_MAX = CHUNK_BYTES;
export const ARCHIVE_TYPE = "application/zip";
const STREAM_TYPE = "application/json+stream";
/** Type of the first message's extension: what the archive will be. */
const EXTENSION_TYPE = "type.googleapis.com/lyra.v1.ArchiveDescription";

function segmentMessage(row: SegmentRow): HistorySegment {
  return {
    fromHeight: BigInt(row.from),
    toHeight: BigInt(row.to),
    historySegmentId: row.id,
    previousHistorySegmentId: row.previousId,
    databaseVersion: BigInt(row.databaseVersion),
    chainId: row.chainId,
  };
}

/**
 * Three lines: the seed's bytes as 64 hex digits, padded with zeros or cut
 * (docs/protocol/20-network-history-export.md#15-other-network-history-endpoints).
 */
function swarmKey(seed: string): string {
  return `/key/swarm/psk/1.0.0/\n/base16/\n${Buffer.from(seed).toString("hex").padEnd(64, "0").slice(0, 64)}`;
}

const TAG = "Network history";

export const networkHistoryEndpoints: readonly Endpoint<Pick<DataContext, "db">>[] = [
  {
    path: "/api/v2/networkhistory/segments",
    request: "datanode.api.v2.ListAllNetworkHistorySegmentsRequest",
    response: "datanode.api.v2.ListAllNetworkHistorySegmentsResponse",
    tag: TAG,
    summary: "The history segments that are stored, newest first",
    description:
      "An export covers whole segments: its first block is a fromHeight, its last block a toHeight.",
    handle: ({ db }) => ({ segments: listSegments(db).reverse().map(segmentMessage) }),
  },
  {
    path: "/api/v2/networkhistory",
    request: "datanode.api.v2.GetNetworkHistoryStatusRequest",
    response: "datanode.api.v2.GetNetworkHistoryStatusResponse",
    tag: TAG,
    summary: "Sharing of segments with other nodes",
    // Segments are not shared over a swarm: no address, no peers; the key is what the original makes of the chain id.
    handle({ db }) {
      const seed = readHead(db)?.chainId ?? "";
      return { ipfsAddress: "", swarmKey: swarmKey(seed), swarmKeySeed: seed, connectedPeers: [] };
    },
  },
  {
    path: "/api/v2/networkhistory/bootstrap",
    request: "datanode.api.v2.GetNetworkHistoryBootstrapPeersRequest",
    response: "datanode.api.v2.GetNetworkHistoryBootstrapPeersResponse",
    tag: TAG,
    summary: "Peers to fetch history from",
    handle: () => ({ bootstrapPeers: [] }),
  },
];

/** Resources without a path: other data nodes ask for them when they start. */
export const networkHistoryResources: readonly Resource<Pick<DataContext, "db">>[] = [
  {
    request: "datanode.api.v2.GetMostRecentNetworkHistorySegmentRequest",
    response: "datanode.api.v2.GetMostRecentNetworkHistorySegmentResponse",
    // Without a segment both are left out, which is not an error
    // (docs/protocol/20-network-history-export.md#15-other-network-history-endpoints).
    handle({ db }) {
      const last = listSegments(db).at(-1);
      return last === undefined ? {} : { segment: segmentMessage(last), swarmKeySeed: last.chainId };
    },
  },
  {
    request: "datanode.api.v2.GetActiveNetworkHistoryPeerAddressesRequest",
    response: "datanode.api.v2.GetActiveNetworkHistoryPeerAddressesResponse",
    // Segments are not shared over a swarm.
    handle: () => ({ ipAddresses: [] }),
  },
];

interface ExportOptions {
  /** Of the request. `Accept: application/json+stream` asks for messages instead of the archive itself. */
  readonly headers: Headers;
  /** Whether the archive's last entry is a manifest. */
  readonly manifest: boolean;
  /** The body is not sent: nothing is put together. */
  readonly isHeadersAlone?: boolean;
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
}

type ExportFields = RequestOf<"datanode.api.v2.ExportNetworkHistoryRequest">;

/** Absent fields are 0. */
function exportRequest(request: ExportFields, manifest: boolean): ExportRequest {
  return {
    table: request.table ?? 0,
    from: request.fromBlock ?? 0n,
    to: request.toBlock ?? 0n,
    manifest,
  };
}

/** Exports that run at once, of whatever kind. */
export class ExportSlots {
  constructor(
    private readonly max: number,
    readonly counts = new ServerCounts(),
  ) {}

  /** Takes a slot. @returns releases it, once @throws ApiError 429 when all are taken */
  acquire(): () => void {
    if (this.counts.exportsRunning >= this.max) {
      throw new ApiError(Grpc.resourceExhausted, "client reached max subscription allowed");
    }
    this.counts.exportsRunning++;
    let isHeld = true;
    return () => {
      if (isHeld) this.counts.exportsRunning--;
      isHeld = false;
    };
  }
}

/** Exports of one node; a limited number runs at once. */
export class NetworkHistoryExports {
  constructor(
    private readonly db: Database,
    /** Where the segment files are (`segmentDirectory`). */
    private readonly directory: string,
    private readonly slots: ExportSlots,
  ) {}

  /** Answers an export request; what is wrong with it is an answer too. */
  async answer(fields: ExportFields, options: ExportOptions): Promise<Response> {
    const { headers, manifest, signal, isHeadersAlone = false } = options;
    let release = () => {};
    try {
      release = this.slots.acquire();
      const plan = await this.plan(fields, manifest);
      if (acceptedForm(headers.get("accept")) === "stream") {
        const archive = exportStream(plan, this.streaming({ signal, release }));
        return new Response(messageStream(archive, plan), { headers: { "content-type": STREAM_TYPE } });
      }
      return await this.archive(plan, headers, { signal, release }, isHeadersAlone);
    } catch (error) {
      release();
      return errorResponse(exportError(error));
    }
  }

  /**
   * The archive in pieces of `MESSAGE_BYTES`, the last one shorter. It holds a place among the exports until it ends.
   * @throws ApiError for a request that cannot be exported; reading the stream throws what `exportError` translates
   */
  async open(fields: ExportFields, signal: AbortSignal): Promise<OpenExport> {
    const release = this.slots.acquire();
    try {
      const plan = await this.plan(fields, false);
      return {
        disposition: disposition(plan),
        pieces: exportPieces(plan, this.streaming({ signal, release })),
      };
    } catch (error) {
      release();
      throw exportError(error);
    }
  }

  private plan(fields: ExportFields, manifest: boolean): Promise<ExportPlan> {
    return planExport(this.directory, listSegments(this.db), exportRequest(fields, manifest));
  }

  private streaming({ signal, release }: Sending) {
    const onFailure = () => this.slots.counts.exportsFailed++;
    return { chunkBytes: MESSAGE_BYTES, signal, onEnd: release, onFailure };
  }

  /** The archive or a range of it. */
  private async archive(
    plan: ExportPlan,
    requested: Headers,
    { signal, release }: Sending,
    isHeadersAlone: boolean,
  ): Promise<Response> {
    const etag = `"${archiveTag(plan)}"`;
    const headers = archiveHeaders(plan, etag);
    const total = plan.totalBytes;
    const isUnchanged = isKnown(requested, etag);
    const range = isUnchanged ? undefined : requestedRange(requested, total, etag);
    if (isUnchanged || range === "unsatisfiable") {
      release();
      return isUnchanged ? new Response(null, { status: 304, headers }) : unsatisfiable(total, headers);
    }
    if (range) headers["content-range"] = `bytes ${range.start}-${range.end - 1}/${total}`;
    const status = range ? 206 : 200;
    const length = range ? range.end - range.start : total;
    if (isHeadersAlone) {
      release();
      return new Response(null, { status, headers: { ...headers, "content-length": String(length) } });
    }
    if (length <= AT_ONCE_BYTES_MAX) {
      const bytes = await exportBytes(plan, range);
      release();
      return new Response(bytes, { status, headers });
    }
    // Chunked: the runtime sends no Content-Length with a stream. A stream that fails ends without its last chunk.
    const onFailure = () => this.slots.counts.exportsFailed++;
    return new Response(exportBody(plan, { range, signal, onEnd: release, onFailure }), { status, headers });
  }
}

/** An export under way. */
interface OpenExport {
  /** For `content-disposition`. */
  readonly disposition: string;
  /** Each is good until the next but one is asked for. */
  readonly pieces: AsyncGenerator<Uint8Array, undefined>;
}

interface Sending {
  readonly signal: AbortSignal | undefined;
  /** Gives the place among the exports back. */
  release(): void;
}

function disposition(plan: ExportPlan): string {
  return `attachment;filename=${plan.name}`;
}

/** The tag of an archive changes only when segments are made again. */
function archiveHeaders(plan: ExportPlan, etag: string): Record<string, string> {
  return {
    "content-type": ARCHIVE_TYPE,
    "content-disposition": disposition(plan),
    "accept-ranges": "bytes",
    "cache-control": "no-cache",
    etag,
  };
}

function unsatisfiable(length: number, headers: Record<string, string>): Response {
  const text = `the range begins beyond the ${length} bytes of the archive`;
  const response = errorResponse(new ApiError(Grpc.outOfRange, text, [], true, { status: 416 }));
  response.headers.set("content-range", `bytes */${length}`);
  response.headers.set("etag", headers.etag!);
  return response;
}

/** A request that cannot be exported is answered with 400, where the original says 500 (docs/compatibility.md). */
export function exportError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ExportRefusal) return invalidArgument(error.summary, error.inner);
  return internal("failed to extract data from network history segment file", reasonOf(error));
}

/** Failures of this endpoint are wrapped, as it is a stream (docs/protocol/20-network-history-export.md#12-validation-order-and-errors). */
export function errorResponse(error: ApiError): Response {
  return Response.json(
    { error: error.body },
    {
      status: error.status,
      headers: { "content-type": "application/json", ...retryAfter(error.status) },
    },
  );
}

/**
 * Messages `{"result": ...}`, a line each; the first describes the archive, a failure is the last
 * (docs/protocol/00-interface.md#2-resources-and-their-fields).
 */
function messageStream(archive: ReadableStream<Uint8Array>, plan: ExportPlan): ReadableStream<Uint8Array> {
  const reader = archive.getReader();
  let extensions: object[] | undefined = [description(plan)];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (done) return controller.close();
          const data = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
          controller.enqueue(line({ result: { contentType: ARCHIVE_TYPE, data, extensions } }));
          extensions = undefined;
        } catch (error) {
          controller.enqueue(line({ error: exportError(error).body }));
          controller.close();
        }
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}

function description(plan: ExportPlan): object {
  const files = plan.files.map((file) => ({
    name: file.name,
    rows: String(file.rows),
    bytes: String(file.entry.bytes),
  }));
  const segmentIds = plan.files.flatMap((file) => file.pieces.map(({ segment }) => segment.id));
  return { "@type": EXTENSION_TYPE, name: plan.name, bytes: String(plan.totalBytes), files, segmentIds };
}

function line(message: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}
