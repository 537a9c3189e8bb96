/**
 * The developer's tools, one entry each: what the address is, what the body holds, what is done. They stand apart
 * from the protocol, under `{node_url}/devnet/`, and exist on a devnet only.
 */

import type { Brought, ChainStatus, ClockStatus, TxOutcome, TxState } from "../../engine/chain-port.ts";
import { NodeError } from "../../errors/node-error.ts";
import { badRequest } from "../../http/errors.ts";
import { isHex64 } from "../../wire/identifiers.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import type {
  BanAnswer,
  BlocksAnswer,
  BroughtAnswer,
  ClaimAnswer,
  DepositAnswer,
  DevnetClock,
  DevnetMode,
  DevnetStatus,
  ImpersonateAnswer,
  LimitsAnswer,
  ListAnswer,
  OutcomesAnswer,
  SignersAnswer,
  StakeAnswer,
  StoppedAnswer,
} from "./answers.ts";
import { blockModeText, parseBlockMode } from "./block-mode.ts";
import type { DevnetContext } from "./context.ts";
import type { Fields } from "./fields.ts";
import { movePrice, runMarket } from "./market-trading.ts";
import { createMarket, MARKET_PRESETS, settleMarket, terminateMarket } from "./markets.ts";
import { assetNamed, partyNamed } from "./names.ts";

/** Blocks of one `mine`: some seconds of work. */
const MINE_BLOCKS_MAX = 100_000;
/** Of one question for outcomes. */
const OUTCOME_HASHES_MAX = 1_000;
const OUTCOMES_WAIT_NS = 5_000_000_000n;
const OUTCOMES_WAIT_TEXT = "5s";
/** A ban without an end. */
const BAN_FOREVER_NS = 253_402_300_799_000_000_000n;

export interface Tool {
  readonly method: "GET" | "POST";
  /** Below `/devnet/`. */
  readonly path: string;
  readonly summary: string;
  /** Members of the body by name: what each one is. A question mark behind a name: may be left out. */
  readonly body: Readonly<Record<string, string>>;
  /**
   * The answer: plain data, or a text that is JSON already.
   * @param signal of a caller that goes away @throws ApiError, ChainCallError, NodeError
   */
  run(context: DevnetContext, fields: Fields, signal: AbortSignal): Promise<object | string> | object;
}

function get(path: string, summary: string, run: Tool["run"]): Tool {
  return { method: "GET", path, summary, body: {}, run };
}

function post(path: string, summary: string, body: Tool["body"], run: Tool["run"]): Tool {
  return { method: "POST", path, summary, body, run };
}

const PARTY = "public key, or alice to judy";
const MARKET = "its id, the beginning of it, or its code";
const AMOUNT = "whole number in the asset's smallest unit";

