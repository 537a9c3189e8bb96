// lyra tx: a transaction step by step, so that the signing can be done where there is no network.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { NONCE_MAX } from "../admission/pow/function.ts";
import { Solver } from "../admission/pow/solver.ts";
import { sha3HexOf } from "../crypto/sha3.ts";
import { ExitCode, NodeError } from "../errors.ts";
import { type SendingMode, submitRaw } from "../wallet/client/raw-submission.ts";
import { walletError } from "../wallet/errors.ts";
import { randomNonce, secureRandom } from "../wallet/random.ts";
import { checkedCommand } from "../wallet/signing/command-text.ts";
import { withProof } from "../wallet/signing/transaction.ts";
import { decodeInputData, type InputData } from "../wire/generated/commands.ts";
import { transactionHash } from "../wire/transaction.ts";
import { type CommandInit, encodeCommand } from "../wire/transaction-build.ts";
import { checkTransaction, examine } from "../wire/transaction-check.ts";
import { COMMANDS, commandKindOf } from "../wire/transaction-commands.ts";
import { transactionBase64 } from "../wire/transaction-json.ts";
import { checkCommand } from "../wire/validate/commands.ts";
import { PropertyErrors } from "../wire/validate/property-errors.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { dim, green, red, say } from "./terminal.ts";
import { heightOf } from "./wallet-keys.ts";
import { print, takeWords, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";
import { type LastBlock, readInput, readLastBlock, type TransactionInput } from "./wallet-tx-input.ts";

export const help = `lyra tx: a transaction step by step; only send needs a network

  lyra tx build INPUT (--height N | --block FILE) [--nonce N] [--chain-id ID]
  lyra tx check INPUT [--chain-id ID]
  lyra tx sign INPUT --wallet NAME --key PUBLIC_KEY [--chain-id ID] [--height N] [--block FILE]
  lyra tx prove INPUT (--block FILE | --block-hash HASH --difficulty N) [--tid TID] [--threads N]
  lyra tx send INPUT --node URL [--type sync|async|commit] [--timeout SECONDS]

  INPUT                 a file, - for standard input, or a command's JSON itself:
                        {"voteSubmission": {"proposalId": "...", "value": "VALUE_YES"}}
                        Each step takes what the one before printed, as base64 or with --json.
  --block FILE          what the node says of its last block: curl NODE/blockchain/height > FILE
  --out FILE            write the JSON document to a new file, to be carried to the other machine
  --passphrase-file FILE, --passphrase-fd N, --wallets DIR, --home DIR   see: lyra wallet --help
  --json, --quiet

  build and sign refuse what the network would refuse. send never sends twice: exit code 1 is a refusal, 3 means
  that nothing was sent, or that it is not known (then look for the hash). check ends with 4 for a broken rule.
`;

const OUT = { out: { type: "string", short: "o" } } as const;
const DRAFT_FLAGS = {
  height: { type: "string" },
  nonce: { type: "string" },
  "chain-id": { type: "string" },
  block: { type: "string" },
} as const;

const MODES: Readonly<Record<string, SendingMode>> = {
  sync: "TYPE_SYNC",
  async: "TYPE_ASYNC",
  commit: "TYPE_COMMIT",
};
/** A node answers at once; with commit it waits up to ten seconds for a block (reference 30, result matrix). */
const TIMEOUT_S: Readonly<Record<SendingMode, number>> = { TYPE_SYNC: 5, TYPE_ASYNC: 5, TYPE_COMMIT: 15 };
const TIMEOUT_S_MAX = 120;
/** Random bytes behind a proof's identifier, as in the original (reference 40, section 6). */
const TID_BYTES = 10;

export async function run(argv: string[]): Promise<number> {
  const [verb, ...rest] = argv;
  if (verb === "build") return build(rest);
  if (verb === "check") return check(rest);
  if (verb === "sign") return sign(rest);
  if (verb === "prove") return prove(rest);
  if (verb === "send") return send(rest);
  const verbs = "build, check, sign, prove or send";
  throw usageError("tx", verb === undefined ? `say ${verbs}` : `there is no 'tx ${verb.slice(0, 40)}'`);
}

async function build(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("tx", argv, { ...COMMON, ...DRAFT_FLAGS, ...OUT });
  const [source] = takeWords("tx", positionals, "INPUT");
  const input = readInput(source);
  if (input.kind !== "command") throw usageError("tx", "build takes a command");
  const draft = draftOf(input, values);
  const document = {
    inputData: transactionBase64(draft.inputData),
    command: draft.command,
    nonce: draft.nonce.toString(),
    blockHeight: draft.blockHeight.toString(),
    ...(draft.chainId === undefined ? {} : { chainId: draft.chainId }),
  };
  return give(values, document, document.inputData);
}

interface Draft {
  readonly inputData: Uint8Array;
  readonly command: string;
  readonly nonce: bigint;
  readonly blockHeight: bigint;
  readonly chainId: string | undefined;
}

interface DraftValues {
  readonly height?: string | undefined;
  readonly nonce?: string | undefined;
  readonly "chain-id"?: string | undefined;
  readonly block?: string | undefined;
}

/** The bytes to sign: made from a command, or taken as they are; in both cases what the network would execute. */
function draftOf(input: TransactionInput, values: DraftValues): Draft {
  const block = values.block === undefined ? undefined : readLastBlock(values.block);
  const chainId = sameOf("chain ID", values["chain-id"], input.chainId, block?.chainId);
  if (input.kind === "transaction") throw usageError("tx", "this is signed already");
  if (input.kind === "inputData") {
    if (values.height !== undefined || values.nonce !== undefined) {
      throw usageError("tx", "height and nonce are part of the input data already");
    }
    const { nonce, blockHeight } = input.input;
    return { inputData: input.bytes, command: checkedKind(input.input), nonce, blockHeight, chainId };
  }
  const command = checkedCommand(input.command);
  const given = values.height ?? block?.height.toString();
  if (given === undefined) throw usageError("tx", "say --height N or --block FILE");
  const blockHeight = heightOf("tx", "--height", given);
  const nonce = values.nonce === undefined ? randomNonce(secureRandom) : nonceOf(values.nonce);
  return {
    inputData: encodeCommand(command, nonce, blockHeight),
    command: command.kind,
    nonce,
    blockHeight,
    chainId,
  };
}

function checkedKind(input: InputData): string {
  const kind = commandKindOf(input);
  if (kind === undefined) throw walletError("command_broken", "tx.input_data.command (is required)");
  if (input.nonce === 0n) throw walletError("command_broken", "tx.input_data.nonce (must be positive)");
  checkedCommand({ kind, payload: input[kind] } as CommandInit);
  return kind;
}

async function check(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("tx", argv, { ...COMMON, "chain-id": { type: "string" } });
  const [source] = takeWords("tx", positionals, "INPUT");
  const input = readInput(source);
  const { errors, command, signature, hash } = examined(input, values["chain-id"] ?? input.chainId);
  const isValid = errors.isEmpty;
  if (values.json) {
    const what = { kind: input.kind, ...(command && { command }), ...(hash && { hash }), signature };
    print({ valid: isValid, ...what, errors });
  } else if (isValid) {
    process.stdout.write(`${green("valid")} ${command}${hash ? ` ${hash}` : ""}\n`);
    if (signature === "unchecked" && !values.quiet) say(dim("say --chain-id ID to check the signature too"));
  } else {
    for (const [property, messages] of Object.entries(errors.toJSON())) {
      process.stdout.write(`${red(property)} ${messages.join(", ")}\n`);
    }
  }
  return isValid ? ExitCode.done : ExitCode.verificationFailed;
}

interface Examination {
  readonly errors: PropertyErrors;
  readonly command: string | undefined;
  readonly signature: "none" | "valid" | "invalid" | "unchecked";
  readonly hash?: string;
}

function examined(input: TransactionInput, chainId: string | undefined): Examination {
  if (input.kind === "command") {
    const { kind, payload } = input.command;
    return { errors: checkCommand(kind, payload as never), command: kind, signature: "none" };
  }
  if (input.kind === "inputData") {
    const kind = commandKindOf(input.input);
    const errors = kind === undefined ? new PropertyErrors() : checkCommand(kind, input.input[kind] as never);
    if (kind === undefined) errors.add("tx.input_data.command", "is required");
    if (input.input.nonce === 0n) errors.add("tx.input_data.nonce", "must be positive");
    return { errors, command: kind, signature: "none" };
  }
  const hash = transactionHash(input.bytes);
  const content = examine(input.transaction);
  if (content instanceof PropertyErrors) {
    return { errors: content, command: undefined, signature: "unchecked", hash };
  }
  if (chainId === undefined) {
    return { errors: new PropertyErrors(), command: content.kind, signature: "unchecked", hash };
  }
  const verdict = checkTransaction(input.bytes, chainId);
  const errors = verdict.ok
    ? new PropertyErrors()
    : (verdict.refusal.errors ?? PropertyErrors.of("tx", verdict.refusal.text));
  return { errors, command: content.kind, signature: verdict.ok ? "valid" : "invalid", hash };
}

async function sign(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("tx", argv, {
    ...WALLET_FLAGS,
    ...DRAFT_FLAGS,
    ...OUT,
    wallet: { type: "string" },
    key: { type: "string" },
    // What it does anyway; scripts may say it.
    offline: { type: "boolean" },
  });
  const [source] = takeWords("tx", positionals, "INPUT");
  const { wallet: name, key } = values;
  if (name === undefined || key === undefined)
    throw usageError("tx", "say --wallet NAME and --key PUBLIC_KEY");
  const draft = draftOf(readInput(source), values);
  const { chainId } = draft;
  if (chainId === undefined || chainId === "") throw usageError("tx", "say --chain-id ID or --block FILE");
  if (!values.quiet && !values.json) {
    say(dim(`signing ${draft.command} for chain ${chainId}, height ${draft.blockHeight}, with ${key}`));
  }
  return withWallet(name, values, (wallet) => {
    const { transaction, bytes } = wallet.signTransaction(key, { inputData: draft.inputData, chainId });
    const document = {
      transaction: transactionBase64(bytes),
      hash: transactionHash(bytes),
      command: draft.command,
      publicKey: key,
      chainId,
      blockHeight: draft.blockHeight.toString(),
      signature: transaction.signature?.value,
    };
    return give(values, document, document.transaction);
  });
}

async function prove(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("tx", argv, {
    ...COMMON,
    ...OUT,
    block: { type: "string" },
    "block-hash": { type: "string" },
    difficulty: { type: "string" },
    tid: { type: "string" },
    threads: { type: "string" },
  });
  const [source] = takeWords("tx", positionals, "INPUT");
  const input = readInput(source);
  if (input.kind !== "transaction") throw usageError("tx", "prove takes a signed transaction");
  const { blockHeight } = decodeInputData(input.transaction.inputData);
  const block = values.block === undefined ? undefined : readLastBlock(values.block);
  if (block !== undefined && block.height !== blockHeight) {
    throw walletError(
      "block_mismatch",
      `the transaction names block ${blockHeight}, and the file is of block ${block.height}`,
      "take the file that it was built with, or say --block-hash and --difficulty",
    );
  }
  const blockHash = values["block-hash"] ?? block?.hash;
  const difficulty = values.difficulty ?? block?.difficulty.toString();
  if (blockHash === undefined || difficulty === undefined) {
    throw usageError("tx", "say --block FILE, or --block-hash HASH and --difficulty N");
  }
  const tid = values.tid ?? sha3HexOf(secureRandom(TID_BYTES));
  const solver = new Solver({ nowMs: () => performance.now(), ...threadsOf(values.threads) });
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    const task = { blockHash, tid, difficulty: wholeOf("--difficulty", difficulty, 256) };
    const hashFunction = block?.hashFunction ? { hashFunction: block.hashFunction } : {};
    const { nonce } = await solver.solve({ ...task, ...hashFunction }, interrupt.signal);
    const bytes = withProof(input.transaction, { tid, nonce });
    const document = {
      transaction: transactionBase64(bytes),
      hash: transactionHash(bytes),
      blockHeight: blockHeight.toString(),
      ...(input.chainId === undefined ? {} : { chainId: input.chainId }),
      pow: { tid, nonce: nonce.toString() },
      ...validityOf(blockHeight, block),
    };
    if (!values.quiet && !values.json) tellValidity(document.validUntilHeight);
    return give(values, document, document.transaction);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    solver.close();
  }
}

