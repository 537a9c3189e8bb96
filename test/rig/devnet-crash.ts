// The crash rig of a devnet: it is killed again and again, under load and while it does something delicate, and must
// keep every block that it has acknowledged. A home goes through many rounds; in the end its chain is made again from
// its transactions, undisturbed, and must be the same to the last row. Nothing in the program knows of it.
import { cpSync, existsSync, rmSync, statSync } from "node:fs";
import { Dice } from "../../scripts/sample/seeded.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import { openReader, openWriter, segmentDirectory, storePath } from "../../src/store/database.ts";
import { copyOf, differencesToReplay, differencesToState } from "./chain-again.ts";
import { DevnetClient, DOLLAR, EASY, transferTo } from "./devnet-client.ts";
import { Ledger } from "./devnet-ledger.ts";
import { DevnetLoad } from "./devnet-load.ts";
import { RunningDevnet } from "./devnet-process.ts";
import { Scratch } from "./homes.ts";
import { lyra, PROGRAM } from "./lyra.ts";

/** The devnet's activity when it is killed. */
export type DevnetMode =
  /** Starting for the first time: genesis, first blocks, balances of the parties. */
  | "funding"
  /** Starting again. */
  | "start"
  /** A block for each transaction, with clients that wait for theirs. */
  | "load"
  /** Blocks of many transactions. */
  | "burst"
  /** Snapshots, reverts, deposits, ends of epochs, between transactions. */
  | "tools"
  /** Folding the log back into the store. */
  | "checkpoint";
const DEVNET_MODES: readonly DevnetMode[] = ["load", "start", "burst", "tools", "checkpoint"];

export interface DevnetCrashOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly program?: readonly string[];
  /** Rounds that one home goes through; default 25. Each home begins with a round of `funding`. */
  readonly roundsPerHome?: number;
  readonly modes?: readonly DevnetMode[];
  /** Longest duration of a load, milliseconds; default 500. */
  readonly loadMs?: number;
  /** Done to a finished home before it is looked at: shows that the rig can fail. */
  readonly tamper?: (home: string) => void;
  readonly onRound?: (round: DevnetRound) => void;
}

export interface DevnetRound {
  readonly round: number;
  readonly mode: DevnetMode;
  /** Milliseconds after the start of the process at which it was killed. */
  readonly killedMs: readonly number[];
  /** Height on the disk after the last kill. */
  readonly height: number;
  /** Transactions that were acknowledged in this round. */
  readonly acknowledged: number;
  readonly failures: readonly string[];
}

export interface DevnetCrashReport {
  readonly rounds: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly blocks: number;
  /** Kills just after the log was folded back into the store, and in the middle of a revert. */
  readonly atCheckpoint: number;
  readonly inRevert: number;
  readonly failures: readonly string[];
}

const ROUNDS_PER_HOME = 25;
const LOAD_MS = 500;
const KILLS_MAX = 4;
/** A home is looked at more closely after this many rounds: `lyra doctor`, and its state beside its rows. */
const CLOSE_LOOK = 5;
const CHECKPOINT_MS_MAX = 3_000;
const STRANGER = "0d".repeat(32);
const PAYER = devnetParties()[0]!.publicKey;
const SEGMENT_LENGTH = "100";

export async function devnetCrashRounds(options: DevnetCrashOptions): Promise<DevnetCrashReport> {
  const scratch = new Scratch("devnet-crash");
  try {
    return await new Rig(options, scratch).run();
  } finally {
    scratch.remove();
  }
}

class Rig {
  private readonly dice: Dice;
  private startMs = 0;
  /** The parties' balances in an undisturbed devnet, as text. */
  private funded = "";
  private readonly failures: string[] = [];
  private kills = 0;
  private acknowledged = 0;
  private blocks = 0;
  private atCheckpoint = 0;
  private inRevert = 0;

  constructor(
    private readonly options: DevnetCrashOptions,
    private readonly scratch: Scratch,
  ) {
    this.dice = new Dice(options.seed);
  }

