// A devnet as a process, and transactions for it: shared by the benchmarks that load one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSearch } from "../src/chain/admission/pow/nonce-search.ts";
import type { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import type { CommandInit } from "../src/wire/transaction.ts";
import { buildTransaction } from "../test/support/transactions.ts";

export interface RunningDevnet {
  readonly pid: number;
  readonly home: string;
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly nodePort: number;
  readonly chainId: string;
  readonly firstBlockMs: number;
  /** With `--comet-port`. */
  readonly cometUrl?: string;
  stop(): Promise<void>;
}

/** Starts a devnet in a home of its own, on free ports, and waits until it listens. @param program how Lyra is started */
export async function startDevnet(program: readonly string[], ...flags: string[]): Promise<RunningDevnet> {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const ports = ["--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
  const child = Bun.spawn([...program, "devnet", "--home", home, ...ports, "--json", ...flags], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the devnet did not start");
    text += new TextDecoder().decode(value);
  }
  return {
    ...(JSON.parse(text.slice(0, text.indexOf("\n"))) as Omit<RunningDevnet, "stop">),
    async stop() {
      child.kill();
      await child.exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** @throws Error for an answer that is not a success */
export async function ask<T>(url: string, body?: object): Promise<T> {
  const response = await fetch(url, body && { method: "POST", body: JSON.stringify(body) });
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(answer)}`);
  return answer;
}

type Key = ReturnType<typeof ed25519KeyPair>;

export const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
export const round1 = (value: number) => Number(value.toFixed(1));

export function transferTo(to: string, asset: string): CommandInit {
  return {
    kind: "transfer",
    payload: {
      fromAccountType: 4,
      to,
      toAccountType: 4,
      asset,
      amount: "100000",
      reference: "bench",
      oneOff: {},
    },
  };
}

/** Signed and proven commands in base64, for the chain's last block; senders take turns. */
export async function proven(
  { nodeUrl, chainId }: RunningDevnet,
  keys: readonly Key[],
  command: (index: number) => CommandInit,
  count: number,
  offset = 0,
): Promise<string[]> {
  const { height, hash, spamPowDifficulty } = await ask<{
    height: string;
    hash: string;
    spamPowDifficulty: number;
  }>(`${nodeUrl}/blockchain/height`);
  return Array.from({ length: count }, (_, index) => {
    const tid = (offset + index).toString(16).padStart(64, "0");
    let nonce: bigint | undefined;
    for (let from = 0n; nonce === undefined; from += 1n << 16n) {
      nonce = openSearch({ blockHash: hash, tid }, spamPowDifficulty).search(from, 1 << 16);
    }
    const options = {
      chainId,
      nonce: BigInt(offset + index + 1),
      blockHeight: BigInt(height),
      pow: { tid, nonce },
    };
    const key = keys[index % keys.length]!;
    const bytes = buildTransaction(command(index), { ...options, key });
    return Buffer.from(bytes).toString("base64");
  });
}
