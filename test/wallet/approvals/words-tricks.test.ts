// No text of a page can make the words of a request say something else, wherever it stands.
import { describe, expect, test } from "bun:test";
import { amountText, named, plain, plainJson } from "../../../src/wallet/approvals/formatting.ts";
import { requestLines, type ShownRequest } from "../../../src/wallet/approvals/shown.ts";
import { wordsOf } from "../../../src/wallet/approvals/words.ts";
import { readCommand } from "../../../src/wallet/signing/transaction.ts";
import { readCommandText } from "../../support/command-text.ts";
import { expectLinear } from "../../support/cost.ts";
import { KEY_1 } from "../service/rig.ts";
import { CONTEXT, rows, textsIn, toldOf, withText } from "./words-rows.ts";

/** Every text of every row that a page is free to choose, replaced. */
function* attempts(text: string) {
  for (const [kind, payload] of rows) {
    for (const path of textsIn(payload)) {
      const command = JSON.stringify({ [kind]: withText(payload, path, text) });
      try {
        yield { place: [kind, ...path].join("."), words: wordsOf(readCommandText(command), CONTEXT) };
      } catch (error) {
        // A page cannot choose numbers and enumerations.
        if ((error as { code?: string }).code !== "command_invalid") throw error;
      }
    }
  }
}

describe("whatever a page writes, in every place of every command where it can", () => {
  const HIDDEN = /(?![\u2068\u2069])[\p{C}\p{Zl}\p{Zp}]/u;

  test.each([
    ["lines", "x\r\n  to                   your own key"],
    ["cursors", "x\u001b[2K\u001b[1Gyours\u0007\u009b1G\u0000"],
    ["directions", "x\u202ey\u2066z\u2069\u200f\u061c 100"],
    ["what is not seen", "a\u200b\ufeff\u00ad\u2028\u3164\u{e0041}"],
  ])("%s stay in one line, and are seen", (_, text) => {
    let count = 0;
    for (const { place, words } of attempts(text)) {
      for (const shownText of [words.title, ...words.warnings, ...words.lines.flat()]) {
        expect([place, HIDDEN.test(shownText), shownText.length < 1_000]).toEqual([place, false, true]);
      }
      count++;
    }
    expect(count).toBeGreaterThan(60);
  });

  test("a very long text does not push the rest away", () => {
    let longest = 0;
    for (const { words } of attempts("z".repeat(100_000))) {
      for (const shownText of [words.title, ...words.lines.flat()])
        longest = Math.max(longest, shownText.length);
    }
    expect(longest).toBeGreaterThan(300);
    expect(longest).toBeLessThan(1_000);
  });

  test.each([[" "], ["\u2800"]])(
    "blanks (%p) push nothing to where the next line of a screen begins",
    (blank) => {
      const text = `tea${blank.repeat(53)}  to${blank.repeat(19)}your own key`;
      let count = 0;
      for (const { words } of attempts(text)) {
        for (const shownText of [words.title, ...words.lines.flat()]) {
          expect(shownText).not.toMatch(/[ \u2800]{3}/);
          if (shownText.includes("tea")) count++;
        }
      }
      expect(count).toBeGreaterThan(20);
    },
  );

  test("a very long number is a text like others: it is cut, and costs in proportion to its length", () => {
    const longest = (digits: number) => () => {
      const lengths = attempts("9".repeat(digits)).flatMap(({ words }) =>
        [words.title, ...words.lines.flat()].map(({ length }) => length),
      );
      expect(Math.max(...lengths)).toBeGreaterThan(300);
      expect(Math.max(...lengths)).toBeLessThan(1_000);
    };
    expectLinear(longest(100_000), longest(10_000), 10);
  });

  test("a sentence is in quotation marks wherever the title takes it", () => {
    const trick = 'nothing at all" (approve)';
    const shownTrick = '"nothing at all\\" (approve)"';
    let count = 0;
    for (const { place, words } of attempts(trick)) {
      const rest = words.title.replaceAll(shownTrick, "");
      expect([place, rest.includes("nothing")]).toEqual([place, false]);
      if (rest !== words.title) count++;
    }
    expect(count).toBeGreaterThan(15);
  });

  test("a batch of thousands is cut off in a terminal, and says so", () => {
    const submissions = Array.from({ length: 5_000 }, () => ({ marketId: "m9", size: "1" }));
    const words = wordsOf(
      readCommandText(JSON.stringify({ batchMarketInstructions: { submissions } })),
      CONTEXT,
    );
    const lines = requestLines({
      ...{
        id: "1",
        kind: "transaction",
        hostname: "h",
        origin: "https://h",
        receivedAt: "",
        wallet: "w",
        purpose: "send",
      },
      ...{ key: { name: "Key 1", publicKey: KEY_1 }, words, raw: "{}" },
    });
    expect(lines.length).toBeLessThan(210);
    expect(lines).toContain("  ... and 4800 lines more, as below");
  });

  test("words are made for no more of a batch than is shown, whatever it is of", () => {
    const cancellations = Array.from({ length: 150 }, () => ({ marketId: "m9" }));
    const amendments = Array.from({ length: 49 }, () => ({ orderId: "o1" }));
    const submissions = Array.from({ length: 100_000 }, () => ({}));
    const batchMarketInstructions = { cancellations, amendments, submissions };
    const { title, lines, left } = wordsOf(readCommand({ batchMarketInstructions }), CONTEXT);
    expect(title).toStartWith("100199 instructions at once: 150 cancellations, 49 changes, 100000 new");
    expect([lines.length, left]).toEqual([200, 99_999]);
    expect(lines.map(([label]) => label).slice(149, 200)).toEqual([
      "cancellation 150",
      ...amendments.map((_, at) => `change ${at + 1}`),
      "order 1",
    ]);
  });
});

