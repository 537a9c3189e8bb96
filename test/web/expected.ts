// Texts that a page must show of what the API answers, by arithmetic and rules of the tests' own.
import type * as api from "../../src/client/api.generated.ts";
import type { Addresses } from "../../src/http/chain-bodies.ts";
import { absolute } from "../../src/wire/arithmetic.ts";
import type { Look } from "./look.ts";

interface Edges<Row> {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** Whole numbers with a point before the last digits: `1234567` with 3 decimals as `1,234.567`. */
function fixed(digits: string | bigint, decimals: number): string {
  const value = BigInt(digits);
  const size = absolute(value);
  const unit = 10n ** BigInt(Math.max(0, decimals));
  const whole = decimals < 0 ? size * 10n ** BigInt(-decimals) : size / unit;
  const fraction = decimals > 0 ? `.${(size % unit).toString().padStart(decimals, "0")}` : "";
  return `${value < 0n ? "-" : ""}${whole.toLocaleString("en")}${fraction}`;
}

const trimmed = (text: string) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
export const count = (value: number | string) => BigInt(value).toLocaleString("en");
export const short = (id: string) => (id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);
/** `STATUS_NOT_YET` as `not yet`. */
export const words = (value: string, prefix: string) =>
  value.slice(prefix.length).split("_").join(" ").toLowerCase();
const hover = (text: string, title: string) => (text === title ? text : `${text}{${title}}`);
/** Not there. */
export const NONE = "–";

export const id = (value: string) => (value === "" ? NONE : hover(short(value), value));
export const link = (text: string, kind: string, value: string) =>
  value === "" ? NONE : `${hover(text, value)}→${kind}/${value}`;
export const block = (height: number | string) => `${count(height)}→block/${height}`;

const THREE_DIGITS = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 } as const;

/** Rounded to three digits, with the largest unit that leaves one before the point. */
export function threeDigits(value: number, units: Readonly<Record<string, number>>): string {
  const rounded = Number(value.toLocaleString("en", { ...THREE_DIGITS, useGrouping: false }));
  const [unit, size] =
    Object.entries(units).findLast(([, each]) => rounded >= each) ?? Object.entries(units)[0]!;
  return `${(rounded / size).toLocaleString("en", THREE_DIGITS)} ${unit}`;
}

/** Sizes in steps of a thousand. */
export function bytes(size: number): string {
  const whole = Math.round(size);
  return whole < 1_000 ? `${whole} B` : threeDigits(whole, { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 });
}

/** A length of time in its largest whole unit. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const [length, name] = units.find(([each]) => seconds >= each) ?? units[3];
  return `${Math.floor(seconds / length).toLocaleString("en")} ${name}`;
}

interface MarketNames {
  readonly code: string;
  readonly asset: string;
  readonly decimals: number;
  readonly positionDecimals: number;
}

/** The API of a node, and how its page names what stands in the answers. */
export class Expected {
  private constructor(
    private readonly look: Look,
    readonly node: Addresses,
    private readonly assets: ReadonlyMap<string, { readonly symbol: string; readonly decimals: number }>,
    readonly markets: ReadonlyMap<string, MarketNames>,
    private readonly validators: ReadonlyMap<string, string>,
    readonly parties: ReadonlyMap<string, string>,
    private readonly stakeAsset: string,
    /** Of the browser. */
    private readonly zone: string,
  ) {}

