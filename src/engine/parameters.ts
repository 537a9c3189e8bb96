/**
 * Network parameters (docs/protocol/60-state-engine-parameters.md#10-network-parameters): values with defaults and
 * bounds, changed by the genesis and by enacted proposals. Domains hear of values through `watch`.
 */

import type { NodeError } from "../errors/node-error.ts";
import { Decimal } from "../wire/decimal.ts";
import { durationText } from "../wire/time-text.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { invalidGenesis } from "./genesis.ts";
import { CROSS_RULES, type CrossRule, PARAMETERS, REWARD_ASSET } from "./parameter-definitions.ts";
import type { ParameterReader } from "./ports.ts";
import type { Table } from "./state.ts";
import { parseDecimal, parseDuration, parseShortUint, shortened } from "./values.ts";

type ParameterListener = (key: string, value: string) => void;

const UNKNOWN_KEY = "unknown key";

export class NetworkParameters implements ParameterReader {
  /** Values that were set; the others have their defaults. */
  private readonly values: Table<string>;
  /** Keys whose values go to the watchers in the next tick. */
  private readonly pending: Table<true>;
  private readonly listeners = new Map<string, ParameterListener[]>();
  /** Values as parsed: not part of the state. */
  private readonly parsed = new Map<string, unknown>();
  private readonly integers = new Map<string, bigint>();
  private isAssetEnabled: (asset: string) => boolean = () => false;

  constructor(private readonly core: Core) {
    this.values = core.state.table("parameters.values");
    this.pending = core.state.table("parameters.pending");
    this.values.onChange((key) => {
      this.parsed.delete(key);
      this.integers.delete(key);
    });
  }

  /** Says which assets `reward.asset` may name; before that, none. */
  useAssets(isEnabled: (asset: string) => boolean): void {
    this.isAssetEnabled = isEnabled;
  }

  /**
   * Loads the values of a genesis: an event for every default, then one for every value given; all are validated
   * together and pushed to the watchers, and those given once more in the first tick.
   * @throws NodeError `genesis_invalid`
   */
  initGenesis(given: Readonly<Record<string, string>>): void {
    const keys = Object.keys(given).sort();
    for (const key of keys) {
      if (!PARAMETERS.has(key)) throw invalid(key, UNKNOWN_KEY);
      if (typeof given[key] !== "string") throw invalid(key, "the value must be a text");
    }
    for (const [key, { initial }] of PARAMETERS) this.core.emit("networkParameter", { key, value: initial });
    this.loadValues(keys, given);
  }

  /**
   * The values of a checkpoint over those of the genesis, except for keys that the genesis keeps
   * (docs/protocol/60-state-engine-parameters.md#12-checkpoints). Keys that this release does not know are passed over.
   * @throws NodeError `genesis_invalid`
   */
  restore(given: Readonly<Record<string, string>>, kept: ReadonlySet<string>): void {
    const keys = Object.keys(given).filter(
      (key) => this.has(key) && !kept.has(key) && given[key] !== this.text(key),
    );
    this.loadValues(keys.sort(), given);
  }

  private loadValues(keys: readonly string[], given: Readonly<Record<string, string>>): void {
    for (const key of keys) {
      this.store(key, given[key]!);
      this.pending.set(key, true);
    }
    this.checkAll((key, value) => PARAMETERS.get(key)!.type.problem(value));
    // A rule between two keys reads both of them.
    this.checkAll((key, value) => this.problem(key, value));
    for (const key of PARAMETERS.keys()) this.push(key);
  }

  /** @throws NodeError `genesis_invalid` for the first key with a problem */
  private checkAll(problemOf: (key: string, value: string) => string | undefined): void {
    for (const key of PARAMETERS.keys()) {
      const problem = problemOf(key, this.text(key));
      if (problem !== undefined) throw invalid(key, problem);
    }
  }

  /** Pushes pending values to the watchers, by key (docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, tick 3). */
  onTick(): void {
    for (const key of this.pending.keys()) {
      this.pending.delete(key);
      this.push(key);
    }
  }

  has(key: string): boolean {
    return PARAMETERS.has(key);
  }

