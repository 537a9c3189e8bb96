/**
 * Blocks that are missing behind a core's event socket, from another sidecar (`--gaps-from URL`): its stream goes to the
 * writer's thread block by block, until the blocks of the socket follow the stored ones again. Nothing of it is kept in the
 * event log: after a kill it begins again behind the last stored block.
 */
import { logNotice } from "../errors/log.ts";
import { reasonOf } from "../errors/node-error.ts";
import type { ChainHead } from "../store/head.ts";
import { sidecarBlocks } from "./sidecar-stream.ts";

const ATTEMPT = "sidecar.gaps";
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 10_000;
/** Blocks on their way to the store: they share commits. */
const UNDER_WAY_MAX = 32;

interface FillerOptions {
  readonly url: string;
  readonly blockBytesMax: number;
  head(): ChainHead | undefined;
  /** Hands a block's records to the writer's thread, which answers with `noteStored`. */
  store(records: Uint8Array): void;
  /** `text` has changed. */
  onChange(): void;
}

export class GapFiller {
  /** Its state for operators; undefined while nothing is missing. */
  text: string | undefined;
  private connection: AbortController | undefined;
  /** Blocks on their way to the store. */
  private underWay = 0;
  private failure: string | undefined;
  private stored = Promise.withResolvers<void>();
  private stopRequest = Promise.withResolvers<void>();

  constructor(private readonly options: FillerOptions) {}

  start(): void {
    if (this.connection !== undefined) return;
    this.connection = new AbortController();
    this.stopRequest = Promise.withResolvers();
    this.setText(`the missing blocks are asked for at ${this.options.url}`);
    void this.run(this.connection);
  }

  stop(): void {
    this.connection?.abort();
    this.connection = undefined;
    this.stopRequest.resolve();
    this.text = undefined;
  }

  /** @param failure why the block could not be stored */
  noteStored(failure: string | undefined): void {
    this.underWay--;
    this.failure ??= failure;
    this.stored.resolve();
  }

  private async run(own: AbortController): Promise<void> {
    for (
      let pauseMs = FIRST_PAUSE_MS;
      this.connection === own;
      pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs)
    ) {
      try {
        if (await this.follow(own)) pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (this.connection !== own) return;
        this.setText(`the missing blocks cannot be had from ${this.options.url}: ${reasonOf(error)}`);
      }
      await Promise.race([Bun.sleep(pauseMs), this.stopRequest.promise]);
    }
  }

  /** @returns whether a block came */
  private async follow(own: AbortController): Promise<boolean> {
    const { url, blockBytesMax, head, store } = this.options;
    const connection = new AbortController();
    const end = () => connection.abort();
    own.signal.addEventListener("abort", end, { once: true });
    let hasCome = false;
    // The next stream begins behind what is stored by then.
    await this.untilStored(1);
    this.failure = undefined;
    try {
      const stream = sidecarBlocks(url, { head: head(), blockBytesMax, connection, onConnected: () => 0 });
      for await (const { height, records } of stream) {
        if (this.connection !== own) break;
        if (records === undefined) continue;
        // The buffer is the stream's own.
        store(records.slice());
        this.underWay++;
        await this.untilStored(UNDER_WAY_MAX);
        if (this.connection !== own) break;
        if (this.failure !== undefined) throw new Error(this.failure);
        this.setText(`the missing blocks come from ${url}, now at ${height}`, !hasCome);
        hasCome = true;
      }
      return hasCome;
    } finally {
      own.signal.removeEventListener("abort", end);
      connection.abort();
    }
  }

  /** Until fewer blocks are under way, or the filler stops. */
  private async untilStored(underWayMax: number): Promise<void> {
    while (this.underWay >= underWayMax && this.connection !== undefined) {
      this.stored = Promise.withResolvers();
      await Promise.race([this.stored.promise, this.stopRequest.promise]);
    }
  }

  private setText(text: string, isNews = true): void {
    if (text === this.text) return;
    this.text = text;
    if (isNews) logNotice(ATTEMPT, text);
    this.options.onChange();
  }
}
