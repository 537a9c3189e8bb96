// The data API over a home without a port: the planes serve it, and the bridge reads by it.
import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { ChainCallError } from "../engine/chain-port.ts";
import type { ErrorBody } from "../http/errors.ts";
import type { Limits } from "../http/limits.ts";
import { DataContext } from "../planes/data/context.ts";
import { DATA_ENDPOINTS } from "../planes/data/endpoints.ts";
import { DataPlane } from "../planes/data/plane.ts";
import { openReader, storePath } from "../store/database.ts";
import { BUILD } from "./build.ts";

export class Reading {
  readonly db: Database;
  readonly plane: DataPlane;
  readonly reader: ClientReader;

  constructor(home: string, limits: Limits) {
    this.db = openReader(home);
    this.plane = new DataPlane(new DataContext(this.db, { limits, build: BUILD, home }));
    this.reader = readerOf(this.plane);
  }

  /** The chain took blocks back. */
  renewContext(): void {
    this.plane.renewContext();
  }

  close(): void {
    this.db.close();
  }
}

// Reads the data API from inside the process, as a client would from outside: facts beyond an answer are unknown.

/** Answers of the data API, parsed. */
export interface ClientReader {
  /**
   * @param path as the endpoint has it, with its parameter in braces: `/api/v2/asset/{asset_id}`
   * @param values parameters of path and query by name
   * @returns undefined for 404
   * @throws ChainCallError `bridge` with what the API answers to anything else
   */
  get<T>(path: string, values: Readonly<Record<string, string>>): T | undefined;
  /** As `get`, for values that a person typed: a text that is not an id finds nothing. */
  find<T>(path: string, values: Readonly<Record<string, string>>): T | undefined;
}

function readerOf(plane: DataPlane): ClientReader {
  const endpoints = new Map(DATA_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));
  const ask = (path: string, values: Readonly<Record<string, string>>) => {
    const endpoint = endpoints.get(path);
    if (endpoint === undefined) throw new Error(`the data API has no ${path}`);
    const inPath: Record<string, string> = {};
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      if (path.includes(`{${snakeCase(name)}}`)) inPath[name] = value;
      else query.set(name, value);
    }
    return plane.answer(endpoint, { query: query.toString(), path: inPath, accept: null });
  };
  return {
    get<T>(path: string, values: Readonly<Record<string, string>>) {
      const answer = ask(path, values);
      if (answer.status === 404) return undefined;
      const body: unknown = JSON.parse(answer.body);
      if (answer.status === 200) return body as T;
      const { message, details } = body as ErrorBody;
      throw new ChainCallError("bridge", details[0]?.message ?? message);
    },
    find<T>(path: string, values: Readonly<Record<string, string>>) {
      const answer = ask(path, values);
      return answer.status === 200 ? (JSON.parse(answer.body) as T) : undefined;
    },
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// Facts of the store for a data plane's status.

export function storeFacts(home: string, plane: DataPlane) {
  const count = plane.context.db.prepare("SELECT count(*) AS n FROM segments");
  return {
    head: () => plane.head(),
    streams: () => plane.streams.count,
    segments: () => Number((count.get() as { n: bigint }).n),
    storeBytes: () => fileBytes(storePath(home)) + fileBytes(`${storePath(home)}-wal`),
    logBytes: () => fileBytes(`${storePath(home)}-wal`),
  };
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
