// The words and order of approvals: plain words for every command, tricks made visible, turns between pages.
import { describe, expect, test } from "bun:test";
import type { ApprovalRequest, Decision } from "../../../src/wallet/approvals/approver.ts";
import { ApproveAll } from "../../../src/wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import type { WordsContext } from "../../../src/wallet/approvals/formatting.ts";
import { amountText, plain, plainJson, quoted } from "../../../src/wallet/approvals/formatting.ts";
import { linesOf, requestLines, shown } from "../../../src/wallet/approvals/shown.ts";
import { answerInTerminal, DeskSource, type Terminal } from "../../../src/wallet/approvals/terminal.ts";
import { wordsOf } from "../../../src/wallet/approvals/words.ts";
import { shortDecimals } from "../../../src/wire/amount-text.ts";
import { COMMAND_KINDS } from "../../../src/wire/transaction-commands.ts";
import { readCommandText } from "../../support/command-text.ts";
import { eventually } from "../../support/eventually.ts";
import { KEY_1, KEY_2, Rig } from "../service/rig.ts";

const BOB = "b".repeat(64);
const CONTEXT: WordsContext = {
  assets: (id) => (id === "a55e7" ? { symbol: "VEGA", decimals: 18 } : undefined),
  markets: () => undefined,
  stakeAsset: undefined,
  publicKey: KEY_1,
};
const transfer = (changes: Record<string, unknown> = {}) => ({
  transfer: {
    fromAccountType: "ACCOUNT_TYPE_GENERAL",
    toAccountType: "ACCOUNT_TYPE_GENERAL",
    to: BOB,
    asset: "a55e7",
    amount: "1500000000000000000",
    oneOff: {},
    ...changes,
  },
});
/** As it comes over the wire. */
const readCommand = (command: unknown) => readCommandText(JSON.stringify(command));
const titleOf = (command: unknown) => wordsOf(readCommand(command), CONTEXT).title;