/** A node takes it as long as its newest block is less than `pastBlocks` away (reference 30, section 2.4). */
function validityOf(blockHeight: bigint, block: LastBlock | undefined): { validUntilHeight?: string } {
  if (block === undefined || block.pastBlocks === 0n) return {};
  return { validUntilHeight: (blockHeight + block.pastBlocks - 1n).toString() };
}

function tellValidity(height: string | undefined): void {
  if (height !== undefined) say(dim(`the network takes it up to block ${height}`));
}

async function send(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("tx", argv, {
    ...COMMON,
    node: { type: "string" },
    type: { type: "string" },
    timeout: { type: "string" },
  });
  const [source] = takeWords("tx", positionals, "INPUT");
  if (values.node === undefined) throw usageError("tx", "say where to: --node URL");
  const mode = Object.hasOwn(MODES, values.type ?? "sync") ? MODES[values.type ?? "sync"]! : undefined;
  if (mode === undefined) throw usageError("tx", "--type is sync, async or commit");
  const seconds =
    values.timeout === undefined ? TIMEOUT_S[mode] : wholeOf("--timeout", values.timeout, TIMEOUT_S_MAX);
  const input = readInput(source);
  if (input.kind !== "transaction") throw usageError("tx", "send takes a signed transaction");
  const content = examine(input.transaction);
  // What the network must refuse is not sent: it could only cost the sender.
  if (content instanceof PropertyErrors) throw walletError("command_broken", content.toString());
  if (input.transaction.pow === undefined && !COMMANDS[content.kind].isValidatorCommand) {
    throw walletError("proof_missing", "the transaction has no proof of work", "make one: lyra tx prove");
  }
  if (!values.quiet && !values.json) say(dim(`sending ${transactionHash(input.bytes).toUpperCase()}`));
  const result = await submitRaw(input.bytes, { node: values.node, mode, timeoutMs: seconds * 1000 });
  if (result.code !== 0 || result.reason !== "") {
    throw new NodeError("tx.send", "transaction_refused", `${result.reason} (ABCI code ${result.code})`);
  }
  if (values.json) {
    print({
      transactionHash: result.txHash,
      height: result.height.toString(),
      node: { host: values.node },
    });
  } else process.stdout.write(`${result.txHash}\n`);
  return ExitCode.done;
}