export const TOOLS: readonly Tool[] = [
  get("status", "the last block, the epoch, the mempool", ({ chain }) => statusJson(chain.status)),
  get("parties", "the funded parties with their keys and balances", ({ parties }) => parties()),

  post(
    "transaction",
    "what became of a transaction",
    { hash: "of its bytes, 64 hexadecimal digits" },
    async (context, fields) => {
      const hash = fields.text("hash");
      fields.end();
      if (!isHex64(hash.toLowerCase())) throw badRequest("'hash' must be 64 hexadecimal digits");
      const story = await context.story(hash);
      if (story === undefined) throw transactionUnknown(hash);
      return story;
    },
  ),
  post(
    "outcomes",
    "wait until one of several transactions is in a block",
    {
      hashes: `1 to ${OUTCOME_HASHES_MAX} hashes, a list or with commas between`,
      "wait?": `a duration, at most ${OUTCOMES_WAIT_TEXT}, which is the default`,
    },
    async ({ chain }, fields) => {
      const hashes = fields.hashes("hashes", OUTCOME_HASHES_MAX);
      const wait = fields.has("wait") ? fields.duration("wait") : OUTCOMES_WAIT_NS;
      fields.end();
      if (wait > OUTCOMES_WAIT_NS) throw badRequest(`'wait' must be at most ${OUTCOMES_WAIT_TEXT}`);
      const states = await chain.outcomesOf(hashes, Number(wait / 1_000_000n));
      return { outcomes: hashes.map((hash, n) => stateJson(hash, states[n]!)) } satisfies OutcomesAnswer;
    },
  ),
  get(
    "blocks",
    "blocks that a proof may name, oldest first",
    async ({ chain }) =>
      ({
        blocks: (await chain.proofBlocks()).map(({ height, pastBlocks, txPerBlock, ...block }) => ({
          height: height.toString(),
          pastBlocks: pastBlocks.toString(),
          txPerBlock: txPerBlock.toString(),
          ...block,
        })),
        mode: blockModeText(await chain.blockMode()),
      }) satisfies BlocksAnswer,
  ),
  post(
    "mine",
    "make blocks",
    { "blocks?": `1 to ${MINE_BLOCKS_MAX}, default 1` },
    async ({ chain }, fields) => {
      const blocks = fields.count("blocks", 1, MINE_BLOCKS_MAX);
      fields.end();
      return statusJson(await chain.mine(blocks));
    },
  ),
  post("time/forward", "move the clock forward", { duration: "such as 1h30m" }, async ({ chain }, fields) => {
    const duration = fields.duration("duration");
    fields.end();
    return clockJson(await chain.forwardTime(duration));
  }),
  post(
    "time/set",
    "set the time of the next block",
    { time: "RFC 3339 in UTC, or Unix nanoseconds" },
    async ({ chain }, fields) => {
      const time = fields.time("time");
      fields.end();
      return clockJson(await chain.setNextBlockTime(time));
    },
  ),
  post(
    "time/freeze",
    "freeze the clock, or let it run",
    { "frozen?": "true or false, default true" },
    async ({ chain }, fields) => {
      const frozen = fields.flag("frozen", true);
      fields.end();
      return clockJson(await chain.freezeClock(frozen));
    },
  ),
  post(
    "mode",
    "how blocks are made",
    { mode: "instant, manual, 1s, mixed:1s" },
    async ({ chain }, fields) => {
      const text = fields.text("mode");
      fields.end();
      const mode = parseBlockMode(text);
      if (mode === undefined)
        throw badRequest(`'mode' must be instant, manual, a length such as 1s, or mixed:1s`);
      return {
        ...statusJson(await chain.setBlockMode(mode)),
        mode: blockModeText(mode),
      } satisfies DevnetMode;
    },
  ),
  post("epoch/end", "end the running epoch", {}, async ({ chain }, fields) => {
    fields.end();
    return statusJson(await chain.endEpoch());
  }),

  post("snapshot", "remember the whole chain as it is", {}, async ({ chain }, fields) => {
    fields.end();
    return { snapshot: await chain.snapshot() };
  }),
  post("revert", "go back to a snapshot", { snapshot: "its id" }, async ({ chain }, fields) => {
    const snapshot = fields.text("snapshot");
    fields.end();
    return statusJson(await chain.revert(snapshot));
  }),
  post("dump", "the whole state as one JSON document", {}, ({ chain }, fields) => {
    fields.end();
    return chain.dump();
  }),

  post("checkpoint", "what another chain can begin with, as JSON", {}, ({ chain }, fields) => {
    fields.end();
    return chain.checkpoint();
  }),

  post(
    "fund",
    "deposit an asset for a party",
    { party: PARTY, asset: "its id or symbol", amount: AMOUNT },
    fund,
  ),
  post(
    "stake",
    "stake tokens for a party, or take them back",
    { party: PARTY, amount: AMOUNT, "remove?": "true to take them back" },
    async (context, fields) => {
      const { chain } = context;
      const party = partyOf(context, fields);
      const amount = fields.amount();
      const remove = fields.flag("remove", false);
      fields.end();
      const linked = await (remove ? chain.bridge.unstake(party, amount) : chain.bridge.stake(party, amount));
      return { linking: linked.id, ...pendingOf(linked) } satisfies StakeAnswer;
    },
  ),
  post(
    "balance",
    "set a party's general account",
    { party: PARTY, asset: "its id or symbol", amount: "what it shall hold" },
    async (context, fields) => {
      const { chain } = context;
      const party = partyOf(context, fields);
      const asset = assetOf(context, fields);
      const amount = fields.wholeNumber("amount");
      fields.end();
      return statusJson(await chain.setBalance(party, asset, amount));
    },
  ),
  post(
    "parameter",
    "set a network parameter",
    { key: "its key", value: "its value, as text" },
    async ({ chain }, fields) => {
      const key = fields.text("key");
      const value = fields.text("value");
      fields.end();
      return statusJson(await chain.setParameter(key, value));
    },
  ),

  post(
    "market/create",
    "make a market: proposal, votes, liquidity, opening",
    {
      "preset?": `${MARKET_PRESETS.join(", ")}; default ${MARKET_PRESETS[0]}`,
      "proposal?": "JSON of a proposal or its `newMarket`, in place of the preset's; --file FILE reads it",
      "price?": "where it opens, such as 101.5; default the preset's, or 100 with a proposal",
    },
    createMarket,
  ),
  post("market/price", "trade at a price", { market: MARKET, price: "such as 101.5" }, movePrice),
  post(
    "market/run",
    "trade for a while: a maker and takers",
    {
      market: MARKET,
      "orders?": "how many, default 100",
      "seed?": "the same one gives the same orders, default 1",
    },
    runMarket,
  ),
  post("market/terminate", "end a market's trading, by its oracle", { market: MARKET }, terminateMarket),
  post(
    "market/settle",
    "settle a market at a price, by its oracle",
    { market: MARKET, price: "such as 101.5" },
    settleMarket,
  ),

  post("bridge/deposit", "as fund", { party: PARTY, asset: "its id or symbol", amount: AMOUNT }, fund),
  post(
    "bridge/list",
    "list an asset with its bundle",
    { asset: "its id or symbol" },
    async (context, fields) => {
      const { chain } = context;
      const asset = assetOf(context, fields);
      fields.end();
      return { listed: asset, ...pendingOf(await chain.bridge.list(asset)) } satisfies ListAnswer;
    },
  ),
  post(
    "bridge/limits",
    "bring the limits of an enacted update with its bundle",
    { proposal: "its id" },
    async ({ chain }, fields) => {
      const proposal = fields.text("proposal");
      fields.end();
      return { proposal, ...pendingOf(await chain.bridge.setLimits(proposal)) } satisfies LimitsAnswer;
    },
  ),
  post(
    "bridge/claim",
    "claim a withdrawal with its bundle",
    { withdrawal: "its id" },
    async ({ chain }, fields) => {
      const withdrawal = fields.text("withdrawal");
      fields.end();
      return {
        claimed: withdrawal,
        ...pendingOf(await chain.bridge.claim(withdrawal)),
      } satisfies ClaimAnswer;
    },
  ),
  post(
    "bridge/signers",
    "change the signers of the multisig contract",
    { "add?": "Ethereum address", "remove?": "Ethereum address", "threshold?": "1 to 999, of 1,000" },
    signers,
  ),
  post("bridge/stop", "stop the bridge", {}, async ({ chain }, fields) => {
    fields.end();
    return { stopped: true, ...pendingOf(await chain.bridge.stopBridge()) } satisfies StoppedAnswer;
  }),
  post("bridge/resume", "let the bridge go on", {}, async ({ chain }, fields) => {
    fields.end();
    return { stopped: false, ...pendingOf(await chain.bridge.resumeBridge()) } satisfies StoppedAnswer;
  }),

  post(
    "impersonate",
    "execute an unsigned command of a party",
    { party: PARTY, command: 'the command as JSON, such as {"voteSubmission": {...}}' },
    async (context, fields) => {
      const { chain } = context;
      const party = partyOf(context, fields);
      const command = fields.object("command");
      fields.end();
      return outcomeJson(executed(await chain.impersonate(party, command)));
    },
  ),
  post(
    "ban",
    "ban a party from sending transactions",
    { party: PARTY, "duration?": "such as 10m; for good when it is left out" },
    async (context, fields) => {
      const { chain } = context;
      const party = partyOf(context, fields);
      const duration = fields.has("duration") ? fields.duration("duration") : undefined;
      fields.end();
      const until = duration === undefined ? BAN_FOREVER_NS : (await chain.clock()).nextTimeNs + duration;
      await chain.ban(party, until);
      return { party, bannedUntil: rfc3339Nano(until) } satisfies BanAnswer;
    },
  ),
  post("pardon", "lift a party's ban", { party: PARTY }, async (context, fields) => {
    const { chain } = context;
    const party = partyOf(context, fields);
    fields.end();
    await chain.ban(party, undefined);
    return { party };
  }),
];

