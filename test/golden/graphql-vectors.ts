// The original's recorded GraphQL answers, and what differs from ours. Rules of comparison: test/golden/README.md.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { differingAnswers } from "../support/compatibility.ts";
import { canonical, firstDifference } from "./vectors.ts";

export interface GraphqlVector {
  readonly name: string;
  readonly query?: string;
  readonly variables?: object;
  readonly operationName?: string;
  readonly http?: {
    readonly method: string;
    readonly path?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  };
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly unordered?: boolean;
  readonly stub?: boolean;
  readonly skipBody?: boolean;
}

interface Answered {
  readonly errors?: readonly { readonly extensions?: { readonly code?: number } }[];
  readonly data: unknown;
}

export function readGolden<T>(path: string): T {
  return JSON.parse(Buffer.from(Bun.gunzipSync(readFileSync(path))).toString("utf8")) as T;
}

/** Answers of a recording, each of which is equal or listed in docs/compatibility.md, and then not equal. */
export class GraphqlAnswers {
  readonly vectors: readonly GraphqlVector[];
  private readonly listed: ReadonlySet<string>;

  constructor(title: string, path = join(import.meta.dir, `${title}-graphql.json.gz`)) {
    this.vectors = readGolden<GraphqlVector[]>(path);
    this.listed = new Set(differingAnswers(`GraphQL: ${title}`));
  }

  get entries(): [name: string, GraphqlVector][] {
    return this.vectors.map((vector) => [vector.name, vector]);
  }

  /** Listed names without an answer. */
  get unknown(): string[] {
    const names = new Set(this.vectors.map(({ name }) => name));
    return [...this.listed].filter((name) => !names.has(name));
  }

  /** @throws Error with what is wrong */
  async check(fetch: (request: Request) => Promise<Response>, vector: GraphqlVector): Promise<void> {
    const differences = await differencesOf(await fetch(requestOf(vector)), vector);
    if (!this.listed.has(vector.name)) {
      if (differences.length > 0) throw new Error(differences.join("\n"));
    } else if (differences.length === 0) throw new Error("listed in docs/compatibility.md, but equal");
  }
}

function requestOf({ http, query, variables, operationName }: GraphqlVector): Request {
  if (http === undefined) {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ query, variables, operationName });
    return new Request("http://localhost/graphql", { method: "POST", headers, body });
  }
  const { method, path = "/graphql", headers, body } = http;
  return new Request(`http://localhost${path}`, {
    method,
    ...(headers && { headers }),
    ...(body && { body }),
  });
}

async function differencesOf(response: Response, vector: GraphqlVector): Promise<string[]> {
  const text = await response.text();
  const body = parsed(text);
  if (vector.status === 0)
    return (body as Answered).errors ? [] : [`${text.slice(0, 100)}, want an orderly error`];
  const differences: string[] = [];
  if (response.status !== vector.status)
    differences.push(`status ${response.status}, want ${vector.status}: ${text.slice(0, 200)}`);
  for (const [name, want] of Object.entries(vector.headers ?? {})) {
    const actual = response.headers.get(name);
    if (actual !== want) differences.push(`header ${name}: ${actual}, want ${want}`);
  }
  if (!vector.skipBody) differences.push(...bodyDifferences(body, vector));
  return differences;
}

function bodyDifferences(body: unknown, { body: want, stub, unordered = false }: GraphqlVector): string[] {
  // Values of a stand-in core node: the fields are compared.
  if (stub) return firstDifferenceOf(shapeOf(body), shapeOf(want));
  // The text of a query that was refused is lost in the original.
  const isRefused = (want as Answered | null)?.errors?.some(({ extensions }) => extensions?.code === 0);
  if (isRefused) {
    const { data, errors } = body as Answered;
    return data === null && errors !== undefined ? [] : [`${JSON.stringify(body)}, want errors`];
  }
  return firstDifferenceOf(canonical(sorted(body), unordered), canonical(sorted(want), unordered));
}

function firstDifferenceOf(actual: unknown, want: unknown): string[] {
  return JSON.stringify(actual) === JSON.stringify(want) ? [] : [firstDifference(actual, want, "")];
}

function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Errors have no order. */
function sorted(body: unknown): unknown {
  const { errors } = (body ?? {}) as Answered;
  if (!Array.isArray(errors)) return body;
  const texts = errors.map((error) => JSON.stringify(error)).sort();
  return { ...(body as Answered), errors: texts.map((text) => JSON.parse(text)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
