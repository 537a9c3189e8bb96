// Prompts on a real terminal: what it shows, how it is left, and that nothing is asked where nobody can answer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { WalletStore } from "../../src/wallet/wallet-store.ts";
import { sample } from "../support/seed.ts";
import { Cli } from "./support/cli.ts";
import {
  HAS_SETSID,
  lyraOnTerminal,
  phrasesIn,
  shellOnTerminal,
  type Typing,
  WORDS_AGAIN,
} from "./support/pty.ts";
import { KEY_1, ORIGINAL_FILE, PHRASE } from "./support/vectors.ts";
import { bytes } from "./support/wallets.ts";

const cli = new Cli();
afterAll(() => cli.remove());

const secret = ORIGINAL_FILE.passphrase;
const LIST = ["wallet", "key", "list", "old"];
const QUESTION = "passphrase of old: ";
const DELETE = ["wallet", "delete", "old"];
const DELETE_QUESTION = "type its name to delete it: ";
/** termios(3): the terminal shows what is typed. */
const ECHO = 0o10;
const TEST_MS = 30_000;

describe("a passphrase", () => {
  test("is not shown, takes corrections, and the terminal is as before", async () => {
    const typed = `wrong\u0015${secret}\u001b[Dé\u007f\r`;
    const { shown, code, modes } = await lyraOnTerminal(cli, LIST, [QUESTION, typed]);
    expect([code, shown]).toEqual([0, `${QUESTION}\r\n${KEY_1}  Key 1\r\n`]);
    const [before, during, after] = modes;
    expect([before & ECHO, during & ECHO, after]).toEqual([ECHO, 0, before]);
  });

  test("that is wrong ends with 1, an empty one with 2", async () => {
    const wrong = await lyraOnTerminal(cli, LIST, [QUESTION, "guess\r"]);
    expect([wrong.code, wrong.shown.includes("wrong passphrase"), wrong.shown.includes("guess")]).toEqual([
      1,
      true,
      false,
    ]);
    const empty = await lyraOnTerminal(cli, LIST, [QUESTION, "\r"]);
    expect([empty.code, empty.shown.includes("the passphrase is empty")]).toEqual([2, true]);
  });

  test("that is too long is refused, and nothing is cut off", async () => {
    const { shown, code } = await lyraOnTerminal(cli, LIST, [QUESTION, `${"x".repeat(4097)}\r`]);
    expect([code, shown.includes("this has more than 4096 bytes")]).toEqual([2, true]);
  });
});

describe("the prompt is left", () => {
  const ways: readonly (readonly [string, Typing[1]])[] = [
    ["Ctrl-C", "secr\u0003"],
    ["Ctrl-D", "\u0004"],
    ["SIGINT", { signal: "SIGINT" }],
    ["SIGTERM", { signal: "SIGTERM" }],
    ["SIGHUP", { signal: "SIGHUP" }],
    ["SIGQUIT", { signal: "SIGQUIT" }],
  ];
  test.each(ways)(
    "by %s, with 130 and the terminal as before",
    async (_, keys) => {
      const { shown, code, modes } = await lyraOnTerminal(cli, LIST, [QUESTION, keys]);
      expect([code, shown]).toEqual([130, `${QUESTION}\r\nlyra: cancelled\r\n`]);
      expect(modes[2]).toBe(modes[0]);
    },
    TEST_MS,
  );

  test("of a question that shows what is typed, by Ctrl-D and by Ctrl-C", async () => {
    const end = await lyraOnTerminal(cli, DELETE, [DELETE_QUESTION, "\u0004"]);
    expect([end.code, end.shown.includes("lyra: cancelled"), end.modes[2]]).toEqual([
      130,
      true,
      end.modes[0],
    ]);
    if (HAS_SETSID) {
      const interrupt = await lyraOnTerminal(cli, DELETE, [DELETE_QUESTION, "ol\u0003"]);
      expect([interrupt.signal, interrupt.modes[2]]).toEqual(["SIGINT", interrupt.modes[0]]);
    } else console.log("no setsid: Ctrl-C at a question is not tested");
    expect(readdirSync(cli.wallets)).toContain("old");
  });
});

