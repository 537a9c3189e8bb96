// JSON over HTTP to a devnet of this machine, by node:http: test runners replace `fetch` by their own.
import { Agent, request } from "node:http";
import { apiError, errorIn } from "../errors/api-error.ts";
import { codeOf, NodeError } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import { wholeOf } from "../fetch/answer.ts";

/** The longest answer is a dump. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;
/** The longest call makes a month of blocks. */
const SILENT_MS = 30 * 60_000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true });

  /** @param endOf why the devnet has ended; undefined while it runs */
  constructor(private readonly endOf: () => NodeError | undefined) {}

  /** @throws NodeError with the API's own sentence, code and hint; `devnet_ended`, `devnet_unreachable` */
  async json<T>(method: "GET" | "POST", url: string, body?: string): Promise<T> {
    return JSON.parse(await this.text(method, url, body)) as T;
  }

  /** The same as text. */
  async text(method: "GET" | "POST", url: string, body?: string): Promise<string> {
    const { status, text } = await this.ask(method, url, body);
    if (status === 200) return text;
    throw refusalIn(status, text, `${method} ${new URL(url).pathname}`);
  }

  /** Closes the connections that wait for the next request. */
  close(): void {
    this.agent.destroy();
  }

  private async ask(method: "GET" | "POST", url: string, body?: string): Promise<Answer> {
    const ended = this.endOf();
    if (ended) throw ended;
    try {
      return await this.exchange(method, url, body);
    } catch (error) {
      if (error instanceof NodeError) throw error;
      throw this.endOf() ?? unreachable(url, error);
    }
  }

  private exchange(method: "GET" | "POST", url: string, body = "", isAgain = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = method === "POST" ? { "content-type": "application/json" } : {};
      const sent = request(url, { method, agent: this.agent, headers }, (response) => {
        wholeOf(response, ANSWER_BYTES_MAX).then(
          (body) => resolve({ status: response.statusCode ?? 0, text: body.toString("utf8") }),
          reject,
        );
      });
      sent.setTimeout(SILENT_MS, () => sent.destroy(new Error("the answer does not come")));
      sent.on("error", (error) => {
        // The server closed a connection that had waited, before it saw this request.
        const isStale = sent.reusedSocket && codeOf(error) === "ECONNRESET" && !isAgain;
        if (isStale) this.exchange(method, url, body, true).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });
  }
}

function refusalIn(status: number, text: string, what: string): NodeError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not from the API: only the status is known.
  }
  const { message, hint, details, code } = apiError(errorIn(body), status, what);
  // Some of the tools' refusals have no hint.
  const isOfTool = details[0]?.message === code;
  return new NodeError(
    "devnet.request",
    // Another version may have a code that is unknown here.
    (isOfTool ? code : "request_refused") as ErrorCode,
    message,
    isOfTool ? hint : `the request was ${what}`,
    { status, details },
  );
}

function unreachable(url: string, error: unknown): NodeError {
  const text = `${new URL(url).origin} does not answer` as const;
  return new NodeError(
    "devnet.request",
    "devnet_unreachable",
    text,
    `the connection failed: ${codeOf(error) ?? "unknown"}`,
    { cause: error },
  );
}
