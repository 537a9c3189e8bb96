// Output of the tx commands: a document, a line, a new file or a QR code; and the validity of a signature.

import { closeSync, openSync, rmSync } from "node:fs";
import qrcode from "qrcode-generator";
import { ExitCode } from "../errors/node-error.ts";
import { realSteps } from "../files/whole-file.ts";
import { type Facts, NO_FACTS, plain, WORD_LINES_MAX } from "../wallet/approvals/formatting.ts";
import { wordsOf } from "../wallet/approvals/words.ts";
import { walletError } from "../wallet/errors.ts";
import type { LastBlock } from "../wallet/sending/blocks.ts";
import type { InputData } from "../wire/generated/commands.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { commandKindOf } from "../wire/transaction-commands.ts";
import { usageError } from "./command/usage-error.ts";
import { dim, green, say } from "./terminal.ts";
import { print } from "./wallet-opening.ts";
import { promptLine } from "./wallet-secrets.ts";
import { blockDocument, type CarriedBlock, factsOf } from "./wallet-tx-input.ts";

export interface OutputValues {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly out?: string | undefined;
  readonly qr?: boolean | undefined;
}

/** Prints a document, or its one line; or puts it into a new file. */
export function writeResult(values: OutputValues, document: object, line: string): number {
  if (values.qr && (values.json || values.out !== undefined)) {
    throw usageError("tx", "--qr shows the transaction: it goes with neither --json nor --out");
  }
  if (values.out !== undefined) {
    writeNew(values.out, `${JSON.stringify(document)}\n`);
    if (!values.quiet) say(green(`written to ${values.out}`));
  } else if (values.qr) process.stdout.write(qrText(line));
  else if (values.json) print(document);
  else process.stdout.write(`${line}\n`);
  return ExitCode.done;
}

/** Writes a new file durably, or leaves none: half a document must not be carried to the other machine. */
function writeNew(path: string, text: string): void {
  let isMade = false;
  try {
    const descriptor = openSync(path, "wx");
    isMade = true;
    try {
      realSteps.write(descriptor, Buffer.from(text));
      realSteps.sync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isMade) rmSync(path, { force: true });
    const { code } = error as { code?: string };
    throw walletError(
      "file_unwritable",
      `${path} cannot be written: ${code === "EEXIST" ? "it is there already" : code}`,
    );
  }
}

/** Last block of a signature; empty where the file of the block lacks the rules. */
export interface Validity {
  readonly validUntilHeight?: string;
  /** Blocks from the newest one to the last one. */
  readonly validForBlocks?: string;
}

/**
 * A node takes it as long as its newest block is less than `pastBlocks` away
 * (docs/protocol/30-node-api-transactions.md#24-how-nonce-and-block-height-are-used); the block that it is in comes
 * after that one.
 */
export function validityOf(height: bigint, block: LastBlock | undefined): Validity {
  if (block === undefined || block.pastBlocks === 0n) return {};
  const last = height + block.pastBlocks - 1n;
  return { validUntilHeight: last.toString() };
}

/** Validity counted from the newest block. */
export function validityAt(lastHeight: bigint, head: bigint): Validity {
  const blocks = lastHeight > head ? lastHeight - head : 0n;
  return { validUntilHeight: lastHeight.toString(), validForBlocks: blocks.toString() };
}

export function sayValidity({ validUntilHeight, validForBlocks }: Validity): void {
  if (validUntilHeight === undefined) return;
  const remaining = validForBlocks === undefined ? "" : `, ${validForBlocks} more from now`;
  say(dim(`the signature is good for blocks up to ${validUntilHeight}${remaining}`));
}

export function blockMember(block: CarriedBlock | undefined): { block?: object } {
  return block === undefined ? {} : { block: blockDocument(block) };
}

// A command in words, before it is signed or when it is received.

const LABEL_WIDTH = 20;

export interface CommandWords {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, value: string])[];
  readonly warnings: readonly string[];
}

/** @param publicKey the signer's; @param facts without them amounts are in the smallest unit */
export function commandWords(command: CommandInit, publicKey: string, facts: Facts = NO_FACTS): CommandWords {
  const { title, lines, warnings } = wordsOf(command, { ...facts, publicKey });
  return { title, lines, warnings };
}

/** The command inside the bytes to sign, so that exactly these are shown. */
export function commandIn(input: InputData): CommandInit | undefined {
  const kind = commandKindOf(input);
  return kind === undefined ? undefined : ({ kind, payload: input[kind] } as CommandInit);
}

export function wordLines({ title, lines, warnings }: CommandWords): string[] {
  const hidden = lines.length - WORD_LINES_MAX;
  return [
    title,
    ...lines.slice(0, WORD_LINES_MAX).map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)} ${value}`),
    ...(hidden > 0 ? [`  ... and ${hidden} lines more: lyra tx check --json`] : []),
    ...warnings.map((warning) => `! ${warning}`),
  ];
}

interface Signing {
  readonly command: CommandInit;
  readonly publicKey: string;
  readonly wallet: string;
  readonly chainId: string;
  readonly height: bigint;
  /** Has the names of assets. */
  readonly block: CarriedBlock | undefined;
}

/**
 * Shows a command before it is signed, and asks unless `isAgreed`.
 * @throws NodeError when the user declines, and without a terminal
 */
export async function confirmSigning(
  signing: Signing,
  { isAgreed, isQuiet }: { isAgreed: boolean; isQuiet: boolean },
) {
  const { command, publicKey, wallet, chainId, height, block } = signing;
  if (!isAgreed && (process.stdin.isTTY !== true || process.stderr.isTTY !== true)) {
    throw usageError("tx", "there is no terminal to ask on: read it with lyra tx check, then say --yes");
  }
  if (!isAgreed || !isQuiet) {
    const row = (label: string, value: string) => `  ${label.padEnd(LABEL_WIDTH)} ${value}`;
    say(
      [
        ...wordLines(commandWords(command, publicKey, factsOf(block))),
        ...(block?.assets === undefined ? [] : [row("names, decimals", "as the file of the block says")]),
        row("with the key", `${publicKey} of ${plain(wallet)}`),
        row("chain", `${plain(chainId)}, height ${height}`),
      ].join("\n"),
    );
  }
  if (isAgreed) return;
  const answer = await promptLine("sign it? yes/NO");
  if (!/^y(es)?$/i.test(answer.trim())) throw walletError("not_confirmed", "it was not signed");
}

// A QR code in the terminal: two rows of modules in a line of half blocks, with the light margin that readers need.

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

interface QrTextOptions {
  /** Columns of the terminal; undefined for a pipe or a file. */
  readonly columns?: number | undefined;
  readonly hasColour?: boolean;
}

/** @throws NodeError `qr_too_large` for too many bytes, or a terminal that is too narrow */
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
 * The code of some bytes. Error correction level L suffices on a screen, and has the largest dots. @throws NodeError `qr_too_large`
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