describe("keys typed before a question was shown", () => {
  test("does not delete a wallet", async () => {
    const { shown, code } = await lyraOnTerminal(cli, DELETE, ["", "old\r"], [DELETE_QUESTION, "\r"]);
    expect([code, shown.includes("nothing was deleted")]).toEqual([130, true]);
    expect(readdirSync(cli.wallets)).toContain("old");
  });

  test("is not a passphrase, nor the second of two", async () => {
    const wrong = await lyraOnTerminal(cli, LIST, ["", "guess\r"], [QUESTION, `${secret}\r`]);
    expect([wrong.code, wrong.shown.includes(KEY_1)]).toEqual([0, true]);
    const { shown, code } = await lyraOnTerminal(
      cli,
      ["wallet", "create", "ahead"],
      ["new passphrase for ahead: ", "once\ronce\r"],
      ["the same again: ", "\u0004"],
    );
    expect([code, shown.includes("cancelled")]).toEqual([130, true]);
    expect(readdirSync(cli.wallets)).not.toContain("ahead");
  });
});

test("a page is not connected by a yes that was typed before it was asked about", async () => {
  let answer: Promise<unknown> | undefined;
  const connect = (shown: string): string => {
    const url = /for pages +(\S+)/.exec(shown)![1]!;
    const headers = { "content-type": "application/json", origin: "http://page.example" };
    const body = JSON.stringify({ jsonrpc: "2.0", method: "client.connect_wallet", id: "1" });
    answer = fetch(`${url}/v2/requests`, { method: "POST", headers, body }).then((response) =>
      response.json(),
    );
    return "";
  };
  const serve = [
    "wallet",
    "serve",
    "--wallet-port",
    "0",
    "--node-url",
    "http://127.0.0.1:1",
    "--chain-id",
    "c",
  ];
  const { shown, code } = await lyraOnTerminal(
    cli,
    [...serve, "--unlock", "old", "--passphrase-file", cli.passphraseFile],
    ["Ctrl-C stops.", "yes\r"],
    // The terminal shows what it has taken.
    ["yes", connect],
    ["connect? yes/NO/keep/block/clear: ", "\r"],
    ["rejected", { signal: "SIGINT" }],
  );
  expect([code, shown.includes("\r\napproved")]).toEqual([130, false]);
  expect(await answer).toMatchObject({ error: { code: 3001 } });
});

