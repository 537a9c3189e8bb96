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
const ANSWER_BYTES_MAX = 1024 * 1024;
const NOT_FOUND = 404;

export class InclusionReader {
  private origin: Promise<string | undefined> | undefined;

  /** @param host address of a node's REST interface */
  constructor(private readonly host: string) {}

  /** "pending" as long as it is in no block; undefined where the node does not say. */
  async of(hash: string): Promise<Inclusion | "pending" | undefined> {
    this.origin ??= dataOriginOf(this.host);
    const origin = await this.origin;
    if (origin === undefined) {
      this.origin = undefined;
      return undefined;
    }
    const { status, body } = await read(`${origin}/rest/transactions/${hash}`);
    if (status === NOT_FOUND) return "pending";
    const { block, code, error } = (body?.transaction ?? {}) as Readonly<Record<string, unknown>>;
    if (!/^\d{1,19}$/.test(String(block)) || !Number.isInteger(code)) return undefined;
    return { height: BigInt(String(block)), code: Number(code), reason: String(error ?? "").slice(0, 1_000) };
  }
}

/** Of the same host: behind a proxy everything is at one address. Undefined for a node that is not Lyra's. */
async function dataOriginOf(host: string): Promise<string | undefined> {
  const { status, body } = await read(`${host}/lyra/v1/addresses`);
  if (status !== 200 || !Array.isArray(body?.listening)) return undefined;
  const places = body.listening as readonly ({ name?: unknown; port?: unknown } | null)[];
  const url = new URL(host);
  const data = places.find((place) => place?.name === "data")?.port;
  const isDirect = places.some((place) => String(place?.port) === url.port);
  if (!isDirect || !Number.isInteger(data)) return host;
  url.port = String(data);
  return url.origin;
}

/** Status 0 without an answer. */
async function read(
  url: string,
): Promise<{ readonly status: number; readonly body?: Readonly<Record<string, unknown>> }> {
  try {
    const answer = await requestAnswer(url, { timeoutMs: TIMEOUT_MS });
    const body: unknown = JSON.parse(await answer.text(ANSWER_BYTES_MAX));
    return typeof body === "object" && body !== null
      ? { status: answer.status, body: body as Readonly<Record<string, unknown>> }
      : { status: answer.status };
  } catch {
    return { status: 0 };
  }
}
