// Damaged wallet files by the thousand: truncated, swapped with parts of others, turned bits, forged heads. Each is
// put into a folder of wallets and opened with the right passphrase. It must be refused, as damage wherever its format
// can tell; nothing may be written, and nothing told that is secret.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dice } from "../../scripts/sample/seeded.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import type { FileFormat } from "../../src/wallet/keystore/lyra-seal.ts";
import { HEADER_BYTES, hasLyraMagic } from "../../src/wallet/keystore/lyra-seal.ts";
import type { WalletStore } from "../../src/wallet/wallet-store.ts";
import { ISOLATED_FILE, KEY_1, ORIGINAL_FILE, PHRASE } from "../wallet/support/vectors.ts";
import { cheapStore, MemoryKeystore } from "../wallet/support/wallets.ts";
import { Scratch } from "./homes.ts";
import { passphrase, secretsOf } from "./wallet-home.ts";

interface Source {
  readonly format: FileFormat;
  readonly bytes: Uint8Array;
}

export interface DamageReport {
  readonly cases: number;
  /** Counts of each kind of damage, by the code of the answer. */
  readonly answers: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

type Damage = (bytes: Uint8Array, dice: Dice, others: readonly Uint8Array[]) => Uint8Array;

const AT = { log2N: 20, r: 21, p: 22, checksum: 104 } as const;
const FORGED = "forged head";
const FORGED_MS_MAX = 250;

/** A place and a length inside of a file. */
function part(bytes: Uint8Array, dice: Dice): { start: number; end: number } {
  const start = dice.below(bytes.length);
  return { start, end: Math.min(bytes.length, start + 1 + dice.below(bytes.length)) };
}

const KINDS: Readonly<Record<string, Damage>> = {
  truncated: (bytes, dice) => bytes.slice(0, dice.below(bytes.length)),
  "begun late": (bytes, dice) => bytes.slice(1 + dice.below(bytes.length - 1)),
  "longer than it was": (bytes, dice) =>
    Buffer.concat([bytes, Buffer.alloc(1 + dice.below(300), dice.below(256))]),
  "turned bits": (bytes, dice) => {
    const copy = bytes.slice();
    for (let count = 1 + dice.below(8); count > 0; count--) {
      copy[dice.below(copy.length)]! ^= 1 << dice.below(8);
    }
    return copy;
  },
  zeroed: (bytes, dice) => {
    const { start, end } = part(bytes, dice);
    return bytes.slice().fill(0, start, end);
  },
  "random bytes": (bytes, dice) => {
    const { start, end } = part(bytes, dice);
    return bytes.slice().map((byte, at) => (at >= start && at < end ? dice.below(256) : byte));
  },
  "swapped with another's": (bytes, dice, others) => {
    const { start, end } = part(bytes, dice);
    const copy = bytes.slice();
    copy.set(dice.pick(others).subarray(start, Math.min(end, copy.length)), start);
    return copy;
  },
  "another's end": (bytes, dice, others) => {
    const at = dice.below(3) === 0 ? HEADER_BYTES : 1 + dice.below(bytes.length - 1);
    return Buffer.concat([bytes.subarray(0, at), dice.pick(others).subarray(at)]);
  },
  "parts exchanged": (bytes, dice) => {
    const length = 1 + dice.below(bytes.length >> 2);
    const from = dice.below((bytes.length >> 1) - length);
    const to = (bytes.length >> 1) + dice.below((bytes.length >> 1) - length);
    const copy = bytes.slice();
    copy.set(bytes.subarray(from, from + length), to);
    copy.set(bytes.subarray(to, to + length), from);
    return copy;
  },
  /** Sound as to its checksum, which anybody can compute: what it asks for must be refused, and not tried. */
  [FORGED]: (bytes, dice) => {
    const copy = bytes.slice();
    const cost = dice.pick([
      [24 + dice.below(232), 1 + dice.below(255), 1 + dice.below(255)],
      [17, 8, 40 + dice.below(216)],
      [17, 40 + dice.below(216), 1],
      [dice.pick([0, 31, 64, 255]), 1, 1],
    ]);
    for (const [place, value] of [AT.log2N, AT.r, AT.p].map((at, index) => [at, cost[index]!] as const)) {
      copy[place] = value;
    }
    copy.set(
      createHash("sha256").update(copy.subarray(0, AT.checksum)).digest().subarray(0, 24),
      AT.checksum,
    );
    return copy;
  },
};

/** Files of one wallet and of others: under the same key, under another key, of the original. */
async function damageSources(): Promise<Source[]> {
  const keystore = new MemoryKeystore();
  const store = cheapStore(keystore);
  const sources: Source[] = [];
  const keep = async (name: string, format: FileFormat) => {
    sources.push({ format, bytes: (await keystore.read(name))! });
  };
  const wallet = await store.import({ name: "w", passphrase: passphrase("first"), recoveryPhrase: PHRASE });
  await keep("w", "lyra");
  await wallet.generateKey();
  await keep("w", "lyra");
  await store.isolate(wallet, KEY_1, passphrase("first"));
  await keep("w.b5fd9d3c.isolated", "lyra");
  await store.create({ name: "x", passphrase: passphrase("first") });
  await keep("x", "lyra");
  const exported = [await store.exportForOriginal(wallet, passphrase("first"))];
  exported.push(await store.exportForOriginal(wallet, passphrase("first")));
  const vectors = [ORIGINAL_FILE, ISOLATED_FILE].map(({ base64 }) => Buffer.from(base64, "base64"));
  for (const bytes of [...exported, ...vectors])
    sources.push({ format: "original", bytes: new Uint8Array(bytes) });
  return sources;
}

/** A file with some damage that shows: none that is one of the others. */
export function damaged(
  bytes: Uint8Array,
  dice: Dice,
  others: readonly Uint8Array[],
  isLyra = true,
): { readonly kind: string; readonly content: Buffer } {
  for (;;) {
    const kind = dice.pick(Object.keys(KINDS));
    if (kind === FORGED && !isLyra) continue;
    const content = Buffer.from(KINDS[kind]!(bytes, dice, others));
    if (![bytes, ...others].some((intact) => content.equals(intact))) return { kind, content };
  }
}

export interface DamageOptions {
  readonly cases: number;
  readonly seed: number;
  /** Instead of opening: shows that the rig can fail. */
  readonly open?: (store: WalletStore) => Promise<unknown>;
}

export async function damageRounds({ cases, seed, open }: DamageOptions): Promise<DamageReport> {
  const scratch = new Scratch("wallet-damage");
  try {
    const folder = scratch.folder;
    const store = cheapStore(new FolderKeystore(folder));
    const dice = new Dice(seed);
    const sources = await damageSources();
    // Those of the original that are its vectors have passphrases of their own: they are parts for others only.
    const targets = sources.slice(0, -2);
    const secrets = secretsOf();
    const answers = new Map<string, number>();
    const failures: string[] = [];
    for (let count = 1; count <= cases; count++) {
      const source = dice.pick(targets);
      const others = sources.filter((other) => other !== source).map((other) => other.bytes);
      const { kind, content: bytes } = damaged(source.bytes, dice, others, source.format === "lyra");
      const path = join(folder, "w");
      writeFileSync(path, bytes, { mode: 0o600 });
      const startedMs = performance.now();
      const answer = await answerOf(() => (open ?? unlock)(store));
      const ms = performance.now() - startedMs;
      const name = `case ${count} (${kind}, ${source.format})`;
      const key = `${source.format}, ${kind}: ${answer.code}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
      const problem = problemWith(answer, bytes, kind, source.format, ms);
      if (problem !== undefined) failures.push(`${name}: ${problem}`);
      for (const [what, secret] of secrets) {
        if (answer.text.includes(secret.toString("latin1"))) failures.push(`${name}: it tells the ${what}`);
      }
      const isLeft = readdirSync(folder).join() === "w" && readFileSync(path).equals(bytes);
      if (!isLeft) failures.push(`${name}: something was written`);
    }
    return { cases, answers, failures };
  } finally {
    scratch.remove();
  }
}

async function unlock(store: WalletStore): Promise<void> {
  await store.list();
  (await store.unlock("w", passphrase("first"))).lock();
}

interface Answer {
  readonly code: string;
  readonly hint: string;
  /** All that anybody could be shown of it. */
  readonly text: string;
}

async function answerOf(action: () => Promise<unknown>): Promise<Answer> {
  try {
    await action();
  } catch (error) {
    const { message, stack, cause } = error as Error;
    const text = [message, stack, String(cause), JSON.stringify(error)].join("\n");
    if (!(error instanceof NodeError)) return { code: "unexpected", hint: "", text };
    return { code: error.code, hint: error.hint, text: `${text}\n${error.hint}` };
  }
  return { code: "opened", hint: "", text: "" };
}

function problemWith(
  { code, hint, text }: Answer,
  bytes: Uint8Array,
  kind: string,
  format: FileFormat,
  ms: number,
): string | undefined {
  if (code === "unexpected" || code === "opened") return `${code}: ${text}`;
  if (kind === FORGED) {
    const isFast = ms < FORGED_MS_MAX;
    return code === "kdf_refused" && isFast ? undefined : `a forged head was ${code} after ${ms} ms`;
  }
  // Where nothing is left that says so, a file is not known to be one of Lyra's.
  if (format === "lyra" && hasLyraMagic(bytes)) return code === "wallet_damaged" ? undefined : code;
  if (code === "wallet_damaged") return undefined;
  return code === "wrong_passphrase" && hint.includes("or the file is damaged") ? undefined : code;
}
