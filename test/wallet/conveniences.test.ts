// Conveniences of the command line: defaults, balances, completions, "did you mean", and hints at things that are overlooked.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { nearest } from "../../src/errors/nearest.ts";
import {
  amountText,
  exactAmountText,
  lookAlikes,
  symbolText,
} from "../../src/wallet/approvals/formatting.ts";
import { requestLines, wrapped } from "../../src/wallet/approvals/shown.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";
import { Cli } from "./support/cli.ts";
import { lyraOnTerminal } from "./support/pty.ts";
import { KEY_1 } from "./support/vectors.ts";

const cli = new Cli();
let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(async () => {
  await returnDevnet();
  cli.remove();
});

const passphrase = ["--passphrase-file", cli.passphraseFile];
const vote = JSON.stringify({ voteSubmission: { proposalId: "ab".repeat(32), value: "VALUE_YES" } });

describe("a default wallet and key", () => {
  test("are meant where none is named; the only wallet is without a default", async () => {
    const sign = ["tx", "sign", vote, "--height", "1", "--chain-id", "c", "--yes", "--json", ...passphrase];
    expect(JSON.parse((await cli.run(sign)).out).publicKey).toBe(KEY_1);
    expect((await cli.run(["wallet", "key", "list", ...passphrase])).out).toContain(KEY_1);
    const set = await cli.run(["wallet", "default", "old", KEY_1, "--json"]);
    expect(JSON.parse(set.out)).toEqual({ wallet: "old", key: KEY_1 });
    await cli.addWallet("second", "of another wallet");
    expect(JSON.parse((await cli.run(sign)).out).publicKey).toBe(KEY_1);
    await cli.run(["wallet", "default", "--clear"]);
    const unclear = await cli.run(sign);
    expect([unclear.code, unclear.err.includes("say which wallet, or set one: lyra wallet default")]).toEqual(
      [2, true],
    );
    expect((await cli.run(["wallet", "delete", "second", "--force"])).code).toBe(0);
    expect((await cli.run(["wallet", "default", "none"])).code).toBe(1);
  }, 120_000);
});

test("lyra wallet balance says what a key has, with the smallest unit beside it", async () => {
  const { publicKey } = devnet.parties[0]!;
  const [asset, balance] = [...(await accountsOf(publicKey))][0]!;
  const words = ["wallet", "balance", "--key", publicKey, "--node", devnet.nodeUrl];
  const { out, code } = await cli.run(words);
  expect([code, out.startsWith(publicKey)]).toEqual([0, true]);
  expect(out).toContain(`(asset ${asset})\n    ${balance} in its smallest unit`);
  const { balances } = JSON.parse((await cli.run([...words, "--json"])).out);
  expect(balances).toContainEqual(expect.objectContaining({ publicKey, asset, balance }));
  const own = await cli.run(["wallet", "balance", "--node", devnet.nodeUrl, ...passphrase]);
  expect([own.code, own.out.includes(KEY_1), own.err.includes("nothing, says")]).toEqual([0, true, true]);

  async function accountsOf(party: string): Promise<Map<string, string>> {
    const answer = await fetch(`${devnet.nodeUrl}/accounts?party=${party}`);
    const { accounts } = (await answer.json()) as {
      accounts: { asset: string; balance: string; type: string }[];
    };
    const general = accounts.filter(({ type }) => type === "ACCOUNT_TYPE_GENERAL");
    return new Map(general.map(({ asset: id, balance: held }) => [id, held]));
  }
});

