// A QR code in the terminal: two rows of modules in a line of half blocks, with the light margin that readers need.
import qrcode from "qrcode-generator";
import { walletError } from "../wallet/errors.ts";

/** Rows of modules; true is dark. Without the light margin. */
export type QrModules = readonly (readonly boolean[])[];

/** Bytes that the largest code holds (ISO/IEC 18004, table 7: version 40, level L). */
const BYTES_MAX = 2_953;
/** The smallest version that holds it. */
const FITTING = 0;

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

/**
 * The code of some bytes, with error correction level L: it is on a screen, nothing covers it, and every level more
 * makes its dots smaller. @throws NodeError `qr_too_large`
 */
export function qrModules(bytes: Uint8Array): QrModules {
  if (bytes.length > BYTES_MAX) {
    throw walletError(
      "qr_too_large",
      `no QR code holds ${bytes.length} bytes`,
      "carry it in a file: --out FILE",
    );
  }
  const code = qrcode(FITTING, "L");
  code.addData(Buffer.from(bytes).toString("latin1"), "Byte");
  code.make();
  const size = code.getModuleCount();
  return Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => code.isDark(y, x)));
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
