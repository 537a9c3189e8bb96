// This program's own error codes. `NodeError` takes no other, and the command line explains each of them.
import type { ChainCallCode } from "./detail-codes.ts";
import type { TextOf } from "./explanation.ts";
import { CHAIN_CODES } from "./program/chain.ts";
import { GENERAL_CODES } from "./program/general.ts";
import { HISTORY_CODES } from "./program/history.ts";
import { LIVE_CODES } from "./program/live.ts";
import { PACKAGE_CODES } from "./program/package.ts";
import { SENDING_CODES } from "./program/sending.ts";
import { STORE_CODES } from "./program/store.ts";
import { VALIDATOR_CODES } from "./program/validator.ts";
import { WALLET_CODES } from "./program/wallet.ts";

export const PROGRAM_CODES = {
  ...GENERAL_CODES,
  ...STORE_CODES,
  ...HISTORY_CODES,
  ...CHAIN_CODES,
  ...SENDING_CODES,
  ...LIVE_CODES,
  ...PACKAGE_CODES,
  ...VALIDATOR_CODES,
  ...WALLET_CODES,
} as const;

export type ProgramCode = keyof typeof PROGRAM_CODES;

/** Codes of the program's errors, those of refused calls to the chain among them. */
export type ErrorCode = ProgramCode | ChainCallCode;

/** Codes of faults that no definition foresaw: they bring their own words. */
type Unforeseen = ChainCallCode | "internal";

/** The texts that may go with a code: those of its entry; any where it names none. */
export type MessageOf<Code extends ErrorCode> = Code extends Unforeseen
  ? string
  : Code extends ProgramCode
    ? TextOf<(typeof PROGRAM_CODES)[Code]>
    : never;

export const isProgramCode = (code: string): code is ProgramCode => Object.hasOwn(PROGRAM_CODES, code);
