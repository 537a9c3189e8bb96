// `lyra explain`: everything that a client can meet has an explanation, and is found.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ORDER_ERRORS } from "../../../src/engine/markets/refusals.ts";
import { DETAIL_NUMBERS } from "../../../src/errors/detail-codes.ts";
import type { Kind } from "../../../src/errors/explanation.ts";
import { CATALOGUE, lookUp } from "../../../src/errors/lookup.ts";
import { PROGRAM_CODES } from "../../../src/errors/program-codes.ts";
import * as MESSAGES from "../../../src/errors/validation.ts";
import { WIRE_CODES } from "../../../src/errors/wire-codes.ts";
import { enumDescriptor } from "../../../src/wire/descriptors.ts";
import { ProposalError } from "../../../src/wire/generated/vega.ts";

const root = join(import.meta.dir, "../../..");

function sourcesBelow(folder: string): { path: string; text: string }[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory()) return sourcesBelow(path);
    if (!path.endsWith(".ts") || path.endsWith(".test.ts")) return [];
    return [{ path, text: readFileSync(join(root, path), "utf8") }];
  });
}

const sources = sourcesBelow("src");
const codesOf = (kind: Kind) => new Set(CATALOGUE.filter((one) => one.kind === kind).map(({ code }) => code));

/** Literal arguments of these calls. */
function arguments_(call: RegExp, texts: readonly { text: string }[]): string[] {
  return [...new Set(texts.flatMap(({ text }) => [...text.matchAll(call)].map((match) => match[1]!)))].sort();
}

describe("nothing is left out", () => {
  test("every message of the stateless checks", () => {
    const codes = codesOf("message");
    const messages = Object.values(MESSAGES).filter((value) => typeof value === "string");
    expect(messages.length).toBeGreaterThan(30);
    expect(messages.filter((message) => !codes.has(message))).toEqual([]);
  });

  test("every text with which a request or a call of the wallet's service is refused before it is looked at", () => {
    const doors = sources.filter(({ path }) =>
      /^src\/(?:http\/|planes\/(?!devnet\/|wallet\/)|wallet\/service\/)/.test(path),
    );
    const makers = "badRequest|tooMany|parseError|invalidRequest|hostnameError|tokenError|internalError";
    const texts = [
      ...arguments_(new RegExp(`\\b(?:${makers})\\(\\s*"([^"]+)"`, "g"), doors),
      ...arguments_(new RegExp(`\\b(?:${makers})\\(\\s*\`([^\`]+)\``, "g"), doors),
      ...arguments_(/\battempt\("([^"]+)"/g, doors).map((what) => `could not ${what}: 42`),
    ].map((text) => text.replaceAll(/\$\{[^}]*\}/g, "42"));
    expect(texts.length).toBeGreaterThan(30);
    const sentences = texts.filter((text) => / [a-z]/i.test(text) && text !== "could not 42: 42");
    expect(sentences.filter((text) => lookUp(text).explanations.length === 0)).toEqual([]);
  });

  test("every reason for which a proposal fails", () => {
    expect([...codesOf("proposal reason")].sort()).toEqual(Object.keys(ProposalError).sort());
  });

  test("every numbered detail, with its text", () => {
    const entries = new Map(
      CATALOGUE.filter(({ kind }) => kind === "detail code").map((one) => [one.code, one]),
    );
    for (const [text, number] of DETAIL_NUMBERS) {
      expect([number, entries.get(String(number))?.texts]).toEqual([number, [text]]);
    }
  });

  test("every result code and every code of the wallet's service", () => {
    expect([...codesOf("result code")]).toEqual(["0", "51", "60", "70", "71", "80", "89"]);
    const wallet =
      "-32700 -32600 -32601 -32602 -32603 -32000 -32001 -32002 -32003 1000 1001 1051 1060 1070 1080 1089 2000 2001 3000 3001 3002";
    expect([...codesOf("wallet code")].sort()).toEqual(wallet.split(" ").sort());
  });

  test("every status that the planes use", () => {
    const codes = codesOf("status");
    for (const code of [2, 3, 4, 5, 8, 9, 12, 13, 14, 400, 401, 404, 412, 413, 429, 431, 500, 501, 503]) {
      expect(codes).toContain(String(code));
    }
  });

  test("each says what it means and what to do, and stands there once", () => {
    const seen = new Set<string>();
    for (const { kind, code, means, fix } of CATALOGUE) {
      expect([code, means.length > 3, fix.length > 3]).toEqual([code, true, true]);
      expect([code, seen.has(`${kind} ${code}`)]).toEqual([code, false]);
      seen.add(`${kind} ${code}`);
    }
  });
});

test("every code of this program and of its codecs, and every reason that stands on a refused order", () => {
  expect(Object.keys(PROGRAM_CODES).filter((code) => lookUp(code).explanations.length === 0)).toEqual([]);
  expect(Object.keys(WIRE_CODES).filter((code) => lookUp(code).explanations.length === 0)).toEqual([]);
  const { nameOf } = enumDescriptor("vega.OrderError");
  for (const [number, text] of Object.values(ORDER_ERRORS)) {
    const explanations = lookUp(nameOf.get(number)!).explanations;
    expect(explanations).toContainEqual(expect.objectContaining({ kind: "execution", code: text }));
  }
});

