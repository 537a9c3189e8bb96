// A small chain behind a real socket, with a writer in the hands of the test.

import type { Limits } from "../../src/http/limits.ts";
import { ServerStatus } from "../../src/http/status.ts";
import { serveData } from "../../src/planes/data/app.ts";
import { Field } from "../../src/wire/block.ts";
import { encodeAsset, encodeNetworkParameter } from "../../src/wire/generated/vega.ts";
import { RandomChain } from "./random-chain.ts";
import type { MadeEvent } from "./random-events.ts";

const SECOND_US = 1_000_000;

export function assetEvent(id: string, name: string): MadeEvent {
  const message = { id, details: { name } };
  return { field: Field.asset, message, bytes: encodeAsset(message) };
}

export function parameterEvent(key: string, value: string): MadeEvent {
  const message = { key, value };
  return { field: Field.networkParameter, message, bytes: encodeNetworkParameter(message) };
}

export class ServedChain {
  readonly url: string;
  readonly port: number;
  readonly cacheHits: () => number;
  readonly chain: RandomChain;
  private readonly server: ReturnType<typeof serveData>;

  constructor(limits: Partial<Limits> = {}) {
    this.chain = new RandomChain(limits);
    this.server = serveData(this.chain.plane, new ServerStatus(), { host: "127.0.0.1", port: 0 });
    this.url = this.server.url;
    this.port = this.server.port;
    this.cacheHits = () => this.server.cacheHits();
  }

  get height(): number {
    return this.chain.plane.head()?.height ?? 0;
  }

  /** Commits one block a second after the last; the first call also commits the genesis block. */
  commit(...events: MadeEvent[]): void {
    this.chain.write([{ stepUs: SECOND_US, events }]);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    this.chain.close();
  }
}
