// A node's REST interface as the wallet's port (docs/protocol/30-node-api-endpoints.md#5-endpoints). Every answer is
// short, and waited for shortly: another node may know more.

import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { requestAnswer } from "../../fetch/answer.ts";
import { DECIMALS_MAX } from "../../wire/amount-text.ts";
import type {
  CheckRawTransactionResponse,
  GetSpamStatisticsResponse,
  LastBlockHeightResponse,
  ListAccountsResponse,
  ListAssetsResponse,
  ListMarketsDataResponse,
  ListMarketsResponse,
  ListNetworkParametersResponse,
  StatisticsResponse,
} from "../../wire/generated/core-api.ts";
import { AssetStatus, type Market } from "../../wire/generated/vega.ts";
import { fromJson } from "../../wire/json.ts";
import { parseExactJson } from "../signing/transaction.ts";
import { type LastBlock, pastBlocksOf } from "./blocks.ts";
import { type Inclusion, InclusionReader } from "./inclusion.ts";
import type {
  AssetFacts,
  CheckResult,
  MarketFacts,
  NodeClient,
  SendingMode,
  SubmissionResult,
  TradedMarket,
} from "./nodes.ts";
import { nodeBusy, submitRaw } from "./raw-submission.ts";

interface HttpNodeOptions {
  /** Of a question, milliseconds. */
  readonly timeoutMs?: number;
  /** Of a submission; one that waits for its block gets ten seconds more (docs/protocol/30-node-api-endpoints.md#51-coreservice). */
  readonly submitTimeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
const SUBMIT_TIMEOUT_MS = 5_000;
const COMMIT_WAIT_MS = 10_000;
/** Too much at once, or no node behind a proxy: while it is started again, for one. */
const BUSY: readonly number[] = [408, 429, 502, 503, 504];
/** The network parameter that names the asset which is staked. */
const STAKE_ASSET = "reward.asset";
/** Statistics of a party that uses 500 blocks have about 200 kB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export class HttpNode implements NodeClient {
  readonly host: string;
  private readonly timeoutMs: number;
  private readonly submitTimeoutMs: number;
  private readonly inclusions: InclusionReader;

  /** @throws NodeError with exit code 2 for a text that is not an address */
  constructor(
    address: string,
    { timeoutMs = TIMEOUT_MS, submitTimeoutMs = SUBMIT_TIMEOUT_MS }: HttpNodeOptions = {},
  ) {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
      throw new NodeError("tx.send", "usage", "a node's address is like http://127.0.0.1:3003");
    }
    this.host = address.replace(/\/+$/, "");
    this.timeoutMs = timeoutMs;
    this.submitTimeoutMs = submitTimeoutMs;
    this.inclusions = new InclusionReader(this.host);
  }

  async lastBlock(): Promise<LastBlock> {
    return lastBlockOf(await this.ask("/blockchain/height", "vega.api.v1.LastBlockHeightResponse"));
  }

  spamStatistics(party: string): Promise<GetSpamStatisticsResponse> {
    const path = `/statistics/spam/${encodeURIComponent(party)}`;
    return this.ask(path, "vega.api.v1.GetSpamStatisticsResponse");
  }

  submit(bytes: Uint8Array, mode: SendingMode): Promise<SubmissionResult> {
    const timeoutMs = this.submitTimeoutMs + (mode === "TYPE_COMMIT" ? COMMIT_WAIT_MS : 0);
    return submitRaw(bytes, { node: this.host, mode, timeoutMs });
  }

  async check(bytes: Uint8Array): Promise<CheckResult> {
    const body = JSON.stringify({ tx: bytes.toBase64() });
    const name = "vega.api.v1.CheckRawTransactionResponse";
    const { code, data } = await this.ask<CheckRawTransactionResponse>("/transaction/raw/check", name, body);
    return { code, reason: data };
  }

  inclusion(hash: string): Promise<Inclusion | "pending" | undefined> {
    return this.inclusions.of(hash);
  }

  async epochEnd(): Promise<string | undefined> {
    const answer = await this.ask<StatisticsResponse>("/statistics", "vega.api.v1.StatisticsResponse");
    return answer.statistics?.epochExpiryTime || undefined;
  }

  async asset(id: string): Promise<AssetFacts | undefined> {
    const path = `/assets?asset=${encodeURIComponent(id)}`;
    const { assets } = await this.ask<ListAssetsResponse>(path, "vega.api.v1.ListAssetsResponse");
    const details = assets.find((asset) => asset.id === id)?.details;
    return details && { symbol: details.symbol, decimals: Number(details.decimals) };
  }

  async listAssets(): Promise<(AssetFacts & { readonly id: string; readonly name: string })[]> {
    const { assets } = await this.ask<ListAssetsResponse>("/assets", "vega.api.v1.ListAssetsResponse");
    return assets.flatMap(({ id, status, details }) => {
      const decimals = Number(details?.decimals);
      const isUsable = status === AssetStatus.STATUS_ENABLED && Number.isInteger(decimals);
      if (!isUsable || decimals < 0 || decimals > DECIMALS_MAX) return [];
      const { name, symbol } = details!;
      return [{ id, name, symbol, decimals }];
    });
  }

  async market(id: string): Promise<MarketFacts | undefined> {
    const market = await this.marketMessage(id);
    return market && factsOf(market);
  }

  /** All of them: for one that is known by its code. */
  async markets(): Promise<(MarketFacts & { readonly id: string })[]> {
    const { markets } = await this.ask<ListMarketsResponse>("/markets", "vega.api.v1.ListMarketsResponse");
    return markets.map((market) => ({ id: market.id, ...factsOf(market) }));
  }

  async tradedMarket(id: string): Promise<TradedMarket | undefined> {
    const name = "vega.api.v1.ListMarketsDataResponse";
    const [market, { marketsData }] = await Promise.all([
      this.marketMessage(id),
      this.ask<ListMarketsDataResponse>(`/markets/data?market=${encodeURIComponent(id)}`, name),
    ]);
    const { markPrice = "" } = marketsData.find((data) => data.market === id) ?? {};
    return market && { market, markPrice: /^\d{1,100}$/.test(markPrice) ? BigInt(markPrice) : 0n };
  }

  private async marketMessage(id: string): Promise<Market | undefined> {
    const path = `/markets?market=${encodeURIComponent(id)}`;
    const { markets } = await this.ask<ListMarketsResponse>(path, "vega.api.v1.ListMarketsResponse");
    return markets.find((one) => one.id === id);
  }

  async balances(party: string): Promise<ReadonlyMap<string, string>> {
    const path = `/accounts?party=${encodeURIComponent(party)}`;
    const { accounts } = await this.ask<ListAccountsResponse>(path, "vega.api.v1.ListAccountsResponse");
    return new Map(
      accounts
        .filter((account) => account.party === party && account.type === "ACCOUNT_TYPE_GENERAL")
        .map(({ asset, balance }) => [asset, balance]),
    );
  }

  stakeAsset(): Promise<string | undefined> {
    return this.parameter(STAKE_ASSET);
  }

  async chainRelease(): Promise<string | undefined> {
    const answer = await requestAnswer(`${this.host}/status`, { timeoutMs: this.timeoutMs });
    const { release } = JSON.parse(await answer.text(ANSWER_BYTES_MAX)) as { release?: { chain?: unknown } };
    return typeof release?.chain === "string" ? release.chain : undefined;
  }

  async parameter(name: string): Promise<string | undefined> {
    const path = `/network/parameters?networkParameterKey=${encodeURIComponent(name)}`;
    const message = "vega.api.v1.ListNetworkParametersResponse";
    const { networkParameters } = await this.ask<ListNetworkParametersResponse>(path, message);
    return networkParameters.find(({ key }) => key === name)?.value;
  }

  private async ask<T extends object>(path: string, message: string, body?: string): Promise<T> {
    let status: number;
    let text: string;
    try {
      const answer = await requestAnswer(this.host + path, {
        ...(body === undefined
          ? {}
          : { method: "POST", body, headers: { "content-type": "application/json" } }),
        timeoutMs: this.timeoutMs,
      });
      status = answer.status;
      text = await answer.text(ANSWER_BYTES_MAX);
    } catch (error) {
      throw unreachable(this.host, reasonOf(error));
    }
    if (BUSY.includes(status)) throw nodeBusy(`the node ${this.host} answered ${status}`);
    if (status !== 200) {
      throw new NodeError(
        "tx.send",
        "node_refused",
        `the node ${this.host} answered ${status}`,
        sentenceIn(text),
      );
    }
    try {
      return fromJson<T>(message, parseExactJson(text), { unknown: "ignore" });
    } catch {
      throw unreachable(this.host, "its answer is not a node's");
    }
  }
}