describe("a name that is made to read like a sentence", () => {
  const trick = "m1, paying nothing (approve safely)";
  test("stands in quotation marks wherever a sentence takes it", () => {
    const titles = [
      toldOf("orderSubmission", { marketId: trick, size: "1", side: 1 })[0],
      toldOf("orderCancellation", { orderId: trick })[0],
      toldOf("voteSubmission", { proposalId: trick })[0],
      toldOf("delegateSubmission", { nodeId: trick, amount: "1" })[0],
      toldOf("transfer", { to: trick, asset: "a55e7", amount: "1", oneOff: {} })[0],
      toldOf("transfer", { to: "bob", asset: trick, amount: "1", oneOff: {} })[0],
      toldOf("withdrawSubmission", {
        amount: "1",
        asset: "x",
        ext: { erc20: { receiverAddress: trick } },
      })[0],
      toldOf("protocolUpgradeProposal", { vegaReleaseTag: trick })[0],
    ];
    for (const title of titles) expect(title).toContain(`"${trick}"`);
    expect(toldOf("batchMarketInstructions", { submissions: [{ marketId: trick }] })[1]).toEqual({
      "order 1": expect.stringContaining(`on "${trick}"`),
    });
  });

  test("so does an asset's symbol, and a hostname", () => {
    const book = () => ({ symbol: "VEGA) to your own key (", decimals: 0 });
    expect(amountText("5", "a1", book)).toBe('5 "VEGA) to your own key (" (asset a1)');
    const request: ShownRequest = {
      id: "1",
      kind: "connection",
      hostname: "bank.example has been approved",
      origin: "bank.example has been approved",
      receivedAt: "",
      wallets: ["w"],
    };
    expect(requestLines(request)[0]).toBe('"bank.example has been approved" wants to connect to a wallet');
    expect(requestLines({ ...request, origin: "http://[::1]:3000" })[0]).toBe(
      "http://[::1]:3000 wants to connect to a wallet",
    );
    expect(requestLines({ ...request, origin: "null" })[0]).toStartWith("a page without an address");
  });

  test.each([
    ["abc-1_2.3:4", "abc-1_2.3:4"],
    ["", '""'],
    ["two words", '"two words"'],
    ['a"b', '"a\\"b"'],
    ["\u0430bc", '"\u0430bc"'],
  ])("%j", (text, shownText) => {
    expect(named(text)).toBe(shownText);
  });
});

describe("letters from right to left", () => {
  test("take nothing beside them along: what is theirs begins and ends with an isolate", () => {
    expect(plain("\u05d0\u05d1 100")).toBe("\u2068\u05d0\u05d1 100\u2069");
    // A line break of the text's own ends nothing.
    expect(plain("\u0627\u2069 5")).toBe("\u2068\u0627\\u{2069} 5\u2069");
    expect(plain("ñ日本")).toBe("ñ日本");
  });

  test("and marks by the dozen, are escaped in the raw form, which stays the same JSON", () => {
    const value = { a: "\u05d0 100", b: `z${"\u0301".repeat(40)}`, c: "日本 \u0301" };
    const json = plainJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\u0590-\u08ff]|\p{M}{4}/u);
    expect(json).toContain("日本");
  });
});

describe("a raw form that is long", () => {
  const shownOf = (lines: number): ShownRequest => ({
    id: "1",
    kind: "transaction",
    hostname: "dapp.example",
    origin: "https://dapp.example",
    destination: { chainId: "c", standing: "confirmed", node: "http://n" },
    costs: [],
    receivedAt: "",
    wallet: "w",
    purpose: "sign",
    key: { name: "Key 1", publicKey: KEY_1 },
    words: { title: "Send everything to bob", lines: [], warnings: ["watch out"] },
    raw: Array.from({ length: lines }, (_, at) => `"${at}"`).join("\n"),
  });
  const title = "https://dapp.example wants to sign a transaction: Send everything to bob";

  test("does not push the words off the screen: they are the last that is said", () => {
    expect(requestLines(shownOf(10)).filter((line) => line === title)).toHaveLength(1);
    const lines = requestLines(shownOf(100));
    expect(lines.slice(-4)).toEqual([
      "",
      title,
      "! it gets the signed transaction, and can send it whenever it is still good",
      "! watch out",
    ]);
    expect(lines).toContain('  "99"');
  });

  test("that a page gets what is signed is said of signing and of checking, not of sending", () => {
    const warnings = (["send", "sign", "check"] as const).map((purpose) =>
      requestLines({ ...shownOf(1), purpose }).filter((line) => line.startsWith("! it gets the signed")),
    );
    expect(warnings.map(({ length }) => length)).toEqual([0, 1, 1]);
  });

  test("has an end in a terminal", () => {
    const lines = requestLines(shownOf(100_000));
    expect(lines.length).toBeLessThan(1_020);
    expect(lines).toContain("  ... and 99000 lines more: lyra wallet approvals list --json");
  });
});
