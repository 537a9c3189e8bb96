// The documented entry point of market tests: the same rig that users import from "lyra/testing", and a notation as compact as
// that of the protocol's worked scenarios (docs/protocol/70-trading-scenarios.md#10-scenarios). `Play.run` takes
// statements, in lines or between semicolons:
//
//   p1 B 5@100            p1 submits a limit order: buy (S: sell) 5 at 100
//   p1 S 25 FOK           a market order: no price. Times in force are GTC (default), GTT, IOC, FOK, GFA and GFN;
//                         GTT+5 expires in five seconds, GTT alone in an hour
//   p1 B 5@100 post       post-only; `reduce` is reduce-only
//   p1 B 5 BID-3 GFN      a pegged order: 3 below the best bid. References are BID, ASK and MID
//   ... =b1               names the order for later statements and for `Play.order`
//   amend b1 -2 @105 MID-3 GTT+5   any of size change, price, peg and time in force, in this order
//   cancel b1             one order; `cancel all p1` is all orders of p1 in the market
//   lp p0(50000, 0.001, BID-20, ASK+20)   p0 provides liquidity: commitment, fee, shape of buys, shape of sells.
//                         Several entries a side: `BID-2*1 MID-1*2`, a proportion behind the asterisk
//   /                     the block ends, and the next one begins a second later; `/ 5` is five blocks
//
// Answers of a play are as compact:
//
//   trades()    p1-p2 5@100          buyer, seller, size, price
//   queue()     p1 5@90              orders of a side in priority; deployed(): orders of a provision, `buy 16@5900`
//   levels()    10/11/12/14          margin levels: maintenance, search, initial, release
//   pnl()       4/-200/0             open volume, unrealised and realised profit
//   states()    1 5 100 14           status, remaining, price and reason of named orders (sample-markets.ts, as those below)
//   money()     120 880 1000         balances: margin, general, bond
//   flows()     p>q 20               transfers of one type, `p> 20` to and `>p 20` from an account without a party
//   ledger()    p G>p M 20           transfers with accounts: G general, M margin, D bond, I insurance, S settlement,
//                                    FM, FI and FL the fees of makers, infrastructure and liquidity
import { expect } from "bun:test";
import { Engine } from "../../../src/engine/engine.ts";
import type { MarketRig, RigResult } from "../../../src/testing/market-rig.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";

export * from "../../../src/testing/market-rig.ts";

const TIF: Readonly<Record<string, number>> = { GTC: 1, GTT: 2, IOC: 3, FOK: 4, GFA: 5, GFN: 6 };
const REFERENCE: Readonly<Record<string, number>> = { MID: 1, BID: 2, ASK: 3 };

const ORDER =
  /^(\S+) ([BS]) (\d+)(?:@(\d+)| (MID|BID|ASK)[+-](\d+))?(?: (GTC|GTT|IOC|FOK|GFA|GFN)(?:\+(\d+))?)?(?: (post|reduce))?(?: =(\S+))?$/;
const AMEND =
  /^amend (\S+)(?: ([+-]\d+))?(?: @(\d+))?(?: (MID|BID|ASK)[+-](\d+))?(?: (GTC|GTT|IOC|FOK|GFA|GFN)(?:\+(\d+))?)?$/;
const CANCEL = /^cancel (all )?(\S+)$/;
const PROVISION = /^lp (\S+?)\((\d+), ([\d.]+), ([^,]+), ([^,]+)\)$/;
const BLOCKS = /^\/(?: (\d+))?$/;

/** A chain that begins from the checkpoint of another chain. @param afterSeconds since that chain's last block */
export function beginFrom(rig: MarketRig, afterSeconds = 0n): Engine {
  const { genesis } = rig.engine;
  const appState = { ...genesis.appState, checkpoint: rig.engine.checkpoint() };
  const engine = new Engine({ ...genesis, timeNs: rig.nowNs + afterSeconds * SECOND_NS, appState });
  engine.initChain();
  engine.commit();
  return engine;
}

/** A market in a rig, played by lines. */
export class Play {
  /** Ids of named orders. */
  readonly ids = new Map<string, string>();
  /** Parties of named orders. */
  private readonly parties = new Map<string, string>();
  readonly results: RigResult[] = [];

  constructor(
    readonly rig: MarketRig,
    readonly market: string,
    readonly asset: string = "ETH",
  ) {}

  /** Plays statements, in lines or between semicolons, in the notation that this file's head explains. */
  run(script: string): this {
    for (const part of script.split(/[;\n]/)) {
      const line = part.trim();
      if (line !== "") this.step(line);
    }
    return this;
  }

  /** The last command's result. */
  get last(): RigResult {
    return this.results.at(-1)!;
  }

  deposit(amount: bigint, ...parties: string[]): this {
    for (const party of parties) this.rig.deposit(party, this.asset, amount);
    return this;
  }

  /** Lets the opening auction end. */
  open(): this {
    for (let i = 0; i < 30 && this.rig.marketData(this.market).marketTradingMode === 3; i++)
      this.rig.nextBlock();
    expect(this.rig.marketData(this.market).marketTradingMode).not.toBe(3);
    return this;
  }

  margin(party: string): bigint {
    return this.rig.balance(party, this.asset, "margin", this.market);
  }

  general(party: string): bigint {
    return this.rig.balance(party, this.asset);
  }

  bond(party: string): bigint {
    return this.rig.balance(party, this.asset, "bond", this.market);
  }

