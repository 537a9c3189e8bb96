// lyra wallet message: signatures of messages, and their check, which needs no wallet.

import { ExitCode } from "../errors/node-error.ts";
import { walletError } from "../wallet/errors.ts";
import { MESSAGE_BYTES_MAX } from "../wallet/limits.ts";
import { verifyMessage } from "../wallet/signing/message.ts";
import { WireError } from "../wire/errors.ts";
import { hexOf, isHex } from "../wire/identifiers.ts";
import { base64Bytes } from "../wire/json.ts";
import { command, type Flags, type FlagValues, option } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { readInputFile } from "./input-file.ts";
import { green, red } from "./terminal.ts";
import { answer, PUBLIC_KEY, print, WALLET_FLAGS, WALLET_NAME, withWallet } from "./wallet-opening.ts";

const MESSAGE_FLAGS = {
  text: option("TEXT", "the message as it is, in UTF-8"),
  message: option("BASE64", "the message in base64"),
  "message-file": option("FILE", "the message in a file, or - for standard input"),
} as const satisfies Flags;

export const sign = command({
  words: { NAME: WALLET_NAME, PUBLIC_KEY },
  flags: { ...MESSAGE_FLAGS, ...WALLET_FLAGS },
  json: "{signature, hexSignature}: base64, hexadecimal",
  async run({ words: { NAME: name, PUBLIC_KEY: publicKey }, values }) {
    const message = messageOf(values);
    return withWallet(name, values, (wallet) => {
      const signature = wallet.signMessage(publicKey, message);
      const base64 = Buffer.from(signature).toString("base64");
      return answer(values, { signature: base64, hexSignature: hexOf(signature) }, { text: base64 });
    });
  },
});

export const verify = command({
  words: { PUBLIC_KEY, SIGNATURE: { text: "base64 or hexadecimal" } },
  flags: MESSAGE_FLAGS,
  notes: `  Exit code 4 for a wrong one. It needs no wallet.`,
  json: "{isValid}; exit code 4 when it is not",
  async run({ words: { PUBLIC_KEY: publicKey, SIGNATURE: signature }, values }) {
    if (!isHex(publicKey))
      throw usageError("wallet", "could not decode the public key: it is not hexadecimal");
    const message = messageOf(values);
    // 128 hexadecimal digits, or base64: this wallet prints both forms.
    const isHexForm = signature.length === 128 && isHex(signature);
    const bytes = isHexForm ? Buffer.from(signature, "hex") : base64Of("signature", signature);
    const isValid = verifyMessage(Buffer.from(publicKey, "hex"), message, bytes);
    if (values.json) print({ isValid });
    else process.stdout.write(isValid ? `${green("valid")}\n` : `${red("not valid")}\n`);
    return isValid ? ExitCode.done : ExitCode.verificationFailed;
  },
});

type MessageValues = FlagValues<typeof MESSAGE_FLAGS>;

function messageOf({ text, message, "message-file": file }: MessageValues): Uint8Array {
  const sources = [text, message, file].filter((source) => source !== undefined);
  if (sources.length !== 1)
    throw usageError("wallet", "say --text TEXT, --message BASE64 or --message-file FILE");
  const bytes =
    text !== undefined
      ? Buffer.from(text)
      : message !== undefined
        ? base64Of("message", message)
        : fileOf(file!);
  if (bytes.length > MESSAGE_BYTES_MAX)
    throw usageError("wallet", `a message has at most ${MESSAGE_BYTES_MAX} bytes`);
  return bytes;
}

function base64Of(title: string, text: string): Uint8Array {
  try {
    return base64Bytes(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw usageError("wallet", `the encoded ${title} is not a valid base-64 string`);
  }
}

function fileOf(path: string): Uint8Array {
  try {
    return readInputFile(path, MESSAGE_BYTES_MAX);
  } catch (error) {
    throw walletError("file_unreadable", `${path} cannot be read: ${(error as { code?: string }).code}`);
  }
}
