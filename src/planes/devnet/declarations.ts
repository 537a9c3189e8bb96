/**
 * The developer's tools, one declaration each. The route with its check, the document, the verb of `lyra devnet`, the method of
 * the package and the row in docs/devnet.md are made from it (`npm run generate` writes the last two); its behaviour is the
 * function of the same name in `tools.ts`. Plain data: the command line and the package load it without the plane.
 */
import type { RefusalDetails } from "../../engine/chain-port.ts";
import {
  choice,
  document,
  flag,
  json,
  list,
  type Named,
  named,
  object,
  type Shape,
  text,
  typed,
  type ValueOf,
  whole,
  wholeText,
} from "../../http/declaration.ts";
import type { CommandSchema } from "./command-schema.ts";
import { DUMP_BYTES_MAX } from "./limits.ts";
import * as member from "./members.ts";
import type { NameReport } from "./names.ts";
import type { TransactionStory } from "./transaction-story.ts";

type DeclaredMembers = Readonly<Record<string, member.Member>>;

interface FileBody {
  /** Its parameter's name in the package. */
  readonly name: string;
  /** Its word in the help. */
  readonly word: string;
  readonly meaning: string;
  readonly bytesMax: number;
}

export interface Declaration<Members extends DeclaredMembers = DeclaredMembers, Answer = unknown> {
  readonly method: "GET" | "POST";
  /** Follows the verb in the help, and heads the operation in the document. */
  readonly summary: string;
  /** Further sentences, for the document and docs/devnet.md. */
  readonly description?: string;
  /** By name, in the order of the verb's words; a question mark behind a name: may be left out. */
  readonly members: Members;
  /** In place of members: the body is a file of the command line, taken as it is. */
  readonly file?: FileBody;
  readonly answer: Shape<Answer>;
  /** A body that works on every devnet, for the document; `PARTY` and `ASSET` stand for a party and an asset of that devnet. */
  readonly example?: object;
}

type More = Pick<Declaration, "description" | "example">;
type NoMembers = Readonly<Record<never, never>>;

const get = <Answer>(summary: string, answer: Shape<Answer>): Declaration<NoMembers, Answer> => ({
  method: "GET",
  summary,
  members: {},
  answer,
});

const post = <const Members extends DeclaredMembers, Answer>(
  summary: string,
  members: Members,
  answer: Shape<Answer>,
  more?: More,
): Declaration<Members, Answer> => ({ method: "POST", summary, members, answer, ...more });

const upload = <Answer>(
  summary: string,
  file: FileBody,
  answer: Shape<Answer>,
  more?: More,
): Declaration<NoMembers, Answer> & { readonly file: FileBody } => ({
  ...post(summary, {}, answer, more),
  file,
});

/** Blocks of one `mine`: some seconds of work. */
const MINE_BLOCKS_MAX = 100_000;
/** Of one request for outcomes. */
const OUTCOME_HASHES_MAX = 1_000;
/** Of one answer about the mempool. */
export const PENDING_MAX = 1_000;
const OUTCOMES_WAIT = "5s";
const RUN_ORDERS_MAX = 10_000;
const SEED_MAX = 4_294_967_295;
export const MARKET_PRESETS = ["btc", "eth", "simple"] as const;

const market = member.text("its id, the beginning of it, or its code");
const amount = member.amount("whole number in the asset's smallest unit");
const price = member.price("such as 101.5");

const TIME = "RFC 3339 in UTC";
const statusMembers = {
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
    "Parameters of a proof of work now.",
  ),
  mempool: object(
    { count: whole("Transactions that wait."), bytes: whole("Bytes of them.") },
    "Transactions that wait for a block.",
  ),
  "halted?": text("Why the chain has stopped for good; absent while it goes on."),
};
const STATUS = named("Status", object(statusMembers, "The chain as of its last block."));
const CLOCK = named(
  "Clock",
  object(
    {
      ...statusMembers,
      nextBlockTime: text(`Time that the next block gets, ${TIME}.`),
      frozen: flag("Whether the clock stands still."),
    },
    "The chain as of its last block, and its clock.",
  ),
);
const MODE = named(
  "Mode",
  object(
    { ...statusMembers, mode: text("Source of blocks: `instant`, `manual`, `1s`, `mixed:1s`.") },
    "The chain as of its last block, and how blocks are made.",
  ),
);