  insurance(market = this.market): bigint {
    return this.rig.systemBalance(this.asset, 1, market);
  }

  mark(): bigint {
    return BigInt(this.rig.marketData(this.market).markPrice);
  }

  /** maintenance/search/initial/release as they were shown last. */
  levels(party: string): string {
    const levels = this.rig.marginLevels(party, this.market)!;
    return [
      levels.maintenanceMargin,
      levels.searchLevel,
      levels.initialMargin,
      levels.collateralReleaseLevel,
    ].join("/");
  }

  /** Open volume, unrealised and realised profit, as the protocol writes them: `4/-200/0`. */
  pnl(party: string): string {
    const { openVolume, unrealisedPnl, realisedPnl } = this.rig.shownPosition(party, this.market)!;
    return [openVolume, unrealisedPnl, realisedPnl].join("/");
  }

  /** Status of a named order, as it was shown last, and what remains. */
  order(name: string): {
    status: number;
    remaining: bigint;
    size: bigint;
    price: string;
    reason: number | undefined;
  } {
    const id = this.ids.get(name);
    const { payload } = this.rig.events("order").findLast((event) => event.payload.id === id)!;
    return payload;
  }

  /** Orders of a party's provision on the book: `buy 16@5900`. */
  deployed(party: string): string[] {
    const { terms } = this.rig.market(this.market).context;
    return this.rig
      .liveOrders(party, this.market)
      .filter(({ provision }) => provision !== "")
      .map(
        ({ side, price, remaining }) =>
          `${side === 1 ? "buy" : "sell"} ${remaining}@${price / terms.priceFactor}`,
      )
      .sort();
  }

  /** Trades of this market: `buyer-seller size@price`. */
  trades(from = 0): string[] {
    return this.rig
      .trades(this.market)
      .slice(from)
      .map(({ buyer, seller, size, price }) => `${buyer}-${seller} ${size}@${price}`);
  }

  /** Ledger entries of the last event of a kind of transfer. */
  transfers(type: number): { from: string | undefined; to: string | undefined; amount: bigint }[] {
    return this.rig.transfers(type).map(({ fromAccount, toAccount, amount }) => ({
      from: fromAccount?.owner,
      to: toAccount?.owner,
      amount: BigInt(amount),
    }));
  }

  /** Orders of a side as they are matched: `p1 5@90`. */
  queue(side: "buy" | "sell"): string[] {
    const { priceFactor } = this.rig.market(this.market).context.terms;
    return this.rig
      .queue(this.market, side)
      .map(({ party, remaining, price }) => `${party} ${remaining}@${price / priceFactor}`);
  }

  private after(seconds = "3600"): bigint {
    return this.rig.nowNs + BigInt(seconds) * SECOND_NS;
  }

  private step(line: string): void {
    const blocks = BLOCKS.exec(line);
    if (blocks) {
      this.rig.nextBlock(1, Number(blocks[1] ?? 1));
      return;
    }
    const { market, rig } = this;
    const order = ORDER.exec(line);
    if (order) {
      const [, party, side, size, price, reference, offset, tif, seconds, flag, name] = order;
      const result = rig.order(
        party!,
        market,
        side === "B" ? "buy" : "sell",
        BigInt(size!),
        (price && BigInt(price)) || undefined,
        {
          ...(tif && { timeInForce: TIF[tif] }),
          ...(tif === "GTT" && { expiresAt: this.after(seconds) }),
          ...(reference && { peg: { reference: REFERENCE[reference]!, offset: offset! } }),
          postOnly: flag === "post",
          reduceOnly: flag === "reduce",
        },
      );
      if (name) {
        this.ids.set(name, result.id);
        this.parties.set(name, party!);
      }
      this.results.push(result);
      return;
    }
    const amend = AMEND.exec(line);
    if (amend) {
      const [, name, delta, price, reference, offset, tif, seconds] = amend;
      const change = {
        ...(delta && { sizeDelta: BigInt(delta) }),
        ...(price && { price }),
        ...(reference && { peg: { reference: REFERENCE[reference]!, offset: offset! } }),
        ...(tif && { timeInForce: TIF[tif] }),
        ...(tif === "GTT" && { expiresAt: this.after(seconds) }),
      };
      this.results.push(rig.amend(this.parties.get(name!)!, market, this.ids.get(name!)!, change));
      return;
    }
    const cancel = CANCEL.exec(line);
    if (cancel) {
      const [, all, name] = cancel;
      this.results.push(
        all ? rig.cancel(name!, market) : rig.cancel(this.parties.get(name!)!, market, this.ids.get(name!)),
      );
      return;
    }
    const provision = PROVISION.exec(line);
    if (provision) {
      const [, party, commitment, fee, buys, sells] = provision;
      const shape = { buys: shapeOf(buys!), sells: shapeOf(sells!), reference: `lp-${party}` };
      this.results.push(rig.provide(party!, market, { commitment: commitment!, fee: fee!, ...shape }));
      return;
    }
    throw new Error(`not a statement: ${line}`);
  }
}

/** Entries of a shape: `BID-20`, with a proportion behind an asterisk. */
function shapeOf(text: string) {
  return text.split(" ").map((entry) => {
    const [, reference, offset, proportion] = /^(BID|ASK|MID)[+-](\d+)(?:\*(\d+))?$/.exec(entry)!;
    return { reference: REFERENCE[reference!]!, offset: offset!, proportion: Number(proportion ?? 1) };
  });
}