describe("plain words", () => {
  const titles: readonly (readonly [command: unknown, title: string])[] = [
    [transfer(), `Send 1.5 VEGA (asset a55e7) to ${BOB}`],
    [transfer({ to: KEY_1 }), "Send 1.5 VEGA (asset a55e7) to your own key"],
    [
      transfer({ to: "0".repeat(64), toAccountType: "ACCOUNT_TYPE_GLOBAL_REWARD" }),
      "Send 1.5 VEGA (asset a55e7) to the network (global reward)",
    ],
    [
      transfer({ asset: "other", amount: "1234567" }),
      `Send 1,234,567 of the smallest unit of asset other (its name and decimals are not known) to ${BOB}`,
    ],
    [
      transfer({ oneOff: undefined, recurring: { startEpoch: "3", factor: "1" } }),
      `Send 1.5 VEGA (asset a55e7) every epoch to ${BOB}`,
    ],
    [
      { withdrawSubmission: { amount: "1", asset: "a55e7", ext: { erc20: { receiverAddress: "0xabc" } } } },
      "Withdraw 0.000000000000000001 VEGA (asset a55e7) from the network to the Ethereum address 0xabc",
    ],
    [{ voteSubmission: { proposalId: "p1", value: "VALUE_NO" } }, "Vote no on the proposal p1"],
    [
      { delegateSubmission: { nodeId: "n1", amount: "5000" } },
      "Delegate 5,000 of the smallest unit of the asset that is staked (which one, and its decimals, are not known) to validator n1",
    ],
    [
      { undelegateSubmission: { nodeId: "n1", amount: "0", method: "METHOD_NOW" } },
      "Take all stake back from validator n1",
    ],
    [{ cancelTransfer: { transferId: "t1" } }, "Cancel the recurring transfer t1"],
    [
      { orderSubmission: { marketId: "m1", size: "7", price: "100", side: "SIDE_SELL", type: "TYPE_LIMIT" } },
      "Sell 7 at 100 (limit order) on market m1",
    ],
    [
      { orderSubmission: { marketId: "m1", size: "7", side: "SIDE_BUY", type: "TYPE_MARKET" } },
      "Buy 7 at the market's price (market order) on market m1",
    ],
    [{ orderCancellation: {} }, "Cancel all orders on all markets"],
    [{ orderCancellation: { marketId: "m1" } }, "Cancel all orders on market m1"],
    [{ orderAmendment: { orderId: "o1", sizeDelta: "-3" } }, "Change the order o1"],
    [
      { batchMarketInstructions: { cancellations: [{}], submissions: [{ marketId: "m", size: "1" }] } },
      "2 instructions at once: 1 cancellation, 0 changes, 1 new order",
    ],
    [
      { proposalSubmission: { terms: { updateNetworkParameter: { changes: { key: "a.b", value: "3" } } } } },
      "Propose the network parameter a.b to be 3",
    ],
  ];
  test.each(titles)("%j", (command, title) => {
    expect(titleOf(command)).toBe(title);
  });

  test("every kind of command has words, also with nothing in it", () => {
    for (const kind of COMMAND_KINDS) {
      const { title, lines } = wordsOf({ kind, payload: {} } as never, CONTEXT);
      expect([kind, title.length > 5, lines.every((line) => line.length === 2)]).toEqual([kind, true, true]);
    }
  });

  test("things that a person might overlook are warnings", () => {
    const endless = wordsOf(
      readCommand(transfer({ oneOff: undefined, recurring: { startEpoch: "1", factor: "1" } })),
      CONTEXT,
    );
    expect(endless.warnings).toEqual(["it goes on without end until you cancel it"]);
    const withdrawal = wordsOf(readCommand({ withdrawSubmission: { amount: "1", asset: "x" } }), CONTEXT);
    expect(withdrawal.warnings).toHaveLength(1);
  });

  const amounts: readonly (readonly [string, number, string])[] = [
    ["0", 18, "0"],
    ["1", 18, "0.000000000000000001"],
    ["1000000000000000000", 18, "1"],
    ["123456789012345678901234567890", 18, "123,456,789,012.34567890123456789"],
    ["1050", 2, "10.5"],
    ["1050", 0, "1,050"],
    // A text of them all would fill the memory.
    ["1050", 2_147_483_647, "1,050e-2147483647"],
  ];
  test.each(amounts)("%s with %d decimals", (amount, decimals, text) => {
    expect(shortDecimals(amount, decimals)).toBe(text);
  });

  test("an amount that is not a number is shown as what it is", () => {
    expect(amountText("1e18", "a55e7", CONTEXT.assets)).toBe("1e18 of asset a55e7");
  });
});

