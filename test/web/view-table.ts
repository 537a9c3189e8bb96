// A table of views: which answers of the API each must show, and how.
import type * as api from "../../src/client/api.generated.ts";
import type {
  Activity,
  Auctions,
  Blocks,
  Parameters,
  Segments,
  TransactionStory,
} from "../../src/http/chain-bodies.ts";
import { shellWord } from "../../src/http/shell-word.ts";
import type { DiskBody, StatusBody } from "../../src/http/status-body.ts";
import { type AnswerOf, TOOL_LIST, type TOOLS } from "../../src/planes/devnet/declarations.ts";
import {
  block,
  bytes,
  count,
  type Expected,
  id,
  link,
  NONE,
  short,
  span,
  threeDigits,
  utc,
  words,
} from "./expected.ts";
import type { Shown } from "./shown.ts";

export interface ViewRow {
  /** Behind `#/`. */
  readonly view: string;
  /** Name of a button that is pressed before. */
  readonly press?: string;
  /** Reads what the API answers, the page's own answers where those of a later request would differ. */
  readonly expected: (answered: Answered) => Promise<Partial<Shown>> | Partial<Shown>;
}

/** Texts of the last answers that the page got, by path. */
export type Answered = ReadonlyMap<string, Promise<string>>;

type Transaction = Activity["transactions"][number];
type Table = readonly (readonly string[])[];

/** Rows of all views and tabs, each of something that this chain has, where it has it. */
export async function viewTable(see: Expected): Promise<ViewRow[]> {
  return [
    ...chainRows(see),
    ...(await transactionRows(see)),
    ...(await partyRows(see)),
    ...(await assetRows(see)),
    ...(await marketRows(see)),
    ...(await governanceRows(see)),
    ...(await validatorRows(see)),
    ...(await epochRows(see)),
    ...(await recordRows(see)),
    ...nodeRows(see),
  ];
}

/** A table, or what stands in its place. */
function tableOf(
  label: string,
  columns: readonly string[],
  rows: Table,
  empty: string,
): { readonly tables: Shown["tables"]; readonly lines: readonly string[] } {
  return rows.length === 0
    ? { tables: {}, lines: [empty] }
    : { tables: { [label]: [columns, ...rows] }, lines: [] };
}

const activityColumns = ["Command", "Sender", "Result", "Hash", "Block", "Time"];

function activityRow(see: Expected, transaction: Transaction): string[] {
  const { title, impersonated, submitter, code, hash, height, time } = transaction;
  const unsigned = " (unsigned, by a tool){By a devnet's tool, without a signature}";
  return [
    see.inWords(title) + (impersonated ? unsigned : ""),
    see.party(submitter),
    resultOf(code),
    link(short(hash), "transaction", hash),
    block(height),
    see.time(time),
  ];
}
const resultOf = (code: number) => (code === 0 ? "executed" : `refused ${code}`);
const noTransactions = (see: Expected) =>
  see.empty(
    "No transactions here",
    "lyra devnet impersonate PARTY COMMAND",
    `A wallet that sends one fills this list; on a devnet a tool does it, and ${see.node.commandLine} devnet --demo plays a month.`,
  );

function activityTable(see: Expected, transactions: readonly Transaction[], left: readonly string[] = []) {
  const isKept = (_: unknown, n: number) => !left.includes(activityColumns[n]!);
  const rows = transactions.map((each) => activityRow(see, each).filter(isKept));
  const pager = transactions.length === 25 ? ["pager: page 1 | Older"] : [];
  const table = tableOf("transactions", activityColumns.filter(isKept), rows, noTransactions(see));
  return { ...table, lines: [...table.lines, ...pager] };
}

function chainRows(see: Expected): ViewRow[] {
  return [
    {
      view: "",
      async expected() {
        const { blocks } = await see.read<Blocks>("/lyra/v1/blocks?limit=60");
        const total = blocks.reduce((sum, { transactions }) => sum + transactions, 0);
        const [newest, oldest] = [blocks[0]!, blocks.at(-1)!];
        const mean =
          (Date.parse(newest.time) - Date.parse(oldest.time)) / Math.max(1, newest.height - oldest.height);
        const newestTransactions = await see.read<Activity>("/lyra/v1/transactions?limit=200");
        const shown = newestTransactions.transactions.filter((each) => !each.ofValidators).slice(0, 12);
        const { kind, version, commit, listening } = see.node;
        const { hostname } = new URL(see.pageUrl);
        const { parameters, total: changed } = await see.read<Parameters>(
          "/lyra/v1/parameters?changed=true&limit=10",
        );
        const activity = tableOf(
          "transactions",
          activityColumns,
          shown.map((each) => activityRow(see, each)),
          see.empty("The newest are all validators' own work"),
        );
        return {
          lines: [
            "Overview",
            "Chain",
            ...["Height", `${count(newest.height)}→blocks`],
            ...["Block time", blockTime(mean), `mean of the last ${blocks.length}`],
            ...["Transactions", `${count(total)}→transactions`, `in the last ${blocks.length} blocks`],
            ...["Last block", see.time(newest.time), see.age(newest.time)],
            "Transactions a block",
            `chart: Transactions a block: ${total} in the last ${blocks.length} blocks`,
            ...["Newest transactions", "All→transactions"],
            ...activity.lines,
            ...["Listening addresses", `${kind} · Lyra ${version} (${commit})`],
            "Parameters that differ from their defaults",
            `${changed > 10 ? `All ${changed}` : "All parameters"}→parameters`,
            ...(changed === 0
              ? [see.empty("All parameters have their defaults", "lyra devnet parameter KEY VALUE")]
              : []),
          ],
          tables: {
            ...activity.tables,
            "Listening addresses": listening.map(({ title, name, scheme, port, path, host }) => {
              const at = `${hostname}:${port}`;
              if (scheme === "grpc" || scheme === "unix") return [title, scheme === "grpc" ? at : host];
              const isApi = name === "data" || name === "node";
              const url = `${scheme}://${at}${isApi ? "/docs" : path}`;
              return [title, isApi || name === "comet" ? `${url}→${url}` : url];
            }),
            "Parameters that differ from their defaults": parameters.map(
              ({ key, value, default: initial }) => [key, value, `${initial}{default: ${initial}}`],
            ),
          },
        };
      },
    },
    {
      view: "blocks",
      async expected() {
        const { blocks } = await see.read<Blocks>("/lyra/v1/blocks?limit=25");
        return {
          lines: ["Blocks", ...(blocks.length === 25 ? ["pager: page 1 | Older"] : [])],
          tables: {
            blocks: [
              ["Height", "Time", "Transactions", "Hash"],
              ...blocks.map(({ height, time, transactions, hash }) => [
                block(height),
                see.time(time),
                count(transactions),
                id(hash),
              ]),
            ],
          },
        };
      },
    },
    {
      view: "transactions",
      async expected() {
        const { transactions } = await see.read<Activity>("/lyra/v1/transactions?limit=25");
        const { tables, lines } = activityTable(see, transactions);
        return { tables, lines: ["Transactions", ...lines] };
      },
    },
    {
      view: "parties",
      async expected() {
        const { rows, pager } = await see.list<api.Party>("parties", "parties");
        return {
          lines: ["Parties", ...pager],
          tables: {
            parties: [["Party", "Public key"], ...rows.map(({ id: key }) => [see.party(key), key])],
          },
        };
      },
    },
    {
      view: "parameters",
      async expected() {
        const { parameters } = await see.read<Parameters>("/lyra/v1/parameters");
        return {
          lines: ["Parameters", "differ from their defaults"],
          tables: {
            parameters: [
              ["Name", "Value", "Default"],
              ...parameters.map(({ key, value, default: initial }) => [key, value, initial ?? NONE]),
            ],
          },
        };
      },
    },
  ];
}

