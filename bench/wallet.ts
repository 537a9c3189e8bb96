/**
 * The wallet: opening a file, signing, `client.list_keys` over HTTP, and the way from a page's first request to its
 * first sent transaction. bench/README.md says what each figure counts.
 *
 * `bun bench/wallet.ts [--binary dist/lyra] [--only opening,signing,listing,sending]` prints JSON at the end.
 */
import { createPrivateKey, sign } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leadingZeroBits, proofHash } from "../src/chain/admission/pow/function.ts";
import { Solver } from "../src/chain/admission/pow/solver.ts";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import { FolderKeystore } from "../src/wallet/keystore/folder-keystore.ts";
import { secureRandom } from "../src/wallet/random.ts";
import { WalletStore } from "../src/wallet/wallet-store.ts";
import { type CommandInit, encodeCommand, signingDigest } from "../src/wire/transaction.ts";
import { type RunningDevnet, startDevnet } from "./devnet-process.ts";
import { type LoadResult, loadInChild } from "./load.ts";
import { argument, median, processorMs, programOf } from "./support.ts";

const program = programOf(argument("--binary"));
const only = argument("--only")?.split(",");
const isWanted = (part: string) => only === undefined || only.includes(part);

const OPENINGS = 7;
const SIGNING_ROUNDS = 21;
const SIGNATURES = 2_000;
const LISTING_ROUNDS = 7;
const LISTINGS = 20_000;
const CONNECTIONS = 16;
const SENDINGS = 41;
const SETTLE_MS = 100;
const PASSPHRASE = new TextEncoder().encode("a passphrase for benchmarks");
const CHAIN = "lyra-devnet";
const ORIGIN = "https://dapp.example";
/** The network's own defaults, where the devnet's are easier. */
const DIFFICULTY = 15;
const NETWORK = {
  "spam.pow.difficulty": String(DIFFICULTY),
  "spam.pow.numberOfTxPerBlock": "2",
  "spam.pow.increaseDifficulty": "0",
  // The limits of an epoch are another matter than those of a proof.
  "spam.protection.maxUserTransfersPerEpoch": "100000",
};
const nowMs = () => performance.now();

/** A new wallet in a file, with the parameters of new files. */
async function opening(folder: string): Promise<{ readonly openMs: number }> {
  const store = new WalletStore({ keystore: new FolderKeystore(folder) });
  (await store.create({ name: "opened", passphrase: PASSPHRASE })).wallet.lock();
  const times: number[] = [];
  for (let count = 0; count < OPENINGS; count++) {
    const begin = nowMs();
    const wallet = await store.unlock("opened", PASSPHRASE);
    times.push(nowMs() - begin);
    wallet.lock();
  }
  return { openMs: median(times) };
}

/** The signature of a command's bytes, and the way from a command to what a node takes, against bare signatures. */
async function signing(folder: string) {
  const cheap = { cost: { log2N: 1, r: 1, p: 1 }, allowWeakKdf: true };
  const store = new WalletStore({ keystore: new FolderKeystore(folder), ...cheap });
  const { wallet } = await store.create({ name: "signer", passphrase: PASSPHRASE });
  const { publicKey } = await wallet.generateKey();
  const seed = secureRandom(32);
  const own = ed25519KeyPair(seed);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const digest = signingDigest(3, CHAIN, new Uint8Array(200));
  const pow = { tid: "7".repeat(64), nonce: 12_345n };
  const command: CommandInit = {
    kind: "transfer",
    payload: {
      ...{ fromAccountType: 4, toAccountType: 4, to: "ab".repeat(32), asset: "cd".repeat(32) },
      ...{ amount: "250000", reference: "bench", oneOff: {} },
    },
  };
  const encoded = (count: number) => encodeCommand(command, 1_000_000_000_000n + BigInt(count), 1_000n);
  const inputData = encoded(0);
  const ownDigest = new Uint8Array(32);
  const ways = {
    signature: (count: number) => {
      inputData[1] = count & 127;
      return own.sign(signingDigest(3, CHAIN, inputData, ownDigest)).length;
    },
    transaction: (count: number) =>
      wallet.signTransaction(publicKey, { inputData: encoded(count), chainId: CHAIN, pow }).bytes.length,
    native: (count: number) => {
      digest[0] = count & 255;
      return sign(null, digest, key).length;
    },
  };
  type Way = keyof typeof ways;
  const names = Object.keys(ways) as Way[];
  const rates: Record<Way, number[]> = { signature: [], transaction: [], native: [] };
  let bytes = 0;
  for (let round = 0; round <= SIGNING_ROUNDS; round++) {
    for (const name of names) {
      const begin = processorMs();
      for (let count = 0; count < SIGNATURES; count++) bytes += ways[name](count);
      // The first round compiles the code.
      if (round > 0) rates[name].push((SIGNATURES * 1000) / (processorMs() - begin));
    }
  }
  if (bytes === 0) throw new Error("nothing was signed");
  wallet.lock();
  const against = (name: Way) => median(rates[name].map((rate, round) => rate / rates.native[round]!));
  return {
    signaturesPerSecond: Math.round(median(rates.signature)),
    transactionsPerSecond: Math.round(median(rates.transaction)),
    nativePerSecond: Math.round(median(rates.native)),
    signatureRatio: against("signature"),
    transactionRatio: against("transaction"),
  };
}

