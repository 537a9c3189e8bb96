// The functions of the tools, one for each declaration.

import type {
  BridgeReceipt,
  ChainStatus,
  ClockStatus,
  EngineStanding,
  PendingTransaction,
  TxOutcome,
  TxState,
} from "../../engine/chain-port.ts";
import { NodeError } from "../../errors/node-error.ts";
import { badRequest } from "../../http/errors.ts";
import { explainWord } from "../../http/shell-word.ts";
import { decodeInputData } from "../../wire/generated/commands.ts";
import { toPlain } from "../../wire/json.ts";
import { durationNs, rfc3339Nano, SECOND_NS, timeNs } from "../../wire/time-text.ts";
import { readTransaction } from "../../wire/transaction.ts";
import { COMMAND_KINDS } from "../../wire/transaction-commands.ts";
import { blockModeText } from "./block-mode.ts";
import { type CommandSchema, commandSchema } from "./command-schema.ts";
import type { DevnetContext } from "./context.ts";
import {
  type AnswerOf,
  type BodyOf,
  type Declaration,
  type DevnetClock,
  type DevnetStatus,
  type FORWARD_TIME,
  PENDING_MAX,
  type TOOLS,
  type ToolPath,
} from "./declarations.ts";
import { movePrice, runMarket } from "./market-trading.ts";
import { createMarket, settleMarket, terminateMarket } from "./markets.ts";

/** Made with the first request. */
let commands: CommandSchema | undefined;

const OUTCOMES_WAIT_NS = 5_000_000_000n;
/** The end of a ban without an end: 9999-12-31T23:59:59Z. */
const BAN_FOREVER_NS = 253_402_300_799_000_000_000n;

/** @param signal of a caller that goes away @throws ApiError, ChainCallError, NodeError */
export type ToolFunction<D extends Declaration> = (
  context: DevnetContext,
  body: BodyOf<D>,
  signal: AbortSignal,
) => AnswerOf<D> | Promise<AnswerOf<D>>;