/** The answer of a tool that brings an event of Ethereum. */
const bridged = <const Key extends string, Value>(key: Key, shape: Shape<Value>) =>
  object({
    ...({ [key]: shape } as Record<Key, Shape<Value>>),
    "pending?": text("Why the effect is not on the chain yet: it comes by itself. Absent when it is there."),
  });
const DEPOSIT = bridged("deposit", text("Identifier of the deposit."));

const MARKET = text("Identifier of the market.");
const MARKET_STATE = text("`STATE_...`, as the data API names it.");
const TRADING_MODE = text("`TRADING_MODE_...`, as the data API names it.");
const MARK_PRICE = text("Mark price, in the market's decimals.");
const ASKED_PRICE = text("The price of the request.");
const BY_COMMANDS =
  "By commands of the funded parties, one after the other: where one is refused, those before it stay.";

export const TOOLS = {
  status: get("the last block, the epoch, the mempool", STATUS),
  parties: get(
    "the funded parties with their keys and balances",
    typed<NameReport>(
      json("Parties with keys and balances, assets, and the recovery phrase."),
      "PartiesReport",
      "devnet/parties.ts",
    ),
  ),

  validator: get(
    "its consensus engine, peers and duties",
    object({
      "node?": text(
        "Identifier of the validator; absent on a devnet, and where the chain has no validator for this node.",
      ),
      keys: flag("Whether this node has keys to do the duties with."),
      duties: list(
        "Transactions that it owes now, which no block has yet.",
        object({
          kind: choice("A vote for an event or an asset, a signature of a bundle, or a heartbeat.", [
            "vote",
            "sign",
            "heartbeat",
          ]),
          about: text("Reference of the vote, resource of the signature, message of the heartbeat."),
        }),
      ),
      "engine?": object(
        {
          name: text("Its name among the engines (`moniker`)."),
          version: text("Version of the engine."),
          height: wholeText("Height of its last block."),
          catchingUp: flag("Whether it still fetches blocks that others have."),
          power: wholeText("Its voting power."),
          totalPower: wholeText("Voting power of all validators."),
          "lastSigned?": wholeText(
            "Height of the last block that it signed; absent if none of the last ones.",
          ),
          peers: list(
            "Nodes that it is connected with.",
            object({
              id: text("Identifier of the peer."),
              name: text("Its name (`moniker`)."),
              host: text("Its address."),
              outbound: flag("Whether the connection was made from here."),
              connectedSeconds: whole("Age of the connection."),
              "height?": wholeText("Height that it works on."),
            }),
          ),
        },
        "Absent where the chain makes its own blocks, and while the engine does not answer.",
      ),
      "problem?": text("Why the engine does not answer."),
    }),
  ),
  transaction: post(
    "the story of a transaction",
    { hash: member.hash("of its bytes, 64 hexadecimal digits") },
    typed<TransactionStory>(
      json("The command, its verdict, and what came of it."),
      "TransactionStory",
      "planes/devnet/transaction-story.ts",
    ),
    {
      description: "Its command, verdict, movements, balances and rows; `lyra explain HASH` prints them.",
    },
  ),
  outcomes: post(
    "wait until one of several transactions is in a block",
    {
      hashes: member.hashes(
        OUTCOME_HASHES_MAX,
        `1 to ${OUTCOME_HASHES_MAX} hashes, a list or with commas between`,
      ),
      "wait?": member.duration(`a duration, at most ${OUTCOMES_WAIT}, which is the default`, {
        most: OUTCOMES_WAIT,
      }),
    },
    object({
      outcomes: list(
        "In the order of the hashes.",
        object({
          txHash: text("Hash of the transaction, upper-case hexadecimal."),
          state: choice(
            "`executed`, `failed` in a block, `refused` before any, `waiting` for one, or `unknown` to this chain.",
            ["executed", "failed", "refused", "waiting", "unknown"],
          ),
          "code?": whole("Result code, 0 of an executed one; absent while there is none."),
          "data?": text("Reason of a refusal."),
          "height?": wholeText("Height of the block with it; 0 of a refused one."),
          "details?": typed<RefusalDetails>(
            object(
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
            "RefusalDetails",
            "engine/chain-port.ts",
          ),
        }),
      ),
    }),
    {
      description:
        "Answers when one of them no longer waits for a block, at the latest after `wait`. A transaction of blocks that were taken back is `unknown`.",
      example: { hashes: "0".repeat(64) },
    },
  ),
  blocks: get(
    "blocks that a proof may name, oldest first",
    object({
      blocks: list(
        "Oldest first.",
        object({
          chainId: text("Identifier of the chain."),
          height: wholeText("Height of the block."),
          hash: text("Hash of the block, hexadecimal."),
          hashFunction: text("Name of the hash function of proofs of work."),
          difficulty: whole("Zero bits that a proof over it must begin with."),
          pastBlocks: wholeText("Blocks back that a proof may be made over."),
          txPerBlock: wholeText("Transactions with a proof over it at this difficulty."),
          increasingDifficulty: flag("Whether more of them are taken at a higher difficulty."),
        }),
      ),
      mode: text("Source of blocks: `instant`, `manual`, `1s`, `mixed:1s`."),
    }),
  ),
  pending: get(
    "transactions that wait for a block",
    object({
      count: whole("All that wait."),
      transactions: list(
        `In the order in which blocks take them: at most ${PENDING_MAX}.`,
        object({
          txHash: text("Hash of the transaction, upper-case hexadecimal."),
          party: text("Public key of its sender."),
          kind: text("Name of its command, such as `transfer`: the member of `command` with its payload."),
          command: json("The command in the JSON form of the protocol's `InputData`."),
          bytes: whole("Bytes of the transaction."),
          "impersonated?": flag("True of an unsigned one, by the tool `impersonate`."),
        }),
      ),
    }),
  ),
  mine: post(
    "make blocks",
    { "blocks?": member.count(MINE_BLOCKS_MAX, `1 to ${MINE_BLOCKS_MAX}, default 1`) },
    STATUS,
    { example: { blocks: 1 } },
  ),
  "time/forward": post("move the clock forward", { duration: member.duration("such as 1h30m") }, CLOCK, {
    example: { duration: "1m" },
  }),
  "time/set": post(
    "set the time of the next block",
    { time: member.time("RFC 3339 in UTC, or Unix nanoseconds") },
    CLOCK,
  ),
  "time/freeze": post(
    "freeze the clock, or let it run",
    { "frozen?": member.flag("true or false, default true") },
    CLOCK,
    { example: { frozen: false } },
  ),
  mode: post("the source of blocks", { mode: member.mode("instant, manual, 1s, mixed:1s") }, MODE, {
    description: "An interval counts from the start of one block to the start of the next.",
    example: { mode: "instant" },
  }),
  "epoch/end": post("end the running epoch", {}, STATUS),

  snapshot: post(
    "remember the whole chain as it is",
    {},
    object({ snapshot: text("Identifier, for `revert`.") }),
    { description: "It stays until a revert to an earlier one." },
  ),
  snapshots: get(
    "the snapshots as a tree",
    object({
      "current?": text("The snapshot that the chain as it is has come from; absent before the first."),
      snapshots: list(
        "The oldest first.",
        object({
          snapshot: text("Identifier, for `revert`."),
          height: wholeText("Height of the last block that it holds."),
          "time?": text(`Time of that block, ${TIME}; absent of a snapshot that an older release took.`),
          "parent?": text("The snapshot that the chain had come from when this one was taken."),
          usable: flag(
            "False of one that a revert to an earlier one removed, since this devnet was started.",
          ),
        }),
      ),
    }),
  ),
  revert: post("go back to a snapshot", { snapshot: member.text("its id") }, STATUS, {
    description: "The snapshot stays usable; later ones are gone.",
  }),
  dump: post(
    "the whole state as one JSON document",
    {},
    document("The whole state; `load` takes it.", "text"),
  ),
  load: upload(
    "become the chain of a dump",
    { name: "dump", word: "FILE", meaning: "as dump wrote it", bytesMax: DUMP_BYTES_MAX },
    object({ chainId: statusMembers.chainId, height: statusMembers.height }),
    { description: "The body is a dump as `dump` gave it." },
  ),
  reset: post("begin again from the genesis", {}, STATUS, {
    description:
      "The parties are funded as at the start, and the chain's time is the clock's; blocks, snapshots and waiting transactions are gone.",
  }),
  checkpoint: post(
    "a checkpoint that another chain can start from, as JSON",
    {},
    document("A checkpoint that another chain can start from.", "object"),
  ),

  fund: post("deposit an asset for a party", { party: member.party, asset: member.asset, amount }, DEPOSIT, {
    example: { party: "PARTY", asset: "ASSET", amount: "1000" },
  }),
  stake: post(
    "stake tokens for a party, or take them back",
    { party: member.party, amount, "remove?": member.flag("true to take them back") },
    bridged("linking", text("Identifier of the stake linking.")),
    { example: { party: "PARTY", amount: "1000" } },
  ),
  balance: post(
    "set a party's general account",
    { party: member.party, asset: member.asset, amount: member.wholeNumber("what it shall hold") },
    STATUS,
    { example: { party: "PARTY", asset: "ASSET", amount: "1000000" } },
  ),
  parameter: post(
    "set a network parameter",
    { key: member.text("its key"), value: member.text("its value, as text") },
    STATUS,
    {
      description: "Takes a block, and a second one for the parameters of the proof of work.",
      example: { key: "market.fee.factors.makerFee", value: "0.0002" },
    },
  ),

  "market/create": post(
    "make a market: proposal, votes, liquidity, opening",
    {
      "preset?": member.text(`${MARKET_PRESETS.join(", ")}; default ${MARKET_PRESETS[0]}`, {
        choices: MARKET_PRESETS,
      }),
      "proposal?": member.object(
        "JSON of a proposal or its `newMarket`, in place of the preset's; --file FILE reads it",
        { sample: '{"changes": {...}}', fileFlag: "file" },
      ),
      "price?": member.price("where it opens, such as 101.5; default the preset's, or 100 with a proposal"),
      "asset?": member.text("what a preset's market settles in: id or symbol; default tUSD"),
      "auction?": member.flag("stop inside the opening auction, with no order on the book"),
    },
    object({
      market: MARKET,
      code: text("Code of its instrument."),
      state: MARKET_STATE,
      tradingMode: TRADING_MODE,
      oracle: text("Public key whose data settles it; empty where no key does."),
    }),
    {
      description: `${BY_COMMANDS} The clock moves by the least times of a vote (\`governance.proposal.market.minClose\`, \`minEnact\`) and some seconds.`,
    },
  ),
  "market/price": post(
    "trade at a price",
    { market, price },
    object({
      market: MARKET,
      price: ASKED_PRICE,
      "markPrice?": MARK_PRICE,
      tradingMode: TRADING_MODE,
    }),
    {
      description: `${BY_COMMANDS} The price is in the market's own decimals; orders of others that are in the way trade first.`,
    },
  ),
  "market/run": post(
    "trade for a while: a maker and takers",
    {
      market,
      "orders?": member.count(RUN_ORDERS_MAX, "how many, default 100"),
      "seed?": member.count(SEED_MAX, "the same one gives the same orders, default 1"),
    },
    object({
      market: MARKET,
      orders: whole("Orders of the takers."),
      price: text("Where the maker quotes last, in the market's decimals."),
      markPrice: MARK_PRICE,
      tradingMode: TRADING_MODE,
    }),
    {
      description:
        "A maker quotes around a price that wanders, and four parties trade; a seed repeats it on a machine of any speed. It makes its blocks itself, with a second between two rounds, and the clock stands meanwhile; where the clock makes blocks, a round is one block and the rounds keep the clock's pace. It ends when its caller goes away.",
    },
  ),
  "market/terminate": post(
    "end a market's trading, by its oracle",
    { market },
    object({ market: MARKET, state: MARKET_STATE }),
    { description: "The oracle is judy's key." },
  ),
  "market/settle": post(
    "settle a market at a price, by its oracle",
    { market, price },
    object({ market: MARKET, price: ASKED_PRICE, state: MARKET_STATE }),
    { description: "The price is in the market's own decimals; trading ends before it if need be." },
  ),

  "bridge/deposit": post("as fund", { party: member.party, asset: member.asset, amount }, DEPOSIT, {
    example: { party: "PARTY", asset: "ASSET", amount: "1000" },
  }),
  "bridge/list": post(
    "list an asset with its bundle",
    { asset: member.asset },
    bridged("listed", text("Identifier of the asset.")),
  ),
  "bridge/limits": post(
    "bring the limits of an enacted update with its bundle",
    { proposal: member.text("its id") },
    bridged("proposal", text("Identifier of the proposal.")),
  ),
  "bridge/claim": post(
    "claim a withdrawal with its bundle",
    { withdrawal: member.text("its id") },
    bridged("claimed", text("Identifier of the withdrawal.")),
  ),
  "bridge/signers": post(
    "change the signers of the multisig contract",
    {
      "add?": member.text("Ethereum address"),
      "remove?": member.text("Ethereum address"),
      "threshold?": member.count(999, "1 to 999, of 1,000"),
    },
    object({
      "added?": text("Ethereum address that became a signer."),
      "removed?": text("Ethereum address that is not a signer any more."),
      "threshold?": whole("Share of the signers that must sign, of 1,000."),
      "pending?": text(
        "Why the effect is not on the chain yet: it comes by itself. Absent when it is there.",
      ),
    }),
    { example: { threshold: 667 } },
  ),
  "bridge/stop": post("stop the bridge", {}, bridged("stopped", flag("Always true."))),
  "bridge/resume": post("let the bridge go on", {}, bridged("stopped", flag("Always false."))),

  commands: get(
    "the commands that can be sent, with their members",
    typed<CommandSchema>(
      json("Commands, messages with their members, and enums with their values."),
      "CommandSchema",
      "planes/devnet/command-schema.ts",
    ),
  ),
  impersonate: post(
    "execute an unsigned command of a party",
    {
      party: member.party,
      command: member.object('the command as JSON, such as {"voteSubmission": {...}}', {
        sample: '{"voteSubmission": {...}}',
      }),
    },
    object({
      success: flag("Always true: a refusal is an error."),
      txHash: text("Hash of the transaction, upper-case hexadecimal."),
      code: whole("Always 0."),
      data: text("Always empty."),
      height: wholeText("Height of the block with it."),
    }),
    { description: "The command has the JSON form of the protocol's `InputData`." },
  ),
  ban: post(
    "ban a party from sending transactions",
    { party: member.party, "duration?": member.duration("such as 10m; for good when it is left out") },
    object({ party: text("Public key of the party."), bannedUntil: text(`End of the ban, ${TIME}.`) }),
    { example: { party: "PARTY", duration: "1s" } },
  ),
  pardon: post(
    "lift a party's ban",
    { party: member.party },
    object({ party: text("Public key of the party.") }),
    { example: { party: "PARTY" } },
  ),
};

/** Below `/devnet/`, and the words of the verb with slashes between. */
export type ToolPath = keyof typeof TOOLS;

/** For tools that were made for the network's single-process chain; no verb. */
export const FORWARD_TIME_PATH = "/api/v1/forwardtime";
export const FORWARD_TIME = post(
  "as time/forward or time/set, and a block, as the network's single-process chain has it",
  {
    forward: member.text("duration such as 10s, or a time of RFC 3339", {
      missing: "unexpected request body",
    }),
  },
  STATUS,
  {
    description: "Waiting transactions have a block of their own before the time moves.",
    example: { forward: "10s" },
  },
);

type MemberValue<M> = M extends member.Member<infer Kind> ? member.MemberValues[Kind] : never;
/** The body as a tool's function gets it: checked, and in the program's own types; of an upload its text. */
export type BodyOf<D> = D extends { readonly file: FileBody }
  ? string
  : D extends Declaration<infer Members, unknown>
    ? Named<{ readonly [Name in keyof Members]: MemberValue<Members[Name]> }>
    : never;
export type AnswerOf<D extends { readonly answer: Shape }> = ValueOf<D["answer"]>;

export type DevnetStatus = ValueOf<typeof STATUS>;
export type DevnetClock = ValueOf<typeof CLOCK>;

/** Every tool with its path. */
export const TOOL_LIST: readonly (Declaration & { readonly path: ToolPath })[] = Object.entries(TOOLS).map(
  ([path, declaration]) => ({ ...declaration, path: path as ToolPath }),
);
