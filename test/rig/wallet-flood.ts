// Clients that send through wallets as fast as they can, against a devnet in a process of its own: each transaction is
// executed, or has a reason with a time, and the key is never banned.
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { storePath } from "../../src/store/database.ts";
import { BRIDGED, DevnetClient } from "./devnet-client.ts";
import { RunningDevnet } from "./devnet-process.ts";
import type { Scratch } from "./homes.ts";
import type { StartOptions } from "./lyra.ts";
import { WalletProcess } from "./wallet-process.ts";

/** The network's own defaults, where the devnet's are easier. */
export const NETWORK_LIMITS: Readonly<Record<string, string>> = {
  "spam.pow.difficulty": "15",
  "spam.pow.numberOfTxPerBlock": "2",
  "spam.pow.numberOfPastBlocks": "100",
  "spam.pow.increaseDifficulty": "0",
};

export interface FloodPlan {
  readonly scratch: Scratch;
  readonly transactions: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** `instant`, `100ms`, `manual`. */
  readonly block: string;
  /** Time that a transaction waits for its place. */
  readonly waitMs: number;
  /** Wallets that use the same key, each a process that knows nothing of the others. */
  readonly wallets?: number;
  /** Whether the wallet is told that no other one uses its key. */
  readonly isSoleUser?: boolean;
  readonly program?: StartOptions["program"];
  /** Runs while they send. */
  readonly meanwhile?: (flood: RunningFlood) => Promise<void>;
}

export interface FloodOutcome {
  readonly sent: number;
  /** On a chain that began again: those of the one before too. */
  readonly executed: number;
  /** Transactions whose answer got lost, so that their fate is unknown. */
  readonly unknown: number;
  /** Sent so shortly before their chain was lost that they may have waited for a block of it. */
  readonly lostWithChain: number;
  /** Why transactions were not sent, with what differs taken out, and how often. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Refusals that do not say when the next attempt is worth it. */
  readonly withoutTime: readonly string[];
  readonly bannedUntil: string | undefined;
  readonly seconds: number;
}

class RunningFlood {
  /** Executed by a chain that is gone. */
  executedBefore = 0;
  /** When it went; never: infinite. */
  lostAtMs = Number.POSITIVE_INFINITY;
  /** When each transaction that was sent came back from its wallet. */
  readonly sentAtMs: number[] = [];

  constructor(
    private devnet: RunningDevnet,
    private readonly plan: FloodPlan,
    readonly client: DevnetClient,
    private readonly port: number,
  ) {}

  /** The chain is lost, and begins again at the same address. */
  async startAgain(): Promise<void> {
    const { scratch, block, parameters, program } = this.plan;
    this.lostAtMs = performance.now();
    this.devnet.kill("SIGKILL");
    await this.devnet.end();
    this.executedBefore = withdrawalsIn(this.devnet.home);
    rmSync(this.devnet.home, { recursive: true, force: true });
    const words = ["--node-port", String(this.port)];
    this.devnet = new RunningDevnet({
      ...{ home: scratch.path("devnet"), block, parameters, words },
      ...(program && { program }),
    });
    const { dataUrl, nodeUrl } = await this.devnet.listening();
    Object.assign(this.client, { dataUrl, nodeUrl });
    await fund(this.client);
  }

  async end(): Promise<void> {
    this.devnet.kill("SIGTERM");
    await this.devnet.end();
  }
}

const AMOUNT = "1000000";
const RECEIVER = `0x${"ab".repeat(20)}`;
const SETTLE_MS_MAX = 20_000;
const POLL_MS = 50;
/** Of a chain that is killed, what it took within this time may have been in no block yet. */
const UNBLOCKED_MS = 1_000;

async function fund(client: DevnetClient): Promise<void> {
  const response = await fetch(`${client.nodeUrl}/devnet/parties`);
  const { parties } = (await response.json()) as { parties: readonly { readonly publicKey: string }[] };
  await client.tool("fund", { party: parties[0]!.publicKey, asset: BRIDGED, amount: "1000000000000" });
}

