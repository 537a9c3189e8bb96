// A load on a devnet over HTTP: what is sent follows from a seed; when it is answered does not.
import { Dice } from "../../scripts/sample/seeded.ts";
import { type DevnetParty, devnetParties, ValidatorKeys } from "../../src/devnet/keys.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import {
  BRIDGED,
  type DevnetClient,
  DOLLAR,
  EURO,
  HttpError,
  type LastBlock,
  provenTransaction,
  transferTo,
} from "./devnet-client.ts";
import type { Ledger } from "./devnet-ledger.ts";

const parties = devnetParties();
const nodeId = new ValidatorKeys(1).nodeId;
const TOKEN = 10n ** 18n;
const WATCH_MS = 4;
const RECEIVER = "0x5E1F5e1F5e1f5E1f5e1f5E1f5E1F5E1F5E1F5E1f";

/** Orders around a price, in a market of whole numbers; cancellations of all of a party's orders, and oracle data. */
function nextTrade(dice: Dice, marketId: string): CommandInit {
  const kind = dice.below(12);
  if (kind === 0) return { kind: "orderCancellation", payload: { marketId } };
  if (kind === 1) {
    const payload = new TextEncoder().encode(JSON.stringify({ "no.such.data": "1" }));
    return { kind: "oracleDataSubmission", payload: { source: 2, payload } };
  }
  const side = dice.between(1, 2);
  const isMarket = kind === 2;
  return {
    kind: "orderSubmission",
    payload: {
      marketId,
      side,
      size: BigInt(dice.between(1, 5)),
      price: isMarket ? "" : String(dice.between(95, 105)),
      timeInForce: isMarket ? 3 : 1,
      type: isMarket ? 2 : 1,
      reference: "load",
    },
  };
}

/** Commands of every kind that a party can send at any time; some of them fail, which is an outcome too. */
function nextCommand(dice: Dice, market: string | undefined): { party: DevnetParty; command: CommandInit } {
  const party = dice.pick(parties);
  if (market !== undefined && dice.below(3) === 0) return { party, command: nextTrade(dice, market) };
  const to = dice.pick(parties).publicKey;
  const amount = BigInt(dice.between(1, 500_000));
  const kind = dice.below(20);
  if (kind === 0)
    return { party, command: { kind: "delegateSubmission", payload: { nodeId, amount: tokens(dice) } } };
  if (kind === 1) {
    const method = dice.between(1, 2);
    return {
      party,
      command: { kind: "undelegateSubmission", payload: { nodeId, amount: tokens(dice), method } },
    };
  }
  if (kind === 2) {
    const ext = { erc20: { receiverAddress: RECEIVER } };
    return {
      party,
      command: { kind: "withdrawSubmission", payload: { amount: "20000000", asset: BRIDGED, ext } },
    };
  }
  if (kind === 3) return { party, command: transferTo(to, DOLLAR, 10n ** 15n) };
  if (kind === 4) {
    const recurring = { startEpoch: 1n, factor: "0.9" };
    return { party, command: transferTo(to, EURO, amount * 10n, { recurring }) };
  }
  return { party, command: transferTo(to, dice.pick([DOLLAR, EURO]), amount + 100_000n) };
}

function tokens(dice: Dice): string {
  return (BigInt(dice.between(1, 10)) * TOKEN).toString();
}

export interface LoadOptions {
  readonly seed: number;
  /** Tells the transactions of this load apart from those of all others. */
  readonly name: string;
  /** A market that is traded in, too. */
  readonly market?: string | undefined;
  /** Clients that each wait for the block of what they sent. */
  readonly lanes: number;
  /** Transactions that are sent at once and wait for the mempool alone, again and again. */
  readonly burst: number;
}

export class DevnetLoad {
  private block: LastBlock | undefined;
  private isOver = false;
  private gate = Promise.withResolvers<void>();
  private isPaused = false;
  private underWay = 0;
  private sent = 0;
  private readonly dice: Dice;
  /** Answers that nothing in the interface explains. */
  readonly failures: string[] = [];
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: DevnetClient,
    private readonly ledger: Ledger,
    private readonly options: LoadOptions,
  ) {
    this.dice = new Dice(options.seed);
  }

  start(): void {
    const { lanes, burst } = this.options;
    const all = [this.watch(), ...Array.from({ length: lanes }, () => this.lane())];
    if (burst > 0) all.push(this.bursts(burst));
    this.running = Promise.all(all);
  }

  /** Nothing is under way any more when this returns. */
  async pause(): Promise<void> {
    this.isPaused = true;
    this.gate = Promise.withResolvers();
    while (this.underWay > 0 && !this.isOver) await Bun.sleep(1);
  }

  resume(): void {
    this.block = undefined;
    this.isPaused = false;
    this.gate.resolve();
  }

  /** The process is gone, or there is enough. */
  async end(): Promise<void> {
    this.isOver = true;
    this.gate.resolve();
    await this.running;
  }

  private async lane(): Promise<void> {
    await this.repeat(async () => {
      if (this.block === undefined) return void (await Bun.sleep(1));
      const answer = await this.client.submit(this.next(this.block), "TYPE_COMMIT");
      if (answer.status === 200 && answer.height > 0) {
        this.ledger.acknowledge({ hash: answer.txHash, height: answer.height, code: answer.code });
      } else if (answer.status !== 200 && !this.isOver) {
        this.failures.push(`a submission was answered with ${answer.status}: ${answer.text}`);
      }
    });
  }

  private async bursts(count: number): Promise<void> {
    await this.repeat(async () => {
      const { block } = this;
      if (block === undefined) return void (await Bun.sleep(1));
      const all = Array.from({ length: count }, () => this.client.submit(this.next(block), "TYPE_SYNC"));
      for (const { reason } of (await Promise.allSettled(all)) as PromiseRejectedResult[])
        if (reason) throw reason;
    });
  }

  /** Asks both planes for the height all the while. */
  private async watch(): Promise<void> {
    await this.repeat(async () => {
      const block = await this.client.lastBlock();
      this.block = block;
      this.ledger.seen(block.height, block.hash);
      const page = await fetch(`${this.client.dataUrl}/api/v2/vega/time`);
      await page.text();
      this.ledger.seen(Number(page.headers.get("x-block-height")));
      await Bun.sleep(WATCH_MS);
    });
  }

  private async repeat(step: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      if (this.isPaused) {
        await this.gate.promise;
        continue;
      }
      this.underWay++;
      try {
        await step();
      } catch (error) {
        // Any other: it was killed in the middle of an answer.
        if (error instanceof HttpError) this.failures.push(`${error.status}: ${error.message}`);
        await Bun.sleep(1);
      } finally {
        this.underWay--;
      }
    }
  }

  private next(block: LastBlock): Uint8Array {
    const { party, command } = nextCommand(this.dice, this.options.market);
    return provenTransaction(party.key, command, block, `${this.options.name} ${this.sent++}`);
  }
}
