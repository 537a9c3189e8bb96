// Modes of making blocks, as people write them: `instant`, `manual`, `1s`, `mixed:1s`.

import type { BlockMode } from "../../engine/chain-port.ts";
import { durationNs, MILLISECOND_NS } from "../../wire/time-text.ts";

const INTERVAL_MS_MAX = 24 * 3_600_000;

/** @returns undefined for an unknown mode */
export function parseBlockMode(text: string): BlockMode | undefined {
  if (text === "instant" || text === "manual") return { kind: text };
  const [, mixed, length] = /^(mixed:)?(\S+)$/.exec(text) ?? [];
  const intervalMs = length === undefined ? undefined : milliseconds(length);
  if (intervalMs === undefined) return undefined;
  return { kind: mixed ? "mixed" : "interval", intervalMs };
}

export function blockModeText(mode: BlockMode): string {
  if (mode.kind === "instant" || mode.kind === "manual") return mode.kind;
  const length = mode.intervalMs % 1000 === 0 ? `${mode.intervalMs / 1000}s` : `${mode.intervalMs}ms`;
  return mode.kind === "mixed" ? `mixed:${length}` : length;
}

function milliseconds(text: string): number | undefined {
  try {
    const value = Number(durationNs(text) / MILLISECOND_NS);
    return value >= 1 && value <= INTERVAL_MS_MAX ? value : undefined;
  } catch {
    return undefined;
  }
}