  static async of(look: Look): Promise<Expected> {
    const all = async <Row>(path: string, member: string) => {
      const answer = await look.read<Record<string, Edges<Row>>>(`/api/v2/${path}`);
      return answer[member]!.edges.map(({ node }) => node);
    };
    const node = await look.read<Addresses>("/lyra/v1/addresses");
    const isDevnet = node.kind === "devnet";
    type Parties = { parties: { name: string; publicKey: string }[] };
    const { parties } = isDevnet
      ? ((await (await fetch(`${look.pageUrl}/devnet/parties`)).json()) as Parties)
      : { parties: [] };
    const stake = await look.read<api.GetNetworkParameterResponse>("/api/v2/network/parameters/reward.asset");
    return new Expected(
      look,
      node,
      new Map(
        (await all<api.Asset>("assets", "assets")).map((each) => [
          each.id,
          { symbol: each.details!.symbol, decimals: Number(each.details!.decimals) },
        ]),
      ),
      new Map(
        (await all<api.Market>("markets", "markets")).map((each) => [
          each.id,
          {
            code: each.tradableInstrument!.instrument!.code,
            asset: each.tradableInstrument!.instrument!.future!.settlementAsset,
            decimals: Number(each.decimalPlaces),
            positionDecimals: Number(each.positionDecimalPlaces),
          },
        ]),
      ),
      new Map((await all<api.Node>("nodes", "nodes")).map((each) => [each.id, each.name])),
      new Map(parties.map(({ name, publicKey }) => [publicKey, name])),
      stake.networkParameter!.value,
      await look.page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone),
    );
  }

  /** The same with another mode and ports. */
  as(node: Addresses): Expected {
    const { look, assets, markets, validators, parties, stakeAsset, zone } = this;
    return new Expected(look, node, assets, markets, validators, parties, stakeAsset, zone);
  }

  get pageUrl(): string {
    return this.look.pageUrl;
  }

  read<T>(path: string): Promise<T> {
    return this.look.read<T>(path);
  }

  readFromNode<T>(path: string): Promise<T> {
    return fetch(this.look.pageUrl + path).then((answer) => answer.json() as Promise<T>);
  }

  /** The first page of a list. @param path with its filters */
  async list<Row>(path: string, member: string, first = 25): Promise<{ rows: Row[]; pager: string[] }> {
    const separator = path.includes("?") ? "&" : "?";
    const answer = await this.read<Record<string, Edges<Row>>>(
      `/api/v2/${path}${separator}pagination.first=${first}`,
    );
    const { edges, pageInfo } = answer[member]!;
    return {
      rows: edges.map(({ node }) => node),
      pager: pageInfo.hasNextPage ? ["pager: page 1 | Older"] : [],
    };
  }

  amount(digits: string, assetId: string): string {
    const { symbol, decimals } = this.assets.get(assetId)!;
    const full = fixed(digits, decimals);
    return `${trimmed(full)} ${symbol}{${full} ${symbol}\n${digits} of the smallest unit}`;
  }
  stake(digits: string): string {
    return this.amount(digits, this.stakeAsset);
  }
  price(digits: string, marketId: string): string {
    return scaled(digits, this.markets.get(marketId)!.decimals);
  }
  size(digits: string, marketId: string): string {
    return scaled(digits, this.markets.get(marketId)!.positionDecimals);
  }
  /** An amount of the asset that a market is settled in. */
  money(digits: string, marketId: string): string {
    return this.amount(digits, this.markets.get(marketId)!.asset);
  }

  party(key: string): string {
    if (key === "network" || /^0*$/.test(key)) return "network";
    return link(this.parties.get(key) ?? short(key), "party", key);
  }
  asset(value: string): string {
    return link(this.assets.get(value)?.symbol ?? short(value), "asset", value);
  }
  market(value: string): string {
    return link(this.markets.get(value)?.code ?? short(value), "market", value);
  }
  validator(value: string): string {
    return link(this.validators.get(value) || short(value), "validator", value);
  }

  /** The words of a command, with names in place of identifiers. @param label of a member that it is the value of */
  inWords(text: string, label = ""): string {
    return text
      .replace(/ \(asset [^)]*\)/g, "")
      .replace(/\b[0-9a-f]{64}\b/g, (value, at: number, whole: string) => {
        const before = at === 0 ? label : (/(\w+) $/.exec(whole.slice(0, at))?.[1] ?? "");
        if (before === "proposal") return link(short(value), "proposal", value);
        if (this.markets.has(value)) return this.market(value);
        if (this.validators.has(value)) return this.validator(value);
        if (this.parties.has(value) || ["to", "from", "key"].includes(before)) return this.party(value);
        return id(value);
      });
  }

  /** A moment, with both forms on hover. @param at RFC 3339, or Unix nanoseconds */
  time(at: string | undefined): string {
    const ms = msOf(at);
    if (ms === undefined) return NONE;
    const local = this.local(ms);
    const [today, day] = [Date.now(), ms].map((each) => this.local(each).slice(0, 10));
    const text = today === day ? local.slice(11) : local;
    return `${text}{${local} here\n${utc(ms)}}{${new Date(ms).toISOString()}}`;
  }
  /** Both forms. */
  fullTime(at: string | undefined): string {
    const ms = msOf(at);
    if (ms === undefined) return NONE;
    const local = this.local(ms);
    const isUtc = local === utc(ms).slice(0, 19);
    return `${isUtc ? "" : `${local} · `}${utc(ms)}{${new Date(ms).toISOString()}}`;
  }
  /** The time since then, which grows while it is looked at. */
  age(at: string): string {
    return this.time(at).replace(/^[^{]*/, AGE);
  }

  private local(ms: number): string {
    return new Intl.DateTimeFormat("sv-SE", {
      timeZone: this.zone,
      dateStyle: "short",
      timeStyle: "medium",
    }).format(ms);
  }

  /** @param title of what is missing @param command begins with `lyra ` */
  empty(title: string, command?: string, more?: string): string {
    const { commandLine } = this.node;
    return [`empty: ${title}`, more, command?.replace(/^lyra/, commandLine)].filter(Boolean).join(" | ");
  }
}

/** In place of a time that has passed since. */
const AGE = "AGE ago";

/** A price or a size; one of many decimals is shorter than on hover. */
function scaled(digits: string, decimals: number): string {
  const full = fixed(digits, decimals);
  return decimals > 8 ? hover(trimmed(full), full) : full;
}

function msOf(at: string | undefined): number | undefined {
  if (at === undefined || at === "" || at === "0") return undefined;
  return /^\d+$/.test(at) ? Math.floor(Number(BigInt(at) / 1_000_000n)) : Date.parse(at);
}

/** With thousandths where there are any. @param at Unix nanoseconds, or milliseconds */
export function utc(at: string | number): string {
  const ms = typeof at === "string" ? msOf(at)! : at;
  const [day, time] = new Date(ms).toISOString().split("T");
  return `${day} ${time!.slice(0, ms % 1_000 === 0 ? 8 : 12)} UTC`;
}