function blockTime(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(2)} s` : span(ms);
}

async function transactionRows(see: Expected): Promise<ViewRow[]> {
  const { transactions } = await see.read<Activity>("/lyra/v1/transactions?limit=200");
  const refused = transactions.find(({ code }) => code !== 0);
  // Each of another kind: members in words, money that it moves, rows that it writes.
  const kinds = ["Transfer Funds", "Submit Order", "Vote on Proposal"];
  const executed = kinds.map((kind) => transactions.find(({ type, code }) => type === kind && code === 0));
  const shown = [refused, ...executed, transactions[0]].filter((each) => each !== undefined);
  const { height } = refused ?? transactions[0]!;
  return [
    {
      view: `block/${height}`,
      async expected() {
        const { blocks } = await see.read<Blocks>(`/lyra/v1/blocks?limit=1&before=${height + 1}`);
        const inside = await see.read<Activity>(`/lyra/v1/transactions?height=${height}&limit=25`);
        const { tables, lines } = activityTable(see, inside.transactions, ["Block", "Time"]);
        const { hash, time, transactions: all } = blocks[0]!;
        return {
          lines: [`Block ${count(height)}`, "Block", "Transactions", ...lines],
          facts: {
            Block: [
              ["Time", see.fullTime(time)],
              ["Hash", hash],
              ["Transactions", count(all)],
            ],
          },
          tables,
        };
      },
    },
    ...[...new Set(shown)].map(
      ({ hash }): ViewRow => ({
        view: `transaction/${hash}`,
        expected: async () =>
          storyShown(see, await see.read<TransactionStory>(`/lyra/v1/transactions/${hash}`)),
      }),
    ),
  ];
}

type Pair = readonly [string, string];
const pairs = (...rows: readonly (readonly [string, string | undefined])[]) =>
  rows.filter((row): row is Pair => row[1] !== undefined);

function storyShown(see: Expected, story: TransactionStory): Partial<Shown> {
  const { checks, movements, balances, events, explanations } = story;
  const account = (type: string) => words(type, "ACCOUNT_TYPE_");
  const named = (each: { party: string; type: string }) => `${see.party(each.party)} ${account(each.type)}`;
  const eventTitle = (table: string) => table.split("_").join(" ");
  const isRefused = story.code !== 0;
  const full = events.filter(({ data }) => data !== undefined);
  return {
    lines: [
      see.inWords(story.title),
      resultOf(story.code),
      ...(isRefused ? [story.error] : []),
      "Transaction",
      "Checked again by this node",
      ...(story.impersonated ? ["Made by a devnet's tool: it has no signature and no proof of work."] : []),
      ...(checks.signature === "unknown"
        ? ["This node has the result of the transaction, not its bytes: there is nothing to verify."]
        : []),
      "Command",
      "Balances it changed",
      ...(balances.length === 0 ? [see.empty("It changed no balance")] : []),
      ...(movements.length === 0 ? [] : ["Money it moved"]),
      ...(events.length === 0 ? [] : ["Events"]),
      ...events
        .filter(({ data }) => data === undefined)
        .map(({ table, rows }) => `${eventTitle(table)} ${rows}`),
    ],
    facts: {
      ...(isRefused && {
        "Why it was refused": explanations.flatMap(({ means, why, fix }) =>
          pairs(["Means", means], ["Why", why || undefined], ["Do", fix]),
        ),
      }),
      Transaction: pairs(
        ["Hash", story.hash],
        ["Sender", see.party(story.submitter)],
        ["Command", story.type],
        ["Block", block(story.height)],
        ["Place in the block", String(story.index)],
        ["Time", see.fullTime(story.time)],
        ["Size", checks.bytes === null ? undefined : bytes(checks.bytes)],
      ),
      "Checked again by this node": pairs(
        ["Signature", checks.signature],
        ["Algorithm", checks.algorithm || undefined],
        ["Value", checks.signatureValue === "" ? undefined : id(checks.signatureValue)],
        ["Proof of work", checks.proofOfWork],
        [
          "Difficulty",
          checks.difficulty === null
            ? undefined
            : [`${checks.difficulty} zero bits`, checks.required && `${checks.required} are asked for now`]
                .filter(Boolean)
                .join(", "),
        ],
        ["For block", checks.proofHeight === null ? undefined : block(checks.proofHeight)],
      ),
      Command: story.lines.map(({ label, text }) => [label, see.inWords(text, label)]),
    },
    json: {
      "Command: Decoded in full": story.command,
      ...Object.fromEntries(
        full.map(({ table, rows, data }) => [`Events: ${eventTitle(table)}, ${rows}`, data]),
      ),
    },
    tables: {
      ...(balances.length > 0 && {
        balances: [
          ["Owner", "Account", "Market", "Balance after the block"],
          ...balances.map(({ party, asset, market, type, balance }) => [
            see.party(party),
            account(type),
            market === "" ? "" : see.market(market),
            see.amount(balance, asset),
          ]),
        ],
      }),
      ...(movements.length > 0 && {
        movements: [
          ["From", "To", "Kind", "Amount"],
          ...movements.map(({ from, to, type, amount }) => [
            named(from),
            named(to),
            words(type, "TRANSFER_TYPE_"),
            see.amount(amount, from.asset),
          ]),
        ],
      }),
    },
  };
}

function accountTable(
  see: Expected,
  rows: readonly api.AccountBalance[],
  first: "Owner" | "Asset",
  last: string[],
) {
  return tableOf(
    "accounts",
    [...(first === "Owner" ? ["Owner", "Balance"] : ["Balance", "Asset"]), "Account", "Market", ...last],
    rows.map(({ owner, asset, type, marketId, balance }) => {
      const amount = see.amount(balance, asset);
      return [
        ...(first === "Owner" ? [see.party(owner), amount] : [amount, see.asset(asset)]),
        ...[words(type, "ACCOUNT_TYPE_"), see.market(marketId), ...last.map(() => "")],
      ];
    }),
    see.empty("No account yet", "lyra devnet fund PARTY ASSET AMOUNT"),
  );
}

async function partyRows(see: Expected): Promise<ViewRow[]> {
  const { rows } = await see.list<api.Party>("parties", "parties", 50);
  const keys = rows.map(({ id: key }) => key).filter((key) => key !== "network");
  /** The party with most rows in such a list. */
  const richest = async (path: (key: string) => string, member: string) => {
    const sizes = await Promise.all(
      keys.map(async (key) => [key, (await see.list<object>(path(key), member, 25)).rows.length] as const),
    );
    return sizes.toSorted(([, one], [, other]) => other - one)[0]![0];
  };
  const tab = (
    key: string,
    name: string,
    more: (answered: Answered) => Promise<Partial<Shown>>,
    press?: string,
  ): ViewRow => ({
    view: `party/${key}${name === "" ? "" : `?tab=${name}`}`,
    ...(press !== undefined && { press }),
    async expected(answered) {
      const { currentStakeAvailable } = await see.read<api.GetStakeResponse>(
        `/api/v2/parties/${key}/stake?pagination.first=1`,
      );
      const { lines = [], facts, ...others } = await more(answered);
      return {
        lines: [see.parties.get(key) ?? "Party", "Party", ...lines],
        facts: {
          Party: [
            ["Public key", key],
            ["Stake", see.stake(currentStakeAvailable)],
          ],
          ...facts,
        },
        ...others,
      };
    },
  });
  const ledger = (key: string, side: "from" | "to") => async () => {
    const { rows: entries, pager } = await see.list<api.AggregatedLedgerEntry>(
      `ledgerentry/history?filter.${side}AccountFilter.partyIds=${key}`,
      "ledgerEntries",
    );
    const account = (party: string | undefined, type: string) =>
      `${see.party(party ?? "")} ${words(type, "ACCOUNT_TYPE_")}`;
    const table = tableOf(
      "ledger entries",
      ["Kind", "From", "To", "Amount", "Balance after", "Time"],
      entries.map((each) => [
        words(each.transferType, "TRANSFER_TYPE_"),
        account(each.fromAccountPartyId, each.fromAccountType),
        account(each.toAccountPartyId, each.toAccountType),
        see.amount(each.quantity, each.assetId!),
        see.amount(side === "to" ? each.toAccountBalance : each.fromAccountBalance, each.assetId!),
        see.time(each.timestamp),
      ]),
      see.empty("No money has moved", "lyra devnet fund PARTY ASSET AMOUNT"),
    );
    return { tables: table.tables, lines: [...table.lines, ...pager] };
  };
  const bridged = async (kind: "deposit" | "withdrawal", key: string, command: string) => {
    const { rows: records, pager } = await see.list<api.Deposit | api.Withdrawal>(
      `${kind}s?partyId=${key}`,
      `${kind}s`,
    );
    const table = tableOf(
      `${kind}s`,
      ["Identifier", "Status", "Amount", "Time"],
      records.map((each) => [
        link(short(each.id), kind, each.id),
        words(each.status, "STATUS_"),
        see.amount(each.amount, each.asset),
        see.time(each.createdTimestamp),
      ]),
      see.empty(`It has no ${kind}`, command),
    );
    return { tables: table.tables, lines: [...table.lines, ...pager] };
  };
  const byEntries = await richest(
    (key) => `ledgerentry/history?filter.fromAccountFilter.partyIds=${key}`,
    "ledgerEntries",
  );
  const byOrders = await richest((key) => `orders?filter.partyIds=${key}&filter.liveOnly=true`, "orders");
  const byWithdrawals = await richest((key) => `withdrawals?partyId=${key}`, "withdrawals");
  const byRewards = await richest((key) => `rewards?partyId=${key}`, "rewards");
  const { epoch } = await see.read<api.GetEpochResponse>("/api/v2/epoch");
  const { transactions } = await see.read<Activity>("/lyra/v1/transactions?limit=1");
  const { submitter } = transactions[0]!;
  return [
    tab(byEntries, "", async () => {
      const { rows: accounts, pager } = await see.list<api.AccountBalance>(
        `accounts?filter.partyIds=${byEntries}`,
        "accounts",
      );
      const { tables, lines } = accountTable(see, accounts, "Asset", ["Over time"]);
      return { tables, lines: [...lines, ...pager] };
    }),
    tab(submitter, "transactions", async () => {
      const sent = await see.read<Activity>(`/lyra/v1/transactions?limit=25&party=${submitter}`);
      return activityTable(see, sent.transactions, ["Sender"]);
    }),
    tab(byEntries, "ledger", ledger(byEntries, "from")),
    tab(byEntries, "ledger", ledger(byEntries, "to"), "Into its accounts"),
    tab(byOrders, "trading", async () => {
      const [positions, orders] = await Promise.all([
        positionTable(see, `filter.partyIds=${byOrders}`, "Market"),
        orderTable(see, `filter.partyIds=${byOrders}`, "Market"),
      ]);
      return {
        tables: { ...positions.tables, ...orders.tables },
        lines: [...positions.lines, ...orders.lines],
      };
    }),
    tab(byWithdrawals, "bridge", async () => {
      const deposits = await bridged(
        "deposit",
        byWithdrawals,
        "lyra devnet bridge deposit PARTY ASSET AMOUNT",
      );
      const withdrawals = await bridged("withdrawal", byWithdrawals, "lyra devnet bridge claim WITHDRAWAL");
      return {
        tables: { ...deposits.tables, ...withdrawals.tables },
        lines: ["Deposits", ...deposits.lines, "Withdrawals", ...withdrawals.lines],
      };
    }),
    tab(byRewards, "stake", async () => {
      const delegations = await see.list<api.Delegation>(
        `delegations?partyId=${byRewards}&epochId=${epoch.seq}`,
        "delegations",
      );
      const rewards = await see.list<api.Reward>(`rewards?partyId=${byRewards}`, "rewards");
      const delegated = tableOf(
        "delegations",
        ["Validator", "Amount"],
        delegations.rows.map(({ nodeId, amount }) => [see.validator(nodeId), see.stake(amount)]),
        see.empty("It delegates nothing", "lyra devnet stake PARTY AMOUNT"),
      );
      const paid = tableOf(
        "rewards",
        ["Epoch", "Out of", "Market", "Asset", "Amount", "Time"],
        rewards.rows.map((each) => [
          link(each.epoch, "epoch", each.epoch),
          words(each.rewardType, "ACCOUNT_TYPE_"),
          see.market(each.marketId),
          see.asset(each.assetId),
          see.amount(each.amount, each.assetId),
          see.time(each.receivedAt),
        ]),
        see.empty("It has no rewards yet", "lyra devnet epoch end"),
      );
      return {
        tables: { ...delegated.tables, ...paid.tables },
        lines: [
          ...[`Delegated in epoch ${epoch.seq}`, ...delegated.lines, ...delegations.pager],
          ...["Rewards", ...paid.lines, ...rewards.pager],
        ],
      };
    }),
    tab(byEntries, "send", async () => ({
      lines: ["form: Send to this party", "form: Withdraw to Ethereum"],
    })),
    ...[submitter, ...(await bannedOf(see, keys))].map((key) => tab(key, "spam", () => spamShown(see, key))),
  ];
}

type Spam = api.CoreGetSpamStatisticsResponse;
const hasSpam = (see: Expected) => see.node.listening.some(({ name }) => name === "node");

/** The first party that is banned, if any. */
async function bannedOf(see: Expected, keys: readonly string[]): Promise<string[]> {
  if (!hasSpam(see)) return [];
  const all = await Promise.all(keys.map((key) => see.readFromNode<Spam>(`/statistics/spam/${key}`)));
  const at = all.findIndex(({ statistics }) => statistics.pow.bannedUntil);
  return at < 0 ? [] : [keys[at]!];
}

const ALLOWANCES = [
  ["transfers", "Transfers"],
  ["delegations", "Delegations"],
  ["proposals", "Proposals"],
  ["nodeAnnouncements", "Announcements of validators"],
  ["issueSignatures", "Signatures issued"],
] as const;

async function spamShown(see: Expected, key: string): Promise<Partial<Shown>> {
  if (!hasSpam(see))
    return {
      lines: [
        see.empty(
          "This node has no spam statistics",
          "lyra sidecar --comet URL",
          "A node that follows a chain's blocks has them.",
        ),
      ],
    };
  const { statistics } = await see.readFromNode<Spam>(`/statistics/spam/${key}`);
  const { votes, pow, proposals, delegations, epochSeq } = statistics;
  const meter = (title: string, used: string, most: string) => `${title}[${used}/${most}]${used} of ${most}`;
  const bans: readonly (readonly [string, string | undefined])[] = [
    ["All its transactions", pow.bannedUntil],
    ["Its votes", votes.bannedUntil],
    ...ALLOWANCES.map(
      ([name, title]) => [`Its ${title.toLowerCase()}`, statistics[name].bannedUntil] as const,
    ),
  ];
  return {
    lines: [
      ...bans.flatMap(([what, until]) =>
        until ? [`${what} are refused until ${see.fullTime(until)}.`] : [],
      ),
      `Used of the allowances of epoch ${epochSeq}`,
      ...ALLOWANCES.map(([name, title]) =>
        meter(title, statistics[name].countForEpoch, statistics[name].maxForEpoch),
      ),
      ...(votes.statistics.length === 0 ? [meter("Votes on a proposal", "0", votes.maxForEpoch)] : []),
      ...votes.statistics.map(({ proposal, countForEpoch }) =>
        meter(`Votes on ${proposal.slice(0, 6)}…`, countForEpoch, votes.maxForEpoch),
      ),
      `A proposal needs ${see.stake(proposals.minTokensRequired)}, a delegation ${see.stake(delegations.minTokensRequired)}.`,
      "Proofs of work",
      `a proof may name one of the last ${pow.numberOfPastBlocks} blocks`,
    ],
    tables: {
      "proofs of work": [
        ["Block", "Proofs seen", "Base difficulty", "Next proof"],
        ...pow.blockStates
          .toReversed()
          .map((each) => [
            block(each.blockHeight),
            meter("", each.transactionsSeen, each.txPerBlock),
            each.difficulty,
            each.expectedDifficulty ? `${each.expectedDifficulty} bits` : "no more",
          ]),
      ],
    },
  };
}

const EXPIRIES: Readonly<Record<string, string>> = {
  GTC: "until cancelled",
  GTT: "until a time",
  IOC: "at once, in part or whole",
  FOK: "at once, as a whole",
  GFN: "outside of auctions only",
  GFA: "in auctions only",
};

async function orderTable(see: Expected, filter: string, owner: "Market" | "Party") {
  const { rows, pager } = await see.list<api.Order>(`orders?${filter}&filter.liveOnly=true`, "orders");
  // On a devnet its parties can sign here.
  const canSign = see.parties.size > 0;
  const table = tableOf(
    "orders",
    ["Side", "Price", "Remaining", owner, "Kind", "Order", "Time", ...(canSign ? ["Change"] : [])],
    rows.map((each) => [
      each.side === "SIDE_BUY" ? "buy" : "sell",
      see.price(each.price, each.marketId),
      see.size(each.remaining, each.marketId),
      owner === "Market" ? see.market(each.marketId) : see.party(each.partyId),
      each.liquidityProvisionId !== ""
        ? "liquidity"
        : each.peggedOrder !== null
          ? `pegged to ${words(each.peggedOrder.reference, "PEGGED_REFERENCE_")}`
          : EXPIRIES[each.timeInForce.slice(-3)]!,
      link(short(each.id), "order", each.id),
      see.time(each.createdAt),
      ...(!canSign
        ? []
        : each.liquidityProvisionId === "" && see.parties.has(each.partyId)
          ? [`Amend→market/${each.marketId}?amend=${each.id}`]
          : [""]),
    ]),
    see.empty("No order is in the book", "lyra devnet market run MARKET 50"),
  );
  return { tables: table.tables, lines: [...table.lines, ...pager] };
}

async function positionTable(see: Expected, filter: string, owner: "Market" | "Party") {
  const { rows, pager } = await see.list<api.Position>(`positions?${filter}`, "positions");
  const table = tableOf(
    "positions",
    [owner, "Open", "Entry price", "Unrealised", "Realised"],
    rows.map((each) => [
      owner === "Market" ? see.market(each.marketId) : see.party(each.partyId),
      see.size(each.openVolume, each.marketId),
      see.price(each.averageEntryPrice, each.marketId),
      see.money(each.unrealisedPnl, each.marketId),
      see.money(each.realisedPnl, each.marketId),
    ]),
    see.empty("No position is open", "lyra devnet market run MARKET 50"),
  );
  return { tables: table.tables, lines: [...table.lines, ...pager] };
}

async function assetRows(see: Expected): Promise<ViewRow[]> {
  const { rows: all } = await see.list<api.Asset>("assets", "assets", 50);
  const shown = [
    all.find(({ details }) => details?.erc20 !== undefined),
    all.find(({ details }) => details?.builtinAsset !== undefined),
  ].filter((each) => each !== undefined);
  return [
    {
      view: "assets",
      async expected() {
        const { rows, pager } = await see.list<api.Asset>("assets", "assets");
        return {
          lines: ["Assets", ...pager],
          tables: {
            assets: [
              ["Symbol", "Name", "Kind", "Decimals", "Status", "Identifier"],
              ...rows.map(({ id: key, details, status }) => [
                link(details!.symbol, "asset", key),
                details!.name,
                details!.erc20 === undefined ? "built in" : "ERC20",
                details!.decimals,
                words(status, "STATUS_"),
                id(key),
              ]),
            ],
          },
        };
      },
    },
    ...shown.map(
      ({ id: key }): ViewRow => ({
        view: `asset/${key}`,
        async expected() {
          const { asset } = await see.read<api.GetAssetResponse>(`/api/v2/asset/${key}`);
          const { symbol, name, decimals, quantum, erc20, builtinAsset } = asset.details!;
          const accounts = await see.list<api.AccountBalance>(`accounts?filter.assetId=${key}`, "accounts");
          const { tables, lines } = accountTable(see, accounts.rows, "Owner", []);
          return {
            lines: [
              ...[`${symbol} · ${name}`, words(asset.status, "STATUS_"), "Asset", "Accounts"],
              ...[...lines, ...accounts.pager],
            ],
            facts: {
              Asset: pairs(
                ["Identifier", key],
                ["Decimals", decimals],
                ["Quantum", see.amount(quantum, key)],
                ["Faucet gives at most", builtinAsset && see.amount(builtinAsset.maxFaucetAmountMint, key)],
                ["ERC20 contract", erc20?.contractAddress],
                ["Lifetime limit", erc20 && see.amount(erc20.lifetimeLimit, key)],
                ["Withdrawals wait from", erc20 && see.amount(erc20.withdrawThreshold, key)],
              ),
            },
            json: { "Asset: JSON": asset },
            tables,
          };
        },
      }),
    ),
  ];
}

/** A market trades, is in an auction, or has ended. */
function stateOf({ marketState, marketTradingMode }: api.MarketData): string {
  if (!/ACTIVE|SUSPENDED|PENDING/.test(marketState)) return words(marketState, "STATE_");
  return marketTradingMode === "TRADING_MODE_CONTINUOUS"
    ? "trading"
    : words(marketTradingMode, "TRADING_MODE_");
}

async function marketRows(see: Expected): Promise<ViewRow[]> {
  const { rows: all } = await see.list<api.Market>("markets", "markets", 50);
  const open = all.find(({ state }) => state === "STATE_ACTIVE") ?? all[0]!;
  const over = all.find(({ state }) => state !== "STATE_ACTIVE");
  const { id: key } = open;
  const tab = (market: string, name: string, more: () => Promise<Partial<Shown>>): ViewRow => ({
    view: `market/${market}${name === "" ? "" : `?tab=${name}`}`,
    async expected() {
      const { lines, tables, ...others } = await marketShown(see, market);
      const own = await more();
      return {
        ...others,
        ...own,
        lines: [...lines, ...(own.lines ?? [])],
        tables: { ...tables, ...own.tables },
      };
    },
  });
  const { asset } = see.markets.get(key)!;
  return [
    {
      view: "markets",
      async expected() {
        const { rows, pager } = await see.list<api.Market>("markets", "markets");
        const { marketsData } = await see.read<api.ListLatestMarketDataResponse>("/api/v2/markets/data");
        return {
          lines: ["Markets", ...pager],
          tables: {
            markets: [
              ["Market", "Name", "State", "Mark price", "Bid", "Offer", "Open interest", "Settled in"],
              ...rows.map(({ id: each, tradableInstrument }) => {
                const data = marketsData.find(({ market }) => market === each)!;
                const price = (value: string) => (value === "0" ? NONE : see.price(value, each));
                const isOver = !/ACTIVE|SUSPENDED|PENDING/.test(data.marketState);
                return [
                  see.market(each),
                  tradableInstrument!.instrument!.name,
                  stateOf(data),
                  ...[data.markPrice, data.bestBidPrice, data.bestOfferPrice].map(price),
                  isOver ? NONE : see.size(data.openInterest, each),
                  see.asset(see.markets.get(each)!.asset),
                ];
              }),
            ],
          },
        };
      },
    },
    tab(key, "", () => orderTable(see, `filter.marketIds=${key}`, "Party")),
    tab(key, "positions", () => positionTable(see, `filter.marketIds=${key}`, "Party")),
    tab(key, "margins", async () => {
      const { rows, pager } = await see.list<api.MarginLevels>(
        `margin/levels?marketId=${key}`,
        "marginLevels",
      );
      const { tables, lines } = tableOf(
        "margins",
        ["Party", "Maintenance", "Search", "Initial", "Release"],
        rows.map((each) => [
          see.party(each.partyId),
          ...[each.maintenanceMargin, each.searchLevel, each.initialMargin, each.collateralReleaseLevel].map(
            (level) => see.amount(level, each.asset),
          ),
        ]),
        see.empty("Nobody has a margin here", `lyra devnet market run ${key} 50`),
      );
      return { tables, lines: [...lines, ...pager] };
    }),
    tab(key, "liquidity", async () => {
      const { marketData } = await see.read<api.GetLatestMarketDataResponse>(
        `/api/v2/market/data/${key}/latest`,
      );
      const { rows, pager } = await see.list<api.LiquidityProvision>(
        `liquidity/provisions?marketId=${key}&live=true`,
        "liquidityProvisions",
      );
      const { tables, lines } = tableOf(
        "liquidity provisions",
        ["Party", "Committed", "Fee", "Status", "Time"],
        rows.map((each) => [
          see.party(each.partyId),
          see.amount(each.commitmentAmount, asset),
          each.fee,
          words(each.status, "STATUS_"),
          see.time(each.updatedAt),
        ]),
        see.empty(
          "Nobody provides liquidity",
          `lyra devnet impersonate PARTY '{"liquidityProvisionSubmission":{"marketId":"${key}",…}}'`,
        ),
      );
      return {
        facts: {
          "": [
            ["Target stake", see.amount(marketData!.targetStake, asset)],
            ["Supplied stake", see.amount(marketData!.suppliedStake, asset)],
          ],
        },
        tables,
        lines: [...lines, ...pager],
      };
    }),
    ...[open, over]
      .filter((each) => each !== undefined)
      .map(({ id: each }) =>
        tab(each, "terms", async () => {
          const { market } = await see.read<api.GetMarketResponse>(`/api/v2/market/${each}`);
          const { marketTimestamps: times, decimalPlaces, positionDecimalPlaces } = market;
          return {
            facts: {
              "": [
                ["Identifier", each],
                ["Proposal", link(short(each), "proposal", each)],
                ["Settled in", see.asset(see.markets.get(each)!.asset)],
                ["Decimals of prices", decimalPlaces],
                ["Decimals of sizes", positionDecimalPlaces],
                ["Proposed", see.fullTime(times?.proposed)],
                ["Opened", see.fullTime(times?.open)],
                ["Closed", see.fullTime(times?.close)],
              ],
            },
            json: { ": Terms in full": market },
          };
        }),
      ),
  ];
}

/** Above a market's tabs. */
async function marketShown(see: Expected, key: string): Promise<Pick<Shown, "lines" | "tables">> {
  const { market } = await see.read<api.GetMarketResponse>(`/api/v2/market/${key}`);
  const { marketData } = await see.read<api.GetLatestMarketDataResponse>(`/api/v2/market/data/${key}/latest`);
  const data = marketData!;
  const { code, name, future } = market.tradableInstrument!.instrument!;
  const price = (value: string) => (value === "0" ? NONE : see.price(value, key));
  const depth = await see.read<api.GetLatestMarketDepthResponse>(
    `/api/v2/market/depth/${key}/latest?maxDepth=8`,
  );
  const levels = [...depth.sell.slice(0, 8).toReversed(), ...depth.buy.slice(0, 8)];
  const { rows: trades } = await see.list<api.Trade>(`trades?marketIds=${key}`, "trades", 16);
  const { intervalToCandleId } = await see.read<api.ListCandleIntervalsResponse>(
    `/api/v2/candle/intervals?marketId=${key}`,
  );
  const candleId = intervalToCandleId.find(({ interval }) => interval === "1 minute")?.candleId;
  const { rows: candles } =
    candleId === undefined
      ? { rows: [] }
      : await see.list<api.Candle>(`candle?candleId=${candleId}`, "candles", 200);
  const last = candles.find(({ open }) => open !== "" && open !== "0");
  const { decimals } = see.markets.get(key)!;
  const plain = (value: string) => String(Number(value) / 10 ** decimals);
  const { auctions } = await see.read<Auctions>(`/lyra/v1/markets/${key}/auctions?from=0`);
  const isAuction = data.marketTradingMode.includes("AUCTION");
  return {
    lines: [
      ...[code, name, stateOf(data)],
      ...(isAuction
        ? [
            words(data.marketTradingMode, "TRADING_MODE_"),
            `begun by ${words(data.trigger, "AUCTION_TRIGGER_")}`,
            `since ${see.time(data.auctionStart)}, until ${see.time(data.auctionEnd)}`,
            `would trade ${see.size(data.indicativeVolume, key)} at ${see.price(data.indicativePrice, key)}`,
          ]
        : [`Trading mode: ${words(data.marketTradingMode, "TRADING_MODE_")}`]),
      "Prices",
      ...["Mark price", price(data.markPrice), future!.quoteName],
      ...["Best bid", price(data.bestBidPrice), "Best offer", price(data.bestOfferPrice)],
      ...["Open interest", data.openInterest === "0" ? NONE : see.size(data.openInterest, key)],
      "Candles",
      ...(candleId === undefined
        ? [see.empty("No candles of this length", `lyra devnet market run ${key} 50`)]
        : [
            `chart: Candles of ${code}: ${
              last === undefined
                ? "no trades yet"
                : `the last of ${utc(last.start)} opened at ${plain(last.open)}, was between ${plain(last.low)} and ${plain(last.high)}, and closed at ${plain(last.close)}`
            }`,
            ...auctions.slice(0, 3).map(({ start, left, end, trigger, extension }) => {
              const until = left !== null ? see.time(left) : end === null ? "now" : see.time(end);
              const more =
                extension === "AUCTION_TRIGGER_UNSPECIFIED"
                  ? ""
                  : `, extended by ${words(extension, "AUCTION_TRIGGER_")}`;
              return `${words(trigger, "AUCTION_TRIGGER_")} ${see.time(start)} to ${until}${left === null ? " at the earliest" : ""}${more}`;
            }),
            ...(auctions.length > 3 ? [`and ${auctions.length - 3} before`] : []),
          ]),
      "Depth",
      ...(levels.length === 0 ? [see.empty("The book is empty", `lyra devnet market run ${key} 50`)] : []),
      "Trades",
      ...(trades.length === 0
        ? [see.empty("No trade yet", `lyra devnet market run ${shellWord(code)} 50`)]
        : []),
      "form: Send an order",
    ],
    tables: {
      ...(levels.length > 0 && {
        Depth: [
          ["Price", "Size", "Orders"],
          ...levels.map((each) => [
            see.price(each.price, key),
            see.size(each.volume, key),
            each.numberOfOrders,
          ]),
        ],
      }),
      ...(trades.length > 0 && {
        trades: [
          ["Price", "Size", "Time"],
          ...trades.map((each) => [
            see.price(each.price, key),
            see.size(each.size, key),
            see.time(each.timestamp),
          ]),
        ],
      }),
    },
  };
}

const KINDS: Readonly<Record<string, string>> = {
  newMarket: "new market",
  updateMarket: "change of a market",
  updateNetworkParameter: "network parameter",
  newAsset: "new asset",
  updateAsset: "change of an asset",
  newFreeform: "free form",
};
const kindOf = ({ terms }: api.Proposal) =>
  Object.keys(terms ?? {}).flatMap((member) => KINDS[member] ?? [])[0] ?? "";

async function governanceRows(see: Expected): Promise<ViewRow[]> {
  const { rows: all } = await see.list<api.GovernanceData>("governances", "connection", 50);
  const isBad = ({ proposal }: api.GovernanceData) => Boolean(proposal?.errorDetails);
  const voted = all.find(({ yes, no }) => yes.length + no.length > 0);
  const shown = [all.find(isBad), voted, all[0]].filter((each) => each !== undefined);
  return [
    {
      view: "proposals",
      async expected() {
        const { rows, pager } = await see.list<api.GovernanceData>("governances", "connection");
        const table = tableOf(
          "proposals",
          ["Proposal", "Kind", "State", "By", "Votes", "Time"],
          rows.map(({ proposal, yes, no }) => {
            const { id: key, rationale, reference, state, partyId, timestamp } = proposal!;
            return [
              link(rationale?.title || reference || short(key), "proposal", key),
              kindOf(proposal!),
              words(state, "STATE_"),
              see.party(partyId),
              `${yes.length} : ${no.length}`,
              see.time(timestamp),
            ];
          }),
          see.empty(
            "Nothing was proposed yet",
            "lyra devnet market create btc",
            "A market or a parameter of a devnet is made by a proposal that its validator lets pass.",
          ),
        );
        return { tables: table.tables, lines: ["Proposals", ...table.lines, ...pager] };
      },
    },
    ...[...new Set(shown.map(({ proposal }) => proposal!.id))].map(
      (key): ViewRow => ({
        view: `proposal/${key}`,
        async expected() {
          const { data } = await see.read<api.GetGovernanceDataResponse>(
            `/api/v2/governance?proposalId=${key}`,
          );
          const { proposal, yes, no } = data!;
          const { reference, partyId, state, timestamp, terms, rationale, reason, errorDetails } = proposal!;
          const weight = (list: readonly api.Vote[]) =>
            list.length === 0
              ? "0"
              : `${list.length} with ${see.stake(list.reduce((sum, each) => sum + BigInt(each.totalGovernanceTokenBalance || 0), 0n).toString())}`;
          const { rows: votes, pager } = await see.list<api.Vote>(`votes?proposalId=${key}`, "votes");
          const seconds = (text: string | undefined) =>
            see.fullTime(text && `${text}000000000`.replace(/^0+$/, ""));
          const table = tableOf(
            "votes",
            ["Party", "Vote", "Tokens", "Time"],
            votes.map((each) => [
              see.party(each.partyId),
              each.value === "VALUE_YES" ? "for" : "against",
              see.stake(each.totalGovernanceTokenBalance || "0"),
              see.time(each.timestamp),
            ]),
            see.empty(
              "Nobody has voted",
              `lyra devnet impersonate PARTY '{"voteSubmission":{"proposalId":"${key}","value":"VALUE_YES"}}'`,
            ),
          );
          return {
            lines: [
              rationale?.title || reference || "Proposal",
              words(state, "STATE_"),
              ...(errorDetails ? [`${words(reason ?? "", "PROPOSAL_ERROR_")}: ${errorDetails}`] : []),
              ...["Proposal", "Times and votes", "Terms", "Votes", ...table.lines, ...pager],
              ...(state === "STATE_OPEN" ? ["form: Vote"] : []),
            ],
            facts: {
              Proposal: pairs(
                ["Identifier", key],
                ["Kind", kindOf(proposal!)],
                ["By", see.party(partyId)],
                ["Reference", reference || undefined],
                ["Description", rationale?.description || undefined],
              ),
              "Times and votes": [
                ["Proposed", see.fullTime(timestamp)],
                ["Vote closes", seconds(terms?.closingTimestamp)],
                ["Takes effect", seconds(terms?.enactmentTimestamp)],
                ["For", weight(yes)],
                ["Against", weight(no)],
              ],
            },
            json: { "Terms: Terms in full": terms },
            tables: table.tables,
          };
        },
      }),
    ),
  ];
}

const rankOf = ({ rankingScore }: api.Node) =>
  rankingScore ? words(rankingScore.status, "VALIDATOR_NODE_STATUS_") : "";

async function validatorRows(see: Expected): Promise<ViewRow[]> {
  const { rows: all } = await see.list<api.Node>("nodes", "nodes", 50);
  return [
    {
      view: "validators",
      async expected() {
        const { rows, pager } = await see.list<api.Node>("nodes", "nodes");
        return {
          lines: ["Validators", ...pager],
          tables: {
            validators: [
              ["Validator", "Rank", "Stake", "Voting power", "Performance"],
              ...rows.map((each) => [
                see.validator(each.id),
                rankOf(each) || NONE,
                see.stake(each.stakedTotal),
                String(each.rankingScore?.votingPower ?? NONE),
                each.rankingScore?.performanceScore ?? NONE,
              ]),
            ],
          },
        };
      },
    },
    ...all.slice(0, 2).map(
      ({ id: key }): ViewRow => ({
        view: `validator/${key}`,
        async expected() {
          const { node } = await see.read<api.GetNodeResponse>(`/api/v2/node/${key}`);
          const { name, rankingScore: scores, delegations } = node!;
          const table = tableOf(
            "delegations",
            ["Party", "Amount"],
            delegations.map(({ party, amount }) => [see.party(party), see.stake(amount)]),
            see.empty("Nobody delegates to it", "lyra devnet stake PARTY AMOUNT"),
          );
          return {
            lines: [
              name || "Validator",
              ...["Validator", "Stake and scores", "Delegators", ...table.lines, "form: Delegate"],
            ],
            facts: {
              Validator: pairs(
                ["Identifier", key],
                ["Public key", node!.pubKey],
                ["CometBFT key", node!.tmPubKey],
                ["Ethereum", node!.ethereumAddress],
                ["Country", node!.location || undefined],
                ["Says of itself", node!.infoUrl || undefined],
              ),
              "Stake and scores": pairs(
                ["Stake", see.stake(node!.stakedTotal)],
                ["Its own", see.stake(node!.stakedByOperator)],
                ["Delegated", see.stake(node!.stakedByDelegates)],
                ["From the next epoch", see.stake(node!.pendingStake)],
                ["Rank", rankOf(node!) || undefined],
                ["Voting power", scores ? String(scores.votingPower) : undefined],
                ["Performance", scores?.performanceScore],
                ["Stake score", scores?.stakeScore],
                ["Ranking score", scores?.rankingScore],
              ),
            },
            json: { "Delegators: JSON": node },
            tables: table.tables,
          };
        },
      }),
    ),
  ];
}

async function epochRows(see: Expected): Promise<ViewRow[]> {
  const { epoch: running } = await see.read<api.GetEpochResponse>("/api/v2/epoch");
  const { rows: paid } = await see.list<api.EpochRewardSummary>("rewards/epoch/summaries", "summaries", 1);
  const shown = async (number: string, isCurrent: boolean) => {
    const { epoch } = await see.read<api.GetEpochResponse>(`/api/v2/epoch?id=${number}`);
    const { startTime, expiryTime, endTime, firstBlock, lastBlock } = epoch.timestamps!;
    const ofRewards = String(Number(number) - Number(isCurrent));
    const { rows: rewards, pager } = await see.list<api.EpochRewardSummary>(
      `rewards/epoch/summaries?filter.fromEpoch=${ofRewards}&filter.toEpoch=${ofRewards}`,
      "summaries",
    );
    const status = await see.read<StatusBody>("/status");
    const now = BigInt(Date.parse(status.time!)) * 1_000_000n;
    const [lasts, elapsed] = [expiryTime, String(now)].map(
      (end) =>
        Math.floor(Number(BigInt(end) / 1_000_000n)) - Math.floor(Number(BigInt(startTime) / 1_000_000n)),
    );
    const seconds = (ms: number) => Math.max(0, Math.round(ms / 1_000));
    const isDue = isCurrent && now / 1_000_000n >= BigInt(expiryTime) / 1_000_000n;
    const validators = tableOf(
      "validators",
      ["Validator", "Rank", "Stake"],
      epoch.validators.map((each) => [
        link(each.name || short(each.id), "validator", each.id),
        rankOf(each),
        see.stake(each.stakedTotal),
      ]),
      see.empty("It had no validator"),
    );
    const table = tableOf(
      "rewards",
      ["Out of", "Market", "Asset", "Paid"],
      rewards.map(({ rewardType, marketId, assetId, amount }) => [
        words(rewardType, "ACCOUNT_TYPE_"),
        see.market(marketId),
        see.asset(assetId),
        see.amount(amount, assetId),
      ]),
      see.empty(
        "It paid no rewards",
        "lyra devnet epoch end",
        "Rewards are paid when an epoch ends, out of fees and reward accounts, to those who staked.",
      ),
    );
    return {
      lines: [
        `Epoch ${number}${isCurrent ? ", running" : ""}`,
        "Epoch",
        ...(isCurrent
          ? [
              `Elapsed[${Math.min(seconds(elapsed!), seconds(lasts!))}/${seconds(lasts!)}]${span(elapsed!)} of ${span(lasts!)}`,
            ]
          : []),
        ...["Validators", ...validators.lines],
        ...[isCurrent ? `Rewards of epoch ${ofRewards}` : "Rewards", ...table.lines, ...pager],
      ],
      facts: {
        Epoch: pairs(
          ["Begin", see.fullTime(startTime)],
          ["Due to end", isDue ? "with the next block" : see.fullTime(expiryTime)],
          ["End", endTime === "0" ? undefined : see.fullTime(endTime)],
          ["First block", firstBlock === "0" ? undefined : block(firstBlock)],
          ["Last block", lastBlock === "0" ? undefined : block(lastBlock)],
        ),
      },
      tables: { ...validators.tables, ...table.tables },
    };
  };
  const past = paid[0]?.epoch ?? "1";
  return [
    { view: "epochs", expected: () => shown(running.seq, true) },
    { view: `epoch/${past}`, expected: () => shown(past, false) },
  ];
}

async function recordRows(see: Expected): Promise<ViewRow[]> {
  const bridged = (record: api.Deposit | api.Withdrawal) =>
    pairs(
      ["Identifier", record.id],
      ["Party", see.party(record.partyId)],
      ["Amount", see.amount(record.amount, record.asset)],
      ["Asset", see.asset(record.asset)],
      ["Status", words(record.status, "STATUS_") || undefined],
      ["Transaction outside", id(record.txHash)],
      ["Created", see.fullTime(record.createdTimestamp)],
    );
  const rows: ViewRow[] = [];
  const { rows: orders } = await see.list<api.Order>("orders", "orders", 50);
  const refused = orders.find(({ reason }) => reason !== undefined && reason !== "ORDER_ERROR_UNSPECIFIED");
  for (const { id: key } of new Set([orders[0]!, refused ?? orders[0]!]))
    rows.push({
      view: `order/${key}`,
      async expected() {
        const { order } = await see.read<api.GetOrderResponse>(`/api/v2/order/${key}`);
        return {
          lines: ["Order", "Order"],
          facts: {
            Order: pairs(
              ["Identifier", key],
              ["Party", see.party(order.partyId)],
              ["Market", see.market(order.marketId)],
              ["Side", words(order.side, "SIDE_")],
              ["Price", see.price(order.price, order.marketId)],
              ["Size", see.size(order.size, order.marketId)],
              ["Remaining", see.size(order.remaining, order.marketId)],
              ["Type", words(order.type, "TYPE_")],
              ["Time in force", words(order.timeInForce, "TIME_IN_FORCE_")],
              ["Status", words(order.status, "STATUS_")],
              ["Refused because", order.reason && words(order.reason, "ORDER_ERROR_")],
              ["Reference", order.reference || undefined],
              ["Created", see.fullTime(order.createdAt)],
            ),
          },
          json: { "Order: JSON": order },
        };
      },
    });
  const { rows: deposits } = await see.list<api.Deposit>("deposits", "deposits", 1);
  for (const { id: key } of deposits)
    rows.push({
      view: `deposit/${key}`,
      async expected() {
        const { deposit } = await see.read<api.GetDepositResponse>(`/api/v2/deposit/${key}`);
        return {
          lines: ["Deposit", "Deposit"],
          facts: { Deposit: bridged(deposit) },
          json: { "Deposit: JSON": deposit },
        };
      },
    });
  const { rows: withdrawals } = await see.list<api.Withdrawal>("withdrawals", "withdrawals", 50);
  const approval = (key: string) => `/api/v2/erc20/asset/withdrawal/bundle?withdrawalId=${key}`;
  type Approval =
    | api.GetERC20WithdrawalApprovalResponse
    | { readonly code: number; readonly message: string };
  const approvals = await Promise.all(withdrawals.map(({ id: key }) => see.read<Approval>(approval(key))));
  const signed = approvals.findIndex((each) => !("code" in each));
  const unsigned = approvals.findIndex((each) => "code" in each);
  for (const at of [signed, unsigned].filter((each) => each >= 0)) {
    const { id: key } = withdrawals[at]!;
    rows.push({
      view: `withdrawal/${key}`,
      async expected() {
        const { withdrawal } = await see.read<api.GetWithdrawalResponse>(`/api/v2/withdrawal/${key}`);
        const bundle = await see.read<Approval>(approval(key));
        const hasBundle = !("code" in bundle);
        return {
          lines: [
            ...["Withdrawal", "Withdrawal", "Bundle for the bridge"],
            ...(hasBundle
              ? []
              : [
                  see.empty(
                    "There is no bundle yet",
                    "lyra devnet mine 5",
                    `${reasonOf(bundle)}: the validators sign with the next blocks.`,
                  ),
                ]),
          ],
          facts: {
            Withdrawal: bridged(withdrawal),
            ...(hasBundle && {
              "Bundle for the bridge": Object.entries(bundle).map(([name, value]) => [name, value || NONE]),
            }),
          },
          json: {
            "Withdrawal: JSON": withdrawal,
            ...(hasBundle && { "Bundle for the bridge: JSON": bundle }),
          },
        };
      },
    });
  }
  return rows;
}

function reasonOf(answer: object): string {
  const { message, details } = answer as {
    message: string;
    details?: { message?: string; inner?: string }[];
  };
  return details?.[0]?.message ?? message;
}

function nodeRows(see: Expected): ViewRow[] {
  const rows: ViewRow[] = [
    {
      view: "history",
      async expected() {
        const { segments } = await see.read<api.ListAllNetworkHistorySegmentsResponse>(
          "/api/v2/networkhistory/segments",
        );
        if (segments.length === 0)
          return {
            lines: [
              "History",
              see.empty(
                "No stretch of history is finished yet",
                "lyra devnet mine 1000",
                "A segment is made of every 1,000 blocks, or as --segment-length says.",
              ),
            ],
          };
        const status = await see.read<StatusBody>("/status");
        const { segments: sized } = await see.read<Segments>("/lyra/v1/segments?limit=25");
        const rows = segments
          .map((each) => [Number(each.fromHeight), Number(each.toHeight)] as const)
          .toSorted(([, one], [, other]) => one - other);
        const begins = rows.filter(([from], n) => n === 0 || rows[n - 1]![1] !== from - 1);
        const ends = rows.filter(([, to], n) => rows[n + 1]?.[0] !== to + 1);
        const range = (from: number, to: number) => `${count(from)} to ${count(to)}`;
        const missing = begins.slice(1).map(([from], n) => range(ends[n]![1] + 1, from - 1));
        const whole = begins.map(([from], n) => range(from, ends[n]![1]));
        return {
          lines: [
            "History",
            "Segments on the line of blocks",
            ...[count(rows[0]![0]), count(Math.max(rows.at(-1)![1], status.height!))],
            `Whole: ${whole.join(", ")}. ${missing.length === 0 ? "Nothing is missing between them." : `Missing: ${missing.join(", ")}.`}`,
            "Save an archive",
            "form: Save an archive",
            ...["Segments", count(segments.length)],
            ...(segments.length >= 25 ? ["pager: page 1 | Older"] : []),
          ],
          tables: {
            segments: [
              ["From", "To", "Size", "SHA-256"],
              ...segments
                .slice(0, 25)
                .map((each) => [
                  count(each.fromHeight),
                  count(each.toHeight),
                  bytes(sized.find(({ id: other }) => other === each.historySegmentId)!.bytes),
                  id(each.historySegmentId),
                ]),
            ],
          },
        };
      },
    },
    { view: "node", expected: (answered) => nodeShown(see, answered) },
  ];
  if (see.node.kind === "devnet") rows.push({ view: "devnet", expected: () => devnetShown(see) });
  return rows;
}

/** Tools that change something, by group; the others are read by a view. */
const TOOL_GROUPS: Readonly<Record<string, string>> = {
  "Blocks and time": "mine mode time/forward time/set time/freeze epoch/end",
  Parties: "fund stake balance ban pardon",
  Markets: "market/create market/run market/price market/terminate market/settle",
  "Parameters and state": "parameter dump load checkpoint reset",
  "Simulated Ethereum":
    "bridge/deposit bridge/list bridge/limits bridge/claim bridge/signers bridge/stop bridge/resume",
};
/** In other places of the view, and of a transaction's. */
const PLACED_TOOLS = /^(?:impersonate|snapshot|revert|outcomes|transaction)$/;

async function devnetShown(see: Expected): Promise<Partial<Shown>> {
  type Status = AnswerOf<typeof TOOLS.status>;
  const status = await see.readFromNode<Status>("/devnet/status");
  const { snapshots, current } =
    await see.readFromNode<AnswerOf<typeof TOOLS.snapshots>>("/devnet/snapshots");
  const { height, time, epoch, mempool, pow, halted } = status;
  const isDue = Date.parse(time) >= Date.parse(epoch.expire);
  const { commandLine } = see.node;
  const formOf = ({ path, summary, members, file }: (typeof TOOL_LIST)[number]) => {
    const needed = Object.keys(members).filter((name) => !name.endsWith("?"));
    const verb = path.replace("/", " ");
    const places = [...needed.map((name) => name.toUpperCase()), ...(file === undefined ? [] : [file.word])];
    return `form: ${verb} | ${summary} | ${[commandLine, "devnet", verb, ...places].join(" ")}`;
  };
  const groups = Object.entries(TOOL_GROUPS).map(
    ([title, paths]) =>
      [title, paths.split(" ").map((path) => TOOL_LIST.find((tool) => tool.path === path)!)] as const,
  );
  const grouped = new Set(groups.flatMap(([, tools]) => tools));
  const lost = TOOL_LIST.filter(
    (tool) => tool.method === "POST" && !grouped.has(tool) && !PLACED_TOOLS.test(tool.path),
  );
  return {
    lines: [
      ...["Devnet", "The chain now", "Snapshots"],
      ...(snapshots.length === 0
        ? [
            see.empty(
              "No snapshot yet",
              "lyra devnet snapshot",
              "The whole chain is remembered as it is, and you can go back to it.",
            ),
          ]
        : []),
      ...snapshots.map((each) =>
        each.usable
          ? `${each.snapshot} block ${count(each.height)} ${see.time(each.time)}${commandLine} devnet revert ${each.snapshot}`
          : `${each.snapshot} block ${count(each.height)} ${see.time(each.time)}gone: the chain went back to one before it`,
      ),
      ...(current === undefined
        ? []
        : [
            `now block ${count(height)}, ${count(Number(height) - Number(snapshots.find((each) => each.snapshot === current)!.height))} after snapshot ${current}`,
          ]),
      ...(snapshots.length > 0 ? [`${commandLine} devnet snapshot`] : []),
      "Send any command as any party",
      "a form of each command, made from its message; executed as if the party had signed it",
      ...groups.flatMap(([title, tools]) => [title, ...tools.map(formOf)]),
      ...lost.map(formOf),
    ],
    facts: {
      "The chain now": pairs(
        ["Height", count(height)],
        ["Time of the chain", see.fullTime(time)],
        ["Epoch", epoch.seq],
        ["Epoch ends", isDue ? "with the next block" : see.fullTime(epoch.expire)],
        ["Transactions waiting", String(mempool.count)],
        ["Proof of work", `${pow.difficulty} bits, ${pow.txPerBlock} a block`],
        ["Halted", halted],
      ),
    },
  };
}

function diskLines({ usedBytes, budgetBytes, fullInDays }: DiskBody): string[] {
  return [
    ...(fullInDays === null
      ? []
      : [fullInDays < 30 ? `full in ${fullInDays} days` : `room for ${count(Math.floor(fullInDays))} days`]),
    ...(budgetBytes === null
      ? []
      : [`Of the budget[${usedBytes}/${budgetBytes}]${bytes(usedBytes)} of ${bytes(budgetBytes)}`]),
  ];
}

/** By the page's own answers: each further one would be counted in the next. */
export async function nodeShown(see: Expected, answered: Answered): Promise<Partial<Shown>> {
  const status = JSON.parse((await answered.get("/status"))!) as StatusBody;
  const metrics = (await answered.get("/metrics"))!;
  const { kind, version, commit } = see.node;
  const metric = (name: string) =>
    Number(
      metrics
        .split("\n")
        .find((line) => line.startsWith(`${name} `))!
        .split(" ")[1],
    );
  const { sources } = status;
  const disk = status.disk;
  const duties = await answered.get("/devnet/validator");
  const validator = duties === undefined ? undefined : (JSON.parse(duties) as ValidatorAnswer);
  const [open, most] = [metric("process_open_fds"), metric("process_max_fds")];
  return {
    lines: [
      ...["Node", status.ready ? "ready" : "not ready", `${kind} · Lyra ${version} (${commit})`],
      ...(status.ready ? [] : [status.reason]),
      ...["Chain", "Store"],
      ...(disk === undefined ? [] : ["Disk", ...diskLines(disk)]),
      ...(validator === undefined ? [] : validatorShown(see, validator).lines),
      ...(sources === undefined ? [] : ["Sources"]),
      ...["Process", `Files and sockets[${open}/${most}]${open} of ${most}`, "Answers since the start"],
    ],
    facts: {
      Chain: pairs(
        ["Chain", status.chainId ?? undefined],
        ["Blocks", `${count(status.firstHeight ?? 0)} to ${count(status.height ?? 0)}`],
        ["Last block", see.fullTime(status.time ?? undefined)],
        ["Followed node", status.followedHeight ? `at block ${count(status.followedHeight)}` : undefined],
        [
          "Behind it",
          status.lag &&
            [
              status.lag.blocks === 1 ? "1 block" : `${count(status.lag.blocks)} blocks`,
              ...(typeof status.lag.seconds === "number" ? [span(status.lag.seconds * 1_000)] : []),
            ].join(", "),
        ],
        ["Markets stopped by a fault", status.haltedMarkets?.map(({ market }) => market).join(", ")],
      ),
      Store: pairs(
        ["Size", bytes(status.store.bytes)],
        ["Log beside it", bytes(status.store.logBytes)],
        ["History segments", count(status.segments)],
        ["Checked", status.store.checked === null ? "not yet" : see.age(status.store.checked)],
      ),
      ...(disk !== undefined && {
        Disk: pairs(
          ["Forecast", disk.text],
          [
            "Growth a day of the chain",
            disk.growthBytesPerDay === null ? undefined : bytes(disk.growthBytesPerDay),
          ],
          ["Store", bytes(disk.storeBytes)],
          ["Its log", bytes(disk.logBytes)],
          ["History segments", bytes(disk.segmentBytes)],
          ["Other files", bytes(disk.otherBytes)],
          [
            "Rows kept",
            Object.entries(disk.historyFrom)
              .map(([table, height]) => `${table} from ${count(height)}`)
              .join(", ") || undefined,
          ],
        ),
      }),
      ...(validator !== undefined && validatorShown(see, validator).facts),
      Process: [
        ["Running for", span(metric("lyra_uptime_seconds") * 1_000)],
        ["Memory", bytes(metric("process_resident_memory_bytes"))],
        ["Streams open", count(metric("lyra_streams_open"))],
        ["Exports running", count(metric("lyra_exports_running"))],
        ["Faults", count(metric("lyra_faults_total"))],
      ],
    },
    tables: {
      ...(validator !== undefined && validatorShown(see, validator).tables),
      ...(sources !== undefined && {
        sources: [
          ["Source", "State", "In words", "Height", "Since"],
          ...sources.map((each) => [
            each.kind,
            each.state,
            each.text,
            each.height === null ? NONE : count(each.height),
            see.time(each.since),
          ]),
        ],
      }),
      answers: [["Kind", "Answers", "Mean", "99 of 100 below"], ...answerRows(metrics)],
    },
  };
}

type ValidatorAnswer = AnswerOf<typeof TOOLS.validator>;

/** A validator's engine, peers and duties. */
function validatorShown(see: Expected, { node, keys, duties, engine, problem }: ValidatorAnswer): Shown {
  const owed = tableOf(
    "duties",
    ["Kind", "About"],
    duties.map(({ kind, about }) => [kind === "sign" ? "signature" : kind, id(about)]),
    see.empty(
      node === undefined && engine !== undefined ? "No validator of the chain works here" : "Nothing is owed",
      keys ? undefined : "lyra validator --keys FILE --ethereum URL",
    ),
  );
  const dutyLines = ["Duties pending", ...(keys ? [] : ["this node has no keys for them"]), ...owed.lines];
  if (engine === undefined)
    return {
      lines: [
        ...["Validator", "engine away", problem ?? ""],
        see.empty(
          "Its consensus engine does not answer",
          "cometbft start --home DIR",
          "The engine is started again by its supervisor; reads of this node go on.",
        ),
        ...dutyLines,
      ],
      facts: {},
      json: {},
      tables: owed.tables,
    };
  const { height, lastSigned, power, totalPower, peers } = engine;
  const missed = lastSigned === undefined ? 0n : BigInt(height) - BigInt(lastSigned);
  const connected = tableOf(
    "peers",
    ["Name", "Identifier", "Address", "Works on block", "Connected for"],
    peers.map((each) => [
      each.name,
      id(each.id),
      `${each.outbound ? "to" : "from"} ${each.host}`,
      each.height === undefined ? NONE : count(each.height),
      span(each.connectedSeconds * 1_000),
    ]),
    see.empty(
      "The engine is connected with nobody",
      undefined,
      "Others are named by persistent_peers in its config.toml.",
    ),
  );
  return {
    lines: [
      ...["Validator", engine.catchingUp ? "catching up" : "with the others"],
      `Voting power[${power}/${totalPower}]${power} of ${totalPower}`,
      ...dutyLines,
      ...["Peers", String(peers.length), ...connected.lines],
    ],
    facts: {
      Validator: [
        ["Validator", node === undefined ? "none of the chain's" : see.validator(node)],
        ["Engine", `${engine.name}, CometBFT ${engine.version}`],
        ["Its last block", count(height)],
        [
          "Last block it signed",
          lastSigned === undefined
            ? "none of the last"
            : `${count(lastSigned)}${missed > 1n ? `, ${count(String(missed))} blocks ago` : ""}`,
        ],
      ],
    },
    json: {},
    tables: { ...owed.tables, ...connected.tables },
  };
}

/** Kinds of requests with their times, out of a histogram's lines. */
function answerRows(metrics: string): string[][] {
  const values = (part: string) =>
    [...metrics.matchAll(new RegExp(`^lyra_http_request_seconds_${part} (\\S+)$`, "gm"))].map(
      ([, ...groups]) => groups as string[],
    );
  const ms = (seconds: number) => threeDigits(seconds * 1_000, { ms: 1, s: 1_000 });
  return values('count\\{class="(\\w+)"\\}').flatMap(([name, total]) => {
    const answers = Number(total);
    if (answers === 0) return [];
    const [sum] = values(`sum\\{class="${name}"\\}`)[0]!;
    const bounds = values(`bucket\\{class="${name}",le="([\\d.]+)"\\}`);
    const bound = bounds.find(([, within]) => Number(within) >= answers * 0.99)?.[0];
    return [
      [name!, count(answers), ms(Number(sum) / answers), bound === undefined ? NONE : ms(Number(bound))],
    ];
  });
}