function partyOf(context: DevnetContext, fields: Fields): string {
  return partyNamed(fields.text("party"), () => context.parties());
}

function assetOf(context: DevnetContext, fields: Fields): string {
  return assetNamed(fields.text("asset"), context.parties());
}

async function fund(context: DevnetContext, fields: Fields): Promise<object> {
  const party = partyOf(context, fields);
  const asset = assetOf(context, fields);
  const amount = fields.amount();
  fields.end();
  const brought = await context.chain.bridge.deposit(party, asset, amount);
  return { deposit: brought.id, ...pendingOf(brought) } satisfies DepositAnswer;
}

function pendingOf({ pending }: Pick<Brought, "pending">): BroughtAnswer {
  return pending === undefined ? {} : { pending };
}

async function signers({ chain }: DevnetContext, fields: Fields): Promise<object> {
  const add = fields.has("add") ? fields.text("add") : undefined;
  const remove = fields.has("remove") ? fields.text("remove") : undefined;
  const threshold = fields.has("threshold") ? fields.count("threshold", 0, 999) : undefined;
  fields.end();
  if (add === undefined && remove === undefined && threshold === undefined) {
    throw badRequest("give 'add', 'remove' or 'threshold'");
  }
  const changes = [
    add !== undefined && (() => chain.bridge.addSigner(add)),
    remove !== undefined && (() => chain.bridge.removeSigner(remove)),
    threshold !== undefined && (() => chain.bridge.setThreshold(threshold)),
  ].filter((change) => change !== false);
  let pending: string | undefined;
  for (const change of changes) pending = (await change()).pending ?? pending;
  return {
    ...(add && { added: add }),
    ...(remove && { removed: remove }),
    ...(threshold && { threshold }),
    ...pendingOf({ pending }),
  } satisfies SignersAnswer;
}

