// The network that trials run on: its files and processes, and where they stand.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import type { MempoolLimits } from "../../src/chain/options.ts";
import { CometClient } from "../../src/comet/client.ts";
import { systemTimeNs } from "../../src/devnet/clock.ts";
import { openReader } from "../../src/store/database.ts";
import { proxyApp, type Settings } from "../../src/testnet/engine-settings.ts";
import { changeSettings, genesisPath, type TestnetNode, writeTestnet } from "../../src/testnet/files.ts";
import { type PairEvents, ValidatorPair } from "../../src/testnet/pair.ts";
import { startTestnet, type Testnet } from "../../src/testnet/testnet.ts";
import { SOURCES } from "../../test/rig/lyra.ts";
import { AbciProxy } from "./abci-proxy.ts";
import { Links } from "./links.ts";

/** A network that stands is one of the faults that trials look for: more than a busy machine takes. */
const REACH_MS = 60_000;
/** Of proofs of work: trials send hundreds of transactions. */
export const DIFFICULTY = 1;
const PARAMETERS = {
  "spam.pow.difficulty": String(DIFFICULTY),
  "spam.pow.numberOfTxPerBlock": "1000",
  "spam.protection.maxUserTransfersPerEpoch": "1000000",
};
/** Segments that a trial's few blocks fill. */
export const SEGMENT_BLOCKS = 10;
export const SEGMENT_WORDS = ["--segment-length", String(SEGMENT_BLOCKS)];

export interface NetworkSettings {
  readonly validators?: number;
  /** Network parameters that differ. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Settings of the consensus engines, by section and key, as they stand in the file. */
  readonly settings?: Settings;
  readonly mempool?: MempoolLimits;
  /** Further words of each `lyra validator`. */
  more?(node: TestnetNode): readonly string[];
  /** Peers reach each other through proxies, which can be cut. */
  readonly hasLinks?: boolean;
  /** Between each engine and its application is a place where messages are seen and changed. */
  readonly isProxied?: boolean;
  /** The genesis that all get, in another form or with other content. */
  changeGenesis?(text: string): string;
}

/** Trials with the same settings share a network. */
export const PROXIED: NetworkSettings = { isProxied: true };

export interface RigPrograms {
  readonly lyra: readonly string[];
  readonly cometbft: string;
}

export class RigNetwork {
  /** Lines of the processes, the newest last. */
  readonly lines: string[];
  readonly links: Links | undefined;
  /** By the numbers of the validators. */
  private readonly proxies: ReadonlyMap<number, AbciProxy>;
  private random = 12_345;

  private constructor(
    readonly testnet: Testnet,
    readonly programs: RigPrograms,
    readonly events: PairEvents,
    options: {
      readonly lines: string[];
      readonly links: Links | undefined;
      readonly proxies: ReadonlyMap<number, AbciProxy>;
      readonly isShort: boolean;
    },
  ) {
    this.proxies = options.proxies;
    this.lines = options.lines;
    this.links = options.links;
    this.isShort = options.isShort;
  }

  readonly isShort: boolean;

  /** Writes a network and starts it; it has blocks when this returns. */
  static async start(
    folder: string,
    programs: RigPrograms,
    isShort: boolean,
    settings: NetworkSettings = {},
  ): Promise<RigNetwork> {
    const lines: string[] = [];
    const events: PairEvents = {
      onLine: ({ number }, role, line) => lines.push(`validator ${number}, ${role}: ${line}`),
      onEnded: ({ number }, role, how) => lines.push(`validator ${number}: ${role} ended (${how})`),
    };
    const { validators = 4, parameters, hasLinks = false } = settings;
    mkdirSync(folder, { recursive: true });
    const { nodes } = await writeTestnet({
      ...{ folder, validators, ports: "free", isFunded: true, cometbft: programs.cometbft },
      parameters: { ...PARAMETERS, ...parameters },
      ...(settings.mempool && { mempool: settings.mempool }),
      ...(settings.settings && { settings: settings.settings }),
      nowNs: systemTimeNs(),
    });
    if (settings.changeGenesis !== undefined) {
      const text = settings.changeGenesis(readFileSync(genesisPath(nodes[0]!), "utf8"));
      for (const node of nodes) writeFileSync(genesisPath(node), text);
    }
    const links = hasLinks ? await Links.between(nodes) : undefined;
    const proxies = new Map<number, AbciProxy>();
    if (settings.isProxied) for (const node of nodes) proxies.set(node.number, await proxied(node));
    const testnet = await startTestnet({
      ...{ folder, ...programs, events },
      more: (node) => [...SEGMENT_WORDS, ...(settings.more?.(node) ?? [])],
    });
    const network = new RigNetwork(testnet, programs, events, { lines, links, proxies, isShort });
    try {
      await testnet.ready();
    } catch (error) {
      await network.stop();
      throw error;
    }
    return network;
  }

