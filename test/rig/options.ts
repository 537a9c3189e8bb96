// The options that the crash rigs share: `[--rounds N] [--seed N] [--binary PATH]`.
import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

export interface RigOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Without it the sources are run. */
  readonly program: { readonly program?: readonly string[] };
  /** The rig's own options. */
  readonly values: Readonly<Record<string, string | undefined>>;
}

export function rigOptions(rounds: number, own: ParseArgsConfig["options"] = {}): RigOptions {
  const options: ParseArgsConfig["options"] = {
    rounds: { type: "string", default: `${rounds}` },
    seed: { type: "string", default: "1" },
    binary: { type: "string" },
    ...own,
  };
  const values = parseArgs({ options }).values as Record<string, string | undefined>;
  const program = values.binary === undefined ? {} : { program: [resolve(values.binary)] };
  return { rounds: Number(values.rounds), seed: Number(values.seed), program, values };
}

/** A line for a round, and one for each failure below it. */
export function printRound(text: string, failures: readonly string[]): void {
  console.log(`${failures.length === 0 ? "ok  " : "FAIL"} ${text}`);
  for (const failure of failures) console.log(`     ${failure}`);
}
