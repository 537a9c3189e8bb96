/**
 * Followers of every stream of the client, and what they must have got: used by the tests here, by the rig of the package under
 * several releases of Node, and in a page. Imports nothing that runs.
 */
import type { Lyra } from "../../src/client/connect.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

export interface Subject {
  readonly market: string;
  /** Public key of one who votes. */
  readonly party: string;
}

function requestOf(name: string, { market, party }: Subject): Json {
  if (name.startsWith("markets")) return { marketIds: [market] };
  if (name === "candleData") return { candleId: `trades_candle_1_minute_${market}` };
  return name === "votes" ? { partyId: party } : {};
}

/** The votes on a proposal are those at the time of reading. */
const withoutVotes = ({ data, ...rest }: Json) => ({ ...rest, ...(data && { proposal: data.proposal }) });

/** Everything that a stream tells. */
export class Follower {
  readonly events: Json[] = [];
  readonly cursors: string[] = [];
  height = 0;
  reconnects = 0;
  failure: unknown;
  private readonly control = new AbortController();
  private readonly done: Promise<void>;
  private wake = () => {};

  constructor(
    lyra: Lyra,
    readonly name: string,
    readonly subject: Subject,
    after?: string,
  ) {
    const stream = lyra.stream[name as "trades"](requestOf(name, subject), {
      ...(after !== undefined && { after }),
      signal: this.control.signal,
      onHeight: (height) => {
        this.height = height;
        this.wake();
      },
      onCursor: (cursor) => void this.cursors.push(cursor),
      onReconnect: () => void this.reconnects++,
    });
    this.done = (async () => {
      for await (const event of stream) this.events.push(event);
    })().catch((error) => {
      this.failure = error;
      this.wake();
    });
  }

  /** Settles when everything up to a height was told. */
  async upTo(height: number): Promise<void> {
    while (this.height < height) {
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async leave(): Promise<void> {
    this.control.abort();
    await this.done;
  }

  /**
   * Compares its events with those that the node sends at once from the stream's first cursor on.
   * @returns the difference; empty where there is none
   */
  async difference(lyra: Lyra): Promise<string> {
    const { cursors, events, name, subject, height } = this;
    const [first = ""] = cursors;
    const again = new Follower(lyra, name, subject, first);
    await again.upTo(height);
    await again.leave();
    const begin = Number(first.split("-")[0]);
    const own = events.filter((event) => event.height > begin).map(withoutVotes);
    const whole = again.events.filter((event) => event.height <= height).map(withoutVotes);
    // A candle comes as it is after some blocks, which are not the same ones.
    const [a, b] = (name === "candleData" ? [own.at(-1), whole.at(-1)] : [own, whole]).map((each) =>
      JSON.stringify(each),
    );
    if (a === b) return "";
    return `${name}: ${own.length} events were followed, ${whole.length} are told at once`;
  }
}

/** Follows each stream once. */
export function followAll(lyra: Lyra, subject: Subject): Follower[] {
  return Object.keys(lyra.stream).map((name) => new Follower(lyra, name, subject));
}
