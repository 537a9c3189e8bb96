// The OpenAPI document of the devnet's tools, from the list of the tools.
import {
  answer,
  flag,
  jsonBody,
  object,
  ref,
  smallDocument,
  text,
  whole,
  wholeText,
} from "../../http/openapi/parts.ts";
import type { Operation, Paths, Schema } from "../../http/openapi/types.ts";
import { FORWARD_TIME_PATH } from "./forward-time.ts";
import type { NameReport } from "./names.ts";
import { TOOLS, type Tool } from "./tools.ts";

const TIME = "RFC 3339 in UTC";
const STATUS = {
  chainId: text("Identifier of the chain."),
  height: wholeText("Height of the last block."),
  hash: text("Hash of the last block, hexadecimal."),
  appHash: text("Hash of the state after it, hexadecimal."),
  time: text(`Time of the last block, ${TIME}.`),
  epoch: object(
    {
      seq: wholeText("Number of the epoch."),
      start: text(`Time at which it began, ${TIME}.`),
      expire: text(`Time from which it may end, ${TIME}.`),
    },
    "The running epoch.",
  ),
  pow: object(
    {
      hashFunction: text("Name of the hash function of proofs of work."),
      difficulty: whole("Zero bits that a proof must begin with."),
      pastBlocks: whole("Blocks back that a proof may be made over."),
      txPerBlock: whole("Transactions with a proof over one block at this difficulty."),
      increasingDifficulty: flag("Whether more of them are taken at a higher difficulty."),
    },
    "What a proof of work needs now.",
  ),
  mempool: object(
    { count: whole("Transactions that wait."), bytes: whole("Bytes of them.") },
    "Transactions that wait for a block.",
  ),
  "halted?": text("Why the chain has stopped for good; absent while it goes on."),
};

const SCHEMAS: Readonly<Record<string, Schema>> = {
  Status: object(STATUS),
  Clock: object({
    ...STATUS,
    nextBlockTime: text(`Time that the next block gets, ${TIME}.`),
    frozen: flag("Whether the clock stands still."),
  }),
  Mode: object({ ...STATUS, mode: text("How blocks are made.") }),
  Error: object({
    code: { type: "integer", description: "gRPC status number." },
    message: text("What could not be done, and why."),
    details: {
      type: "array",
      items: { type: "object" },
      description: "Stable code of the error and a way out.",
    },
  }),
};

/** An event of Ethereum is on the chain, and blocks that are not made yet bring its effect. */
const PENDING = {
  "pending?": text("Why the effect is not on the chain yet: it comes by itself. Absent when it is there."),
};

const MARKET = text("Identifier of the market.");
const MARKET_STATE = text("`STATE_...`, as the data API names it.");
const TRADING_MODE = text("`TRADING_MODE_...`, as the data API names it.");
const MARK_PRICE = text("Mark price, in the market's decimals.");

