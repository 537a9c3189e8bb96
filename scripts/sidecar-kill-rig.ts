// Kills a sidecar beside a devnet with short blocks, again and again: transfers by its own heights are all taken.
//
//   bun scripts/sidecar-kill-rig.ts [--rounds 3] [--transfers 20] [--block 50ms] [--binary PATH]
//
// After each kill -9 and start, transfers are proven for the block that the sidecar's own node API names, and sent to it, from
// its first answer on. None may be refused, no rule may disagree with the chain, and the node API may not go back. Without
// --binary the sources are run. Exit code 1 when anything is wrong.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Solver } from "../src/chain/admission/pow/solver.ts";
import { devnetParties, madeUpAssetId } from "../src/devnet/keys.ts";
import { freePort } from "../src/testnet/ports.ts";
import { hexOf } from "../src/wire/identifiers.ts";
import {
  type CommandInit,
  encodeCommand,
  serializeTransaction,
  signTransaction,
} from "../src/wire/transaction.ts";
import { RunningDevnet } from "../test/rig/devnet-process.ts";
import { ListeningLyra, SOURCES } from "../test/rig/lyra.ts";
import { printRound, rigOptions } from "../test/rig/options.ts";

const SENDERS = 10;
const REST_MS = 2_000;
const READY_MS_MAX = 30_000;

const { rounds, program, values } = rigOptions(3, {
  transfers: { type: "string", default: "20" },
  block: { type: "string", default: "50ms" },
});
const transfers = Number(values.transfers);
const folder = mkdtempSync(join(tmpdir(), "lyra-kill-"));
const ports = { events: freePort(), data: freePort(), node: freePort() };
const nodeUrl = `http://127.0.0.1:${ports.node}`;
const dataUrl = `http://127.0.0.1:${ports.data}`;
const started = { program: program.program ?? SOURCES };
const core = new RunningDevnet({
  home: join(folder, "core"),
  block: values.block!,
  words: ["--comet-port", "0", "--events-to", `tcp://127.0.0.1:${ports.events}`],
  ...started,
});

async function startSidecar(): Promise<ListeningLyra<object>> {
  const { cometUrl } = await core.listening();
  const words = [
    ...["sidecar", "--home", join(folder, "sidecar"), "--comet", cometUrl!, "--quiet"],
    ...["--events-port", `${ports.events}`, "--data-port", `${ports.data}`, "--node-port", `${ports.node}`],
  ];
  const sidecar = new ListeningLyra<object>(words, started);
  await sidecar.listens();
  return sidecar;
}

const json = async <T>(url: string, init?: RequestInit) => (await (await fetch(url, init)).json()) as T;
const heightOf = async () => Number((await json<{ height?: string }>(`${nodeUrl}/blockchain/height`)).height);

async function untilReady(): Promise<void> {
  for (const end = performance.now() + READY_MS_MAX; ; await Bun.sleep(20)) {
    const answer = await fetch(`${dataUrl}/readyz`);
    if (answer.status === 200) return;
    if (performance.now() > end) throw new Error(`not ready: ${await answer.text()}`);
  }
}

interface LastBlock {
  readonly height: string;
  readonly hash: string;
  readonly spamPowDifficulty: number;
}

/** @returns refusals, in the sidecar's words */
async function sendTransfers(chainId: string): Promise<string[]> {
  const parties = devnetParties();
  const solver = new Solver({ nowMs: () => performance.now(), threads: 0 });
  const refused: string[] = [];
  for (let n = 0; n < transfers; n++) {
    const block = await json<LastBlock>(`${nodeUrl}/blockchain/height`);
    const tid = hexOf(crypto.getRandomValues(new Uint8Array(32)));
    const proof = { blockHash: block.hash, tid, difficulty: block.spamPowDifficulty };
    const { nonce } = await solver.solve(proof);
    const transfer: CommandInit = {
      kind: "transfer",
      payload: {
        ...{ fromAccountType: 4, toAccountType: 4, to: parties[(n + 1) % SENDERS]!.publicKey },
        ...{ asset: madeUpAssetId("tUSD"), amount: "100000", oneOff: {} },
      },
    };
    const input = encodeCommand(transfer, BigInt(`0x${tid.slice(0, 16)}`) | 1n, BigInt(block.height));
    const signed = signTransaction(input, parties[n % SENDERS]!.key, { chainId, pow: { tid, nonce } });
    const body = JSON.stringify({ tx: serializeTransaction(signed).toBase64(), type: "TYPE_SYNC" });
    const answer = await json<{ code?: number }>(`${nodeUrl}/transaction/raw`, { method: "POST", body });
    if (answer.code !== 0) refused.push(`transfer ${n}: ${JSON.stringify(answer)}`);
  }
  solver.close();
  return refused;
}

let failed = 0;
let sidecar = await startSidecar();
try {
  await untilReady();
  const { chainId } = await core.listening();
  for (let round = 1; round <= rounds; round++) {
    await Bun.sleep(REST_MS);
    const before = await heightOf();
    await sidecar.stop("SIGKILL");
    sidecar = await startSidecar();
    const after = await heightOf();
    const failures = await sendTransfers(chainId);
    if (!(after >= before)) failures.push(`the node API went back from ${before} to ${after}`);
    await untilReady();
    const { follower } = await json<{ follower: { disagreements: number } }>(`${dataUrl}/status`);
    if (follower.disagreements > 0) failures.push(`${follower.disagreements} disagreements`);
    printRound(
      `round ${round}: killed at ${before}, back at ${after}, ${transfers} transfers sent`,
      failures,
    );
    failed += failures.length;
  }
} finally {
  await sidecar.stop("SIGKILL");
  await core.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