describe("tricks", () => {
  const texts: readonly (readonly [text: string, shownText: string])[] = [
    ["plain", "plain"],
    ["a\u202eb", "a\\u{202e}b"],
    ["\u2066x\u2069", "\\u{2066}x\\u{2069}"],
    ["a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
    ["\u001b[2Jgone", "\\u{1b}[2Jgone"],
    ["two\nlines\r", "two\\u{a}lines\\u{d}"],
    ["\u2028\u00a0\u3164", "\\u{2028}\\u{a0}\\u{3164}"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["lone \ud800", "lone \ufffd"],
    ["a\u0301\u0301\u0301\u0301\u0301\u0301", "a\u0301\u0301\u0301…"],
    ["日本語 ñ 👍", "日本語 ñ 👍"],
  ];
  test.each(texts)("%j", (text, shownText) => {
    expect(plain(text)).toBe(shownText);
  });

  test("a text cannot pass for the sentence around it, and no text is endless", () => {
    expect(quoted('safe" to 0x1')).toBe('"safe\\" to 0x1"');
    expect(plain("x".repeat(10_000)).length).toBeLessThan(400);
  });

  test("raw JSON stays the same JSON", () => {
    const value = { a: "x\u202ey\u{e0041}\u001b", b: "日本", c: { d: "    \\    x" } };
    const json = plainJson(JSON.stringify(value, undefined, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\u202e\u{e0041}]/u);
    expect(json).toContain("日本");
    expect(json).toContain('\n    "d": "\\u0020');
    expect(json.replace(/^ +/gm, "")).not.toContain("   ");
  });

  test("a page's tricks reach no terminal: hostname, key name, reference, raw form", async () => {
    const rig = await Rig.start();
    const authorization = await rig.ready();
    const wallet = rig.running.service.parts.wallets.get("vectors")!;
    await wallet.annotateKey(KEY_1, [{ key: "name", value: "key\u001b[31m" }]);
    const command = transfer({
      reference: "hello\u202e\u001b]0;owned\u0007",
      to: KEY_2,
      asset: "f".repeat(64),
    });
    await rig.send(authorization, { transaction: command });
    const lines = requestLines(shown(rig.person.asked.at(-1)!)).join("\n");
    expect(lines.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    expect(lines).toContain("\\u{202e}");
    await rig.stop();
  });
});

function connection(hostname: string, id: string): ApprovalRequest {
  return {
    kind: "connection",
    id,
    hostname,
    origin: `https://${hostname}`,
    receivedAt: "",
    wallets: ["one", "two"],
  };
}

function keysOf(hostname: string, id: string): ApprovalRequest {
  return {
    kind: "keys",
    id,
    hostname,
    origin: `https://${hostname}`,
    receivedAt: "",
    wallet: "one",
    keys: [],
  };
}

describe("the desk", () => {
  test("takes turns between hostnames, whoever came first", () => {
    const desk = new ApprovalDesk();
    for (const at of [1, 2, 3]) desk.decide(keysOf("a", `a${at}`), undefined);
    desk.decide(keysOf("b", "b1"), undefined);
    desk.decide(keysOf("c", "c1"), undefined);
    expect(desk.requests.map(({ id }) => id)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
    desk.answer("a1", { outcome: "rejected" });
    desk.decide(keysOf("d", "d1"), undefined);
    expect(desk.requests.map(({ id }) => id)).toEqual(["b1", "c1", "d1", "a2", "a3"]);
  });

  test("a site that was answered does not come before others by asking again", () => {
    const desk = new ApprovalDesk();
    for (const at of [1, 2]) desk.decide(keysOf("a", `a${at}`), undefined);
    desk.answer("a1", { outcome: "approved" });
    desk.decide(keysOf("b", "b1"), undefined);
    desk.answer("a2", { outcome: "approved" });
    desk.decide(keysOf("a", "a3"), undefined);
    expect(desk.requests.map(({ id }) => id)).toEqual(["b1", "a3"]);
  });

  test("ends what is dismissed, goes away, takes too long, or has nobody left", async () => {
    const desk = new ApprovalDesk({ waitMs: 30 });
    const controller = new AbortController();
    const outcomes = [
      desk.decide(connection("a", "1"), undefined),
      desk.decide(connection("b", "2"), controller.signal),
      desk.decide(connection("c", "3"), undefined),
    ];
    expect(desk.dismiss("a")).toBe(1);
    controller.abort();
    expect((await Promise.all(outcomes)).map(({ outcome }) => outcome)).toEqual([
      "closed",
      "interrupted",
      "interrupted",
    ]);
    desk.close();
    expect((await desk.decide(connection("d", "4"), undefined)).outcome).toBe("closed");
    expect(desk.answer("1", { outcome: "approved" })).toBe(false);
  });
});

describe("in the terminal", () => {
  async function answered(request: ApprovalRequest, typed: string): Promise<Decision> {
    const desk = new ApprovalDesk();
    const source = new DeskSource(desk);
    const written: string[] = [];
    const terminal: Terminal = {
      write: (lines) => written.push(...lines),
      line: async () => typed,
      hidden: async () => new Uint8Array(Buffer.from(typed)),
      rest: async () => {},
    };
    const running = answerInTerminal(source, terminal);
    const decision = await desk.decide(request, undefined);
    source.end();
    await running;
    expect(written.join("\n")).toContain("dapp.example");
    return decision;
  }
  const one: ApprovalRequest = { ...connection("dapp.example", "1"), wallets: ["one"] } as ApprovalRequest;
  const keys: ApprovalRequest = {
    kind: "keys",
    id: "1",
    hostname: "dapp.example",
    origin: "https://dapp.example",
    receivedAt: "",
    wallet: "one",
    keys: [
      { name: "Key 1", publicKey: KEY_1 },
      { name: "Key 2", publicKey: KEY_2 },
    ],
  };
  const oneKey: ApprovalRequest = { ...keys, keys: [{ name: "Key 1", publicKey: KEY_1 }] };
  const passphrase: ApprovalRequest = {
    kind: "passphrase",
    id: "1",
    hostname: "dapp.example",
    origin: "https://dapp.example",
    receivedAt: "",
    wallet: "one",
    reason: "it is locked",
  };
  const cases: readonly (readonly [ApprovalRequest, string, unknown])[] = [
    [one, "yes", { outcome: "approved" }],
    [one, "keep", { outcome: "approved", isKept: true }],
    [one, "", { outcome: "rejected" }],
    [one, "yes please", { outcome: "rejected" }],
    [connection("dapp.example", "1"), "two", { outcome: "approved", wallet: "two" }],
    [connection("dapp.example", "1"), "three", { outcome: "rejected" }],
    [keys, "y", { outcome: "approved" }],
    [keys, KEY_2.slice(0, 6), { outcome: "approved", allowedKeys: [KEY_2] }],
    [keys, "no", { outcome: "rejected" }],
    [keys, "zzz", { outcome: "rejected" }],
    [oneKey, "no, ", { outcome: "rejected" }],
    [oneKey, ",", { outcome: "rejected" }],
    [oneKey, `${KEY_1} ${KEY_1.slice(0, 6)}`, { outcome: "approved", allowedKeys: [KEY_1] }],
    [passphrase, "", { outcome: "rejected" }],
    [passphrase, "secret", { outcome: "approved", passphrase: new Uint8Array(Buffer.from("secret")) }],
  ];
  test.each(cases)("%#", async (request, typed, decision) => {
    const isByPerson = (decision as Decision).outcome === "approved";
    expect(await answered(request, typed)).toEqual({
      ...(decision as Decision),
      ...(isByPerson && { isByPerson }),
    });
  });
});

test("words of many lines are cut, and the number of those left counts those that were never made", () => {
  const lines = Array.from({ length: 250 }, (_, n) => ["line", `${n}`] as const);
  const cut = linesOf({ title: "", lines, left: 5, warnings: [] });
  expect([cut.lines.length, cut.left]).toEqual([200, 55]);
  expect(linesOf({ title: "", lines: lines.slice(0, 3), warnings: [] })).toEqual({
    lines: lines.slice(0, 3),
    left: 0,
  });
});

test("a question that was answered elsewhere ends by itself, and the next one is asked after a rest", async () => {
  const desk = new ApprovalDesk();
  const source = new DeskSource(desk);
  const seen: string[] = [];
  const asks = (host: string, id: string) =>
    desk.decide({ ...connection(host, id), wallets: ["one"] } as ApprovalRequest, undefined);
  const running = answerInTerminal(source, {
    write: (lines) => seen.push(...lines.filter((line) => line !== "" && !line.startsWith(" "))),
    // Nobody presses a key.
    line: (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("ended")))),
    hidden: async () => new Uint8Array(0),
    rest: async () => void seen.push("rest"),
  });
  const first = asks("a.example", "1");
  await eventually(() => seen.length === 1);
  desk.answer("1", { outcome: "approved" });
  expect((await first).outcome).toBe("approved");
  const second = asks("b.example", "2");
  await eventually(() => seen.length === 4);
  expect(seen.map((line) => line.replace(/^https:\/\/(\S+) .*/, "$1"))).toEqual([
    "a.example",
    "the request does not wait any more",
    "rest",
    "b.example",
  ]);
  source.end();
  desk.answer("2", { outcome: "rejected" });
  expect((await second).outcome).toBe("rejected");
  await running;
});

test("of several wallets one is chosen, and whether its connection outlives the service", async () => {
  const desk = new ApprovalDesk();
  const source = new DeskSource(desk);
  const typed = ["two", "yes"];
  const questions: string[] = [];
  const terminal: Terminal = {
    write: () => {},
    line: async (question) => {
      questions.push(question);
      return typed.shift() ?? "";
    },
    hidden: async () => new Uint8Array(0),
    rest: async () => {},
  };
  const running = answerInTerminal(source, terminal);
  const decision = await desk.decide(connection("dapp.example", "1"), undefined);
  expect(decision).toEqual({ outcome: "approved", wallet: "two", isKept: true, isByPerson: true });
  expect(questions).toEqual(["which wallet? (empty: reject)", "also after a restart? yes/NO"]);
  source.end();
  await running;
});

test.each<[string, ApprovalRequest, readonly string[], unknown, string]>([
  [
    "a wallet that is not there",
    connection("dapp.example", "1"),
    ["too", "two\u202e", "two", "no"],
    { outcome: "approved", wallet: "two", isByPerson: true },
    'there is no wallet "too" here; there is one, two',
  ],
  [
    "digits of no key, and of several",
    {
      ...{ kind: "keys", id: "1", hostname: "a", origin: "https://a", receivedAt: "", wallet: "one" },
      keys: [
        { name: "Key 1", publicKey: `ab${"0".repeat(62)}` },
        { name: "Key 2", publicKey: `abc${"1".repeat(61)}` },
      ],
    },
    ["zz", "ab", ",", "abc"],
    { outcome: "approved", allowedKeys: [`abc${"1".repeat(61)}`], isByPerson: true },
    'several keys begin with "ab"',
  ],
  [
    "a wrong name time and again",
    connection("dapp.example", "1"),
    ["1", "2", "3", "4", "5", "6"],
    { outcome: "rejected" },
    'there is no wallet "4" here',
  ],
])("%s is asked about again", async (_, request, answers, decision, sentence) => {
  const desk = new ApprovalDesk();
  const source = new DeskSource(desk);
  const typed = [...answers];
  const written: string[] = [];
  const running = answerInTerminal(source, {
    write: (lines) => written.push(...lines),
    line: async () => typed.shift() ?? "",
    hidden: async () => new Uint8Array(0),
    rest: async () => {},
  });
  expect(await desk.decide(request, undefined)).toEqual(decision as Decision);
  source.end();
  await running;
  expect(written.join("\n")).toContain(sentence);
  expect(written.join("\n")).not.toContain("\u202e");
});

test("an answer over the socket names keys and wallets that were offered, and no others", async () => {
  const { deskMethods } = await import("../../../src/planes/wallet/local-socket.ts");
  const desk = new ApprovalDesk();
  const parts = { desk, status: {}, pageLink: () => "" };
  const keys = [{ name: "Key 1", publicKey: KEY_1 }];
  const request = {
    kind: "keys",
    id: "k",
    hostname: "a",
    origin: "https://a",
    receivedAt: "",
    wallet: "one",
    keys,
  } as const;
  const decision = desk.decide(request, undefined);
  desk.decide(connection("b", "c"), undefined);
  const answer = (params: object) =>
    deskMethods["approvals.answer"]!(parts, { outcome: "approved", ...params }).catch(
      (error: Error) => error.message,
    );
  expect(await answer({ id: "k", allowedKeys: [KEY_2] })).toBe("the public key does not exist");
  expect(await answer({ id: "c", wallet: "one", allowedKeys: [KEY_1] })).toBe(
    "the public key does not exist",
  );
  expect(await answer({ id: "c" })).toBe("the wallet is required");
  expect(await answer({ id: "c", wallet: "three" })).toBe("the wallet does not exist");
  expect(await answer({ id: "k", outcome: "maybe" })).toBe("the params do not match expected ones");
  expect(await answer({ id: "x" })).toBe("the request does not wait any more");
  expect(await answer({ id: "k", allowedKeys: [KEY_1] })).toEqual({ answered: true, kind: "keys" });
  expect(await decision).toEqual({ outcome: "approved", allowedKeys: [KEY_1], isByPerson: true });
});

test("everything is approved on a devnet only", async () => {
  expect(() => new ApproveAll({ isDevnet: false })).toThrow("only for a devnet");
  const all = new ApproveAll({ isDevnet: true });
  expect(await all.decide(connection("a", "1"))).toEqual({ outcome: "approved", wallet: "one" });
});
