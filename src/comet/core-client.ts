/** A core node's REST API as a client (docs/protocol/30-node-api-endpoints.md#5-endpoints): its head, verdicts and submissions. */
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { AnswerTooLong, requestAnswer } from "../fetch/answer.ts";
import type {
  CheckRawTransactionResponse,
  GetSpamStatisticsResponse,
  LastBlockHeightResponse,
  Statistics,
  StatisticsResponse,
  SubmitRawTransactionResponse,
} from "../wire/generated/core-api.ts";
import { fromJson } from "../wire/json.ts";
import { CometError, type CometTxResult, CometUnreachable } from "./client.ts";
import type { Submitter } from "./hand-over.ts";

const TIMEOUT_MS = 5_000;
/** A submission that waits for its block gets as much more. */
const COMMIT_WAIT_MS = 10_000;
/** Statistics of a party that uses 500 blocks have about 200 kB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const WORDS_MAX = 1_000;

export class CoreClient implements Submitter {
  constructor(
    readonly url: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** @throws NodeError for an answer that is not a core's statistics */
  async statistics(): Promise<Statistics> {
    const name = "vega.api.v1.StatisticsResponse";
    const { statistics } = await this.ask<StatisticsResponse>("/statistics", name);
    if (statistics === undefined || statistics.chainId === "") throw invalid();
    return statistics;
  }

  lastBlock(): Promise<LastBlockHeightResponse> {
    return this.ask("/blockchain/height", "vega.api.v1.LastBlockHeightResponse");
  }

  spamStatistics(party: string): Promise<GetSpamStatisticsResponse> {
    const path = `/statistics/spam/${encodeURIComponent(party)}`;
    return this.ask(path, "vega.api.v1.GetSpamStatisticsResponse");
  }

  async check(bytes: Uint8Array): Promise<CometTxResult & { readonly gasWanted: number }> {
    const name = "vega.api.v1.CheckRawTransactionResponse";
    const body = { tx: bytes.toBase64() };
    const answer = await this.ask<CheckRawTransactionResponse>("/transaction/raw/check", name, body);
    const { code, data, log, gasWanted } = answer;
    return { code, text: data || log, gasWanted: Number(gasWanted) };
  }

  submit(bytes: Uint8Array): Promise<CometTxResult> {
    return this.post(bytes, "TYPE_SYNC", this.timeoutMs);
  }

  /** The same, and waits until a block holds it. @returns its height as well */
  submitAndWait(bytes: Uint8Array): Promise<CometTxResult & { readonly height: number }> {
    return this.post(bytes, "TYPE_COMMIT", this.timeoutMs + COMMIT_WAIT_MS);
  }

  private async post(bytes: Uint8Array, type: string, timeoutMs: number) {
    const name = "vega.api.v1.SubmitRawTransactionResponse";
    const body = { tx: bytes.toBase64(), type };
    const answer = await this.ask<SubmitRawTransactionResponse>(
      "/transaction/raw",
      name,
      body,
      timeoutMs,
    ).catch((error) => {
      // It may have arrived all the same.
      throw error instanceof NodeError ? new CometUnreachable("its answer cannot be read") : error;
    });
    const { code, data, log, height } = answer;
    // The words are hexadecimal in the original, which leaves the log empty.
    const words = log || Buffer.from(data, "hex").toString("utf8") || data;
    return { code, text: code === 0 ? "" : words.slice(0, 10 * WORDS_MAX), height: Number(height) };
  }

  /** @throws CometUnreachable without an answer, CometError for a refusal of the call, NodeError for another answer */
  private async ask<T extends object>(
    path: string,
    message: string,
    body?: object,
    timeoutMs = this.timeoutMs,
  ): Promise<T> {
    let text: string;
    let status: number;
    try {
      const answer = await requestAnswer(this.url + path, {
        ...(body && {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
        timeoutMs,
      });
      text = await answer.text(ANSWER_BYTES_MAX);
      status = answer.status;
    } catch (error) {
      if (error instanceof AnswerTooLong) throw invalid();
      throw new CometUnreachable(reasonOf(error));
    }
    if (status === 200) {
      try {
        return fromJson<T>(message, JSON.parse(text), { unknown: "ignore" });
      } catch {
        throw invalid();
      }
    }
    const words = wordsOf(text);
    // A proxy's own answer, or a core that is starting: whether it was asked is not known.
    if (words === undefined) throw new CometUnreachable(`status ${status}`);
    throw new CometError(words);
  }
}

/** Of the gateway's error object, its innermost words. */
function wordsOf(text: string): string | undefined {
  try {
    const { message, details } = JSON.parse(text) as {
      message?: unknown;
      details?: readonly { message?: unknown; inner?: unknown }[];
    };
    const detail = details?.[0];
    const words = [detail?.inner, detail?.message, message].find(
      (each) => typeof each === "string" && each !== "",
    );
    return words === undefined ? undefined : String(words).slice(0, WORDS_MAX);
  } catch {
    return undefined;
  }
}

function invalid(): NodeError {
  return new NodeError(
    "sidecar.core",
    "source_unusable",
    "the answer at --core is not a core's statistics",
    "give the address of its REST API, such as http://127.0.0.1:3003",
  );
}