describe("a new passphrase", () => {
  const first = "new passphrase for typed: ";
  const second = "the same again: ";
  const create = ["wallet", "create", "typed"];

  test("is asked for again when the two differ, and given up after the third time", async () => {
    const differing: Typing[] = [1, 2, 3].flatMap((turn): Typing[] => [
      [first, `one-${turn}\r`],
      [second, `two-${turn}\r`],
    ]);
    const { shown, code } = await lyraOnTerminal(cli, create, ...differing);
    expect([code, shown.split("the two are not the same").length]).toEqual([2, 4]);
    expect(shown).not.toMatch(/one-|two-/);
    expect(readdirSync(cli.wallets)).not.toContain("typed");
  });

  test(
    "makes a wallet, whose phrase is shown once, and restores it without being shown",
    async () => {
      const { shown, code } = await lyraOnTerminal(
        cli,
        create,
        [first, "once\r"],
        [second, "other\r"],
        [first, "once\r"],
        [second, "once\r"],
        ...WORDS_AGAIN,
      );
      expect(code).toBe(0);
      expect(shown).toContain("Write these words down");
      const phrases = phrasesIn(shown);
      expect(phrases).toHaveLength(1);
      for (const [at, word] of phrases[0]!.split(" ").entries())
        expect(shown).toMatch(new RegExp(`\\b${at + 1} ${word}\\b`));
      const restored = await lyraOnTerminal(
        cli,
        ["wallet", "import", "restored"],
        ["recovery phrase", `${phrases[0]}\r`],
        ["new passphrase for restored: ", "once\r"],
        [second, "once\r"],
      );
      expect([restored.code, restored.shown.includes(phrases[0]!.slice(0, 20))]).toEqual([0, false]);
      const keyOf = (text: string, name: string) => text.match(new RegExp(`${name}  ([0-9a-f]{64})`))?.[1];
      expect(keyOf(restored.shown, "restored")).toBe(keyOf(shown, "typed")!);
      for (const name of ["typed", "restored"]) await cli.run(["wallet", "delete", name, "--force"]);
    },
    TEST_MS,
  );

  const typed: Typing[] = [
    ["new passphrase for unsure: ", "once\r"],
    [second, "once\r"],
  ];
  const ways: readonly (readonly [string, readonly Typing[], number | null])[] = [
    [
      "other words are typed",
      ["\nword ", "\nword ", "\nword "].map((question): Typing => [question, "no\r"]),
      130,
    ],
    ["nobody answers any more", [["\nword ", "\u0004"]], 130],
    ["it is killed", [["\nword ", { signal: "SIGKILL" }]], null],
  ];
  test.each(ways)("leaves no wallet when %s before its phrase is confirmed", async (_, typing, code) => {
    const ended = await lyraOnTerminal(cli, ["wallet", "create", "unsure"], ...typed, ...typing);
    expect([ended.code, phrasesIn(ended.shown).length]).toEqual([code, 1]);
    expect(readdirSync(cli.wallets).filter((name) => !name.startsWith("."))).toEqual(["old"]);
  });

  test("asks for no words where it was said what happens to the phrase", async () => {
    const words = ["wallet", "create", "told", "--with-recovery-phrase"];
    const typing: Typing[] = [
      ["new passphrase for told: ", "xxxx\r"],
      [second, "xxxx\r"],
    ];
    const { shown, code } = await lyraOnTerminal(cli, words, ...typing);
    expect([code, phrasesIn(shown).length, /word \d+: /.test(shown)]).toEqual([0, 1, false]);
    await cli.run(["wallet", "delete", "told", "--force"]);
  });

  test("is not asked for when the phrase is wrong already", async () => {
    const words = ["wallet", "import", "never"];
    const { shown, code } = await lyraOnTerminal(cli, words, ["recovery phrase", "zoo zoo\r"]);
    expect([code, shown.includes("it has 2 words"), shown.includes("zoo")]).toEqual([1, true, false]);
  });
});

test("a wallet is deleted when its name is typed, and only then", async () => {
  await cli.addWallet("spare", "of a spare wallet");
  const words = ["wallet", "delete", "spare"];
  const no = await lyraOnTerminal(cli, words, [DELETE_QUESTION, "no\r"]);
  expect([no.code, existsSync(join(cli.wallets, words[2]!))]).toEqual([130, true]);
  const yes = await lyraOnTerminal(cli, words, [DELETE_QUESTION, `${words[2]}\r`]);
  expect([yes.code, existsSync(join(cli.wallets, words[2]!))]).toEqual([0, false]);
});

describe("nothing is asked", () => {
  const noTerminal = "there is no terminal to ask for the passphrase";
  test.each([
    ["a pipe", `echo ${secret} | $LYRA wallet key list old; echo code $?`, noTerminal],
    ["no file", "$LYRA wallet key list old </dev/null; echo code $?", noTerminal],
    [
      "a pipe, to delete",
      "echo old | $LYRA wallet delete old; echo code $?",
      "there is no terminal to ask on",
    ],
  ])("where standard input is %s, though there is a terminal", async (_, line, sentence) => {
    const seen = await shellOnTerminal(cli, `${HAS_SETSID ? "test -r /dev/tty && " : ""}${line}`);
    expect(seen.shown).toContain(sentence);
    expect(seen.shown).toEndWith("code 2\r\n");
    expect(readdirSync(cli.wallets)).toContain("old");
  });

  test("without a terminal that shows the question", async () => {
    const errors = join(cli.home, "errors");
    const { shown } = await shellOnTerminal(cli, `$LYRA wallet key list old 2>${errors}; echo code $?`);
    expect([shown, readFileSync(errors, "utf8").includes(noTerminal)]).toEqual(["code 2\r\n", true]);
  });

  test("and no phrase is shown, where the output is no terminal", async () => {
    const out = join(cli.home, "out");
    const line = `$LYRA wallet create piped --passphrase-file ${cli.passphraseFile} >${out}; echo code $?`;
    const { shown } = await shellOnTerminal(cli, line);
    expect(shown).toContain("the recovery phrase would be lost");
    expect([shown.endsWith("code 2\r\n"), readFileSync(out, "utf8")]).toEqual([true, ""]);
    expect(readdirSync(cli.wallets)).not.toContain("piped");
  });

  test.each([
    ["--passphrase-fd", "0"],
    ["--passphrase-fd", "2"],
    ["--passphrase-file", "/dev/tty"],
    ["--passphrase-file", "/dev/stdin"],
  ])("and a terminal is no place for a secret: %s %s", async (flag, value) => {
    const { shown, code } = await lyraOnTerminal(cli, [...LIST, flag, value]);
    expect([code, shown.includes("is the terminal, which would show it")]).toEqual([2, true]);
  });
});