/** Answers that are not the chain's status. */
const ANSWERS: Readonly<Record<string, Schema>> = {
  parties: {
    type: "object",
    description: "Parties with keys and balances, assets, and the recovery phrase.",
  },
  transaction: { type: "object", description: "The command, its verdict, and what came of it." },
  "time/forward": ref("Clock"),
  "time/set": ref("Clock"),
  "time/freeze": ref("Clock"),
  mode: ref("Mode"),
  snapshot: object({ snapshot: text("Identifier, for `revert`.") }),
  dump: { type: "object", description: "The whole state; `load` takes it." },
  checkpoint: { type: "object", description: "What another chain can begin with." },
  fund: object({ deposit: text("Identifier of the deposit."), ...PENDING }),
  "bridge/deposit": object({ deposit: text("Identifier of the deposit."), ...PENDING }),
  stake: object({ linking: text("Identifier of the stake linking."), ...PENDING }),
  "bridge/list": object({ listed: text("Identifier of the asset."), ...PENDING }),
  "bridge/limits": object({ proposal: text("Identifier of the proposal."), ...PENDING }),
  "bridge/claim": object({ claimed: text("Identifier of the withdrawal."), ...PENDING }),
  "bridge/signers": object({
    "added?": text("Ethereum address that became a signer."),
    "removed?": text("Ethereum address that is not a signer any more."),
    "threshold?": whole("Share of the signers that must sign, of 1,000."),
    ...PENDING,
  }),
  "bridge/stop": object({ stopped: flag("Always true."), ...PENDING }),
  "bridge/resume": object({ stopped: flag("Always false."), ...PENDING }),
  outcomes: object({
    outcomes: {
      type: "array",
      description: "In the order of the hashes.",
      items: object({
        txHash: text("Hash of the transaction, upper-case hexadecimal."),
        state: text(
          "executed, failed in a block, refused before any, waiting for one, or unknown to this chain.",
        ),
        "code?": whole("Result code, 0 of an executed one; absent while there is none."),
        "data?": text("Reason of a refusal."),
        "height?": wholeText("Height of the block with it; 0 of a refused one."),
        "details?": object(
          {
            rule: text("Name of the rule."),
            sentence: text("Reason with the sender's numbers."),
            numbers: {
              type: "object",
              description: "The numbers by name.",
              additionalProperties: { type: "string" },
            },
          },
          "Of a refusal.",
        ),
      }),
    },
  }),
  blocks: object({
    blocks: {
      type: "array",
      description: "Oldest first.",
      items: object({
        chainId: text("Identifier of the chain."),
        height: wholeText("Height of the block."),
        hash: text("Hash of the block, hexadecimal."),
        hashFunction: text("Name of the hash function of proofs of work."),
        difficulty: whole("Zero bits that a proof over it must begin with."),
        pastBlocks: wholeText("Blocks back that a proof may be made over."),
        txPerBlock: wholeText("Transactions with a proof over it at this difficulty."),
        increasingDifficulty: flag("Whether more of them are taken at a higher difficulty."),
      }),
    },
    mode: text("How blocks are made."),
  }),
  impersonate: object({
    success: flag("Always true: a refusal is an error."),
    txHash: text("Hash of the transaction, upper-case hexadecimal."),
    code: whole("Always 0."),
    data: text("Always empty."),
    height: wholeText("Height of the block with it."),
  }),
  "market/create": object({
    market: MARKET,
    code: text("Code of its instrument."),
    state: MARKET_STATE,
    tradingMode: TRADING_MODE,
    oracle: text("Public key whose data settles it; empty where no key does."),
  }),
  "market/price": object({
    market: MARKET,
    price: text("As it was asked for."),
    "markPrice?": MARK_PRICE,
    tradingMode: TRADING_MODE,
  }),
  "market/run": object({
    market: MARKET,
    orders: whole("Orders of the takers."),
    price: text("Where the maker quotes last, in the market's decimals."),
    markPrice: MARK_PRICE,
    tradingMode: TRADING_MODE,
  }),
  "market/terminate": object({ market: MARKET, state: MARKET_STATE }),
  "market/settle": object({ market: MARKET, price: text("As it was asked for."), state: MARKET_STATE }),
  ban: object({ party: text("Public key of the party."), bannedUntil: text(`End of the ban, ${TIME}.`) }),
  pardon: object({ party: text("Public key of the party.") }),
};

/** Kinds of members that are not texts. */
const KINDS: Readonly<Record<string, Schema>> = {
  amount: { type: ["string", "integer"] },
  blocks: { type: ["string", "integer"] },
  threshold: { type: ["string", "integer"] },
  frozen: { type: "boolean" },
  remove: { type: "boolean" },
  command: { type: "object" },
  proposal: { type: "object" },
  orders: { type: ["string", "integer"] },
  seed: { type: ["string", "integer"] },
};

/** Bodies that work on every devnet; `PARTY` and `ASSET` stand for names of the one that answers. */
const EXAMPLES: Readonly<Record<string, object>> = {
  outcomes: { hashes: "0".repeat(64) },
  mine: { blocks: 1 },
  "time/forward": { duration: "1m" },
  "time/freeze": { frozen: false },
  mode: { mode: "instant" },
  fund: { party: "PARTY", asset: "ASSET", amount: "1000" },
  "bridge/deposit": { party: "PARTY", asset: "ASSET", amount: "1000" },
  stake: { party: "PARTY", amount: "1000" },
  balance: { party: "PARTY", asset: "ASSET", amount: "1000000" },
  "bridge/signers": { threshold: 667 },
  parameter: { key: "market.fee.factors.makerFee", value: "0.0002" },
  ban: { party: "PARTY", duration: "1s" },
  pardon: { party: "PARTY" },
};