  get pairs(): readonly ValidatorPair[] {
    return this.testnet.pairs;
  }

  get folder(): string {
    return this.testnet.folder;
  }

  /** A moment that follows from a seed: a number below the given one. */
  moment(most: number): number {
    this.random = (this.random * 1_103_515_245 + 12_345) % 2 ** 31;
    return this.random % most;
  }

  /** The first number in the short run, the second in the whole one. */
  times(few: number, many: number): number {
    return this.isShort ? few : many;
  }

  /** The place between a validator's engine and its application; the network must have such. */
  proxyOf({ node }: ValidatorPair): AbciProxy {
    return this.proxies.get(node.number)!;
  }

  /** All pairs but these. */
  others(...pairs: readonly ValidatorPair[]): ValidatorPair[] {
    return this.pairs.filter((each) => !pairs.includes(each));
  }

  /** The same validator, started in another way; the former pair must be stopped. */
  pairWith(
    { node }: Pick<ValidatorPair, "node">,
    { lyra = this.programs.lyra, more = [] }: Partial<PairWords>,
  ): ValidatorPair {
    const { cometbft } = this.programs;
    return new ValidatorPair(node, { lyra, cometbft, more: [...SEGMENT_WORDS, ...more] }, this.events);
  }

  /** Runs a command of the consensus engine over a validator's data. @returns its output */
  engineCommand({ node }: ValidatorPair, ...words: readonly string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync([
      this.programs.cometbft,
      ...words,
      "--home",
      node.consensusHome,
    ]);
    if (exitCode !== 0) throw new Error(`${words[0]}: ${stderr}`);
    return stdout.toString().trim();
  }

  async stop(): Promise<void> {
    await this.testnet.stop();
    this.links?.stop();
    for (const proxy of this.proxies.values()) proxy.stop();
  }
}

interface PairWords {
  readonly lyra: readonly string[];
  readonly more: readonly string[];
}

/** Puts a place of its own where the engine dials. */
async function proxied(node: TestnetNode): Promise<AbciProxy> {
  const { abci } = node;
  const target = abci.replace(/^unix:/, "");
  if (target === abci) throw new Error(`${abci}: the folder's path is too long for a socket`);
  const path = `${target.slice(0, -".sock".length)}p.sock`;
  changeSettings(node, { "": { proxy_app: proxyApp(`unix:${path}`) } });
  return AbciProxy.listen(path, target);
}

/** Processes that want each processor, 1 at the least. */
const loadFactor = (): number => Math.max(1, loadavg()[0]! / availableParallelism());

/** A limit that holds on a quiet machine, and is longer on one that has more to do than it has processors for. */
export class Patience {
  private slowestMs = 0;
  private factor = 1;

  constructor(private readonly quietMs: number) {}

  /** The limit now. */
  get ms(): number {
    this.factor = Math.max(this.factor, loadFactor());
    return this.quietMs * this.factor;
  }

  /** "the slowest took 7.1 s of 10 s, with 2.3 processes for each processor". */
  get sentence(): string {
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    const load =
      this.factor > 1
        ? ` on a quiet machine, this one has ${this.factor.toFixed(1)} times as much to do`
        : "";
    return `the slowest took ${seconds(this.slowestMs)} of ${seconds(this.quietMs)}${load}`;
  }

  /** @throws Error when the work takes longer than the limit */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    this.note(performance.now() - began);
    return result;
  }

  /** @throws Error for a time above the limit */
  note(tookMs: number): void {
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    const { ms } = this;
    if (tookMs > ms) throw new Error(`it took ${tookMs.toFixed(0)} ms, and ${ms.toFixed(0)} ms are the most`);
  }
}

