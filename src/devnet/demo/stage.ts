// The stage of the demo's scenes: the parties by name, their transactions, and the passing of time.

import type { DevnetPort } from "../../engine/chain-port.ts";
import { NodeError } from "../../errors/node-error.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { Devnet } from "../devnet.ts";
import { type DEVNET_PARTY_NAMES, madeUpAssetId, ValidatorKeys } from "../keys.ts";
import { PartyClient } from "../party-client.ts";

export type Name = (typeof DEVNET_PARTY_NAMES)[number];

/** Blocks that a follow-up of the validators takes at the most. */
const FOLLOW_UP_BLOCKS = 4;

export const ASSETS = {
  dollar: madeUpAssetId("tUSD"),
  euro: madeUpAssetId("tEUR"),
  bitcoin: madeUpAssetId("tBTC"),
  token: madeUpAssetId("LYRA"),
  bridged: madeUpAssetId("dUSD"),
} as const;

export class Stage {
  readonly chain: DevnetPort;
  readonly validator: ValidatorKeys;
  readonly second = new ValidatorKeys(2);
  private readonly clients: ReadonlyMap<string, PartyClient>;
  private seed = 1n;
  /** Values that scenes leave for later ones, by name: ids of transfers, proposals, assets. */
  readonly notes = new Map<string, string>();
  refusals = 0;
  transactions = 0;

  /** Distinguishes this play's transactions from those of another. */
  private readonly start: number;

  constructor(readonly devnet: Devnet) {
    this.start = devnet.chain.status.height;
    this.chain = devnet.chain;
    this.validator = devnet.validator;
    this.clients = new Map(
      devnet.parties.map(({ name, key }) => [name, new PartyClient(devnet.chain, key, `demo ${this.start}`)]),
    );
  }

  key(name: Name): string {
    return this.client(name).party;
  }

  /** Sends a command and waits for its block. @returns the id of what it created @throws NodeError when it is refused */
  async send(name: Name, command: CommandInit): Promise<string> {
    return this.sendBy(this.client(name), command);
  }

  async sendBy(client: PartyClient, command: CommandInit): Promise<string> {
    const { outcome, id } = await client.send(command, { allowRefusal: true });
    this.transactions++;
    if (outcome.code !== 0) {
      throw new NodeError(
        "demo",
        "refused",
        `the demo's ${command.kind} was refused: ${outcome.text}`,
        "does the devnet start from another genesis than the shipped one?",
      );
    }
    return id;
  }

  /** Sends what the chain must refuse. */
  async refused(name: Name, command: CommandInit): Promise<void> {
    const { outcome } = await this.client(name).send(command, { allowRefusal: true });
    this.transactions++;
    this.refusals++;
    if (outcome.code === 0)
      throw new NodeError("demo", "not_refused", `the chain took a ${command.kind} that is wrong`);
  }

  /** Signed by the first validator: its Vega key, or its master key. */
  async sendAsValidator(command: CommandInit, key: "vega" | "master" = "vega"): Promise<void> {
    const { bytes } = this.devnet.agent.command(command, key);
    const { code, text } = await this.chain.submit(bytes, "commit");
    this.transactions++;
    if (code !== 0) throw new NodeError("demo", "refused", `the demo's ${command.kind} was refused: ${text}`);
  }

  /** A client for a key outside the devnet's parties. */
  clientOf(keys: ValidatorKeys, index = 1): PartyClient {
    return new PartyClient(this.chain, keys.vega(index), `demo ${this.start}`);
  }

  /** Time passes, and a block shows it. */
  async pass(seconds: number): Promise<void> {
    await this.chain.forwardTime((BigInt(Math.round(seconds * 1000)) * SECOND_NS) / 1000n);
    await this.chain.mine(1);
  }

  /** Blocks for what validators do after a command: votes, signatures, effects. */
  async settle(): Promise<void> {
    for (let block = 0; block < FOLLOW_UP_BLOCKS; block++) await this.chain.mine(1);
  }

  /** Unix seconds of the last block. */
  get nowSeconds(): bigint {
    return this.chain.status.timeNs / SECOND_NS;
  }

  get epoch(): bigint {
    return this.chain.status.epoch.seq;
  }

  /** A number from 0 up to `below`, the same ones in every run. */
  random(below: number): number {
    // Numerical Recipes' linear congruential generator: enough for a story.
    this.seed = (this.seed * 1_664_525n + 1_013_904_223n) % 4_294_967_296n;
    return Number((this.seed * BigInt(below)) / 4_294_967_296n);
  }

  private client(name: Name): PartyClient {
    return this.clients.get(name)!;
  }
}
