// The block that a transaction got into, and what it came to there. The network's own interface does not say; a Lyra node does, on
// its data port (docs/page.md, "What it reads").
import { requestAnswer } from "../../fetch/answer.ts";

export interface Inclusion {
  readonly height: bigint;
  /** 0 when it was executed. */
  readonly code: number;
  /** Why it was refused in its block. */
  readonly reason: string;
}

const TIMEOUT_MS = 2_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** Looked through again before the node's last block: an engine's index is behind its blocks. */
const BLOCKS_BEHIND = 10;
/** Of one answer, and answers of one look: more transactions than a chain takes between two looks. */
const PAGE_ROWS = 100;
const PAGES_MAX = 20;
/** Transactions that are waited for at once. */
const WAITED_MAX = 1_000;

interface Waited {
  readonly origin: string;
  /** Blocks up to here were looked through. */
  readonly height: number;
}

export class InclusionReader {
  private readonly waited = new Map<string, Waited>();

  /** @param host address of a node's REST interface */
  constructor(private readonly host: string) {}

  /**
   * "pending" as long as it is in no block; undefined where the node does not say. Reads the newest blocks alone: a hash that is in
   * no block is looked for in all that a node has.
   */
  async of(hash: string): Promise<Inclusion | "pending" | undefined> {
    const waited = this.waited.get(hash) ?? (await dataOriginOf(this.host));
    if (waited === undefined) return undefined;
    const { origin } = waited;
    const after = `${Math.max(0, waited.height - BLOCKS_BEHIND)}.0`;
    let height: number | undefined;
    let before = "";
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer = await read(`${origin}/lyra/v1/transactions?limit=${PAGE_ROWS}&after=${after}${before}`);
      if (answer.status !== 200 || !Array.isArray(answer.body?.transactions)) return undefined;
      height ??= answer.height;
      const rows = answer.body.transactions as readonly (Readonly<Record<string, unknown>> | null)[];
      const row = rows.find((each) => String(each?.hash).toUpperCase() === hash.toUpperCase());
      if (row) {
        this.waited.delete(hash);
        return inclusionOf(row);
      }
      if (rows.length < PAGE_ROWS) break;
      before = `&before=${encodeURIComponent(String(rows.at(-1)?.cursor))}`;
    }
    this.note(hash, { origin, height: height ?? waited.height });
    return "pending";
  }

  private note(hash: string, waited: Waited): void {
    this.waited.delete(hash);
    if (this.waited.size >= WAITED_MAX) this.waited.delete(this.waited.keys().next().value!);
    this.waited.set(hash, waited);
  }
}

function inclusionOf({ height, code, error }: Readonly<Record<string, unknown>>): Inclusion | undefined {
  if (!/^\d{1,15}$/.test(String(height)) || !Number.isInteger(code)) return undefined;
  return { height: BigInt(String(height)), code: Number(code), reason: String(error ?? "").slice(0, 1_000) };
}

/** Of the same host: behind a proxy everything is at one address. Undefined for a node that is not Lyra's. */
async function dataOriginOf(host: string): Promise<Waited | undefined> {
  const { status, body, height } = await read(`${host}/lyra/v1/addresses`);
  if (status !== 200 || !Array.isArray(body?.listening)) return undefined;
  const places = body.listening as readonly ({ name?: unknown; port?: unknown } | null)[];
  const url = new URL(host);
  const data = places.find((place) => place?.name === "data")?.port;
  const isDirect = places.some((place) => String(place?.port) === url.port);
  if (!isDirect || !Number.isInteger(data)) return { origin: host, height };
  url.port = String(data);
  return { origin: url.origin, height };
}

interface Read {
  /** 0 without an answer. */
  readonly status: number;
  /** The node's last block; 0 where it does not say. */
  readonly height: number;
  readonly body?: Readonly<Record<string, unknown>>;
}

async function read(url: string): Promise<Read> {
  try {
    const answer = await requestAnswer(url, { timeoutMs: TIMEOUT_MS });
    const { status, headers } = answer;
    const height = Number(/^\d{1,15}$/.exec(headers.get("x-block-height") ?? "")?.[0] ?? 0);
    const body: unknown = JSON.parse(await answer.text(ANSWER_BYTES_MAX));
    return typeof body === "object" && body !== null
      ? { status, height, body: body as Readonly<Record<string, unknown>> }
      : { status, height };
  } catch {
    return { status: 0, height: 0 };
  }
}
