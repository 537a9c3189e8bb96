// The local sequencer, fed with blocks of elsewhere: their transactions, times, hashes and proposers.
import { ParsedTransactions } from "../../src/abci/parsed.ts";
import { spamStatistics } from "../../src/chain/admission/admission.ts";
import type { BlockTx, ExecutedBlock } from "../../src/chain/block-runner.ts";
import { ChainCore } from "../../src/chain/chain-core.ts";
import type { ChainPoint } from "../../src/chain/chain-store.ts";
import { SEQUENCER_LIMITS } from "../../src/chain/options.ts";
import { Sequencer } from "../../src/chain/sequencer.ts";
import { Clock } from "../../src/devnet/clock.ts";
import { Random } from "../../src/devnet/random.ts";
import { type BlockHeader, Engine } from "../../src/engine/engine.ts";
import type { Genesis } from "../../src/engine/genesis.ts";
import type { StateEntry } from "../../src/engine/state.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { newHome, rowsOf } from "../chain/rig.ts";

export type Header = Required<BlockHeader>;

/** A core whose next block has a given header. */
class FedCore extends ChainCore {
  header: Header | undefined;

  override execute(txs: readonly BlockTx[]): ExecutedBlock {
    return this.executeGiven(this.header!, txs);
  }
}

/** The local sequencer, fed with blocks of elsewhere. */
export class FedSequencer {
  readonly home: string;
  readonly core: FedCore;
  readonly engine: Engine;
  private readonly sequencer: Sequencer;
  private readonly parsed: ParsedTransactions;
  private readonly db: ReturnType<typeof openWriter>;

  /** @param first header of the first block; undefined for a chain that begins with a snapshot */
  constructor(genesis: Genesis, first: Header | undefined, home = newHome()) {
    this.home = home;
    this.db = openWriter(home);
    this.parsed = new ParsedTransactions(genesis.chainId);
    let engine: Engine | undefined;
    const options = {
      ...{ db: this.db, genesis, startedNs: 0n, mode: { kind: "manual" as const } },
      ...{ clock: new Clock(() => genesis.timeNs), random: new Random("fed") },
      makeEngine: (follower: ConstructorParameters<typeof Engine>[1]) =>
        (engine = new Engine(genesis, follower)),
    } as const;
    this.core = new FedCore(options, new BlockWriter(this.db, { allOrNothing: true }), SEQUENCER_LIMITS);
    this.engine = engine!;
    this.core.header = first;
    this.core.open(first !== undefined);
    this.sequencer = new Sequencer(this.core, options, SEQUENCER_LIMITS);
    if (first !== undefined) this.sequencer.start();
  }

  get appHash(): string {
    return this.core.point.appHash;
  }

  /** A block that others agreed on: what waits in the mempool is what it holds, whatever a check would say. */
  async block(header: Header, txs: readonly Uint8Array[]): Promise<string> {
    this.core.header = header;
    for (const bytes of txs) {
      const valid = this.parsed.validOf(bytes);
      if (valid !== undefined) this.sequencer.mempool.add({ ...valid, gas: 0, isImpersonated: false });
    }
    await this.sequencer.mine(1);
    return this.appHash;
  }

  /** Standing of a party with the rules of admission. */
  statistics(party: string) {
    const { chainId, pow, spam, rules } = this.core.admission;
    return spamStatistics({ chainId, pow, spam, rules }, party);
  }

  rows() {
    return rowsOf(digestStore(this.db));
  }

  /** Goes on behind a block that was not executed here. */
  restore(point: ChainPoint, entries: () => Iterable<StateEntry>): void {
    this.core.restore(point, entries);
    this.sequencer.start();
  }

  stop(): void {
    this.sequencer.stop();
    this.core.close();
    this.db.close();
  }
}