  async run(): Promise<DevnetCrashReport> {
    const { rounds, roundsPerHome = ROUNDS_PER_HOME } = this.options;
    await this.measure();
    for (let round = 1; round <= rounds; ) {
      const last = Math.min(rounds, round + roundsPerHome - 1);
      await this.home(round, last);
      round = last + 1;
    }
    const { kills, acknowledged, blocks, atCheckpoint, inRevert, failures } = this;
    return { rounds, kills, acknowledged, blocks, atCheckpoint, inRevert, failures };
  }

  private async measure(): Promise<void> {
    const home = this.scratch.path();
    const devnet = this.start(home, "instant");
    const { nodeUrl } = await devnet.listening();
    this.startMs = devnet.ageMs;
    this.funded = await balances(nodeUrl);
    const { code, err } = await devnet.stop();
    if (code !== 0) throw new Error(`the undisturbed run ended with ${code}: ${err}`);
    rmSync(home, { recursive: true });
  }

  /** Some rounds on one home, and the last look at it. */
  private async home(first: number, last: number): Promise<void> {
    const home = this.scratch.path();
    const life = new Life(home, `${this.options.seed} ${first}`);
    const { modes = DEVNET_MODES, tamper, onRound } = this.options;
    for (let round = first; round <= last; round++) {
      const mode = round === first ? "funding" : modes[(round - 1) % modes.length]!;
      const before = life.ledger.count;
      const isClose = round === last || (round - first) % CLOSE_LOOK === CLOSE_LOOK - 1;
      const { killedMs, failures } = await this.round(life, mode, round, round === last);
      if (round === last) tamper?.(home);
      failures.push(...(await this.look(life, isClose)));
      if (round === last) failures.push(...(await this.lastLook(home)));
      this.kills += killedMs.length;
      this.failures.push(...failures.map((text) => `round ${round} (${mode}): ${text}`));
      const acknowledged = life.ledger.count - before;
      onRound?.({ round, mode, killedMs, height: life.height, acknowledged, failures });
    }
    this.acknowledged += life.ledger.count;
    this.blocks += life.height;
    rmSync(home, { recursive: true, force: true });
  }

  private async round(
    life: Life,
    mode: DevnetMode,
    round: number,
    isLast: boolean,
  ): Promise<{ killedMs: number[]; failures: string[] }> {
    const killedMs: number[] = [];
    const failures: string[] = [];
    const kill = async (devnet: RunningDevnet) => {
      killedMs.push(Math.round(devnet.ageMs));
      devnet.kill("SIGKILL");
      await devnet.end();
    };
    let devnet = this.start(life.home, mode === "burst" ? "40ms" : "instant");
    try {
      if (mode === "funding" || mode === "start") {
        const kills = 1 + this.dice.below(mode === "start" ? 2 : KILLS_MAX);
        for (let n = 0; n < kills; n++) {
          await Bun.sleep(this.dice.below(Math.round(this.startMs)));
          if (devnet.hasEnded) throw new Error(`it does not start: ${(await devnet.end()).err}`);
          await kill(devnet);
          devnet = this.start(life.home, "instant");
        }
      }
      const { nodeUrl, dataUrl } = await devnet.listening();
      const client = new DevnetClient(nodeUrl, dataUrl);
      const { height } = await client.lastBlock();
      if (height < life.height)
        failures.push(`it starts at block ${height}, and block ${life.height} was on the disk`);
      if (mode === "funding") {
        const funds = await balances(nodeUrl);
        if (funds !== this.funded)
          failures.push(`the parties have other balances than in an undisturbed devnet: ${funds}`);
      }
      life.market ??= (await client.tool("market/create", { preset: "simple" })).market;
      const beforeKill = () => (isLast ? untilAcknowledged(life.ledger) : undefined);
      failures.push(
        ...(await this.loadUntilKilled(client, life, mode, round, beforeKill, () => kill(devnet))),
      );
    } catch (error) {
      failures.push((error as Error).message);
    } finally {
      devnet.kill("SIGKILL");
      const { err } = await devnet.end();
      if (failures.length > 0 && err !== "") failures.push(`it said: ${err.trim()}`);
    }
    return { killedMs, failures };
  }