/** Words that start this program as one of a later release of the network. */
export const releaseWords = (tag: string): readonly string[] => [
  ...[process.execPath, "--define", `LYRA_RELEASE="${tag}"`],
  ...SOURCES.slice(1),
];

/** A validator has a number, a machine a name. */
export type NodeTitle = { readonly number: number } | { readonly name: string };

/** A node of a network on one machine or several. */
export interface NodePlace {
  readonly node: Pick<TestnetNode, "nodePort" | "dataPort" | "rpcPort"> & NodeTitle;
}

/** A node whose engine can be stopped for a while. */
export interface LivePlace extends NodePlace {
  readonly engine: Pick<ValidatorPair["engine"], "pause" | "resume">;
}

export const titleOf = ({ node }: { readonly node: NodeTitle }): string =>
  "name" in node ? node.name : `validator ${node.number}`;

export const urlOf = ({ node }: NodePlace, path: string): string =>
  `http://127.0.0.1:${node.nodePort}${path}`;
export const dataUrlOf = ({ node }: { readonly node: { readonly dataPort: number } }, path: string): string =>
  `http://127.0.0.1:${node.dataPort}${path}`;
/** RPC of a validator's consensus engine. */
export const engineOf = ({ node }: NodePlace): CometClient =>
  new CometClient(`http://127.0.0.1:${node.rpcPort}`, 3_000);
/** A validator's rows. */
export const rowsIn = ({ node }: { readonly node: { readonly home: string } }) => openReader(node.home);

/** Height of a validator's own rows. */
export async function heightOf(pair: NodePlace): Promise<number> {
  const answer = await fetch(urlOf(pair, "/blockchain/height"), { signal: AbortSignal.timeout(3_000) });
  return Number(((await answer.json()) as { height: string }).height);
}

/** Waits until validators are at a height, rows and all. */
export async function reach(
  pairs: readonly NodePlace[],
  height: number,
  ms = REACH_MS * loadFactor(),
): Promise<void> {
  const end = performance.now() + ms;
  for (const pair of pairs) {
    for (;;) {
      const now = await heightOf(pair).catch(() => 0);
      if (now >= height) break;
      if (performance.now() > end)
        throw new Error(`${titleOf(pair)} is at block ${now} after ${ms} ms, not at ${height}`);
      await Bun.sleep(100);
    }
  }
}

/**
 * All take part in consensus, and none fetches blocks any more: one that had asked a peer which is killed then stands for the 30 seconds
 * after which CometBFT asks another (`requestRetrySeconds`).
 */
export async function follow(pairs: readonly NodePlace[], ms = REACH_MS * loadFactor()): Promise<void> {
  const end = performance.now() + ms;
  for (const pair of pairs)
    while (
      (
        await engineOf(pair)
          .status()
          .catch(() => undefined)
      )?.isCatchingUp !== false
    ) {
      if (performance.now() > end) throw new Error(`${titleOf(pair)} still fetches blocks`);
      await Bun.sleep(100);
    }
}

/** All go on: some blocks more than the highest has. */
export async function progress(pairs: readonly NodePlace[], blocks = 3, ms?: number): Promise<void> {
  const heights = await Promise.all(pairs.map((pair) => heightOf(pair).catch(() => 0)));
  await reach(pairs, Math.max(...heights) + blocks, ms);
}

/** Something beside the blocks is still under way, and waits for the commit of one. */
export class NotAtRest extends Error {}

const ATTEMPTS = 20;
/** Engines that stand still have delivered what was decided. */
const REST_MS = 1_500;

/** Reads validators whose engines stand still behind one block; they go on afterwards. */
export async function atOneHeight<T>(
  pairs: readonly LivePlace[],
  read: (height: number) => Promise<T> | T,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    for (const pair of pairs) pair.engine.pause();
    try {
      await Bun.sleep(REST_MS);
      const [first, ...others] = await Promise.all(pairs.map(heightOf));
      if (others.every((height) => height === first)) return await read(first!);
      if (attempt === ATTEMPTS) throw new Error(`never at one height: ${[first, ...others]}`);
    } catch (error) {
      if (!(error instanceof NotAtRest) || attempt === ATTEMPTS) throw error;
    } finally {
      for (const pair of pairs) pair.engine.resume();
    }
    await progress(pairs, 1);
  }
}
