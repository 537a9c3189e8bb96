import { parseExactJson, readCommand } from "../../src/wallet/signing/transaction.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";

/** A command as a request has it, from its text. */
export const readCommandText = (text: string): CommandInit => readCommand(parseExactJson(text));
