// The crash rig of wallets: a process that writes is killed with SIGKILL, and what it leaves must open with the old
// content or the new one, be closed to others, hold no secret that can be read, and be in nobody's way. In three ways:
//
//   steps    a process of the rig's own kills itself in front of a step of a write: every one of them has its turn
//   program  a command of the program is killed: at any moment of its life, or just after it begins to write
//   service  a service that keeps sessions, and the memory of what was sent, are killed while they write
//
// Nothing in the program knows of it.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Dice } from "../../scripts/sample/seeded.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { FileLedger } from "../../src/wallet/sending/sent-ledger.ts";
import { PHRASE } from "../wallet/support/vectors.ts";
import { cheapStore } from "../wallet/support/wallets.ts";
import { Scratch } from "./homes.ts";
import { PROGRAM } from "./lyra.ts";
import { ServiceKiller } from "./wallet-crash-service.ts";
import {
  contentOf,
  folderOf,
  leftovers,
  makeHome,
  PASSPHRASES,
  PHRASE_FILE,
  passphrase,
  secretsOf,
  serviceFolderOf,
  unsafe,
} from "./wallet-home.ts";
import { OPERATIONS } from "./wallet-operations.ts";

type WalletCrashMode = "steps" | "program" | "service";

export interface WalletCrashOptions {
  /** Kills: rounds that come to their end before theirs do not count. */
  readonly rounds: number;
  readonly seed: number;
  readonly program?: readonly string[];
  /** Done to every home after its kill: shows that the rig can fail. */
  readonly tamper?: (home: string) => void;
  readonly onRound?: (round: WalletRound) => void;
}

type Found = "old" | "new" | "in between";

export interface WalletRound {
  readonly round: number;
  readonly mode: WalletCrashMode;
  readonly operation: string;
  /** When it was killed, in words. */
  readonly when: string;
  /** Undefined when it came to its end first. */
  readonly found: Found | undefined;
  /** Whether it left a temporary file: it was killed in the middle of a write. */
  readonly isMidway: boolean;
  readonly failures: readonly string[];
}

export interface WalletCrashReport {
  readonly kills: number;
  readonly midway: number;
  readonly found: Readonly<Record<Found, number>>;
  readonly operations: number;
  readonly failures: readonly string[];
}

const CHILD = join(import.meta.dir, "wallet-crash-child.ts");
/** Of this number of rounds one kills the ledger and one a service, in place of a command. */
const SERVICE_EVERY = 12;
/** A write takes about this long from its first file on, milliseconds; some of it is waiting for the disk. */
const WRITE_MS = 7;

/** The result of an undisturbed operation. */
interface Undisturbed {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly ms: number;
}

export async function walletCrashRounds(options: WalletCrashOptions): Promise<WalletCrashReport> {
  const scratch = new Scratch("wallet-crash");
  try {
    return await new Rig(options, scratch).run();
  } finally {
    scratch.remove();
  }
}

class Rig {
  private readonly dice: Dice;
  private readonly program: readonly string[];
  private readonly template: string;
  private readonly undisturbed = new Map<string, Undisturbed>();
  private turn: { operation: string; step: number } = { operation: Object.keys(OPERATIONS)[0]!, step: 0 };

  constructor(
    private readonly options: WalletCrashOptions,
    private readonly scratch: Scratch,
  ) {
    this.dice = new Dice(options.seed);
    this.program = options.program ?? PROGRAM;
    this.template = scratch.path("template");
  }

  async run(): Promise<WalletCrashReport> {
    await makeHome(this.template);
    const rounds: WalletRound[] = [];
    const { rounds: count, seed } = this.options;
    // A few rounds begin anywhere among the operations, so that many short runs see all of them.
    const names = Object.keys(OPERATIONS);
    if (count < names.length) this.turn = { operation: names[seed % names.length]!, step: 1 + (seed % 5) };
    const killed: WalletRound[] = [];
    for (let round = 1; killed.length < count; round++) {
      const report = await this.round(round);
      this.options.onRound?.(report);
      rounds.push(report);
      if (report.found !== undefined) killed.push(report);
    }
    const countOf = (content: Found) => killed.filter((round) => round.found === content).length;
    return {
      kills: killed.length,
      midway: rounds.filter(({ isMidway }) => isMidway).length,
      found: { old: countOf("old"), new: countOf("new"), "in between": countOf("in between") },
      operations: new Set(killed.map(({ mode, operation }) => `${mode} ${operation}`)).size,
      failures: rounds.flatMap(({ round, mode, operation, when, failures }) =>
        failures.map((text) => `round ${round} (${mode}, ${operation}, ${when}): ${text}`),
      ),
    };
  }

