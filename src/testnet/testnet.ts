/** A network of several validators on this machine: its files, and all their processes. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CometClient } from "../comet/client.ts";
import { systemTimeNs } from "../devnet/clock.ts";
import { NodeError } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import { mempoolWords } from "./engine-settings.ts";
import {
  portUses,
  readTestnet,
  type TestnetFile,
  type TestnetFilesOptions,
  type TestnetNode,
  VALIDATORS_MAX,
  withMempool,
  writeTestnet,
} from "./files.ts";
import { isFailure, type PairEvents, Supervised, ValidatorPair } from "./pair.ts";
import { checkPorts } from "./ports.ts";

interface TestnetOptions
  extends Partial<
    Pick<
      TestnetFilesOptions,
      "chainId" | "settings" | "parameters" | "ports" | "isFunded" | "ownKeys" | "mempool"
    >
  > {
  /** Where it is kept, and goes on; without one in a temporary folder that is removed in the end. */
  readonly folder?: string;
  /** Of a new network. */
  readonly validators?: number;
  /** The consensus engine's program; default: `LYRA_COMETBFT`, else `cometbft` of the path. */
  readonly cometbft?: string;
  /** Words that start this program. */
  readonly lyra: readonly string[];
  /** Further words of each `lyra validator`. */
  more?(node: TestnetNode): readonly string[];
  readonly events?: PairEvents & {
    /** A line of the simulated Ethereum. */
    onEthereum?(line: string): void;
  };
}

export interface Testnet extends TestnetFile {
  readonly folder: string;
  readonly isTemporary: boolean;
  readonly pairs: readonly ValidatorPair[];
  /** Settles when every validator has a block. @throws NodeError `testnet_silent` */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** For the first block of all, on a slow machine. */
const READY_MS = 120_000;
const LOOK_MS = 200;
const VALIDATORS_USUAL = 4;
const RELEASE = /^v?0\.38\./;
const HOW_TO_GET =
  "with Go: GOBIN=$HOME/.local/bin go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.26; or name it with --cometbft PATH";

/** The consensus engine's program. @throws NodeError `cometbft_missing` */
function findCometbft(given = process.env.LYRA_COMETBFT): string {
  const path = given === undefined || given === "" ? Bun.which("cometbft") : Bun.which(given);
  if (path === null)
    throw new NodeError(
      "testnet",
      "cometbft_missing",
      given ? `there is no program ${given}` : "the consensus engine, cometbft, is not in the path",
      HOW_TO_GET,
    );
  const { exitCode, stdout } = Bun.spawnSync([path, "version"]);
  const version = stdout.toString().trim();
  if (exitCode === 0 && RELEASE.test(version)) return path;
  throw new NodeError(
    "testnet",
    "cometbft_release",
    `${path} is not CometBFT 0.38, but: ${version.slice(0, 60) || `exit code ${exitCode}`}`,
    HOW_TO_GET,
  );
}

/** Starts a network, or goes on with the one in the folder. All processes run when this returns. @throws NodeError */
export async function startTestnet(options: TestnetOptions): Promise<Testnet> {
  const { validators = VALIDATORS_USUAL, events = {}, lyra } = options;
  const cometbft = findCometbft(options.cometbft);
  if (!Number.isInteger(validators) || validators < 1 || validators > VALIDATORS_MAX)
    throw new NodeError(
      "testnet",
      "invalid_argument",
      `a test network on one machine has 1 to ${VALIDATORS_MAX} validators`,
      "for more, on several machines: lyra testnet files",
    );
  const isTemporary = options.folder === undefined;
  const folder = resolve(options.folder ?? mkdtempSync(join(tmpdir(), "lyra-testnet-")));
  const lock = lockFolder(folder);
  const close = () => {
    lock.release();
    if (isTemporary) rmSync(folder, { recursive: true, force: true });
  };
  let testnet: TestnetFile;
  try {
    const existing = readTestnet(folder);
    if (existing) await checkPorts(portUses(existing), "stop what uses it: a network keeps its ports");
    testnet = existing
      ? withMempool(folder, existing, options.mempool ?? {})
      : await writeTestnet({
          ...{ folder, validators, cometbft, ports: "usual", isFunded: true, nowNs: systemTimeNs() },
          ...options,
          ...{ folder, cometbft },
        });
  } catch (error) {
    close();
    throw error;
  }
  const ethereumUrl = `http://127.0.0.1:${testnet.ethereumPort}`;
  const pairs = testnet.nodes.map((node) => {
    const own = [...dutyWords(node, ethereumUrl), ...mempoolWords(testnet.mempool)];
    const more = [...own, ...(options.more?.(node) ?? [])];
    return new ValidatorPair(node, { lyra, cometbft, more }, events);
  });
  const ethereum = new Supervised(
    [
      ...[...lyra, "ethereum", "--port", String(testnet.ethereumPort), "--stop-with-stdin"],
      ...["--file", join(folder, "ethereum.json")],
    ],
    join(folder, "ethereum.log"),
    {
      onLine: (line) => isFailure(line) && events.onEthereum?.(line),
      onEnded: (how) => events.onEthereum?.(`it ended (${how})`),
    },
  );
  ethereum.start();
  for (const pair of pairs) pair.start();
  let isStopped = false;
  return {
    ...testnet,
    ...{ folder, isTemporary, pairs },
    ready: () => untilReady(testnet.nodes, () => isStopped),
    async stop() {
      isStopped = true;
      await Promise.all(pairs.map((pair) => pair.stop()));
      await ethereum.stop();
      close();
    },
  };
}

/** @throws NodeError `home_in_use` */
function lockFolder(folder: string): ReturnType<typeof lockHome> {
  try {
    return lockHome(folder);
  } catch (error) {
    if (!(error instanceof NodeError) || error.code !== "home_in_use") throw error;
    throw new NodeError(
      "testnet",
      "home_in_use",
      `${error.message}: its network runs`,
      "stop it, or give another --dir with --port 0",
    );
  }
}

/** Words of `lyra validator` with which it has its duties. */
function dutyWords({ number, keysFile }: TestnetNode, ethereumUrl: string): readonly string[] {
  const keys = keysFile === undefined ? ["--duties", String(number)] : ["--keys", keysFile];
  return [...keys, "--ethereum", ethereumUrl];
}

async function untilReady(nodes: readonly TestnetNode[], isStopped: () => boolean): Promise<void> {
  const end = performance.now() + READY_MS;
  for (const node of nodes) {
    const client = new CometClient(`http://127.0.0.1:${node.rpcPort}`);
    for (;;) {
      const status = await client.status().catch(() => undefined);
      if ((status !== undefined && status.height > 0) || isStopped()) break;
      if (performance.now() > end)
        throw new NodeError(
          "testnet",
          "testnet_silent",
          `validator ${node.number} has no block after ${READY_MS / 1_000} s`,
          "its logs, lyra.log and consensus.log, are in its folder",
        );
      await Bun.sleep(LOOK_MS);
    }
  }
}