export const TOOL_FUNCTIONS: { readonly [Path in ToolPath]: ToolFunction<(typeof TOOLS)[Path]> } = {
  status: ({ chain }) => statusJson(chain.status),
  parties: ({ parties }) => parties(),

  async transaction(context, { hash }) {
    const story = await context.story(hash);
    if (story === undefined) throw transactionUnknown(hash);
    return story;
  },
  async outcomes({ chain }, { hashes, wait = OUTCOMES_WAIT_NS }) {
    const states = await chain.outcomesOf(hashes, Number(wait / 1_000_000n));
    return { outcomes: hashes.map((hash, n) => stateJson(hash, states[n]!)) };
  },
  async blocks({ chain }) {
    const blocks = await chain.proofBlocks();
    return {
      blocks: blocks.map(({ height, pastBlocks, txPerBlock, ...block }) => ({
        height: height.toString(),
        pastBlocks: pastBlocks.toString(),
        txPerBlock: txPerBlock.toString(),
        ...block,
      })),
      mode: blockModeText(await chain.blockMode()),
    };
  },
  async pending({ chain }) {
    const transactions = await chain.pending(PENDING_MAX);
    return { count: chain.status.mempool.count, transactions: transactions.map(pendingJson) };
  },
  mine: async ({ chain }, { blocks = 1 }) => statusJson(await chain.mine(blocks)),
  "time/forward": async ({ chain }, { duration }) => clockJson(await chain.forwardTime(duration)),
  "time/set": async ({ chain }, { time }) => clockJson(await chain.setNextBlockTime(time)),
  "time/freeze": async ({ chain }, { frozen = true }) => clockJson(await chain.freezeClock(frozen)),
  mode: async ({ chain }, { mode }) => ({
    ...statusJson(await chain.setBlockMode(mode)),
    mode: blockModeText(mode),
  }),
  "epoch/end": async ({ chain }) => statusJson(await chain.endEpoch()),

  async validator({ chain }) {
    const { nodeId, hasKeys, duties, engine, problem } = await chain.validatorStanding();
    return {
      ...(nodeId !== undefined && { node: nodeId }),
      keys: hasKeys,
      duties,
      ...(typeof engine === "string" ? { problem: engine } : problem !== undefined && { problem }),
      ...(typeof engine === "object" && { engine: engineJson(engine) }),
    };
  },

  snapshot: async ({ chain }) => ({ snapshot: await chain.snapshot() }),
  async snapshots({ chain }) {
    const places = await chain.snapshots();
    const current = places.findLast(({ isUsable }) => isUsable)?.id;
    return {
      ...(current !== undefined && { current }),
      snapshots: places.map(({ id, height, timeNs: time, parent, isUsable }) => ({
        snapshot: id,
        height: String(height),
        ...(time !== undefined && { time: rfc3339Nano(time) }),
        ...(parent !== undefined && { parent }),
        usable: isUsable,
      })),
    };
  },
  revert: async ({ chain }, { snapshot }) => statusJson(await chain.revert(snapshot)),
  dump: ({ chain }) => chain.dump(),
  async load({ chain }, dump) {
    const { height, chainId } = await chain.load(dump);
    return { chainId, height: String(height) };
  },
  reset: async ({ chain }) => statusJson(await chain.reset()),
  checkpoint: ({ chain }) => chain.checkpoint(),

  fund: deposit,
  async stake({ chain: { bridge } }, { party, amount, remove = false }) {
    const linking = await (remove ? bridge.unstake(party, amount) : bridge.stake(party, amount));
    return { linking: linking.id, ...pendingOf(linking) };
  },
  balance: async ({ chain }, { party, asset, amount }) =>
    statusJson(await chain.setBalance(party, asset, amount)),
  parameter: async ({ chain }, { key, value }) => statusJson(await chain.setParameter(key, value)),

  "market/create": createMarket,
  "market/price": movePrice,
  "market/run": runMarket,
  "market/terminate": terminateMarket,
  "market/settle": settleMarket,

  "bridge/deposit": deposit,
  "bridge/list": async ({ chain: { bridge } }, { asset }) => ({
    listed: asset,
    ...pendingOf(await bridge.list(asset)),
  }),
  "bridge/limits": async ({ chain: { bridge } }, { proposal }) => ({
    proposal,
    ...pendingOf(await bridge.setLimits(proposal)),
  }),
  "bridge/claim": async ({ chain: { bridge } }, { withdrawal }) => ({
    claimed: withdrawal,
    ...pendingOf(await bridge.claim(withdrawal)),
  }),
  "bridge/signers": changeSigners,
  "bridge/stop": async ({ chain: { bridge } }) => ({
    stopped: true,
    ...pendingOf(await bridge.stopBridge()),
  }),
  "bridge/resume": async ({ chain: { bridge } }) => ({
    stopped: false,
    ...pendingOf(await bridge.resumeBridge()),
  }),

  commands: async () => (commands ??= commandSchema()),
  impersonate: async ({ chain }, { party, command }) =>
    outcomeJson(executed(await chain.impersonate(party, command))),
  async ban({ chain }, { party, duration }) {
    const until = duration === undefined ? BAN_FOREVER_NS : (await chain.clock()).nextTimeNs + duration;
    await chain.ban(party, until);
    return { party, bannedUntil: rfc3339Nano(until) };
  },
  async pardon({ chain }, { party }) {
    await chain.ban(party, undefined);
    return { party };
  },
};

async function deposit(
  { chain: { bridge } }: DevnetContext,
  { party, asset, amount }: BodyOf<typeof TOOLS.fund>,
): Promise<AnswerOf<typeof TOOLS.fund>> {
  const brought = await bridge.deposit(party, asset, amount);
  return { deposit: brought.id, ...pendingOf(brought) };
}

function pendingOf({ pending }: Pick<BridgeReceipt, "pending">): { readonly pending?: string } {
  return pending === undefined ? {} : { pending };
}

async function changeSigners(
  { chain: { bridge } }: DevnetContext,
  { add, remove, threshold }: BodyOf<(typeof TOOLS)["bridge/signers"]>,
): Promise<AnswerOf<(typeof TOOLS)["bridge/signers"]>> {
  if (add === undefined && remove === undefined && threshold === undefined) {
    throw badRequest("give 'add', 'remove' or 'threshold'");
  }
  const changes = [
    add !== undefined && (() => bridge.addSigner(add)),
    remove !== undefined && (() => bridge.removeSigner(remove)),
    threshold !== undefined && (() => bridge.setThreshold(threshold)),
  ].filter((change) => change !== false);
  let pending: string | undefined;
  for (const change of changes) pending = (await change()).pending ?? pending;
  return {
    ...(add !== undefined && { added: add }),
    ...(remove !== undefined && { removed: remove }),
    ...(threshold !== undefined && { threshold }),
    ...pendingOf({ pending }),
  };
}