  private async round(round: number): Promise<WalletRound> {
    const home = this.scratch.path();
    try {
      if (round % SERVICE_EVERY === 4) return await this.ledgerRound(round, home);
      if (round % SERVICE_EVERY === 10) return await this.serviceRound(round, home);
      return await (round % 2 === 1 ? this.stepRound(round, home) : this.programRound(round, home));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }

  /** The next step of the operation that has its turn, or the first one of the next operation. */
  private async stepRound(round: number, home: string): Promise<WalletRound> {
    for (;;) {
      const { operation, step } = this.turn;
      const undisturbed = await this.knownOf("steps", operation);
      this.copy(home);
      const child = Bun.spawn([process.execPath, CHILD, home, operation, String(step)], { stderr: "pipe" });
      await child.exited;
      if (child.signalCode === "SIGKILL") {
        this.turn = { operation, step: step + 1 };
        const when = `step ${step + 1}`;
        return this.looked({ round, mode: "steps", operation, when, isKilled: true }, home, undisturbed);
      }
      const { code, err } = { code: child.exitCode, err: await new Response(child.stderr).text() };
      if (code !== 0 || step === 0) throw new Error(`${operation} did not work: ${code}, ${err}`);
      const names = Object.keys(OPERATIONS);
      this.turn = { operation: names[(names.indexOf(operation) + 1) % names.length]!, step: 0 };
      rmSync(home, { recursive: true, force: true });
    }
  }

  private async programRound(round: number, home: string): Promise<WalletRound> {
    const operation = this.dice.pick(Object.keys(OPERATIONS).filter((name) => OPERATIONS[name]!.words));
    const undisturbed = await this.knownOf("program", operation);
    this.copy(home);
    // A quarter at any moment; the others once a file appears, within the time that a write takes.
    const isAnywhere = this.dice.below(4) === 0;
    const delayMs = isAnywhere
      ? this.dice.below(Math.ceil(undisturbed.ms * 1.1))
      : this.dice.below(WRITE_MS * 10) / 10;
    const child = this.start(home, operation);
    if (!isAnywhere) {
      const writing = firstWrite(home);
      await Promise.race([writing.seen, child.exited]);
      writing.close();
    }
    const startedMs = performance.now();
    if (isAnywhere) await Promise.race([Bun.sleep(delayMs), child.exited]);
    // Sleeping is too coarse for what takes less than a millisecond.
    else while (performance.now() - startedMs < delayMs) Bun.sleepSync(0.05);
    child.kill("SIGKILL");
    await child.exited;
    const isKilled = child.signalCode === "SIGKILL";
    const when = `${delayMs} ms ${isAnywhere ? "after its start" : "after its first file"}`;
    return this.looked({ round, mode: "program", operation, when, isKilled }, home, undisturbed);
  }

  private async serviceRound(round: number, home: string): Promise<WalletRound> {
    this.copy(home);
    const killer = new ServiceKiller(home, this.program, this.scratch);
    const killMs = this.dice.below(400);
    const failures = await killer.run(killMs);
    const isMidway = leftovers(home).length > 0;
    const when = `${killMs} ms after the first connection`;
    failures.push(...(await this.problems(home)));
    return { round, mode: "service", operation: "sessions", when, found: "new", isMidway, failures };
  }

  private async ledgerRound(round: number, home: string): Promise<WalletRound> {
    this.copy(home);
    const child = Bun.spawn([process.execPath, CHILD, home, "--ledger"], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const killMs = this.dice.below(200);
    let output = "";
    for await (const chunk of child.stdout) {
      if (output === "") setTimeout(() => child.kill("SIGKILL"), killMs);
      output += Buffer.from(chunk).toString();
    }
    const safe = Number(output.split("\n").at(-2) ?? 0);
    const ledger = new FileLedger(join(serviceFolderOf(home), "sent.db"));
    const { lastId = 0 } = ledger.load("chain-1", "party") ?? {};
    ledger.close();
    const failures = await this.problems(home);
    if (lastId < safe || lastId > safe + 1) failures.push(`the ledger has ${lastId}, and ${safe} were safe`);
    const content = safe > 0 ? "new" : "old";
    const when = `${killMs} ms after it began`;
    return { round, mode: "service", operation: "ledger", when, found: content, isMidway: false, failures };
  }

  private async looked(
    {
      isKilled,
      ...round
    }: Pick<WalletRound, "round" | "mode" | "operation" | "when"> & { isKilled: boolean },
    home: string,
    { before, after }: Undisturbed,
  ): Promise<WalletRound> {
    this.options.tamper?.(home);
    const failures: string[] = [];
    const isMidway = leftovers(home).length > 0;
    const content = await contentOf(home).catch((error: unknown) => {
      failures.push(String(error));
      return [];
    });
    const which = foundIn(content, before, after);
    if (which === undefined && failures.length === 0) {
      failures.push(`it is neither the old nor the new: ${JSON.stringify(content)}`);
    }
    failures.push(...(await this.problems(home)));
    if (!isKilled && which !== "new") failures.push("it came to its end, and is not the new");
    return { ...round, found: isKilled ? (which ?? "old") : undefined, isMidway, failures };
  }

  /** Faults of a home after a kill, whatever it did; the next writers must not mind. */
  private async problems(home: string): Promise<string[]> {
    const failures = unsafe(home, secretsOf(phraseIn(home) ?? PHRASE));
    failures.push(...(await phraseProblems(home)));
    try {
      const store = cheapStore(new FolderKeystore(folderOf(home)));
      (await store.create({ name: "next", passphrase: passphrase("first") })).wallet.lock();
      const service = new FolderKeystore(serviceFolderOf(home));
      await service.exclusively(async () => {});
    } catch (error) {
      failures.push(`the next writer fails: ${error}`);
    }
    const left = [folderOf(home), serviceFolderOf(home)].flatMap(leftovers);
    if (left.length > 0) failures.push(`the next writer leaves ${left}`);
    return failures;
  }

  private async knownOf(mode: "steps" | "program", operation: string): Promise<Undisturbed> {
    const key = `${mode} ${operation}`;
    const cached = this.undisturbed.get(key);
    if (cached !== undefined) return cached;
    const home = this.scratch.path();
    this.copy(home);
    const before = await contentOf(home);
    const startedMs = performance.now();
    const child =
      mode === "program"
        ? this.start(home, operation)
        : Bun.spawn([process.execPath, CHILD, home, operation, "1000"], { stderr: "pipe" });
    await child.exited;
    const ms = performance.now() - startedMs;
    if (child.exitCode !== 0) {
      throw new Error(`${operation} does not work: ${await new Response(child.stderr).text()}`);
    }
    const measured = { before, after: await contentOf(home), ms };
    this.undisturbed.set(key, measured);
    rmSync(home, { recursive: true, force: true });
    return measured;
  }

  private copy(home: string): void {
    cpSync(this.template, home, { recursive: true });
    const inputs = { ...PASSPHRASES, vectors: PHRASE };
    for (const [name, text] of Object.entries(inputs)) writeFileSync(join(home, name), text, { mode: 0o600 });
  }

  private start(home: string, operation: string) {
    return Bun.spawn([...this.program, "wallet", ...OPERATIONS[operation]!.words!, "--quiet"], {
      cwd: home,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      // A runtime that runs sources keeps files of its own in HOME.
      env: { PATH: process.env.PATH, HOME: this.scratch.folder, LYRA_HOME: home },
    });
  }
}

/** Sees the first file that appears or changes in one of the folders that are written to. */
function firstWrite(home: string): { readonly seen: Promise<void>; close(): void } {
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const folders = [folderOf(home), serviceFolderOf(home), join(home, "networks")];
  const watchers = folders.map((folder) => watch(folder, () => resolve()));
  return {
    seen,
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

function foundIn(
  content: readonly string[],
  before: readonly string[],
  after: readonly string[],
): Found | undefined {
  const isSame = (other: readonly string[]) => content.join("\n") === other.join("\n");
  if (isSame(before)) return "old";
  if (isSame(after)) return "new";
  // Two names for one file: both lines are in it, and nothing else.
  const both = new Set([...before, ...after]);
  const isBoth = content.length === both.size && content.every((line) => both.has(line));
  return isBoth && before.length === after.length ? "in between" : undefined;
}

function phraseIn(home: string): string | undefined {
  const path = join(home, PHRASE_FILE);
  const phrase = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  return phrase.split(" ").length === 24 ? phrase : undefined;
}

/** A wallet that was made has a phrase that was kept, and it is its own. */
async function phraseProblems(home: string): Promise<string[]> {
  const isMade = existsSync(join(folderOf(home), "new")) && existsSync(join(home, PHRASE_FILE));
  if (!isMade) return [];
  const phrase = phraseIn(home);
  if (phrase === undefined) return ["the wallet was made, and its phrase is not kept"];
  const restored = await cheapStore().import({
    name: "restored",
    passphrase: passphrase("first"),
    recoveryPhrase: phrase,
  });
  const unlocked = await cheapStore(new FolderKeystore(folderOf(home))).unlock("new", passphrase("first"));
  return unlocked.id === restored.id ? [] : ["the phrase that was kept is another wallet's"];
}

export const WALLET_CANARIES: readonly {
  readonly name: string;
  readonly tamper: (home: string) => void;
  readonly sign: RegExp;
}[] = [
  {
    name: "half a wallet file",
    tamper(home) {
      const path = join(folderOf(home), readdirSync(folderOf(home)).find((name) => !name.startsWith("."))!);
      writeFileSync(path, readFileSync(path).subarray(0, 200));
    },
    sign: /does not open/,
  },
  {
    name: "no wallet at all",
    tamper: (home) => rmSync(folderOf(home), { recursive: true }),
    sign: /neither the old nor the new|ENOENT/,
  },
  {
    name: "a phrase in a temporary file",
    tamper: (home) => writeFileSync(join(folderOf(home), ".x.lyra-tmp"), PHRASE, { mode: 0o600 }),
    sign: /holds: words 1 to 3/,
  },
  {
    name: "a file that others can read",
    tamper(home) {
      mkdirSync(serviceFolderOf(home), { recursive: true });
      writeFileSync(join(serviceFolderOf(home), "copy"), "", { mode: 0o644 });
    },
    sign: /has mode 644/,
  },
];
