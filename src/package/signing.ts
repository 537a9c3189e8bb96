import "./standard-methods.ts";
import { randomBytes } from "node:crypto";
import { ed25519KeyPair } from "../crypto/ed25519.ts";
// Transactions of a party to a node over HTTP, planned, proven and signed as everywhere in Lyra.
import { PartyClient, type SendOptions, type SentTransaction } from "../devnet/party-client.ts";
import type { PartyChain } from "../devnet/party-lane.ts";
import type { BlockMode, RefusalDetails, TxOutcome, TxState } from "../engine/chain-port.ts";
import type { CommandJson } from "../wire/command-input.ts";
import type { GetSpamStatisticsResponse } from "../wire/generated/core-api.ts";
import { fromJson } from "../wire/json.ts";
import type { CommandInit } from "../wire/transaction.ts";
import type { HttpClient } from "./http-client.ts";
import type { BlocksAnswer, OutcomesAnswer } from "./tools.generated.ts";

/** The node that a party sends its transactions to. */
export interface PartyNode {
  readonly http: HttpClient;
  readonly nodeUrl: string;
  readonly chainId: string;
}

const SALT_BYTES = 8;

interface Submitted {
  readonly txHash: string;
  readonly code: number;
  readonly log: string;
  readonly height: string;
  readonly details?: RefusalDetails;
}

const MODES: Readonly<Record<string, BlockMode["kind"]>> = { instant: "instant", manual: "manual" };
/** All parties of a devnet share it: they plan and wait together. */
const chains = new WeakMap<HttpClient, PartyChain>();

function chainOf(node: PartyNode): PartyChain {
  const chain = chains.get(node.http) ?? newChain(node);
  chains.set(node.http, chain);
  return chain;
}

function newChain({ http, nodeUrl, chainId }: PartyNode): PartyChain {
  const blocks = () => http.json<BlocksAnswer>("GET", `${nodeUrl}/devnet/blocks`);
  return {
    status: { chainId },
    async submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
      const type = wait === "commit" ? "TYPE_COMMIT" : "TYPE_SYNC";
      const body = JSON.stringify({ tx: Buffer.from(bytes).toString("base64"), type });
      const url = `${nodeUrl}/transaction/raw?details=true`;
      const { txHash, code, log, height, details } = await http.json<Submitted>("POST", url, body);
      return { hash: txHash, code, text: log, details, gasWanted: 0, height: Number(height) };
    },
    async spamStatistics(party: string): Promise<GetSpamStatisticsResponse> {
      const answer = await http.json<object>("GET", `${nodeUrl}/statistics/spam/${party}`);
      return fromJson("vega.api.v1.GetSpamStatisticsResponse", answer, { unknown: "ignore" });
    },
    async proofBlocks() {
      return (await blocks()).blocks.map(({ height, pastBlocks, txPerBlock, ...block }) => ({
        ...block,
        height: BigInt(height),
        pastBlocks: BigInt(pastBlocks),
        txPerBlock: BigInt(txPerBlock),
      }));
    },
    async blockMode() {
      const { mode } = await blocks();
      return { kind: MODES[mode] ?? "interval", intervalMs: 0 } as BlockMode;
    },
    async outcomesOf(hashes, waitMs) {
      const body = JSON.stringify({ hashes, wait: `${waitMs}ms` });
      const url = `${nodeUrl}/devnet/outcomes`;
      const { outcomes } = await http.json<OutcomesAnswer>("POST", url, body);
      return outcomes.map(({ txHash, state, code = 0, data = "", height = "0", details }): TxState => {
        if (state === "waiting" || state === "unknown") return state;
        return { hash: txHash, code, text: data, details, gasWanted: 0, height: Number(height) };
      });
    },
  };
}

/** @param privateKey 64 hexadecimal digits */
export function senderOf(node: PartyNode, privateKey: string) {
  // The global `crypto` came with Node 20.
  const salt = randomBytes(SALT_BYTES).toString("hex");
  const client = new PartyClient(chainOf(node), ed25519KeyPair(Buffer.from(privateKey, "hex")), salt);
  return (command: CommandInit | CommandJson, options?: SendOptions): Promise<SentTransaction> =>
    client.send(command, options);
}

/** @param privateKey 64 hexadecimal digits @returns the public key's */
export function publicKeyOf(privateKey: string): string {
  const { publicKey } = ed25519KeyPair(Buffer.from(privateKey, "hex"));
  return Buffer.from(publicKey).toString("hex");
}
