// The engine as a chain without a sequencer: signed transactions go in, blocks come out and into a store, and a data
// API reads them back. The validator's duties are done between blocks, with its real keys.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { devnetGenesisText } from "../../src/devnet/genesis.ts";
import { devnetParties, ValidatorKeys } from "../../src/devnet/keys.ts";
import { type CommittedBlock, Engine, type TxResult } from "../../src/engine/engine.ts";
import { readGenesis } from "../../src/engine/genesis.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { type Block, Field } from "../../src/wire/block.ts";
import { type BusEvent, readBusEventAt } from "../../src/wire/generated/events.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { type CheckedTransaction, checkTransaction } from "../../src/wire/transaction-check.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";
import { buildTransaction } from "../support/transactions.ts";

export const alice = devnetParties()[0]!;
export const bob = devnetParties()[1]!;
export const validator = new ValidatorKeys(1);

/** An event's member and payload. */
export interface SeenEvent {
  readonly member: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
  readonly payload: any;
}

export interface SeenBlock {
  readonly height: number;
  readonly events: readonly SeenEvent[];
  readonly results: readonly TxResult[];
  readonly digest: string;
}

export class ChainRig {
  readonly engine: Engine;
  readonly home = mkdtempSync(join(tmpdir(), "lyra-engine-"));
  readonly blocks: SeenBlock[] = [];
  private readonly db = openWriter(this.home);
  private readonly writer = new BlockWriter(this.db);
  private readonly reader = openReader(this.home);
  private readonly app: ReturnType<typeof dataApp>;
  private nonce = 0n;
  private timeNs: bigint;

  constructor(parameters: Readonly<Record<string, string>> = {}) {
    this.engine = new Engine(readGenesis(devnetGenesisText({ parameters })));
    const build = { version: "v0.71.6", commit: "test" };
    const context = new DataContext(this.reader, { limits: DEFAULT_LIMITS, build, home: this.home });
    this.app = dataApp(new DataPlane(context));
    this.timeNs = this.engine.genesis.timeNs;
    this.engine.initChain();
    this.store(this.engine.commit(), []);
    this.block([], 0n);
  }

  get height(): number {
    return this.engine.core.height;
  }

  close(): void {
    this.reader.close();
    this.db.close();
    rmSync(this.home, { recursive: true });
  }

  /** A transaction as the chain would get it: built, signed, and read again with all its checks. */
  tx(key: Ed25519KeyPair, command: CommandInit): CheckedTransaction {
    this.nonce += 1n;
    const { chainId } = this.engine;
    const bytes = buildTransaction(command, {
      key,
      chainId,
      nonce: this.nonce,
      blockHeight: 1n,
      pow: { tid: "t", nonce: 0n },
    });
    const verdict = checkTransaction(bytes, chainId);
    if (!verdict.ok) throw new Error(verdict.refusal.text);
    return verdict.transaction;
  }

  /** Executes a block. @param stepNs after the last block */
  block(transactions: readonly CheckedTransaction[] = [], stepNs = SECOND_NS): SeenBlock {
    this.timeNs += stepNs;
    const height = this.blocks.length === 1 ? 1 : this.height + 1;
    const hash = height.toString(16).padStart(64, "0");
    this.engine.beginBlock({ height, timeNs: this.timeNs, hash });
    const results = transactions.map((tx) => this.engine.deliver(tx));
    this.engine.endBlock();
    return this.store(this.engine.commit(), results);
  }

  /** A block with one command, which must be accepted. */
  send(key: Ed25519KeyPair, command: CommandInit): SeenBlock {
    const block = this.block([this.tx(key, command)]);
    const { code, text } = block.results[0]!;
    if (code !== 0) throw new Error(`refused with code ${code}: ${text}`);
    return block;
  }

  /** Blocks until the validator owes nothing and nothing waits for a block. @returns all of them */
  settle(): SeenBlock[] {
    const blocks: SeenBlock[] = [];
    for (let rounds = 0; rounds < 20; rounds++) {
      const work = this.engine.duties(validator.nodeId).flatMap((duty) => {
        if (duty.kind === "vote") {
          const { reference, type } = duty;
          return [this.tx(validator.vega(1), { kind: "nodeVote", payload: { reference, type } })];
        }
        if (duty.kind === "sign") {
          const sig = secp256k1Sign(Buffer.from(duty.digest, "hex"), validator.ethereum(1));
          const payload = { id: duty.resource, sig, kind: duty.signatureKind };
          return [this.tx(validator.vega(1), { kind: "nodeSignature", payload })];
        }
        return [];
      });
      if (work.length === 0 && !this.engine.wantsBlock()) return blocks;
      blocks.push(this.block(work));
    }
    throw new Error("the validator's work does not end");
  }

  /** The validator reports something of Ethereum, and all that follows from it is done. */
  report(payload: Extract<CommandInit, { kind: "chainEvent" }>["payload"]): SeenBlock[] {
    return [this.send(validator.vega(1), { kind: "chainEvent", payload }), ...this.settle()];
  }

  /** Blocks of one second until the running epoch has ended. @returns the block that ended it */
  endEpoch(): SeenBlock {
    const { seq, expireNs } = this.engine.epoch;
    this.block([], expireNs > this.timeNs ? expireNs - this.timeNs + SECOND_NS : SECOND_NS);
    const block = this.block();
    if (this.engine.epoch.seq !== seq + 1n) throw new Error("the epoch has not ended");
    return block;
  }

  /** An answer of the data API. @param path after `/api/v2` */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
  async get(path: string): Promise<any> {
    const response = await this.app.handle(new Request(`http://localhost/api/v2${path}`));
    return response.json();
  }

  private store(committed: CommittedBlock, results: readonly TxResult[]): SeenBlock {
    const { height, timeNs, hash } = this.engine.core.block;
    const { events, txHashes } = committed.block;
    const block: Block = {
      chainId: this.engine.chainId,
      height,
      timeNs,
      hash: hash.toUpperCase(),
      txHashes,
      events: events.filter(({ field }) => field !== Field.beginBlock && field !== Field.endBlock),
    };
    this.writer.write(block);
    const seen = {
      height,
      events: events.map((event) => seenEvent(wholeEvent(block, event))),
      results,
      digest: this.engine.state.digest(),
    };
    this.blocks.push(seen);
    return seen;
  }
}

function seenEvent(bytes: Uint8Array): SeenEvent {
  const event = readBusEventAt(bytes, 0, bytes.length);
  const member = Object.keys(event).find((name) => typeof event[name as keyof BusEvent] === "object");
  return { member: member!, payload: event[member as keyof BusEvent] };
}

/** The members of a block's events, in order. */
export function members({ events }: Pick<SeenBlock, "events">): string[] {
  return events.map(({ member }) => member);
}

/** The payloads of one member, of one or several blocks. */
export function payloads(blocks: SeenBlock | readonly SeenBlock[], member: string) {
  const list = Array.isArray(blocks) ? (blocks as readonly SeenBlock[]) : [blocks as SeenBlock];
  return list.flatMap(({ events }) =>
    events.filter((event) => event.member === member).map(({ payload }) => payload),
  );
}
