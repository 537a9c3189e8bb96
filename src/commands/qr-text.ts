// A QR code in the terminal: two rows of modules in a line of half blocks, with the light margin that readers need.
import { walletError } from "../wallet/errors.ts";
import { type QrModules, qrModules } from "./qr-code.ts";

/** Modules of light around the code (ISO/IEC 18004, section 6.3.8). */
const QUIET = 4;
/** Black on white whatever the terminal's colours are; without them the dark modules would be light in most. */
const DARK_ON_LIGHT = "\x1b[38;5;16;48;5;231m";
const PLAIN = "\x1b[0m";

export interface QrTextOptions {
  /** Of the terminal; undefined where it goes somewhere else. */
  readonly columns?: number | undefined;
  readonly hasColour?: boolean;
}

/** @throws NodeError `qr_too_large` for what no code holds, or the terminal is too narrow for */
export function qrText(
  text: string,
  { columns = process.stdout.columns, hasColour = process.stdout.isTTY === true }: QrTextOptions = {},
): string {
  const modules = qrModules(Buffer.from(text, "utf8"));
  const width = modules.length + 2 * QUIET;
  if (columns !== undefined && columns < width) {
    throw walletError(
      "qr_too_large",
      `the QR code is ${width} columns wide, and the terminal has ${columns}`,
      "make its letters smaller, or carry a file: --out FILE",
    );
  }
  return linesOf(modules)
    .map((line) => (hasColour ? `${DARK_ON_LIGHT}${line}${PLAIN}\n` : `${line}\n`))
    .join("");
}

function linesOf(modules: QrModules): string[] {
  const lines: string[] = [];
  for (let y = -QUIET; y < modules.length + QUIET; y += 2) {
    let line = "";
    for (let x = -QUIET; x < modules.length + QUIET; x++) {
      const [upper, lower] = [modules[y]?.[x] === true, modules[y + 1]?.[x] === true];
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }
    lines.push(line);
  }
  return lines;
}
