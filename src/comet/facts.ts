/**
 * Facts of the chain that admission needs besides its blocks, as the store has them from the events: network parameters and
 * epochs, each with the height of the block that brought it.
 */
import type { Database, Statement } from "bun:sqlite";
import { ADMISSION_PARAMETERS } from "../chain/admission/admission.ts";
import { hashOfRow, readHead } from "../store/head.ts";
import { Ids } from "../store/ids.ts";
import { stakeOf } from "../store/stake.ts";
import { readEpochEventAt } from "../wire/generated/events.ts";
import { EpochAction } from "../wire/generated/vega.ts";
import { hexOf, isHex64 } from "../wire/identifiers.ts";

const PAST_BLOCKS = "spam.pow.numberOfPastBlocks";

export type Fact =
  | { readonly kind: "parameter"; readonly key: string; readonly value: string }
  | { readonly kind: "epoch"; readonly seq: bigint };

export interface EpochFact {
  readonly seq: bigint;
  readonly startNs: bigint;
  readonly expireNs: bigint;
}

interface ParameterRow {
  readonly key: string;
  readonly value: string;
}

/** Facts out of a store that a writer brings forward meanwhile. */
export class StoredFacts {
  private readonly parametersAt: Statement;
  private readonly parametersUpTo: Statement;
  private readonly epochsAt: Statement;
  private readonly epochBefore: Statement;
  private readonly rowAt: Statement;
  private readonly ids: Ids;

  constructor(private readonly db: Database) {
    this.ids = new Ids(db);
    const keys = [...ADMISSION_PARAMETERS].map((key) => `'${key}'`).join(", ");
    this.parametersAt = db.prepare(
      `SELECT key, value FROM network_parameters WHERE key IN (${keys}) AND block = ? ORDER BY key`,
    );
    // Of the rows of a key, the one with the highest block stands in for all of them.
    this.parametersUpTo = db.prepare(
      `SELECT key, value, max(block) FROM network_parameters WHERE key IN (${keys}) AND block <= ? GROUP BY key`,
    );
    this.epochsAt = db.prepare("SELECT data FROM epochs WHERE id > ? AND block = ? ORDER BY id");
    this.epochBefore = db.prepare(
      "SELECT id, data FROM epochs WHERE block <= ? ORDER BY id DESC, block DESC LIMIT 1",
    );
    this.rowAt = db.prepare("SELECT no, height FROM blocks WHERE no <= ? ORDER BY no DESC LIMIT 1");
  }

  /** Height up to which the facts are known; undefined for an empty store. */
  get height(): number | undefined {
    return readHead(this.db)?.height;
  }

  /** Facts that a block brought, in the order in which admission hears of them. @param lastEpoch the newest one known before */
  of(height: number, lastEpoch: bigint): readonly Fact[] {
    const no = this.rowOf(height);
    if (no === undefined) return [];
    const parameters = this.parametersAt.all(no) as ParameterRow[];
    return [
      ...parameters.map(({ key, value }): Fact => ({ kind: "parameter", key, value })),
      ...this.startedEpochs(no, lastEpoch),
    ];
  }

  /** All that holds after a block. */
  upTo(height: number): readonly Fact[] {
    const no = this.rowOf(height) ?? 0;
    const parameters = this.parametersUpTo.all(no) as ParameterRow[];
    const epoch = this.epochAt(height);
    return [
      ...parameters.map(({ key, value }): Fact => ({ kind: "parameter", key, value })),
      ...(epoch === undefined ? [] : [{ kind: "epoch", seq: epoch.seq } as const]),
    ];
  }

  /** The epoch that a block is in. */
  epochAt(height: number): EpochFact | undefined {
    const row = this.epochBefore.get(this.rowOf(height) ?? 0) as { data: Uint8Array } | null;
    if (row === null) return undefined;
    const { seq, startTime, expireTime } = readEpochEventAt(row.data, 0, row.data.length);
    return { seq, startNs: startTime, expireNs: expireTime };
  }

  /** Height from which the running epoch, and all blocks that proofs in it can name, are seen; undefined before the first epoch. */
  viewOfEpoch(): number | undefined {
    const row = this.db
      .query(
        "SELECT b.height FROM epochs e JOIN blocks b ON b.no = e.block ORDER BY e.id DESC, e.block LIMIT 1",
      )
      .get() as { height: bigint } | null;
    if (row === null) return undefined;
    const past = this.db
      .query("SELECT value FROM network_parameters_current WHERE key = ?")
      .get(PAST_BLOCKS) as {
      value: string;
    } | null;
    return Math.max(1, Number(row.height) - Number(past?.value ?? 0) - 1);
  }

  /** Lower-case hex; undefined for a block that the store does not have in a row of its own. */
  hashOf(height: number): string | undefined {
    const no = this.rowOf(height);
    // The first height comes twice, and its row has the hash of the genesis.
    if (no === undefined || height === readHead(this.db)!.firstHeight) return undefined;
    const row = this.db.query("SELECT height, time, hash FROM blocks WHERE no = ?").get(no) as {
      height: bigint;
      time: bigint;
      hash: Uint8Array;
    };
    return hexOf(hashOfRow(row));
  }

  /** A party's stake, as of the newest block; undefined for one that never had any. */
  stakeOf(party: string): bigint | undefined {
    const id = isHex64(party) ? this.ids.find(party) : undefined;
    return id && stakeOf(this.db, id.ref);
  }

  private startedEpochs(no: number, lastEpoch: bigint): Fact[] {
    const rows = this.epochsAt.all(lastEpoch, no) as { data: Uint8Array }[];
    return rows.flatMap(({ data }) => {
      const { seq, action } = readEpochEventAt(data, 0, data.length);
      return action === EpochAction.EPOCH_ACTION_START ? [{ kind: "epoch", seq } as const] : [];
    });
  }

  /** Row of the block; heights rise with the rows, and a gap or blocks of one time move them against each other. */
  private rowOf(height: number): number | undefined {
    const head = readHead(this.db);
    if (head === undefined || height < head.firstHeight || height > head.height) return undefined;
    let low = 1;
    let high = head.no;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = this.rowAt.get(middle) as { height: bigint };
      if (Number(row.height) <= height) low = middle;
      else high = middle - 1;
    }
    const lowRow = this.rowAt.get(low) as { no: bigint; height: bigint };
    return Number(lowRow.height) === height ? Number(lowRow.no) : undefined;
  }
}
