// Differences between the engine and the naive markets: looked for by a seed, made as short as they get, and described.
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import type { Submission } from "./commands.ts";
import { Dice } from "./dice.ts";
import { Difference, type Outcome, runSteps, START_NS } from "./side-by-side.ts";
import { type Mix, mixOf, type Step, stepsOf } from "./steps.ts";
import { idsOf } from "./translation.ts";
import { worldOf } from "./world.ts";

export interface Finding {
  readonly seed: number;
  readonly mix: Mix;
  readonly steps: readonly Step[];
  readonly error: Error;
}

/** Runs a seed's sequence. @returns what was found, made short */
export function findDifference(seed: number, mix: Mix = mixOf(seed)): Finding | Outcome {
  const steps = stepsOf(seed, START_NS, mix);
  const { error, outcome, taken } = runSteps(seed, steps, mix);
  if (error === undefined) return outcome;
  return shrink(seed, steps.slice(0, taken), error, mix);
}

/** Leaves out what the difference does without. */
function shrink(seed: number, steps: readonly Step[], error: Error, mix: Mix): Finding {
  let finding: Finding = { seed, mix, steps, error };
  const kindOf = ({ message, name }: Error) => `${name} ${message.split(/[\s]/)[0]}`;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let at = 0; at < finding.steps.length; ) {
      const shorter = [...finding.steps.slice(0, at), ...finding.steps.slice(at + size)];
      const run = runSteps(seed, shorter, mix);
      if (run.error !== undefined && kindOf(run.error) === kindOf(error))
        finding = { seed, mix, steps: shorter.slice(0, run.taken), error: run.error };
      else at += size;
    }
  }
  return finding;
}

export function describeFinding({ seed, mix, steps, error }: Finding): string {
  const world = worldOf(new Dice(seed), mix.markets);
  const json = (value: unknown) =>
    JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}` : member));
  const lines = [
    `seed ${seed}: ${json(world.options)}`,
    ...world.markets.map((market) => `  ${json(market)}`),
    `  ${world.deposits.map(({ party, asset, amount }) => `${party} ${amount} ${asset}`).join(", ")}`,
    ...steps.map((step) => `  ${describeStep(step)}`),
  ];
  return `${lines.join("\n")}\n${error instanceof Difference ? error.message : error.stack}`;
}

const TIFS = ["", "GTC", "GTT", "IOC", "FOK", "GFA", "GFN"];

function describeOrder({
  market,
  side,
  size,
  price,
  tif,
  peg,
  postOnly,
  reduceOnly,
  expiresNs,
  isMarket,
}: Submission): string {
  const at = isMarket
    ? " market"
    : peg
      ? ` ${["", "MID", "BID", "ASK"][peg.reference]}±${peg.offset}`
      : `@${price}`;
  const more = `${postOnly ? " post-only" : ""}${reduceOnly ? " reduce-only" : ""}`;
  const until = expiresNs > 0n ? ` until +${(expiresNs - START_NS) / SECOND_NS} s` : "";
  return `${market}: ${side === 1 ? "B" : "S"} ${size}${at} ${TIFS[tif]}${more}${until}`;
}

function describeStep(step: Step): string {
  if (step.do === "block") return `/ ${step.seconds}`;
  if (step.do === "terminate") return `terminate ${step.market} by ${step.oracle}`;
  if (step.do === "settle") return `settle ${step.market} ${step.price} by ${step.oracle}`;
  if (step.do === "parameter") return `${step.key} ${step.value}`;
  if (step.do === "update") return `update ${step.market} ${JSON.stringify(step.config)}`;
  const { tag, party, command } = step;
  const name = `${party} (${tag}, ${idsOf(tag)(0).slice(0, 6)})`;
  if (command.kind === "submit") return `${name} ${describeOrder(command.order)}`;
  const json = (value: unknown) =>
    JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}` : member));
  if (command.kind === "batch") {
    const { cancellations, amendments, submissions } = command;
    return `${name} batch ${json(cancellations)} ${json(amendments)} ${submissions.map(describeOrder).join("; ")}`;
  }
  return `${name} ${json(command)}`;
}