function transactionUnknown(hash: string): NodeError {
  return new NodeError(
    "devnet.transaction",
    "transaction_unknown",
    `no block of this chain has the transaction ${hash}, and it was not refused lately`,
    "the hash is the one that the submission answered with; a reverted block is gone with its transactions",
  );
}

/** 64-bit numbers are texts, as everywhere in the API. */
export function statusJson(status: ChainStatus): DevnetStatus {
  const { chainId, height, hash, appHash, timeNs, epoch, pow, mempool, halted } = status;
  return {
    chainId,
    height: String(height),
    hash,
    appHash,
    time: rfc3339Nano(timeNs),
    epoch: {
      seq: epoch.seq.toString(),
      start: rfc3339Nano(epoch.startNs),
      expire: rfc3339Nano(epoch.expireNs),
    },
    pow,
    mempool,
    ...(halted !== undefined && { halted }),
  };
}

function clockJson(status: ClockStatus): DevnetClock {
  return { ...statusJson(status), nextBlockTime: rfc3339Nano(status.nextTimeNs), frozen: status.isFrozen };
}

/** @throws NodeError `transaction_refused`: a refusal is not the effect that was asked for */
function executed(outcome: TxOutcome): TxOutcome {
  if (outcome.code === 0) return outcome;
  const { rule = "", sentence = "" } = outcome.details ?? {};
  const way = rule === "" ? "" : `; see: lyra explain ${rule}`;
  throw new NodeError("devnet.impersonate", "transaction_refused", outcome.text, `${sentence}${way}`);
}

function stateJson(hash: string, state: TxState): OutcomesAnswer["outcomes"][number] {
  if (typeof state === "string") return { txHash: hash, state };
  const { code, text, height, details } = state;
  const verdict = height === 0 ? "refused" : code === 0 ? "executed" : "failed";
  return {
    txHash: hash,
    state: verdict,
    code,
    data: text,
    height: String(height),
    ...(details && { details }),
  };
}

function outcomeJson({ hash, code, text, height }: TxOutcome): ImpersonateAnswer {
  return { success: code === 0, txHash: hash, code, data: text, height: String(height) };
}