  private async loadUntilKilled(
    client: DevnetClient,
    life: Life,
    mode: DevnetMode,
    round: number,
    beforeKill: () => Promise<void> | undefined,
    kill: () => Promise<void>,
  ): Promise<string[]> {
    const seed = this.options.seed * 100_000 + round;
    const load = new DevnetLoad(client, life.ledger, {
      seed,
      name: `${life.name} ${round}`,
      market: life.market,
      lanes: mode === "burst" ? 8 : 4,
      burst: mode === "burst" ? 60 : 0,
    });
    load.start();
    const tools = mode === "tools" ? new ToolLoad(client, load, life.ledger, new Dice(seed)) : undefined;
    const working = tools?.run();
    if (mode === "checkpoint") {
      if (await untilCheckpoint(life.home, this.dice.below(4))) this.atCheckpoint++;
    } else await Bun.sleep(this.dice.below((mode === "burst" ? 2 : 1) * (this.options.loadMs ?? LOAD_MS)));
    await beforeKill();
    tools?.end();
    const failures = [...load.failures];
    await kill();
    await load.end();
    await working;
    return [...failures, ...(tools?.failures ?? [])];
  }

  /** Looks at copies: the next process finds the home as it was left. */
  private async look(life: Life, isClose: boolean): Promise<string[]> {
    const copy = this.scratch.path("copy");
    try {
      copyOf(life.home, copy);
      openWriter(copy).close();
      const db = openReader(copy);
      try {
        const { height } = db.query("SELECT max(height) AS height FROM blocks").get() as { height: bigint };
        life.height = Number(height);
        if (life.ledger.isReverting) this.inRevert++;
        const failures = life.ledger.check(db);
        if (!isClose || failures.length > 0) return failures;
      } finally {
        db.close();
      }
      if (existsSync(segmentDirectory(life.home))) {
        cpSync(segmentDirectory(life.home), segmentDirectory(copy), { recursive: true });
      }
      return [...(await this.doctor(copy)), ...differencesToState(copy)];
    } catch (error) {
      return [`the home cannot be looked at: ${(error as Error).message}`];
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  private async lastLook(home: string): Promise<string[]> {
    try {
      openWriter(home).close();
      return [
        ...(await this.doctor(home, "--deep")),
        ...differencesToReplay(home, this.scratch.path("again")),
      ];
    } catch (error) {
      return [(error as Error).message];
    }
  }

  private async doctor(home: string, ...words: string[]): Promise<string[]> {
    const { program = PROGRAM } = this.options;
    const { code, out, err } = await lyra(["doctor", "--home", home, ...words], { program });
    return code === 0 ? [] : [`lyra doctor: exit code ${code}: ${out}${err}`];
  }

  private start(home: string, block: string): RunningDevnet {
    const { program = PROGRAM } = this.options;
    const words = ["--segment-length", SEGMENT_LENGTH];
    return new RunningDevnet({ home, block, program, parameters: EASY, words });
  }
}

const ACKNOWLEDGED_MS_MAX = 10_000;

/** A home in which nothing was ever promised shows nothing: its last kill waits for that. */
async function untilAcknowledged(ledger: Ledger): Promise<void> {
  const giveUpAt = performance.now() + ACKNOWLEDGED_MS_MAX;
  while (ledger.count === 0 && performance.now() < giveUpAt) await Bun.sleep(5);
}

/** A home and what was promised in it. */
class Life {
  /** Made in the first round; the commands of its making may be lost with it, and it is made again then. */
  market: string | undefined;
  readonly ledger = new Ledger();
  height = 0;

  constructor(
    readonly home: string,
    readonly name: string,
  ) {}
}

/** The developer's tools, one after the other. */
class ToolLoad {
  readonly failures: string[] = [];
  private isOver = false;

  constructor(
    private readonly client: DevnetClient,
    private readonly load: DevnetLoad,
    private readonly ledger: Ledger,
    private readonly dice: Dice,
  ) {}

  end(): void {
    this.isOver = true;
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.step(this.dice.below(12));
      } catch (error) {
        // Any other: it was killed in the middle of it.
        if (!this.isOver) this.failures.push(`a tool failed: ${(error as Error).message}`);
        return;
      }
    }
  }