describe("a transaction", () => {
  const vote = JSON.stringify({ voteSubmission: { proposalId: "ab".repeat(32), value: "VALUE_YES" } });
  const SIGN = [
    ...["tx", "sign", vote, "--wallet", "old", "--key", KEY_1, "--height", "1", "--chain-id", "some-chain"],
    ...["--passphrase-file", cli.passphraseFile],
  ];

  test("is shown in words, and signed after a yes alone", async () => {
    const agreed = await lyraOnTerminal(cli, SIGN, ["sign it? yes/NO: ", "yes\r"]);
    expect(agreed.code).toBe(0);
    expect(agreed.shown).toContain("Vote yes");
    expect(agreed.shown).toContain("some-chain, height 1");
    for (const answer of ["no\r", "\r", "ye\r"]) {
      const refused = await lyraOnTerminal(cli, SIGN, ["sign it? yes/NO: ", answer]);
      expect([refused.code, refused.shown.includes("it was not signed")]).toEqual([1, true]);
    }
  });

  const question = "sign it? yes/NO: ";
  // Without a key the wallet is opened first, which takes a while.
  const prompted = ["tx", "sign", vote, "--wallet", "slow", "--height", "1", "--chain-id", "some-chain"];
  const slowly = "passphrase of slow: ";
  beforeAll(async () => {
    const keystore = new FolderKeystore(cli.wallets);
    const store = new WalletStore({ keystore, cost: { log2N: 16, r: 8, p: 1 } });
    const wallet = await store.import({
      name: "slow",
      passphrase: bytes(secret),
      recoveryPhrase: PHRASE,
      version: 2,
    });
    wallet.lock();
  });
  const ahead: readonly (readonly [string, readonly Typing[], signed: boolean])[] = [
    [
      "with the passphrase",
      [
        [slowly, `${secret}\ryes\r`],
        [question, "\r"],
      ],
      false,
    ],
    [
      "after the passphrase",
      [
        [slowly, `${secret}\r`],
        ["\r\n", "yes\r"],
        [question, "\r"],
      ],
      false,
    ],
    [
      "but for its end",
      [
        [slowly, `${secret}\r`],
        ["\r\n", "ye"],
        [question, "s\r"],
      ],
      false,
    ],
    [
      "many times",
      [
        [slowly, `${secret}\r`],
        ["\r\n", "yes\ryes\ryes\ry"],
        [question, "es\r"],
      ],
      false,
    ],
    [
      "and said again",
      [
        [slowly, `${secret}\r`],
        ["\r\n", "no\r"],
        [question, "yes\r"],
      ],
      true,
    ],
  ];
  test.each(sample(ahead))(
    "is not signed by a yes that was typed before the question was shown: %s",
    async (_, typing, isSigned) => {
      const { shown, code } = await lyraOnTerminal(cli, prompted, ...typing);
      expect([code, shown.includes("it was not signed")]).toEqual([isSigned ? 0 : 1, !isSigned]);
    },
  );
});
