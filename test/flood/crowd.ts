// Parties that send far too much, one that is honest, and connections that say nothing.
import { readFileSync } from "node:fs";
import { type Ed25519KeyPair, ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import {
  type DevnetClient,
  DOLLAR,
  type LastBlock,
  provenTransaction,
  transferTo,
} from "../rig/devnet-client.ts";

const MIB = 1024 * 1024;

/** Memory of a process that is in use, MiB. */
export function residentMib(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Math.round((Number(kib) * 1024) / MIB);
}

/** Files that this process may open: the soft limit. */
export function filesMax(): number {
  const [, soft] = /Max open files\s+(\d+|unlimited)/.exec(readFileSync("/proc/self/limits", "utf8"))!;
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Keys of parties that the chain does not know. */
export function strangers(count: number): Ed25519KeyPair[] {
  return Array.from({ length: count }, (_, n) =>
    ed25519KeyPair(new Uint8Array(new Bun.CryptoHasher("sha256").update(`stranger ${n}`).digest().buffer)),
  );
}

/** A command that everybody may send, without money. */
function cheapCommand(n: number): CommandInit {
  return { kind: "withdrawSubmission", payload: { amount: String(n + 1), asset: DOLLAR } };
}

/** The result of a flood: number of each answer, by status and code or by the error's first words. */
export type Tally = Map<string, number>;

/** Sends transactions of these keys by turns, this many at once. */
export async function flood(
  client: DevnetClient,
  keys: readonly Ed25519KeyPair[],
  count: number,
  { name, lanes = 50 }: { readonly name: string; readonly lanes?: number },
): Promise<Tally> {
  const tally: Tally = new Map();
  const block = await client.lastBlock();
  let sent = 0;
  const lane = async () => {
    while (sent < count) {
      const n = sent++;
      const bytes = provenTransaction(keys[n % keys.length]!, cheapCommand(n), block, `${name} ${n}`);
      const { status, code, text } = await client.submit(bytes, "TYPE_SYNC");
      const word = status === 200 ? `code ${code}` : `${status} ${text.split(":")[0]}`;
      tally.set(word, (tally.get(word) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return tally;
}

export interface Service {
  /** Milliseconds that each of its transactions took from submission to answer. */
  readonly tookMs: readonly number[];
  readonly refusals: readonly string[];
}

/** A party that sends one transaction after the other while something else goes on. */
export async function serveHonest(
  client: DevnetClient,
  type: "TYPE_SYNC" | "TYPE_COMMIT",
  name: string,
  until: Promise<unknown>,
  pauseMs = 20,
): Promise<Service> {
  const [, , carol, dave] = devnetParties();
  const tookMs: number[] = [];
  const refusals: string[] = [];
  let isOver = false;
  until.finally(() => {
    isOver = true;
  });
  for (let n = 0; !isOver || n < 3; n++) {
    const block: LastBlock = await client.lastBlock();
    const bytes = provenTransaction(
      carol!.key,
      transferTo(dave!.publicKey, DOLLAR, 100_000n),
      block,
      `${name} ${n}`,
    );
    const began = performance.now();
    const { success, text } = await client.submit(bytes, type);
    tookMs.push(performance.now() - began);
    if (!success) refusals.push(text);
    await Bun.sleep(pauseMs);
  }
  return { tookMs, refusals };
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

/** Connections that stay open: silent, or with a request that never ends. */
export class Idlers {
  private readonly sockets: { end(): void }[] = [];
  /** Closed by the other side. */
  closed = 0;

  get count(): number {
    return this.sockets.length;
  }

  /** @param opening what each says, and then nothing more */
  async open(ports: readonly number[], count: number, opening?: Uint8Array): Promise<void> {
    const batch = 200;
    for (let from = 0; from < count; from += batch) {
      const some = Array.from({ length: Math.min(batch, count - from) }, (_, n) =>
        this.connect(ports[(from + n) % ports.length]!, opening),
      );
      this.sockets.push(...(await Promise.all(some)));
    }
  }

  close(): void {
    for (const socket of this.sockets.splice(0)) socket.end();
  }

  /** Sends a further byte on each connection. */
  drip(): void {
    for (const socket of this.sockets as { write(bytes: string): number }[] & { end(): void }[])
      socket.write("a");
  }

  private connect(port: number, opening?: Uint8Array) {
    let sent = 0;
    const push = (socket: { write(bytes: Uint8Array): number }) => {
      while (opening !== undefined && sent < opening.length) {
        const writtenBytes = socket.write(opening.subarray(sent));
        if (writtenBytes <= 0) return;
        sent += writtenBytes;
      }
    };
    return Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: push,
        drain: push,
        data() {},
        close: () => {
          this.closed++;
        },
        error() {},
      },
    });
  }
}

/** The beginning of a submission whose rest does not come. */
export function halfBody(bytes: number, announced: number): Uint8Array {
  const head = `POST /transaction/raw HTTP/1.1\r\nHost: x\r\nContent-Length: ${announced}\r\n\r\n{"tx":"`;
  return new Uint8Array(Buffer.from(head + "A".repeat(bytes)));
}
