// A local chain over the small engine, with a clock and randomness of its own, and parties that send transactions.
import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";

import { join } from "node:path";
import { leadingZeroBits, proofHash } from "../../src/chain/admission/pow/function.ts";
import { LocalChain } from "../../src/chain/local-chain.ts";
import type { LocalChainOptions } from "../../src/chain/options.ts";
import { type Ed25519KeyPair, ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { Clock } from "../../src/devnet/clock.ts";
import { Random } from "../../src/devnet/random.ts";
import type { ChainPort } from "../../src/engine/chain-port.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore, type StoreDigest } from "../../src/store/dump.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { MEMORY } from "../rig/homes.ts";
import { buildTransaction } from "../support/transactions.ts";
import { ASSET, FakeEngine } from "./fake-engine.ts";

const homes: string[] = [];

export function newHome(): string {
  const home = mkdtempSync(join(MEMORY, "lyra-sequencer-"));
  homes.push(home);
  return home;
}

export function removeHomes(): void {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

const DIFFICULTY = 1;

export function testGenesis(parameters: Readonly<Record<string, string>> = {}): Genesis {
  return readGenesis(
    JSON.stringify({
      genesis_time: "2030-01-01T00:00:00Z",
      chain_id: "test-chain",
      app_state: {
        network: {},
        network_parameters: {
          "spam.pow.numberOfPastBlocks": "100",
          "spam.pow.difficulty": String(DIFFICULTY),
          "spam.pow.hashFunction": "sha3_24_rounds",
          "spam.pow.numberOfTxPerBlock": "1000",
          "spam.pow.increaseDifficulty": "0",
          "spam.protection.maxUserTransfersPerEpoch": "100000",
          "validators.epoch.length": "10s",
          ...parameters,
        },
      },
    }),
  );
}

/** A clock whose time the test sets, Unix nanoseconds. */
class TestTime {
  nowNs = 1_893_456_000_000_000_000n;
  readonly clock = new Clock(() => this.nowNs);
}

export interface RigOptions extends Partial<LocalChainOptions> {
  readonly home?: string;
  readonly genesis?: Genesis;
  readonly seed?: string;
}

export class Rig {
  readonly home: string;
  readonly db: Database;
  readonly time = new TestTime();
  readonly random: Random;
  readonly chain: LocalChain;
  engine!: FakeEngine;

  constructor(options: RigOptions = {}) {
    const genesis = options.genesis ?? testGenesis();
    this.home = options.home ?? newHome();
    this.db = openWriter(this.home);
    this.random = new Random(options.seed ?? "test");
    try {
      this.chain = new LocalChain({
        db: this.db,
        makeEngine: (follower) => (this.engine = new FakeEngine(genesis, follower)),
        clock: this.time.clock,
        random: this.random,
        startedNs: 0n,
        ...options,
        genesis,
      });
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  get height(): number {
    return this.chain.status.height;
  }

  transfer(from: Sender, to: string, amount: bigint, wait: "check" | "commit" = "check") {
    return this.chain.submit(from.transfer(this.chain, to, amount), wait);
  }

  async stop(): Promise<void> {
    await this.chain.stop();
    this.db.close();
  }

  /** As after `kill -9`: nothing is saved any more. */
  abandon(): void {
    this.db.close();
  }

  /** The rows that readers see. */
  digest(): StoreDigest {
    return rowsOf(digestStore(this.db));
  }
}

/** Without what a chain keeps for itself. */
export function rowsOf({ tables }: StoreDigest): StoreDigest {
  const kept = Object.entries(tables).filter(([name]) => !name.startsWith("chain_"));
  return { sha256: "", tables: Object.fromEntries(kept), files: {} };
}

let serial = 0;

/** Someone who sends transactions with a proof of work. */
export class Sender {
  readonly key: Ed25519KeyPair;
  readonly party: string;

  constructor(n: number) {
    this.key = ed25519KeyPair(new Uint8Array(32).fill(n + 1));
    this.party = Buffer.from(this.key.publicKey).toString("hex");
  }

  transfer(
    chain: Pick<ChainPort, "status">,
    to: string,
    amount: bigint,
    options: { tid?: string; nonce?: bigint } = {},
  ): Uint8Array {
    return this.send(chain, transferOf(to, amount), options);
  }

  send(
    chain: Pick<ChainPort, "status">,
    command: CommandInit,
    options: { tid?: string; nonce?: bigint } = {},
  ): Uint8Array {
    const { chainId, height, hash } = chain.status;
    const tid = options.tid ?? new Bun.CryptoHasher("sha256").update(`tid ${serial++}`).digest("hex");
    return buildTransaction(command, {
      chainId,
      key: this.key,
      nonce: options.nonce ?? BigInt(++serial),
      blockHeight: BigInt(height),
      pow: { tid, nonce: solve(hash, tid, DIFFICULTY) },
    });
  }
}

function transferOf(to: string, amount: bigint): CommandInit {
  return {
    kind: "transfer",
    payload: {
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      to,
      asset: ASSET,
      amount: amount.toString(),
      reference: "",
      oneOff: { deliverOn: 0n },
    },
  };
}

function solve(blockHash: string, tid: string, bits: number): bigint {
  for (let nonce = 0n; ; nonce++)
    if (leadingZeroBits(proofHash({ blockHash, tid, nonce })) >= bits) return nonce;
}

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