describe("a word that is mistyped", () => {
  test.each([
    [["walet"], "did you mean 'wallet'?"],
    [["wallet", "balnace"], "did you mean 'balance'?"],
    [["wallet", "key", "lsit", "x"], "did you mean 'list'?"],
    [["tx", "sing"], "did you mean 'sign'?"],
    [["devnet", "mien", "3"], "did you mean 'mine'?"],
    [["devnet", "time", "foward", "1s"], "did you mean 'time forward'?"],
    [["wallet", "list", "--jsn"], "did you mean '--json'?"],
  ])("%p", async (words, sentence) => {
    const { code, err } = await cli.run(words);
    expect([code, err.includes(sentence)]).toEqual([2, true]);
  });

  test("that is near to nothing gets no advice", () => {
    expect([nearest("frobnicate", ["wallet", "tx"]), nearest("", ["tx"]), nearest("x", ["tx"])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("completions", () => {
  test("of bash know commands, verbs and flags", async () => {
    const { out, code } = await cli.run(["completions", "bash"]);
    expect(code).toBe(0);
    const complete = async (...typed: string[]) => {
      const words = ["lyra", ...typed].map((word) => `'${word}'`).join(" ");
      const script = `${out}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length}; cd /; _lyra; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const child = Bun.spawn(["bash", "-c", script], { stdout: "pipe", stderr: "pipe" });
      return (await new Response(child.stdout).text()).trim().split("\n");
    };
    expect(await complete("wal")).toEqual(["wallet"]);
    expect(await complete("wallet", "bal")).toEqual(["balance"]);
    expect(await complete("wallet", "key", "gen")).toEqual(["generate"]);
    expect(await complete("tx", "si")).toEqual(["sign"]);
    expect(await complete("devnet", "time", "fo")).toEqual(["forward"]);
    expect(await complete("devnet", "mar")).toEqual(["market"]);
    expect(await complete("devnet", "loa")).toEqual(["load"]);
    expect(await complete("devnet", "market", "create", "--pre")).toEqual(["--preset"]);
    expect(await complete("tx", "build", "--non")).toEqual(["--nonce"]);
    expect(await complete("tx", "build", "order", "--post")).toEqual(["--post-only"]);
    expect(await complete("tx", "sign", "--chain")).toEqual(["--chain-id"]);
    expect(await complete("wallet", "serve", "x", "--idle")).toEqual(["--idle-lock"]);
  });

  test.each(["zsh", "fish"])("of %s are a script of that shell, where there is one", async (shell) => {
    const { out, code } = await cli.run(["completions", shell]);
    expect([code, out.includes("balance"), out.includes("chain-id")]).toEqual([0, true, true]);
    if (Bun.which(shell) === null) return;
    const check = Bun.spawn([shell, "-n", "/dev/stdin"], { stdin: Buffer.from(out), stderr: "pipe" });
    expect(await check.exited).toBe(0);
  });

  test("of another shell are none", async () => {
    expect((await cli.run(["completions", "csh"])).code).toBe(2);
  });
});

describe("secrets", () => {
  test("a passphrase file that others can read is refused, with the way to close it", async () => {
    const open = cli.file("open", "passphrase of many letters");
    chmodSync(open, 0o644);
    const { code, err } = await cli.run(["wallet", "key", "list", "old", "--passphrase-file", open]);
    expect(code).toBe(2);
    expect(err).toContain("the file of the passphrase can be read by others (mode 644)");
    expect(err).toContain(`chmod 600 ${open}`);
  });

  test("a passphrase of one character needs a second yes", async () => {
    const CREATE = ["wallet", "create", "short", "--recovery-phrase-out", `${cli.home}/phrase`];
    const QUESTION = "a passphrase of one character is guessed in a moment: take it all the same? yes/NO: ";
    const no = await lyraOnTerminal(
      cli,
      CREATE,
      ["new passphrase for short: ", "x\r"],
      ["the same again: ", "x\r"],
      [QUESTION, "no\r"],
    );
    expect([no.code, no.shown.includes("the passphrase was not taken")]).toEqual([2, true]);
    const yes = await lyraOnTerminal(
      cli,
      CREATE,
      ["new passphrase for short: ", "x\r"],
      ["the same again: ", "x\r"],
      [QUESTION, "yes\r"],
    );
    expect(yes.code).toBe(0);
  }, 120_000);
});

test.each([
  ["hunter22", "the passphrase is weak: a thief of the wallet's file can try all of 8 characters"],
  ["äöüäöüäöü", "can try all of 9 characters"],
  ["aaaaaaaaaaaaaaaa", "the passphrase is weak: it is made of very few different characters"],
  ["x", "a passphrase of one character is guessed in a moment"],
  ["twelve or more", undefined],
])("a weak passphrase is named as one: %s", async (passphrase, warning) => {
  // The file of the phrase cannot be made: it ends before the wallet is sealed, which takes half a second.
  const phraseOut = `${cli.home}/nowhere/phrase`;
  const { code, err } = await cli.run(
    ["wallet", "create", "weak", "--passphrase-fd", "0", "--recovery-phrase-out", phraseOut],
    passphrase,
  );
  expect([code, err.includes("five words or more that were chosen at random")]).toEqual([
    1,
    warning !== undefined,
  ]);
  expect(err).toContain(warning ?? "cannot be written");
});

test("a weak passphrase is taken", async () => {
  const words = ["wallet", "create", "weak", "--passphrase-fd", "0", "--recovery-phrase-out"];
  const { code, err } = await cli.run([...words, `${cli.home}/weak-phrase`], "hunter22");
  expect([code, err.includes("the passphrase is weak"), err.includes("the wallet is")]).toEqual([
    0,
    true,
    true,
  ]);
});

describe("things that a person might overlook", () => {
  test.each([
    ["VEGA", ""],
    ["VЕGA", " (look-alike letters: Е is U+0415)"],
    ["ΒΤΧ", " (look-alike letters: Β is U+0392, Τ is U+03A4, Χ is U+03A7)"],
    ["ＵＳＤ", " (look-alike letters: Ｕ is U+FF35, Ｓ is U+FF33, Ｄ is U+FF24)"],
    ["жук", ""],
    ["日本円", ""],
    ["été", ""],
  ])("look-alikes of %s are marked", (text, mark) => {
    expect(lookAlikes(text)).toBe(mark);
    expect(symbolText(text)).toEndWith(mark === "" ? text : mark);
  });

  test("a host of another script is shown as it looks", () => {
    const request = { id: "1", kind: "connection", hostname: "", receivedAt: "", wallets: ["w"] } as const;
    const [line] = requestLines({ ...request, origin: "https://xn--pple-43d.com" });
    expect(line).toBe(
      'https://xn--pple-43d.com (shown as "аpple.com" (look-alike letters: а is U+0430)) wants to connect to a wallet',
    );
  });

  test("the smallest unit stands beside a scaled amount", () => {
    const book = () => ({ symbol: "VEGA", decimals: 18 });
    expect(exactAmountText("1500000000000000000", "a1", book)).toBe(
      "1.5 VEGA (asset a1) = 1500000000000000000 of its smallest unit",
    );
    expect(exactAmountText("5", "a1", () => undefined)).toBe(amountText("5", "a1", () => undefined));
  });

  test("an identifier goes on below its beginning, and none of it is lost", () => {
    const id = "ab".repeat(32);
    const lines = ["title", `  to                   ${id}`, `  amount               1.5 VEGA (asset ${id})`];
    const shown = wrapped(lines, 80);
    expect(shown.every((line) => line.length <= 80)).toBe(true);
    expect(shown[2]).toStartWith(" ".repeat(23));
    expect(
      shown
        .map((line) => line.trim())
        .join("")
        .replaceAll(" ", ""),
    ).toBe(lines.join("").replaceAll(" ", ""));
    expect(wrapped(lines, undefined)).toEqual(lines);
  });
});