describe("found by", () => {
  const codesFor = (query: string) => lookUp(query).explanations.map(({ kind, code }) => `${kind} ${code}`);

  test.each([
    ["89", ["result code 89"]],
    ["13", ["status 13"]],
    ["10006", ["detail code 10006"]],
    ["-32003", ["wallet code -32003"]],
    ["pow_tid_used", ["rule pow_tid_used"]],
    ["  POW_TID_USED ", ["rule pow_tid_used"]],
    ["port_in_use", ["program code port_in_use"]],
    ["value_invalid", ["wire code value_invalid"]],
    ["too_large", ["detail code too_large", "wire code too_large"]],
    ["assets is not enabled tUSD", ["proposal reason PROPOSAL_ERROR_INVALID_ASSET"]],
    [
      "proposalSubmission of alice was refused: market cannot have more decimal places than assets",
      ["proposal reason PROPOSAL_ERROR_TOO_MANY_MARKET_DECIMAL_PLACES"],
    ],
    ["tx already exists in cache", ["detail code duplicate"]],
    ["party is banned from sending transactions", ["rule pow_banned"]],
    ["'must be positive'", ["message must be positive"]],
    // Parts that differ from case to case.
    [
      `unknown block height for tx:${"ab".repeat(32)}, command:Transfer Funds, party:${"cd".repeat(32)}`,
      ["rule pow_unknown_height"],
    ],
    [
      "party is banned from submitting transfer until the earlier between 2022-12-12 05:05:00 +0000 UTC and the beginning of the next epoch",
      ["rule spam_transfer_banned"],
    ],
    ["Tx too large. Max size is 1048576, but got 2000000", ["detail code too_large"]],
    // The line that it stands in.
    ['{"message": "tx already exists in cache", "inner": ""}', ["detail code duplicate"]],
    ["error: transfer.amount (must be positive)", ["message must be positive"]],
    ["could not transfer funds, not enough funds to transfer", ["execution not enough funds to transfer"]],
    // A piece of it.
    ["seen-tid: already seen", []],
    ["tid already seen", ["rule pow_tid_seen"]],
  ])("%s", (query, want) => {
    expect(codesFor(query)).toEqual(want);
  });

  test("every code and every text of the catalogue", () => {
    for (const { kind, code, texts } of CATALOGUE) {
      const name = `${kind} ${code}`;
      expect([name, codesFor(code).includes(name)]).toEqual([name, true]);
      for (const text of texts) {
        const sent = text.replaceAll(/<[^>]*>/g, "42");
        // Texts that are told with several codes are found with all of them, or a name goes first.
        expect([sent, codesFor(sent).length > 0]).toEqual([sent, true]);
      }
    }
  });

  test("the same number in several places, all of them", () => {
    expect(codesFor("1000")).toEqual(["wallet code 1000"]);
    expect(codesFor("key_unknown")).toEqual(["program code key_unknown"]);
    expect(codesFor("the wallet is locked")).toEqual(["wallet code 2000", "program code wallet_locked"]);
  });

  test("a ban from votes is for those on all proposals together", () => {
    expect(lookUp("spam_vote_banned").explanations[0]!.why).toStartWith(
      "At least half of its votes in one block",
    );
  });

  test("unknown codes: near ones, or none", () => {
    expect(lookUp("pow_tid_usd")).toEqual({
      explanations: [],
      near: expect.arrayContaining(["pow_tid_used"]),
    });
    expect(lookUp("nott enough fund too transfer").near).toContain("not enough funds to transfer");
    expect(lookUp("zzzzqqqq")).toEqual({ explanations: [], near: [] });
    expect(lookUp("")).toEqual({ explanations: [], near: [] });
    expect(lookUp("x".repeat(100_000)).explanations).toEqual([]);
    expect(lookUp("(.*)+[").explanations).toEqual([]);
    expect(lookUp("77").explanations).toEqual([]);
  });
});

describe("the command", () => {
  const run = (...words: string[]) => {
    const done = Bun.spawnSync([process.execPath, join(root, "src/main.ts"), "explain", ...words]);
    return { code: done.exitCode, out: done.stdout.toString(), err: done.stderr.toString() };
  };

  test("says what it means, why, and what to do", () => {
    const { code, out, err } = run("pow_tid_used");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toStartWith("pow_tid_used  rule\n  A transaction with this tid is in a block already.\n");
    expect(out).toContain("  text: proof of work tid already used\n");
    expect(out).toMatch(/\n {2}why: {2}.*\n {2}do: {3}.*\n$/);
  });

  test("takes negative numbers and texts of several words, and answers JSON", () => {
    const { code, out } = run("-32003", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ query: "-32003", explanations: [{ kind: "wallet code" }] });
    expect(run("tx", "already", "exists").out).toStartWith("duplicate  detail code\n");
  });

  test("takes a message that begins with a flag's name, and what stands behind --", () => {
    expect(run("--", "404")).toMatchObject({ code: 0 });
    expect(run("--limit abc is not name=value").err).toContain("nothing is known of '--limit abc");
    expect(JSON.parse(run("--json", "--", "--limit", "x").err).error.message).toContain("'--limit x'");
  });

  test("an unknown code is an error with near ones, exit code 1; none at all is a wrong use, 2", () => {
    const unknown = run("pow_tid_usd");
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(unknown.err).toContain("nothing is known of 'pow_tid_usd'");
    expect(unknown.err).toContain("did you mean: pow_tid_used");
    expect(JSON.parse(run("zzzzqqqq", "--json").err).error).toMatchObject({ code: "code_unknown" });
    expect(run().code).toBe(2);
    expect(run("--nope").code).toBe(2);
  });
});
