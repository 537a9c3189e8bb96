// History for other Lyra nodes: segments as they are, and an image of the store. All below `/lyra/v1/history`.
import { statSync } from "node:fs";
import { NodeError } from "../../errors/node-error.ts";
import { Grpc } from "../../errors/statuses.ts";
import { segmentPath } from "../../history/segment-format.ts";
import { listSegments } from "../../history/segment-table.ts";
import { type ImageState, Images } from "../../history/sharing/image.ts";
import { requestedRange } from "../../http/byte-range.ts";
import { ApiError } from "../../http/errors.ts";
import { checkUrl, retryAfter, splitUrl } from "../../http/http.ts";
import { classify, type HttpRoutes, RAW } from "../../http/plugin.ts";
import { parsePairs } from "../../http/query.ts";
import type { ServerStatus } from "../../http/status.ts";
import { isOfConsensus } from "../../store/chain-tables.ts";
import { isReadOnlyHome, segmentDirectory } from "../../store/database.ts";
import { hasChain } from "../../store/head.ts";
import { SCHEMA_VERSION } from "../../store/schema.ts";
import type { DataContext } from "./context.ts";
import type { DataPlane } from "./plane.ts";
import { whenReadable } from "./readable.ts";

const SHARING_PATH = "/lyra/v1/history";
const SEGMENTS_ROWS_MAX = 1_000;
const BYTES_TYPE = "application/octet-stream";
const SEGMENT_ID = /^[0-9a-f]{64}$/;
const HEIGHT = /^\d{1,15}$/;

/** The routes, on the data port. */
export function sharingRoutes(plane: DataPlane, status: ServerStatus): HttpRoutes {
  const sharing = new HistorySharing(plane);
  const reading = (request: Request, answer: () => Response) => {
    classify(request, "export");
    checkUrl(request, plane.context.limits);
    return whenReadable(plane, status, request, answer);
  };
  return (app) => {
    app.get(SHARING_PATH, async ({ request }) => reading(request, () => sharing.summary()));
    app.get(`${SHARING_PATH}/segments`, async ({ request }) =>
      reading(request, () => sharing.segments(request)),
    );
    app.get(`${SHARING_PATH}/segments/:id`, async ({ request, params }) =>
      reading(request, () => sharing.segment(request, params.id)),
    );
    app.get(`${SHARING_PATH}/image`, async ({ request }) => reading(request, () => sharing.image()));
    app.post(
      `${SHARING_PATH}/image`,
      async ({ request }) => reading(request, () => sharing.requestImage()),
      RAW,
    );
    app.get(`${SHARING_PATH}/image/:id`, async ({ request, params }) =>
      reading(request, () => sharing.imageBytes(request, params.id)),
    );
    return app;
  };
}

/** Answers for other nodes. @throws ApiError */
class HistorySharing {
  private readonly images: Images;

  constructor(private readonly plane: DataPlane) {
    this.images = new Images(plane.context.home);
  }

  /** This node's progress, and the history that it can give. */
  summary(): Response {
    const { db } = this.context;
    const head = this.plane.head();
    const rows = listSegments(db);
    return json({
      format: 1,
      chainId: head?.chainId ?? "",
      height: head?.height ?? 0,
      hash: head?.hash ?? "",
      firstHeight: head?.firstHeight ?? 0,
      schema: SCHEMA_VERSION,
      gaps: Number(db.query("SELECT count(*) FROM gaps").values()[0]![0]),
      segments: rows.length,
      lastSegment: rows.at(-1) ?? null,
    });
  }

  /** Segments from one that ends at `from` or above, ascending, a thousand at a time. */
  segments(request: Request): Response {
    const from = parsePairs(splitUrl(request.url).query).find(([name]) => name === "from")?.[1] ?? "0";
    if (!HEIGHT.test(from)) throw new ApiError(Grpc.invalidArgument, "from must be a block height");
    const rows = listSegments(this.context.db).filter(({ to }) => to >= Number(from));
    return json({ segments: rows.slice(0, SEGMENTS_ROWS_MAX), more: rows.length > SEGMENTS_ROWS_MAX });
  }

  /** The file of a segment. */
  segment(request: Request, id: string): Response {
    if (!SEGMENT_ID.test(id)) throw new ApiError(Grpc.notFound, "this node has no such segment");
    return fileAnswer(request, segmentPath(segmentDirectory(this.context.home), id), id);
  }

  image(): Response {
    return stateAnswer(this.images.state());
  }

  /** Has an image made, where there is no fresh one. */
  requestImage(): Response {
    const { db, home } = this.context;
    const isValidator = isOfConsensus(db);
    if (hasChain(db) && !isValidator) {
      const text = "this node's chain is its own: its store is not given to others";
      throw new ApiError(Grpc.failedPrecondition, text);
    }
    // A validator may join before the first segment is made.
    if (this.plane.head() === undefined || (!isValidator && listSegments(db).length === 0))
      throw new ApiError(Grpc.failedPrecondition, "this node has no history segment yet");
    if (isReadOnlyHome(home)) {
      const text = "this node's home cannot be written: there is no place for an image";
      throw new ApiError(Grpc.failedPrecondition, text);
    }
    try {
      return stateAnswer(this.images.request());
    } catch (error) {
      if (error instanceof NodeError && error.code === "disk_full")
        throw new ApiError(Grpc.unavailable, `there is no room for an image: ${error.message}`);
      throw error;
    }
  }

  /** Bytes of an image. */
  imageBytes(request: Request, id: string): Response {
    const path = this.images.pathOf(id);
    if (path === undefined) throw new ApiError(Grpc.notFound, "this image is not here any more");
    return fileAnswer(request, path, id);
  }

  private get context(): DataContext {
    return this.plane.context;
  }
}

function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { "cache-control": "no-store", ...retryAfter(status) } });
}

/** 202 while it is made. */
function stateAnswer(state: ImageState): Response {
  if (state.state === "failed") throw new ApiError(Grpc.unavailable, `no image could be made: ${state.text}`);
  return json(state, state.state === "making" ? 202 : 200);
}

/** A file whose content never changes under its name, or a range of it. */
function fileAnswer(request: Request, path: string, tag: string): Response {
  const length = statSync(path, { throwIfNoEntry: false })?.size;
  if (length === undefined) throw new ApiError(Grpc.notFound, "this file is not here any more");
  const etag = `"${tag}"`;
  const headers = { "content-type": BYTES_TYPE, "accept-ranges": "bytes", etag };
  const range = requestedRange(request.headers, length, etag);
  const file = Bun.file(path);
  if (range === undefined) return new Response(file, { headers });
  if (range === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${length}` } });
  return new Response(file.slice(range.start, range.end), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${range.start}-${range.end - 1}/${length}` },
  });
}