const ERRORS: Operation["responses"] = {
  "400": answer("The body is not understood, or the chain refused.", ref("Error")),
  "403": answer("The request comes from another machine, or from a page of another origin.", ref("Error")),
  "501": answer("Another method.", ref("Error")),
};

/** @param report of the devnet that answers, for the examples */
export function devnetDocument(report: () => NameReport) {
  const { parties, assets } = report();
  const named = (example: object | undefined): object =>
    JSON.parse(
      JSON.stringify(example ?? {})
        .replaceAll('"PARTY"', JSON.stringify(parties[0]?.name ?? "alice"))
        .replaceAll('"ASSET"', JSON.stringify(parties[0]?.balances[0]?.symbol ?? assets[0]?.symbol ?? "")),
    );
  const paths: Paths = {};
  for (const tool of TOOLS) {
    const operation = described(tool, named(EXAMPLES[tool.path]));
    paths[`/devnet/${tool.path}`] = tool.method === "GET" ? { get: operation } : { post: operation };
  }
  paths["/devnet/"] = { get: TOOL_LIST };
  paths["/devnet/load"] = { post: LOAD };
  paths[FORWARD_TIME_PATH] = { post: FORWARD_TIME };
  return smallDocument({
    title: "Lyra devnet tools",
    sentences: [
      "Whatever a developer wants of a local network: time, blocks, money, snapshots.",
      "For this machine alone, unless `--tools-allow` opened them.",
    ],
    tags: { Tools: "Each is a verb of `lyra devnet` too." },
    paths,
    schemas: SCHEMAS,
  });
}

function described({ method, path, summary, body }: Tool, example: object): Operation {
  const members = Object.entries(body).map(([name, meaning]): [string, Schema] => {
    const kind = KINDS[name.replace("?", "")] ?? { type: "string" };
    return [name, { ...kind, description: `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.` }];
  });
  const schema: Schema = { ...object(Object.fromEntries(members)), additionalProperties: false };
  return {
    operationId: path.replace(/\W(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ["Tools"],
    summary: summary[0]!.toUpperCase() + summary.slice(1),
    parameters: [],
    ...(method === "POST" ? { requestBody: jsonBody("Members by name; no others.", schema, example) } : {}),
    responses: { "200": answer("Done.", ANSWERS[path] ?? ref("Status")), ...ERRORS },
  };
}

const TOOL_LIST: Operation = {
  operationId: "tools",
  tags: ["Tools"],
  summary: "List the tools",
  parameters: [],
  responses: {
    "200": answer(
      "The tools with their bodies.",
      object({ tools: { type: "array", items: { type: "object" }, description: "One entry for each." } }),
    ),
    "403": ERRORS["403"]!,
  },
};

const FORWARD_TIME: Operation = {
  operationId: "forwardTime",
  tags: ["Tools"],
  summary: "Move the chain's time, and make a block",
  description: "For tools that were made for the network's single-process chain.",
  parameters: [],
  requestBody: {
    required: true,
    description: "How far, or until when.",
    content: {
      "application/json": {
        schema: object({ forward: text("Duration such as `10s`, or a time of RFC 3339.") }),
        example: { forward: "10s" },
      },
    },
  },
  responses: { "200": answer("Moved.", ref("Status")), ...ERRORS },
};

const LOAD: Operation = {
  operationId: "load",
  tags: ["Tools"],
  summary: "Become the chain of a dump",
  parameters: [],
  requestBody: {
    required: true,
    description: "What `dump` gave.",
    content: { "application/json": { schema: { type: "object" } } },
  },
  responses: {
    "200": answer("Loaded.", object({ chainId: STATUS.chainId, height: STATUS.height })),
    ...ERRORS,
  },
};
