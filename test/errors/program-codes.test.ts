// The program's own error codes: each is declared in one room.
import { expect, test } from "bun:test";
import { CHAIN_CODES } from "../../src/errors/program/chain.ts";
import { GENERAL_CODES } from "../../src/errors/program/general.ts";
import { HISTORY_CODES } from "../../src/errors/program/history.ts";
import { LIVE_CODES } from "../../src/errors/program/live.ts";
import { PACKAGE_CODES } from "../../src/errors/program/package.ts";
import { SENDING_CODES } from "../../src/errors/program/sending.ts";
import { STORE_CODES } from "../../src/errors/program/store.ts";
import { VALIDATOR_CODES } from "../../src/errors/program/validator.ts";
import { WALLET_CODES } from "../../src/errors/program/wallet.ts";
import { PROGRAM_CODES } from "../../src/errors/program-codes.ts";

test("no code is declared twice: the second would take the first one's meaning and exit code", () => {
  const rooms = [
    ...[GENERAL_CODES, STORE_CODES, HISTORY_CODES, CHAIN_CODES, SENDING_CODES],
    ...[LIVE_CODES, PACKAGE_CODES, VALIDATOR_CODES, WALLET_CODES],
  ];
  const codes = rooms.flatMap((room) => Object.keys(room));
  expect(codes.filter((code, n) => codes.indexOf(code) !== n)).toEqual([]);
  expect(codes.toSorted()).toEqual(Object.keys(PROGRAM_CODES).toSorted());
});