function factsOf({ tradableInstrument, decimalPlaces, positionDecimalPlaces }: Market): MarketFacts {
  const instrument = tradableInstrument?.instrument;
  return {
    code: instrument?.code ?? "",
    quoteName: instrument?.future?.quoteName ?? "",
    settlementAsset: instrument?.future?.settlementAsset ?? "",
    decimals: Number(decimalPlaces),
    positionDecimals: Number(positionDecimalPlaces),
  };
}

function lastBlockOf(answer: LastBlockHeightResponse): LastBlock {
  return {
    chainId: answer.chainId,
    height: answer.height,
    hash: answer.hash,
    hashFunction: answer.spamPowHashFunction,
    difficulty: answer.spamPowDifficulty,
    pastBlocks: pastBlocksOf(BigInt(answer.spamPowNumberOfPastBlocks)),
    txPerBlock: BigInt(Math.max(1, answer.spamPowNumberOfTxPerBlock)),
    increasingDifficulty: answer.spamPowIncreasingDifficulty,
  };
}

function sentenceIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? "").slice(0, 300);
  } catch {
    return "";
  }
}

function unreachable(host: string, reason: string): NodeError {
  return new NodeError(
    "tx.send",
    "node_unreachable",
    `the node ${host} does not answer: ${reason.slice(0, 200)}`,
    "see whether it runs",
  );
}