export async function flood(plan: FloodPlan): Promise<FloodOutcome> {
  const { scratch, transactions, parameters, block, waitMs, wallets: count = 1, program } = plan;
  const sole = plan.isSoleUser === true ? { isSoleUser: true } : {};
  const devnet = new RunningDevnet({
    ...{ home: scratch.path("devnet"), block, parameters },
    ...(program && { program }),
  });
  const { nodeUrl, dataUrl, nodePort } = await devnet.listening();
  const client = new DevnetClient(nodeUrl, dataUrl);
  const running = new RunningFlood(devnet, plan, client, nodePort);
  const wallets: WalletProcess[] = [];
  try {
    await fund(client);
    const began = performance.now();
    for (let at = 0; at < count; at++) {
      wallets.push(new WalletProcess({ nodes: [nodeUrl], home: scratch.path("wallet"), waitMs, ...sole }));
    }
    await Promise.all(wallets.map((wallet) => wallet.connect()));
    const transaction = {
      withdrawSubmission: { amount: AMOUNT, asset: BRIDGED, ext: { erc20: { receiverAddress: RECEIVER } } },
    };
    const { sentAtMs } = running;
    const sendOne = async (wallet: WalletProcess) => {
      const error = await wallet.send(transaction);
      if (error === undefined) sentAtMs.push(performance.now());
      return error;
    };
    const sending = wallets.flatMap((wallet) =>
      Array.from({ length: Math.floor(transactions / count) }, () => sendOne(wallet)),
    );
    const meanwhile = plan.meanwhile?.(running);
    const errors = (await Promise.all(sending)).filter((error) => error !== undefined);
    await meanwhile;
    const sent = sentAtMs.length;
    const party = wallets[0]!.publicKey;
    const { lostAtMs, executedBefore } = running;
    const lostWithChain = sentAtMs.filter((at) => at < lostAtMs && at > lostAtMs - UNBLOCKED_MS).length;
    const before = sentAtMs.filter((at) => at < lostAtMs).length;
    const isGone = lostAtMs !== Number.POSITIVE_INFINITY;
    const executedNow = await executedBy(client, party, isGone ? sent - before : sent);
    const executed = executedBefore + executedNow;
    const seconds = (performance.now() - began) / 1_000;
    return {
      ...{ sent, executed, lostWithChain, seconds },
      unknown: errors.filter((error) => error.includes("may have been sent")).length,
      ...sortRefusals(errors),
      bannedUntil: await bannedUntil(client, party),
    };
  } finally {
    for (const wallet of wallets) await wallet.end();
    await running.end();
  }
}

function sortRefusals(errors: readonly string[]): Pick<FloodOutcome, "refusals" | "withoutTime"> {
  const refusals = new Map<string, number>();
  for (const error of errors) {
    const kind = error
      .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME")
      .replace(/since \d+ for \d+ s/, "since HEIGHT for N s")
      .replace(/answered for \d+ s/, "answered for N s")
      .replace(/[0-9A-F]{64} until block \d+/, "HASH until block HEIGHT")
      .replace(/of \d+ bits/, "of N bits");
    refusals.set(kind, (refusals.get(kind) ?? 0) + 1);
  }
  const isTimely = (error: string) =>
    /TIME|next block takes more|try again at|answered for N s|until block HEIGHT/.test(error);
  return { refusals, withoutTime: [...refusals.keys()].filter((kind) => !isTimely(kind)) };
}

/** All that a chain's store holds: a killed process leaves whole blocks. */
function withdrawalsIn(home: string): number {
  using db = new Database(storePath(home));
  const { count } = db.query("SELECT count(*) AS count FROM withdrawals_current").get() as { count: number };
  return count;
}

/** Withdrawals that the data API shows; waits for those that are on their way. */
async function executedBy(client: DevnetClient, party: string, expected: number): Promise<number> {
  const deadline = performance.now() + SETTLE_MS_MAX;
  for (;;) {
    await client.tool("mine", { blocks: 1 }).catch(() => {});
    const count = await withdrawalsOf(client, party);
    if (count >= expected || performance.now() > deadline) return count;
    await Bun.sleep(POLL_MS);
  }
}

async function withdrawalsOf(client: DevnetClient, party: string): Promise<number> {
  let count = 0;
  let after = "";
  for (;;) {
    const path = `withdrawals?partyId=${party}&pagination.first=1000${after}`;
    const { withdrawals } = (await client.data(path)) as {
      withdrawals: { edges: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    };
    count += withdrawals.edges.length;
    if (!withdrawals.pageInfo.hasNextPage) return count;
    after = `&pagination.after=${encodeURIComponent(withdrawals.pageInfo.endCursor)}`;
  }
}

async function bannedUntil({ nodeUrl }: DevnetClient, party: string): Promise<string | undefined> {
  const response = await fetch(`${nodeUrl}/statistics/spam/${party}`);
  const { statistics } = (await response.json()) as { statistics: { pow: { bannedUntil?: string } } };
  return statistics.pow.bannedUntil || undefined;
}
