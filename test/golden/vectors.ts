// Runs the original service's recorded answers against an application and tells what differs.
// Rules of comparison: test/golden/README.md.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasRecording, RECORDING } from "../rig/homes.ts";
import { differingAnswers } from "../support/compatibility.ts";

export interface Vector {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly requestHeaders?: Record<string, string>;
  readonly requestBody?: string;
  readonly rawBody?: string;
  readonly cursorFrom?: { entry: string; field: "startCursor" | "endCursor"; param: string };
  readonly unordered?: boolean;
  readonly defect?: string;
  readonly note?: string;
}

/** A recording, and what the original answered over it. */
export interface AnswerSet {
  /** Its part of the list of differences in docs/compatibility.md. */
  readonly title: string;
  readonly recording: string;
  readonly answers: string;
}

const SHARED = join(import.meta.dir, "../../../shared");
const GOLDEN = join(import.meta.dir, ".");

export const TEST_NETWORK: AnswerSet = {
  title: "The test network",
  recording: RECORDING,
  answers: join(SHARED, "vectors", "data-api-smoketest.json"),
};
export const SAMPLE: AnswerSet = {
  title: "The sample",
  recording: join(GOLDEN, "sample.evts.gz"),
  answers: join(GOLDEN, "sample-answers.json.gz"),
};
export const DEVNET_DEMO: AnswerSet = {
  title: "The demonstration of a devnet",
  recording: join(GOLDEN, "devnet-demo.evts.gz"),
  answers: join(GOLDEN, "devnet-answers.json.gz"),
};

/** The test network's recording and answers are not part of the project; without them their tests are skipped. */
export const hasVectors = hasRecording && existsSync(TEST_NETWORK.answers);

export function loadVectors({ answers }: AnswerSet): Vector[] {
  const bytes = readFileSync(answers);
  const text = answers.endsWith(".gz") ? Buffer.from(Bun.gunzipSync(bytes)) : bytes;
  return JSON.parse(text.toString("utf8")) as Vector[];
}

/** The answers of a set, each of which is equal or listed in docs/compatibility.md, and then not equal. */
export class ListedAnswers {
  readonly vectors: readonly Vector[];
  private readonly listed: ReadonlySet<string>;

  constructor(set: AnswerSet) {
    this.vectors = loadVectors(set);
    this.listed = new Set(differingAnswers(set.title));
  }

  /** For `test.each`. */
  get entries(): [name: string, Vector][] {
    return this.vectors.map((vector) => [vector.name, vector]);
  }

  /** Listed names without an answer. */
  get unknown(): string[] {
    const names = new Set(this.vectors.map(({ name }) => name));
    return [...this.listed].filter((name) => !names.has(name));
  }

  /** @throws Error with what is wrong */
  async check(run: VectorRun, vector: Vector): Promise<void> {
    const differences = await run.check(vector);
    if (!this.listed.has(vector.name)) {
      if (differences.length > 0) throw new Error(differences.join("\n"));
    } else if (differences.length === 0) {
      throw new Error("listed in docs/compatibility.md, but equal");
    }
  }
}

export type Fetch = (request: Request) => Promise<Response>;

/** Answers by entry name, so that cursors can be taken from earlier ones. */
export class VectorRun {
  private readonly answers = new Map<string, unknown>();

  constructor(
    private readonly fetch: Fetch,
    private readonly base = "http://localhost",
  ) {}

  /** Differences between the recorded and the given answer; empty when they agree. */
  async check(vector: Vector): Promise<string[]> {
    const response = await this.fetch(this.request(vector));
    const text = await response.text();
    const body = parse(text);
    this.answers.set(vector.name, body);
    const differences: string[] = [];
    if (vector.status !== 0 && response.status !== vector.status) {
      differences.push(`status ${response.status}, want ${vector.status}`);
    }
    if (vector.status === 0)
      return response.status >= 400 ? [] : [`status ${response.status}, want an orderly error`];
    for (const name of ["content-type", "x-block-height", "x-block-timestamp", "content-disposition"]) {
      const want = vector.headers[name];
      const actual = response.headers.get(name) ?? undefined;
      if (want === undefined && !name.startsWith("x-block")) continue;
      if (actual !== want) differences.push(`header ${name}: ${actual}, want ${want}`);
    }
    if (vector.rawBody !== undefined && withoutCursors(text) !== withoutCursors(vector.rawBody)) {
      differences.push(`body text: ${text.slice(0, 300)}, want ${vector.rawBody.slice(0, 300)}`);
    }
    if (vector.method !== "HEAD") differences.push(...compare(body, vector), ...checkPageCursors(body));
    return differences;
  }

