// Options of a devnet: one for each flag of `lyra devnet`, and those of its process.
import { NodeError } from "../errors/node-error.ts";
import { type OptionNames, unknownOption } from "../errors/options.ts";
import { CHAIN_FLAGS, type ChainOptions } from "./chain-options.generated.ts";

/** The part of an `AbortSignal` that is used; its own type is in no library that every project has. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Options of the process. */
export interface ProcessOptions {
  /** Path of the executable; default: `LYRA_BINARY`, or the package of this platform. */
  readonly binary?: string;
  /** Variables of its environment, besides this process's; those called `LYRA_...` are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Until it listens, milliseconds. Default: half a minute, with `demo` ten. */
  readonly startTimeoutMs?: number;
  /** Of an `AbortController`: stops the devnet, also while it starts. */
  readonly signal?: StopSignal;
  /** Whether the devnet keeps this process from ending; default false. */
  readonly keepAlive?: boolean;
  /** Gets each line of its log. */
  readonly onLog?: (line: string) => void;
}

export interface DevnetOptions extends ChainOptions, ProcessOptions {}

/** A file for an option that was given as a document. @returns its path */
type WriteDocument = (name: string, document: object) => string;

type Form = (typeof CHAIN_FLAGS)[keyof typeof CHAIN_FLAGS]["form"];
type Values = Readonly<Record<string, number | string>>;

const pairsOf = (flag: string, values: Values) =>
  Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);

/** The words that a value becomes; its type is the option's (`ChainOptions`). */
const WORDS: Readonly<
  Record<Form, (flag: string, value: never, name: string, write: WriteDocument) => string[]>
> = {
  text: (flag, value: string) => [flag, value],
  rules: (flag, value: string) => [flag, value],
  number: (flag, value: number) => [flag, String(value)],
  grpcPort: (flag, value: number | string) => [flag, String(value)],
  flag: (flag, value: boolean) => (value ? [flag] : []),
  unset: (flag, value: boolean) => (value ? [] : [flag]),
  document: (flag, value: string | object, name, write) => [
    flag,
    typeof value === "string" ? value : write(`${name}.json`, value),
  ],
  texts: (flag, values: readonly string[]) => values.flatMap((value) => [flag, value]),
  members: pairsOf,
  amounts: (flag, value: number | string | Values) =>
    typeof value === "object" ? pairsOf(flag, value) : [flag, String(value)],
};
const PROCESS_OPTIONS: OptionNames<ProcessOptions> = {
  binary: true,
  env: true,
  startTimeoutMs: true,
  signal: true,
  keepAlive: true,
  onLog: true,
};
const FREE_PORTS = { nodePort: 0, dataPort: 0, faucetPort: 0 };

/**
 * The words behind `lyra`.
 * @param write makes a file of an option that is a document
 * @throws NodeError `usage` for an unknown option
 */
export function wordsOf(options: DevnetOptions, write: WriteDocument): string[] {
  const wrong = unknownOption(options, [...Object.keys(CHAIN_FLAGS), ...Object.keys(PROCESS_OPTIONS)]);
  if (wrong) throw new NodeError("devnet", "usage", wrong.message, wrong.hint);
  const values: ChainOptions = { ...FREE_PORTS, ...options };
  const words = (Object.keys(CHAIN_FLAGS) as (keyof ChainOptions)[]).flatMap((name) => {
    const value = values[name];
    const { flag, form } = CHAIN_FLAGS[name];
    // The table is made from the declaration that the option's type is made from.
    return value === undefined ? [] : WORDS[form](flag, value as never, name, write);
  });
  return [
    "devnet",
    ...words,
    ...(options.home === undefined ? ["--temporary"] : []),
    ...(options.onLog === undefined ? ["--quiet"] : []),
    "--json",
    "--stop-with-stdin",
  ];
}