const NO_TIME = "invalid request: time is not a duration or RFC3339 datetime";
const BACKWARDS = "invalid request: cannot step backwards in time";

/**
 * The time control of the network's single-process chain (docs/protocol/30-node-api-events.md#12-null-chain). When the answer
 * comes, the chain's time has moved, in one block; the original makes one block for each second.
 */
export const forwardTime: ToolFunction<typeof FORWARD_TIME> = async ({ chain }, { forward }) => {
  const time = timeNs(forward);
  const distance = time === undefined ? distanceOf(forward) : time - chain.status.timeNs;
  if (time !== undefined && distance <= 0n) throw badRequest(BACKWARDS);
  // Waiting transactions were sent before the time moves: a vote counts although its proposal closes meanwhile.
  if (chain.status.mempool.count > 0) await chain.mine(1);
  if (time !== undefined) return statusJson(await chain.reachTime(time));
  await chain.forwardTime(distance);
  return statusJson(await chain.mine(1));
};

/** Nanoseconds of a duration. @throws ApiError 400 */
function distanceOf(text: string): bigint {
  const isBack = text.startsWith("-");
  let distance: bigint;
  try {
    distance = durationNs(isBack ? text.slice(1) : text);
  } catch {
    throw badRequest(NO_TIME);
  }
  if (isBack && distance > 0n) throw badRequest(BACKWARDS);
  return distance;
}

function transactionUnknown(hash: string): NodeError {
  return new NodeError(
    "devnet.transaction",
    "transaction_unknown",
    `no block of this chain has the transaction ${hash}, and it was not refused recently`,
    "the hash is the one that the submission answered with; a reverted block is gone with its transactions",
  );
}

/** 64-bit numbers are texts, as everywhere in the API. */
function statusJson(status: ChainStatus): DevnetStatus {
  const { chainId, height, hash, appHash, timeNs: time, epoch, pow, mempool, halted } = status;
  return {
    chainId,
    height: String(height),
    hash,
    appHash,
    time: rfc3339Nano(time),
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

/** @throws NodeError `transaction_refused`: a refusal is not the effect that the caller wants */
function executed(outcome: TxOutcome): TxOutcome {
  if (outcome.code === 0) return outcome;
  const { rule = "", sentence = "" } = outcome.details ?? {};
  const way = rule === "" ? "" : `; see: lyra explain ${explainWord(rule, outcome.text)}`;
  throw new NodeError("devnet.impersonate", "transaction_refused", outcome.text, `${sentence}${way}`);
}

function stateJson(hash: string, state: TxState): AnswerOf<typeof TOOLS.outcomes>["outcomes"][number] {
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

function pendingJson({
  hash,
  bytes,
  isImpersonated,
}: PendingTransaction): AnswerOf<typeof TOOLS.pending>["transactions"][number] {
  const { inputData, pubKey = "" } = readTransaction(bytes);
  const decoded = decodeInputData(inputData);
  return {
    txHash: hash,
    party: pubKey,
    kind: COMMAND_KINDS.find((kind) => decoded[kind] !== undefined) ?? "",
    command: toPlain("vega.commands.v1.InputData", decoded, "stored"),
    bytes: bytes.length,
    ...(isImpersonated && { impersonated: true }),
  };
}

function engineJson({ peers, lastSigned, ...engine }: EngineStanding) {
  return {
    name: engine.name,
    version: engine.version,
    height: String(engine.height),
    catchingUp: engine.isCatchingUp,
    power: String(engine.power),
    totalPower: String(engine.totalPower),
    ...(lastSigned !== undefined && { lastSigned: String(lastSigned) }),
    peers: peers.map(({ id, name, host, isOutbound, connectedNs, height }) => ({
      ...{ id, name, host, outbound: isOutbound },
      connectedSeconds: Number(connectedNs / SECOND_NS),
      ...(height !== undefined && { height: String(height) }),
    })),
  };
}

function outcomeJson({ hash, code, text, height }: TxOutcome): AnswerOf<typeof TOOLS.impersonate> {
  return { success: code === 0, txHash: hash, code, data: text, height: String(height) };
}
