// Shared by the scenarios: the markets of the worked scenarios (docs/protocol/70-trading-scenarios.md#10-scenarios),
// and the values that are looked at.
import { AccountType } from "../../../src/wire/generated/vega.ts";
import { createMarketRig, type MarketRigOptions, Play, type RigMarket } from "./rig.ts";

export const M2 = { simple: { long: 0, short: 0 } };
export const M3 = { simple: { long: 0.11, short: 0.1 } };
export const M4 = { simple: { long: 0.1, short: 0.1 } };
export const MD = { simple: { long: 0.2, short: 0.1 } };
export const LN = { logNormal: { lambda: 1e-6, tau: 0.1, sigma: 1 } };
export const MILLIONS = 100_000_000n;
export const FILLED = 5;
export const CANCELLED = 3;
/** Statuses of provisions; that of a cancelled one is the number of a cancelled order. */
export const ACTIVE = 1;
export const UNDEPLOYED = 5;
export const PENDING = 6;

export function market(config: Omit<RigMarket, "asset">, options: MarketRigOptions = {}): Play {
  const rig = createMarketRig(options);
  rig.createMarket("M", { asset: "ETH", ...config });
  return new Play(rig, "M");
}

/** A provider that can pay for its bond and for nothing else: its first orders void the provision. */
export const VOID = "lp void(100000000, 0.1, MID-1, MID+1)";
/** Transfer types. */
export const MAKER_PAY = 9;
export const INFRASTRUCTURE_PAY = 11;
export const LIQUIDITY_PAY = 13;
export const LIQUIDITY_DISTRIBUTE = 14;
export const MAKER_RECEIVE = 10;
export const total = (play: Play) => play.rig.accounts().reduce((sum, { balance }) => sum + balance, 0n);
export const socialised = (play: Play) =>
  play.rig.events("lossSocialization").map(({ payload }) => `${payload.partyId} ${payload.amount}`);

export function amounts(play: Play, type: number): bigint[] {
  return play.transfers(type).map(({ amount }) => amount);
}

/** A market whose target stake is nearly nothing. */
export const LIGHT = { ...M4, targetStake: { scaling: 0.00001 } };

/** Prices of trades may move by 10 from the reference's. */
export const BOUND = {
  ...LIGHT,
  simple: { long: 0.1, short: 0.1, up: 10, down: -10 },
  triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
};
/** Bounds as they are shown: horizon, prices, reference. */
export const bounds = (play: Play) =>
  play.rig.marketData("M").priceMonitoringBounds.map((bound) => {
    const { minValidPrice, maxValidPrice, referencePrice, trigger } = bound;
    return `${trigger!.horizon} ${minValidPrice}-${maxValidPrice} ${referencePrice}`;
  });

/**
 * A market in its opening auction, whose target stake is nearly nothing: p1 buys 10 at 90 (`b`), p2 sells 10 at 110 (`s`),
 * 1 crosses at 100, and lp provides ten ticks away from the best static prices. x, y and z have money and do nothing.
 */
export function quoted(config: Partial<RigMarket> = {}, options: MarketRigOptions = {}): Play {
  const play = market({ ...LIGHT, ...config }, options);
  play.deposit(MILLIONS, "p1", "p2", "lp", "x", "y", "z");
  return play.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 10@90 =b; p2 S 10@110 =s; p1 B 1@100; p2 S 1@100");
}

/** The same in continuous trading: bids 10@90 and the provision's 13@80, asks 10@110 and its 9@120. */
export const opened = (config: Partial<RigMarket> = {}, options: MarketRigOptions = {}): Play =>
  quoted(config, options).open();

/** Orders as they were shown last: status, remaining size, price, reason. */
export const states = (play: Play, ...names: string[]): string[] =>
  names.map((name) => {
    const { status, remaining, price, reason } = play.order(name);
    return `${status} ${remaining} ${price} ${reason ?? ""}`.trim();
  });

/** Events of some kinds, from a place on. */
export const eventsFrom = (play: Play, place: number, ...members: string[]) =>
  play.rig
    .events()
    .slice(place)
    .filter(({ member }) => members.includes(member));

/** Margins by risk alone. */
export const FLAT = { ...M4, linearSlippage: "0", quadraticSlippage: "0" };
/** The same with a target that any provision reaches. */
export const PROVIDED = { ...FLAT, targetStake: { scaling: 0.001 } };

export interface Opening {
  /** Prices of what rests after the opening, and of its one trade. */
  readonly bid?: number;
  readonly ask?: number;
  readonly mark?: number;
  /** Statements before those of the opening. */
  readonly first?: string;
  /** Parties with as much money as the others, and how much that is. */
  readonly rich?: string;
  readonly funds?: bigint;
}