  private async step(which: number): Promise<void> {
    const { client, load, ledger, dice } = this;
    if (which <= 1 && ledger.snapshots.length < 20) {
      await load.pause();
      const { height } = await client.lastBlock();
      const { snapshot } = await client.tool("snapshot");
      ledger.snapshots.push({ id: snapshot!, height });
      load.resume();
    } else if (which <= 3 && ledger.snapshots.length > 0) {
      const snapshot = dice.pick(ledger.snapshots);
      await load.pause();
      ledger.beginRevert(snapshot);
      await client.tool("revert", { snapshot: snapshot.id });
      ledger.endRevert();
      load.resume();
    } else if (which === 4) {
      await client.tool("fund", { party: STRANGER, asset: DOLLAR, amount: "7" });
    } else if (which === 5) {
      await client.tool("epoch/end");
    } else if (which === 6) {
      await client.tool("balance", { party: STRANGER, asset: DOLLAR, amount: String(dice.below(1_000)) });
    } else if (which === 7) {
      const value = String(dice.between(3, 9));
      await client.tool("parameter", { key: "spam.protection.max.votes", value });
    } else if (which === 8) {
      await client.tool("ban", { party: STRANGER, duration: "10m" });
    } else if (which === 9) {
      const transfer = transferTo(STRANGER, DOLLAR, 100_000n).payload;
      const command = {
        transfer: {
          ...transfer,
          fromAccountType: "ACCOUNT_TYPE_GENERAL",
          toAccountType: "ACCOUNT_TYPE_GENERAL",
        },
      };
      const { txHash, height, code } = await client.tool("impersonate", { party: PAYER, command });
      ledger.acknowledge({ hash: txHash!, height: Number(height), code: Number(code) });
    } else {
      const { height, hash } = await client.tool("mine", { blocks: dice.between(1, 30) });
      // While others make blocks too, the answer's hash belongs to its height all the same.
      ledger.seen(Number(height), hash);
    }
    await Bun.sleep(dice.below(30));
  }
}

/** Waits until the log is folded back into the store's file, but not too long. @param late milliseconds after it */
async function untilCheckpoint(home: string, late: number): Promise<boolean> {
  const changed = () => statSync(storePath(home)).mtimeMs;
  const before = changed();
  const deadline = performance.now() + CHECKPOINT_MS_MAX;
  while (changed() === before && performance.now() < deadline)
    await new Promise((resolve) => setImmediate(resolve));
  const isSeen = changed() !== before;
  await Bun.sleep(late);
  return isSeen;
}

async function balances(nodeUrl: string): Promise<string> {
  const { parties } = (await (await fetch(`${nodeUrl}/devnet/parties`)).json()) as {
    parties: { name: string; stake: string; balances: { symbol: string; balance: string }[] }[];
  };
  return parties
    .map(
      ({ name, stake, balances }) =>
        `${name} ${stake} ${balances.map((each) => `${each.symbol} ${each.balance}`)}`,
    )
    .join("; ");
}

/** Damages that the rig must see: done to a finished home, and by what it is seen. */
export const CANARIES = [
  {
    name: "a transaction that is gone",
    tamper: (home: string) =>
      change(home, "DELETE FROM chain_txs WHERE (height, n) = (SELECT max(height), 0 FROM chain_txs)"),
    sign: /is lost|contradicts itself|appHash is/,
  },
  {
    name: "a balance that is not the state's",
    tamper: (home: string) =>
      change(
        home,
        "UPDATE balances_current SET balance = balance + 1 WHERE account = (SELECT max(account) FROM balances_current WHERE typeof(balance) = 'integer')",
      ),
    sign: /^round \d+ \(\w+\): account .+ in the state, .+ in the API/m,
  },
] as const;

function change(home: string, sql: string): void {
  const db = openWriter(home);
  try {
    db.run(sql);
  } finally {
    db.close();
  }
}
