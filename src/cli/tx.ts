// lyra tx: a transaction step by step, so that the signing can be done where there is no network.
import { NONCE_MAX } from "../chain/admission/pow/function.ts";
import { ExitCode } from "../errors/node-error.ts";
import { walletError } from "../wallet/errors.ts";
import { randomNonce, secureRandom } from "../wallet/random.ts";
import { checkedCommand, withPlainAmounts } from "../wallet/signing/transaction.ts";
import { decodeInputData, type InputData } from "../wire/generated/commands.ts";
import { type CommandInit, encodeCommand, transactionHash } from "../wire/transaction.ts";
import { checkTransaction, examine } from "../wire/transaction-check.ts";
import { commandKindOf } from "../wire/transaction-commands.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { checkCommand } from "../wire/validate/commands.ts";
import { command, type Flags, type FlagValues, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { OUT } from "./flags.ts";
import { dim, green, red, say } from "./terminal.ts";
import {
  blockMember,
  type CommandWords,
  commandIn,
  commandWords,
  confirmSigning,
  type OutputValues,
  sayValidity,
  validityOf,
  wordLines,
  writeResult,
} from "./tx-output.ts";
import { defaultKey, resolveKey, resolveWalletName } from "./wallet-default.ts";
import { heightOf } from "./wallet-keys.ts";
import { print, printable, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";
import {
  type CarriedBlock,
  factsOf,
  readInput,
  readLastBlock,
  type TransactionInput,
} from "./wallet-tx-input.ts";

export const DRAFT_FLAGS = {
  height: option("N", "height of the block that it names", { isMinor: true }),
  block: option("FILE", "that block, as lyra tx block wrote it", { isMinor: true }),
  nonce: option("N", "a number of its own (default: at random)", { isMinor: true }),
  "chain-id": option("ID", "the chain that it is for", { isMinor: true }),
} as const satisfies Flags;

const INPUT = {
  text: 'a file, -, what the step before printed, or the command\'s JSON: {"voteSubmission": {"proposalId": "...", "value": "VALUE_YES"}}',
};

export const build = command({
  words: { INPUT },
  usage: [
    "INPUT (--height N | --block FILE) [flags]",
    "order buy|sell SIZE[@PRICE] --market CODE [flags]",
    "transfer AMOUNT ASSET TO [flags]",
    "withdraw AMOUNT ASSET ADDRESS [flags]",
    "delegate AMOUNT VALIDATOR [flags]",
    "vote PROPOSAL yes|no [flags]",
  ],
  flags: { ...DRAFT_FLAGS, ...OUT },
  json: "{inputData, command, nonce, blockHeight, chainId?, block?}",
  async run({ words: { INPUT: source }, values }) {
    const input = readInput(source);
    if (input.kind !== "command") throw usageError("tx", "build takes a command");
    return writeDraft(input, values);
  },
});

/** Prints what is to be signed. */
export function writeDraft(input: TransactionInput, values: DraftValues & OutputValues): number {
  const draft = draftOf(input, values);
  const document = {
    inputData: draft.inputData.toBase64(),
    command: draft.command,
    nonce: draft.nonce.toString(),
    blockHeight: draft.blockHeight.toString(),
    ...(draft.chainId === undefined ? {} : { chainId: draft.chainId }),
    ...blockMember(draft.block),
  };
  return writeResult(values, document, document.inputData);
}

interface Draft {
  readonly inputData: Uint8Array;
  readonly command: string;
  readonly nonce: bigint;
  readonly blockHeight: bigint;
  readonly chainId: string | undefined;
  /** The block it names, if a document has it. */
  readonly block: CarriedBlock | undefined;
}

type DraftValues = FlagValues<typeof DRAFT_FLAGS>;

/** The bytes to sign, made from a command or taken as they are. In both cases the network would execute them. */
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
  const heightText = values.height ?? block?.height.toString();
  if (heightText === undefined) throw usageError("tx", "say --height N or --block FILE");
  const blockHeight = heightOf("tx", "--height", heightText);
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

function blockAt(height: bigint, block: CarriedBlock | undefined): CarriedBlock | undefined {
  return block?.height === height ? block : undefined;
}

function checkedKind(input: InputData): string {
  const kind = commandKindOf(input);
  if (kind === undefined) throw walletError("command_broken", "tx.input_data.command (is required)");
  if (input.nonce === 0n) throw walletError("command_broken", "tx.input_data.nonce (must be positive)");
  checkedCommand(withPlainAmounts({ kind, payload: input[kind] } as CommandInit));
  return kind;
}

export const check = command({
  words: { INPUT },
  flags: { "chain-id": { ...DRAFT_FLAGS["chain-id"], text: "checks the signature, too" } },
  notes: `  Exit code 4 for a broken rule.`,
  json: "{valid, kind, command?, words?: {title, lines, warnings}, hash?, signature, errors: {property: [message]}}; exit code 4 when it is not",
  async run({ words: { INPUT: source }, values }) {
    const input = readInput(source);
    const { errors, command, words, signature, hash } = examineInput(
      input,
      values["chain-id"] ?? input.chainId,
    );
    const isValid = errors.isEmpty;
    if (values.json) {
      const facts = { ...(command && { command }), ...(words && { words }), ...(hash && { hash }) };
      const document = { kind: input.kind, ...facts, signature };
      print({ valid: isValid, ...document, errors });
    } else if (isValid) {
      process.stdout.write(`${green("valid")} ${command}${hash ? ` ${hash}` : ""}\n`);
      if (words && !values.quiet) say(wordLines(words).join("\n"));
      if (signature === "unchecked" && !values.quiet)
        say(dim("say --chain-id ID to check the signature too"));
    } else {
      for (const [property, messages] of Object.entries(errors.toJSON())) {
        process.stdout.write(`${red(property)} ${messages.join(", ")}\n`);
      }
    }
    return isValid ? ExitCode.done : ExitCode.verificationFailed;
  },
});

interface Examination {
  readonly errors: PropertyErrors;
  readonly command: string | undefined;
  readonly words?: CommandWords;
  readonly signature: "none" | "valid" | "invalid" | "unchecked";
  readonly hash?: string;
}

function examineInput(input: TransactionInput, chainId: string | undefined): Examination {
  if (input.kind === "command") {
    const { kind, payload } = input.command;
    const errors = checkCommand(kind, payload as never);
    return { errors, command: kind, ...wordsIf(errors, input.command, "", input.block), signature: "none" };
  }
  if (input.kind === "inputData") {
    const kind = commandKindOf(input.input);
    const errors = kind === undefined ? new PropertyErrors() : checkCommand(kind, input.input[kind] as never);
    if (kind === undefined) errors.add("tx.input_data.command", "is required");
    if (input.input.nonce === 0n) errors.add("tx.input_data.nonce", "must be positive");
    return {
      errors,
      command: kind,
      ...wordsIf(errors, commandIn(input.input), "", input.block),
      signature: "none",
    };
  }
  const hash = transactionHash(input.bytes);
  const content = examine(input.transaction);
  if (content instanceof PropertyErrors) {
    return { errors: content, command: undefined, signature: "unchecked", hash };
  }
  const description = wordsIf(
    new PropertyErrors(),
    commandIn(content.input),
    input.transaction.pubKey ?? "",
    input.block,
  );
  if (chainId === undefined) {
    return {
      errors: new PropertyErrors(),
      command: content.kind,
      ...description,
      signature: "unchecked",
      hash,
    };
  }
  const verdict = checkTransaction(input.bytes, chainId);
  const errors = verdict.ok
    ? new PropertyErrors()
    : (verdict.refusal.errors ?? PropertyErrors.of("tx", verdict.refusal.text));
  return { errors, command: content.kind, ...description, signature: verdict.ok ? "valid" : "invalid", hash };
}

/** A command that breaks the rules may have no words. */
function wordsIf(
  errors: PropertyErrors,
  command: CommandInit | undefined,
  publicKey: string,
  block: CarriedBlock | undefined,
) {
  if (!errors.isEmpty || command === undefined) return {};
  return { words: commandWords(command, publicKey, factsOf(block)) };
}

export const sign = command({
  words: { INPUT },
  usage: ["INPUT (--block FILE | --height N --chain-id ID) [flags]"],
  flags: {
    wallet: option("NAME", "whose key signs"),
    key: option("KEY", "the key"),
    yes: toggle("do not ask; needed where there is no terminal"),
    qr: toggle("show the signed transaction as a QR code"),
    // The default; scripts may say it.
    offline: toggle("without a network, as always"),
    ...DRAFT_FLAGS,
    ...OUT,
    ...WALLET_FLAGS,
  },
  notes: `  It shows the command in words, and asks.`,
  json: "{transaction, hash, command, publicKey, chainId, blockHeight, signature, validUntilHeight?, block?}",
  async run({ words: { INPUT: source }, values }) {
    const draft = draftOf(readInput(source), values);
    const { chainId } = draft;
    if (chainId === undefined || chainId === "") throw usageError("tx", "say --chain-id ID or --block FILE");
    const command = commandIn(decodeInputData(draft.inputData))!;
    const name = await resolveWalletName("tx", values, values.wallet);
    const confirm = (key: string) =>
      confirmSigning(
        { command, publicKey: key, wallet: name, chainId, height: draft.blockHeight, block: draft.block },
        { isAgreed: values.yes === true, isQuiet: values.quiet === true || values.json === true },
      );
    // Where the key is known already, the user confirms before typing the passphrase.
    const namedKey = values.key ?? defaultKey(values);
    if (namedKey !== undefined) await confirm(namedKey);
    return withWallet(name, values, async (wallet) => {
      const key = resolveKey("tx", values, wallet, namedKey);
      if (namedKey === undefined) await confirm(key);
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
      if (!values.quiet && !values.json) sayValidity(document);
      return writeResult(values, document, document.transaction);
    });
  },
});

/** The one value of several sources. @throws NodeError where they differ */
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