/** Continuous trading, in which aux has bought one of aux2. */
export function trading(
  config: Omit<RigMarket, "asset"> = FLAT,
  { bid = 500, ask = 2000, mark = 1000, first, rich = "", funds = MILLIONS }: Opening = {},
  options: MarketRigOptions = {},
): Play {
  const parties = ["aux", "aux2", "void", ...rich.split(" ").filter((party) => party !== "")];
  const play = market(config, options).deposit(funds, ...parties);
  play.run(first ?? VOID.replace("100000000", String(funds)));
  return play.run(`aux B 1@${bid} =bid; aux2 S 1@${ask} =ask; aux B 1@${mark}; aux2 S 1@${mark}`).open();
}

/** Brings the mark price there. */
export const move = (play: Play, price: number): Play => play.run(`aux2 S 1@${price}; aux B 1@${price}; /`);

/** Balances of a party: `margin general bond`. */
export const money = (play: Play, party: string): string =>
  [play.margin(party), play.general(party), play.bond(party)].join(" ");

/** Entries of a type that moved something, with the parties on both sides: `p> 20`, `>p 20`. */
export const flows = (play: Play, type: number): string[] =>
  play
    .transfers(type)
    .filter(({ amount }) => amount > 0n)
    .map(({ from, to, amount }) => `${from ?? ""}>${to ?? ""} ${amount}`);

/** Losses of parties that were passed on. */
export const shared = (play: Play): string[] =>
  socialised(play).filter((line) => !line.startsWith("network"));

/** Fees of the last trades, maker/infrastructure/liquidity of buyer and seller. */
/** Margin levels of an update or of the end of trading come with the next command, also one that is refused. */
export const showLevels = (play: Play): void => {
  play.rig.cancel("nobody", "M", "0".repeat(64));
};

export const feesOf = (play: Play, count: number): string[] =>
  play.rig
    .trades("M")
    .slice(-count)
    .map(({ buyerFee, sellerFee }) =>
      [buyerFee, sellerFee]
        .map((fee) => (fee ? `${fee.makerFee}/${fee.infrastructureFee}/${fee.liquidityFee}` : "none"))
        .join(" "),
    );

export const feeFactors = (maker: string, infrastructure: string) => ({
  "market.fee.factors.makerFee": maker,
  "market.fee.factors.infrastructureFee": infrastructure,
});

const ACCOUNTS: Readonly<Record<number, string>> = {
  [AccountType.ACCOUNT_TYPE_INSURANCE]: "I",
  [AccountType.ACCOUNT_TYPE_SETTLEMENT]: "S",
  [AccountType.ACCOUNT_TYPE_MARGIN]: "M",
  [AccountType.ACCOUNT_TYPE_GENERAL]: "G",
  [AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE]: "FI",
  [AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY]: "FL",
  [AccountType.ACCOUNT_TYPE_FEES_MAKER]: "FM",
  [AccountType.ACCOUNT_TYPE_BOND]: "D",
};

/**
 * Entries from a place on that moved something, as the protocol writes them: `guy G>guy M 237600`. I is the insurance,
 * S the settlement, F with a letter the fees of infrastructure, liquidity and makers; other accounts are numbers.
 * @param types of transfers; all without any
 */
export const ledger = (play: Play, place = 0, ...types: readonly number[]): string[] =>
  play.rig
    .transfers()
    .slice(place)
    .filter(({ type, amount }) => BigInt(amount) > 0n && (types.length === 0 || types.includes(type)))
    .map(({ fromAccount, toAccount, amount }) => {
      const [from, to] = [fromAccount, toAccount].map((account) => {
        const type = account?.type ?? 0;
        return `${account?.owner ?? ""} ${ACCOUNTS[type] ?? type}`.trim();
      });
      return `${from}>${to} ${amount}`;
    });

/** Number of ledger entries so far: a place for `ledger`. */
export const entries = (play: Play): number => play.rig.transfers().length;

/** A market whose provider covers its target. */
export const COVERED = {
  ...M3,
  linearSlippage: "1",
  quadraticSlippage: "0",
  targetStake: { scaling: 0.001 },
};

/** Continuous trading at 1000 between 900 and 1100. */
export function around1000(
  more: Parameters<typeof market>[0] = {},
  parameters: Record<string, string> = {},
): Play {
  const play = market({ ...M3, linearSlippage: "1", quadraticSlippage: "0", ...more }, { parameters });
  play.deposit(100_000_000n, "aux", "aux2", "void", "p1", "p2");
  return play.run(`${VOID}; aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000`).open();
}

export const lastOrder = (play: Play, id: string) =>
  play.rig.events("order").findLast(({ payload }) => payload.id === id)!.payload;
