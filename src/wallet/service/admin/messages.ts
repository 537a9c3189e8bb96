// Administrative methods about messages.

import { isHex } from "../../../wire/identifiers.ts";
import { base64Bytes } from "../../../wire/json.ts";
import { verifyMessage } from "../../signing/message.ts";
import { Params } from "../params.ts";
import { internalError, invalidParams } from "../rpc.ts";
import { type AdminMethod, walletOf } from "./shared.ts";

function base64Of(params: Params, name: string, title: string, what: string): Uint8Array {
  const text = params.text(name, title);
  try {
    return base64Bytes(text);
  } catch {
    throw invalidParams(`the encoded ${what} is not a valid base-64 string`);
  }
}

const sign: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  params.text("wallet", "wallet");
  // The original takes `pubKey` alone, its documents promise `publicKey`: both are taken.
  const publicKey = params.optionalText("publicKey") || params.text("pubKey", "public key");
  const message = base64Of(params, "encodedMessage", "message", "message");
  const wallet = await walletOf(parts, params);
  try {
    return { encodedSignature: Buffer.from(wallet.signMessage(publicKey, message)).toString("base64") };
  } catch (error) {
    throw internalError(`could not sign the message: ${(error as Error).message}`);
  }
};

const verify: AdminMethod = async (_parts, value) => {
  const params = new Params(value);
  const publicKey = params.text("publicKey", "public key");
  const message = base64Of(params, "encodedMessage", "message", "message");
  const signature = base64Of(params, "encodedSignature", "signature", "signature");
  if (!isHex(publicKey)) throw invalidParams("could not decode the public key: it is not hexadecimal");
  return { isValid: verifyMessage(Buffer.from(publicKey, "hex"), message, signature) };
};

export const messageMethods = {
  "admin.sign_message": sign,
  "admin.verify_message": verify,
} satisfies Readonly<Record<string, AdminMethod>>;
