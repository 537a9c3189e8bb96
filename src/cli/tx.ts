// lyra tx: a transaction step by step, so that the signing can be done where there is no network.
import { NONCE_MAX } from "../chain/admission/pow/function.ts";
import { ExitCode } from "../errors/node-error.ts";
import { walletError } from "../wallet/errors.ts";
import { randomNonce, secureRandom } from "../wallet/random.ts";
import type { LastBlock } from "../wallet/sending/blocks.ts";
import { checkedCommand } from "../wallet/signing/transaction.ts";
import { decodeInputData, type InputData } from "../wire/generated/commands.ts";
import { type CommandInit, encodeCommand, transactionHash } from "../wire/transaction.ts";
import { checkTransaction, examine } from "../wire/transaction-check.ts";
import { commandKindOf } from "../wire/transaction-commands.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { checkCommand } from "../wire/validate/commands.ts";
import { COMMON, didYouMean, readArguments, usageError } from "./arguments.ts";
import { dim, green, red, say } from "./terminal.ts";
import {
  blockMember,
  type CommandWords,
  commandIn,
  commandWords,
  confirmSigning,
  give,
  OUT,
  type OutputValues,
  tellValidity,
  validityOf,
  wordLines,
} from "./tx-output.ts";
import { defaultKey, meantKey, meantWallet } from "./wallet-default.ts";
import { heightOf } from "./wallet-keys.ts";
import { print, printable, takeWords, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";
import { readInput, readLastBlock, type TransactionInput } from "./wallet-tx-input.ts";

export const help = `lyra tx: a transaction step by step; signing needs no network

  lyra tx block --node URL [--key KEY] [--out FILE]
  lyra tx build INPUT (--height N | --block FILE) [--nonce N] [--chain-id ID]
  lyra tx build order buy 5@100.2 --market CODE --node URL      order --help
  lyra tx check INPUT [--chain-id ID]                  4 for a broken rule
  lyra tx sign INPUT [--wallet NAME] [--key KEY] [--qr] [--offline] [--yes]
          (--block FILE | --height N --chain-id ID)
  lyra tx prove INPUT [--tid TID] (--node URL [--block FILE] | --block FILE |
          --block-hash HASH --difficulty N)
  lyra tx send INPUT --node URL [--block FILE] [--type sync|async|commit]
          [--timeout SECONDS]

  INPUT           a file, -, what the step before printed, or a command's JSON:
               {"voteSubmission": {"proposalId": "...", "value": "VALUE_YES"}}
  --block FILE    what block wrote; with --key, a place on it is kept for KEY
  --node URL      again for each node, or --network NAME; --chain-id: no other
  --wait SECONDS  prove and send, for room (20); --sole-user, --threads N
  --out FILE      the JSON document, in a new file; --json, --quiet
  --passphrase-file FILE, --passphrase-fd N, --wallets DIR, --home DIR

  send proves what is not proven, and refuses what would get KEY banned. 1: it
  was refused; 3: nothing was sent, or nobody knows: send it again as it is.
`;

/** The help of an order has a screen of its own. */
export async function helpOf(rest: readonly string[]): Promise<string> {
  if (rest[0] !== "build" || rest[1] !== "order") return help;
  return (await import("./tx-order.ts")).orderHelp;
}

const DRAFT_FLAGS = {
  height: { type: "string" },
  nonce: { type: "string" },
  "chain-id": { type: "string" },
  block: { type: "string" },
} as const;

const VERBS = ["block", "build", "check", "sign", "prove", "send"];

export async function run(argv: string[]): Promise<number> {
  const [verb, ...rest] = argv;
  if (verb === "build") return build(rest);
  if (verb === "check") return check(rest);
  if (verb === "sign") return sign(rest);
  if (verb === "block" || verb === "prove" || verb === "send")
    return (await import("./tx-online.ts"))[verb](rest);
  const verbs = "block, build, check, sign, prove or send";
  throw usageError(
    "tx",
    verb === undefined ? `say ${verbs}` : `there is no 'tx ${verb.slice(0, 40)}'${didYouMean(verb, VERBS)}`,
  );
}

async function build(argv: string[]): Promise<number> {
  if (argv[0] === "order") return buildOrder(argv.slice(1));
  const { values, positionals } = readArguments("tx", argv, { ...COMMON, ...DRAFT_FLAGS, ...OUT });
  const [source] = takeWords("tx", positionals, "INPUT");
  const input = readInput(source);
  if (input.kind !== "command") throw usageError("tx", "build takes a command");
  return giveDraft(input, values);
}

async function buildOrder(argv: string[]): Promise<number> {
  const { ORDER_COMMAND, ORDER_FLAGS, orderOf } = await import("./tx-order.ts");
  const flags = { ...COMMON, ...DRAFT_FLAGS, ...OUT, ...ORDER_FLAGS };
  const { values, positionals } = readArguments(ORDER_COMMAND, argv, flags);
  const { command, block } = await orderOf(positionals, values);
  return giveDraft({ kind: "command", command, block }, values);
}

function giveDraft(input: TransactionInput, values: DraftValues & OutputValues): number {
  const draft = draftOf(input, values);
  const document = {
    inputData: draft.inputData.toBase64(),
    command: draft.command,
    nonce: draft.nonce.toString(),
    blockHeight: draft.blockHeight.toString(),
    ...(draft.chainId === undefined ? {} : { chainId: draft.chainId }),
    ...blockMember(draft.block),
  };
  return give(values, document, document.inputData);
}

interface Draft {
  readonly inputData: Uint8Array;
  readonly command: string;
  readonly nonce: bigint;
  readonly blockHeight: bigint;
  readonly chainId: string | undefined;
  /** The block that it names, where a document has it. */
  readonly block: LastBlock | undefined;
}

interface DraftValues {
  readonly height?: string | undefined;
  readonly nonce?: string | undefined;
  readonly "chain-id"?: string | undefined;
  readonly block?: string | undefined;
}

/** The bytes to sign: made from a command, or taken as they are; in both cases what the network would execute. */
function draftOf(input: TransactionInput, values: DraftValues): Draft {
  const block = values.block === undefined ? input.block : readLastBlock(values.block);
  const chainId = sameOf("chain ID", values["chain-id"], input.chainId, block?.chainId);
  if (input.kind === "transaction") throw usageError("tx", "this is signed already");
  if (input.kind === "inputData") {
    if (values.height !== undefined || values.nonce !== undefined) {
      throw usageError("tx", "height and nonce are part of the input data already");
    }
    const { nonce, blockHeight } = input.input;
    const inputData = input.bytes;
    const command = checkedKind(input.input);
    return { inputData, command, nonce, blockHeight, chainId, block: blockAt(blockHeight, block) };
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
    block: blockAt(blockHeight, block),
  };
}

function blockAt(height: bigint, block: LastBlock | undefined): LastBlock | undefined {
  return block?.height === height ? block : undefined;
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
  const { errors, command, words, signature, hash } = examined(input, values["chain-id"] ?? input.chainId);
  const isValid = errors.isEmpty;
  if (values.json) {
    const said = { ...(command && { command }), ...(words && { words }), ...(hash && { hash }) };
    const what = { kind: input.kind, ...said, signature };
    print({ valid: isValid, ...what, errors });
  } else if (isValid) {
    process.stdout.write(`${green("valid")} ${command}${hash ? ` ${hash}` : ""}\n`);
    if (words && !values.quiet) say(wordLines(words).join("\n"));
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
  readonly words?: CommandWords;
  readonly signature: "none" | "valid" | "invalid" | "unchecked";
  readonly hash?: string;
}

function examined(input: TransactionInput, chainId: string | undefined): Examination {
  if (input.kind === "command") {
    const { kind, payload } = input.command;
    const errors = checkCommand(kind, payload as never);
    return { errors, command: kind, ...wordsIf(errors, input.command, ""), signature: "none" };
  }
  if (input.kind === "inputData") {
    const kind = commandKindOf(input.input);
    const errors = kind === undefined ? new PropertyErrors() : checkCommand(kind, input.input[kind] as never);
    if (kind === undefined) errors.add("tx.input_data.command", "is required");
    if (input.input.nonce === 0n) errors.add("tx.input_data.nonce", "must be positive");
    return { errors, command: kind, ...wordsIf(errors, commandIn(input.input), ""), signature: "none" };
  }
  const hash = transactionHash(input.bytes);
  const content = examine(input.transaction);
  if (content instanceof PropertyErrors) {
    return { errors: content, command: undefined, signature: "unchecked", hash };
  }
  const said = wordsIf(new PropertyErrors(), commandIn(content.input), input.transaction.pubKey ?? "");
  if (chainId === undefined) {
    return { errors: new PropertyErrors(), command: content.kind, ...said, signature: "unchecked", hash };
  }
  const verdict = checkTransaction(input.bytes, chainId);
  const errors = verdict.ok
    ? new PropertyErrors()
    : (verdict.refusal.errors ?? PropertyErrors.of("tx", verdict.refusal.text));
  return { errors, command: content.kind, ...said, signature: verdict.ok ? "valid" : "invalid", hash };
}

/** A command that breaks the rules may have no words. */
function wordsIf(errors: PropertyErrors, command: CommandInit | undefined, publicKey: string) {
  return errors.isEmpty && command !== undefined ? { words: commandWords(command, publicKey) } : {};
}

async function sign(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("tx", argv, {
    ...WALLET_FLAGS,
    ...DRAFT_FLAGS,
    ...OUT,
    wallet: { type: "string" },
    key: { type: "string" },
    qr: { type: "boolean" },
    yes: { type: "boolean" },
    // The default; scripts may say it.
    offline: { type: "boolean" },
  });
  const [source] = takeWords("tx", positionals, "INPUT");
  const draft = draftOf(readInput(source), values);
  const { chainId } = draft;
  if (chainId === undefined || chainId === "") throw usageError("tx", "say --chain-id ID or --block FILE");
  const command = commandIn(decodeInputData(draft.inputData))!;
  const name = await meantWallet("tx", values, values.wallet);
  const confirm = (key: string) =>
    confirmSigning(
      { command, publicKey: key, wallet: name, chainId, height: draft.blockHeight },
      { isAgreed: values.yes === true, isQuiet: values.quiet === true || values.json === true },
    );
  // The command is read before the passphrase is given, where the key is known by then.
  const known = values.key ?? defaultKey(values);
  if (known !== undefined) await confirm(known);
  return withWallet(name, values, async (wallet) => {
    const key = meantKey("tx", values, wallet, known);
    if (known === undefined) await confirm(key);
    const { transaction, bytes } = wallet.signTransaction(key, { inputData: draft.inputData, chainId });
    const document = {
      transaction: bytes.toBase64(),
      hash: transactionHash(bytes),
      command: draft.command,
      publicKey: key,
      chainId,
      blockHeight: draft.blockHeight.toString(),
      signature: transaction.signature?.value,
      ...validityOf(draft.blockHeight, draft.block),
      ...blockMember(draft.block),
    };
    if (!values.quiet && !values.json) tellValidity(document);
    return give(values, document, document.transaction);
  });
}

/** The value on which all sources that give one agree. */
function sameOf(title: string, ...given: (string | undefined)[]): string | undefined {
  const values = new Set(given.filter((value) => value !== undefined));
  if (values.size > 1)
    throw usageError(
      "tx",
      `two different values are given for the ${title}: ${printable([...values].join(", "))}`,
    );
  return [...values][0];
}

function nonceOf(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : 0n;
  if (value >= 1n && value <= NONCE_MAX) return value;
  throw usageError("tx", "--nonce must be a whole number from 1 to 2^64 - 1");
}