/** Prints a document, or its one line; or puts it into a new file. */
function give(
  values: {
    readonly json?: boolean | undefined;
    readonly quiet?: boolean | undefined;
    readonly out?: string | undefined;
  },
  document: object,
  line: string,
): number {
  if (values.out !== undefined) {
    writeNew(values.out, `${JSON.stringify(document)}\n`);
    if (!values.quiet) say(green(`written to ${values.out}`));
  } else if (values.json) print(document);
  else process.stdout.write(`${line}\n`);
  return ExitCode.done;
}

function writeNew(path: string, text: string): void {
  try {
    const descriptor = openSync(path, "wx");
    writeSync(descriptor, text);
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    const { code } = error as { code?: string };
    throw walletError(
      "file_unwritable",
      `${path} cannot be written: ${code === "EEXIST" ? "it is there already" : code}`,
    );
  }
}

/** The one value that all who give one agree on. */
function sameOf(title: string, ...given: (string | undefined)[]): string | undefined {
  const values = new Set(given.filter((value) => value !== undefined));
  if (values.size > 1)
    throw usageError("tx", `two different values are given for the ${title}: ${[...values].join(", ")}`);
  return [...values][0];
}

function threadsOf(text: string | undefined): { threads?: number } {
  return text === undefined ? {} : { threads: wholeOf("--threads", text, 256) };
}

function wholeOf(flag: string, text: string, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw usageError("tx", `${flag} must be a whole number up to ${most}`);
}

function nonceOf(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : 0n;
  if (value >= 1n && value <= NONCE_MAX) return value;
  throw usageError("tx", "--nonce must be a whole number from 1 to 2^64 - 1");
}
