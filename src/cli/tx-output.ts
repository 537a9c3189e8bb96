// What the tx commands print: a document, its one line, a new file, or a code for a camera; and how long it is good.
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { ExitCode } from "../errors/node-error.ts";
import { realSteps } from "../files/whole-file.ts";
import { walletError } from "../wallet/errors.ts";
import type { LastBlock } from "../wallet/sending/chain-view.ts";
import { usageError } from "./arguments.ts";
import { qrText } from "./qr-text.ts";
import { dim, green, say } from "./terminal.ts";
import { print } from "./wallet-opening.ts";
import { blockDocument } from "./wallet-tx-input.ts";

export const OUT = { out: { type: "string", short: "o" } } as const;

export interface OutputValues {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly out?: string | undefined;
  readonly qr?: boolean | undefined;
}

/** Prints a document, or its one line; or puts it into a new file. */
export function give(values: OutputValues, document: object, line: string): number {
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

/** All of it, on the disk, or no file: half a document would be carried to the other machine. */
function writeNew(path: string, text: string): void {
  let isMade = false;
  try {
    const descriptor = openSync(path, "wx");
    isMade = true;
    try {
      realSteps.write(descriptor, Buffer.from(text));
      fsyncSync(descriptor);
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

/** For how long the network takes a signature; nothing where the file of the block does not say. */
export interface Validity {
  readonly validUntilHeight?: string;
  /** How many blocks from the newest one that may be. */
  readonly validForBlocks?: string;
}

/**
 * A node takes it as long as its newest block is less than `pastBlocks` away (reference 30, section 2.4); the block
 * that it is in comes after that one.
 */
export function validityOf(height: bigint, block: LastBlock | undefined): Validity {
  if (block === undefined || block.pastBlocks === 0n) return {};
  const last = height + block.pastBlocks - 1n;
  return { validUntilHeight: last.toString() };
}

/** The same where the newest block is known. */
export function validityAt(lastHeight: bigint, head: bigint): Validity {
  const blocks = lastHeight > head ? lastHeight - head : 0n;
  return { validUntilHeight: lastHeight.toString(), validForBlocks: blocks.toString() };
}

export function tellValidity({ validUntilHeight, validForBlocks }: Validity): void {
  if (validUntilHeight === undefined) return;
  const left = validForBlocks === undefined ? "" : `, ${validForBlocks} more from now`;
  say(dim(`the signature is good for blocks up to ${validUntilHeight}${left}`));
}

export function blockMember(block: LastBlock | undefined): { block?: object } {
  return block === undefined ? {} : { block: blockDocument(block) };
}

export function wholeOf(flag: string, text: string, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw usageError("tx", `${flag} must be a whole number up to ${most}`);
}