  private request(vector: Vector): Request {
    let path = vector.path;
    if (vector.cursorFrom) {
      const { entry, field, param } = vector.cursorFrom;
      const answer = this.answers.get(entry);
      const cursor = (findPageInfo(answer)?.[field] as string | undefined) ?? "";
      const escaped = param.replaceAll(".", "\\.");
      path = path.replace(new RegExp(`(${escaped}=)[^&]*`), `$1${encodeURIComponent(cursor)}`);
    }
    return new Request(this.base + path, {
      method: vector.method,
      ...(vector.requestHeaders ? { headers: vector.requestHeaders } : {}),
      ...(vector.requestBody === undefined ? {} : { body: vector.requestBody }),
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function findPageInfo(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const own = (body as Record<string, unknown>).pageInfo;
  if (own) return own as Record<string, unknown>;
  for (const value of Object.values(body)) {
    const pageInfo = findPageInfo(value);
    if (pageInfo) return pageInfo;
  }
  return undefined;
}

function withoutCursors(text: string): string {
  return text.replace(/("(?:cursor|startCursor|endCursor)": ?)"[^"]+"/g, '$1"cursor"');
}

/** A page starts and ends with the cursors of its first and last edge. */
function checkPageCursors(body: unknown): string[] {
  if (typeof body !== "object" || body === null) return [];
  const { edges, pageInfo } = body as { edges?: { cursor: string }[]; pageInfo?: Record<string, string> };
  if (!edges || !pageInfo) return Object.values(body).flatMap(checkPageCursors);
  // The stream form leaves empty members out.
  const ends = [edges[0]?.cursor ?? "", edges.at(-1)?.cursor ?? ""].join();
  const cursors = [pageInfo.startCursor ?? "", pageInfo.endCursor ?? ""].join();
  return cursors === ends ? [] : [`cursors of the page: ${cursors}, want ${ends}`];
}

function compare(body: unknown, vector: Vector): string[] {
  if (typeof vector.body === "string" && typeof body === "string" && vector.unordered) {
    const sorted = (text: string) => text.split("\n").sort().join("\n");
    return sorted(body) === sorted(vector.body) ? [] : ["text differs"];
  }
  const actual = canonical(body, vector.unordered === true);
  const want = canonical(vector.body, vector.unordered === true);
  const gotText = JSON.stringify(actual);
  const wantText = JSON.stringify(want);
  if (gotText === wantText) return [];
  return [firstDifference(actual, want, "")];
}

const CURSORS = new Set(["cursor", "startCursor", "endCursor"]);

/** Cursors reduced to empty or not, diagnostic text of errors left out, arrays sorted where order is undefined. */
export function canonical(value: unknown, sort: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, sort));
    if (!sort) return items;
    return items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  const isDetail = (value as Record<string, unknown>)["@type"] !== undefined;
  for (const [name, member] of Object.entries(value)) {
    if (isDetail && name === "inner") result[name] = "";
    else if (CURSORS.has(name)) result[name] = sort ? "" : member === "" ? "" : "cursor";
    else result[name] = canonical(member, sort);
  }
  return result;
}

export function firstDifference(actual: unknown, want: unknown, path: string): string {
  if (typeof actual === "object" && typeof want === "object" && actual !== null && want !== null) {
    const gotKeys = Object.keys(actual);
    const wantKeys = Object.keys(want);
    for (const key of wantKeys) {
      const a = (actual as Record<string, unknown>)[key];
      const b = (want as Record<string, unknown>)[key];
      if (JSON.stringify(a) !== JSON.stringify(b)) return firstDifference(a, b, `${path}/${key}`);
    }
    if (gotKeys.join() !== wantKeys.join())
      return `${path}: members ${gotKeys.join()}, want ${wantKeys.join()}`;
  }
  return `${path}: ${JSON.stringify(actual)?.slice(0, 400)}, want ${JSON.stringify(want)?.slice(0, 400)}`;
}