/** DER in front of the 32 bytes of a raw key (RFC 8410, section 7). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

interface Devnet extends RunningDevnet {
  readonly walletUrl: string;
  readonly walletPort: number;
}

async function startWithWallet(): Promise<Devnet> {
  const parameters = Object.entries(NETWORK).flatMap(([name, value]) => ["--parameter", `${name}=${value}`]);
  return (await startDevnet(program, "--wallet-port", "0", ...parameters)) as Devnet;
}

interface Answer {
  readonly text: string;
  readonly token: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method
  readonly result: any;
}

async function call(url: string, method: string, params: object, authorization?: string): Promise<Answer> {
  const response = await fetch(`${url}/v2/requests`, {
    method: "POST",
    headers: {
      "content-type": "application/json-rpc",
      origin: ORIGIN,
      ...(authorization !== undefined && { authorization }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
  });
  const text = await response.text();
  const { result, error } = JSON.parse(text);
  if (error !== undefined) throw new Error(`${method}: ${text}`);
  return { text, token: response.headers.get("authorization"), result };
}

/** Against a bare Bun.serve that answers the same bytes to everything, without a look at what it is asked. */
async function listing({ walletUrl, walletPort }: Devnet) {
  const { token } = await call(walletUrl, "client.connect_wallet", {});
  const { text } = await call(walletUrl, "client.list_keys", {}, token!);
  const ready = Buffer.from(text);
  const headers = { "content-type": "application/json-rpc" };
  const bare = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(ready, { headers }) });
  const body = JSON.stringify({ jsonrpc: "2.0", method: "client.list_keys", id: "1" });
  const posts = {
    path: "/api/v2/requests",
    bodies: Array<string>(LISTINGS).fill(body),
    headers: { Origin: ORIGIN, Authorization: token! },
    success: '"result"',
  };
  const ask = async (port: number): Promise<LoadResult> => {
    const options = { port, paths: [], posts, connections: CONNECTIONS, durationMs: 0, warmupMs: 0 };
    const result = await loadInChild(options);
    if (result.errors > 0) throw new Error(`${result.errors} answers were no list of keys`);
    return result;
  };
  const rounds: { ours: number; plain: number }[] = [];
  for (let round = 0; round < LISTING_ROUNDS; round++) {
    const ours = (await ask(walletPort)).perSecond;
    rounds.push({ ours, plain: (await ask(bare.port!)).perSecond });
  }
  await bare.stop(true);
  return {
    bytes: ready.length,
    perSecond: Math.round(median(rounds.map(({ ours }) => ours))),
    staticPerSecond: Math.round(median(rounds.map(({ plain }) => plain))),
    ratio: median(rounds.map(({ ours, plain }) => ours / plain)),
  };
}

/** A page that connects, sees the keys and sends; then the same proof searched for again, by a solver alone. */
async function sending({ walletUrl, nodeUrl }: Devnet) {
  const solver = new Solver({ nowMs });
  await solver.solve({ blockHash: "d".repeat(64), tid: "7".repeat(64), difficulty: 20 });
  const rounds: { totalMs: number; solverMs: number }[] = [];
  const asset = await assetOf(nodeUrl);
  for (let round = 0; round < SENDINGS; round++) {
    // Blocks of the transaction before this one have ended by then.
    await Bun.sleep(SETTLE_MS);
    const { hash: blockHash } = await ask<{ hash: string }>(`${nodeUrl}/blockchain/height`);
    const begin = nowMs();
    const { token } = await call(walletUrl, "client.connect_wallet", {});
    const { result } = await call(walletUrl, "client.list_keys", {}, token!);
    const [from, to] = result.keys as { publicKey: string }[];
    const account = { fromAccountType: "ACCOUNT_TYPE_GENERAL", toAccountType: "ACCOUNT_TYPE_GENERAL" };
    const transfer = { ...account, to: to!.publicKey, asset, amount: "100000", oneOff: {} };
    const params = { publicKey: from!.publicKey, sendingMode: "TYPE_SYNC", transaction: { transfer } };
    const sent = await call(walletUrl, "client.send_transaction", params, token!);
    const totalMs = nowMs() - begin;
    const { tid, nonce } = sent.result.transaction.pow as { tid: string; nonce?: number };
    const bits = leadingZeroBits(proofHash({ blockHash, tid, nonce: BigInt(nonce ?? 0) }));
    if (bits < DIFFICULTY) throw new Error("the proof is for another block");
    const again = await solver.solve({ blockHash, tid, difficulty: DIFFICULTY });
    rounds.push({ totalMs, solverMs: again.elapsedMs });
    await call(walletUrl, "client.disconnect_wallet", {}, token!);
  }
  solver.close();
  return {
    totalMs: median(rounds.map(({ totalMs }) => totalMs)),
    solverMs: median(rounds.map(({ solverMs }) => solverMs)),
    excessMs: median(rounds.map(({ totalMs, solverMs }) => totalMs - 1.5 * solverMs)),
  };
}

async function ask<T>(url: string): Promise<T> {
  return (await fetch(url)).json() as Promise<T>;
}

async function assetOf(nodeUrl: string): Promise<string> {
  const { parties } = await ask<{ parties: { balances: { symbol: string; asset: string }[] }[] }>(
    `${nodeUrl}/devnet/parties`,
  );
  return parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!.asset;
}

const folder = mkdtempSync(join(tmpdir(), "lyra-bench-"));
chmodSync(folder, 0o700);
const result: Record<string, unknown> = {};
if (isWanted("opening")) result.opening = await opening(folder);
if (isWanted("signing")) result.signing = await signing(folder);
if (isWanted("listing") || isWanted("sending")) {
  const devnet = await startWithWallet();
  if (isWanted("listing")) result.listing = await listing(devnet);
  if (isWanted("sending")) result.sending = await sending(devnet);
  await devnet.stop();
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify(result));