  /** All keys with their values, by key. */
  entries(): [key: string, value: string][] {
    return [...PARAMETERS.keys()].map((key) => [key, this.text(key)]);
  }

  text(key: string): string {
    const definition = PARAMETERS.get(key);
    if (definition === undefined) throw new Error(`there is no network parameter '${key}'`);
    return this.values.get(key) ?? definition.initial;
  }

  decimal(key: string): Decimal {
    return this.read(key, (text) => parseDecimal(text)!);
  }

  integer(key: string): bigint {
    let value = this.integers.get(key);
    if (value === undefined) {
      value = this.decimal(key).truncated();
      this.integers.set(key, value);
    }
    return value;
  }

  duration(key: string): bigint {
    return this.read(key, (text) => parseDuration(text)!);
  }

  json<T>(key: string): T {
    return this.read(key, (text) => JSON.parse(text) as T);
  }

  watch(keys: readonly string[], listener: ParameterListener): void {
    for (const key of keys) {
      if (!this.has(key)) throw new Error(`there is no network parameter '${key}'`);
      this.listeners.set(key, [...(this.listeners.get(key) ?? []), listener]);
    }
  }

  /** Whether a proposal may set this value. @returns the refusal's text, or undefined */
  validate(key: string, value: string): string | undefined {
    if (!this.has(key)) return UNKNOWN_KEY;
    const problem = this.problem(key, value);
    return problem && `unable to validate ${key}: ${problem}`;
  }

  /** Sets a value by an enacted proposal or a devnet's tool: watchers are called at once. @throws CommandError when it does not hold any more */
  setValue(key: string, value: string): void {
    if (!this.has(key)) throw new CommandError(UNKNOWN_KEY);
    const problem = this.problem(key, value);
    if (problem !== undefined) throw new CommandError(`unable to update ${key}: ${problem}`);
    this.store(key, value);
    this.push(key);
  }

  private store(key: string, value: string): void {
    this.values.set(key, value);
    this.core.emit("networkParameter", { key, value });
  }

  private push(key: string): void {
    for (const listener of this.listeners.get(key) ?? []) listener(key, this.text(key));
  }

  private read<T>(key: string, parse: (text: string) => T): T {
    let value = this.parsed.get(key);
    if (value === undefined) {
      value = parse(this.text(key));
      this.parsed.set(key, value);
    }
    return value as T;
  }

  /** Everything that is wrong, one after the other, as the network writes it. */
  private problem(key: string, value: string): string | undefined {
    const { type } = PARAMETERS.get(key)!;
    const crossed = CROSS_RULES.filter((rule) => rule.key === key).map((rule) =>
      this.brokenRule(rule, value),
    );
    const problems = [type.problem(value), ...crossed, this.assetProblem(key, value)];
    return problems.filter((problem) => problem !== undefined).join(", ") || undefined;
  }

  private brokenRule({ key, sign, other, factor }: CrossRule, value: string): string | undefined {
    const isDuration = PARAMETERS.get(key)!.type.kind === "duration";
    const read = isDuration ? parseDuration : parseShortUint;
    const got = read(value);
    if (got === undefined) return undefined;
    const limit = (read(this.text(other))! * factor[0]) / factor[1];
    if (HOLDS[sign](got, limit)) return undefined;
    if (isDuration) return `expect ${sign} ${durationText(limit)} (${other}) got ${durationText(got)}`;
    const times = Decimal.of(factor[0]).dividedBy(Decimal.of(factor[1]));
    return `expect ${sign} ${limit} (${other} * ${times}) got ${got}`;
  }

  private assetProblem(key: string, value: string): string | undefined {
    if (key !== REWARD_ASSET || this.isAssetEnabled(value)) return undefined;
    return `invalid asset ${shortened(value)}`;
  }
}

const HOLDS = {
  "<": (a: bigint, b: bigint) => a < b,
  "<=": (a: bigint, b: bigint) => a <= b,
  ">": (a: bigint, b: bigint) => a > b,
  ">=": (a: bigint, b: bigint) => a >= b,
} as const;

function invalid(key: string, problem: string): NodeError {
  return invalidGenesis(`network parameter '${shortened(key)}': ${problem}`);
}
