// lyra wallet: what it prints, how it ends, and that no secret gets where others could read it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../rig/lyra.ts";
import { wordsOf } from "../rig/wallet-home.ts";
import { grace } from "../support/eventually.ts";
import { Cli } from "./support/cli.ts";
import { KEY_1, KEY_2, MESSAGE_SIGNATURES, ORIGINAL_FILE, PHRASE, WALLET_ID } from "./support/vectors.ts";

const cli = new Cli();
const { passphraseFile } = cli;
afterAll(() => cli.remove());

describe("a wallet's life", () => {
  const secret = "a new passphrase of some length";
  const secretFile = cli.file("new-passphrase", `${secret}\n`);
  const phraseFile = join(cli.home, "phrase");
  let firstKey: string;

  test("creation shows the phrase only where it is asked for", async () => {
    const silent = await cli.run(["wallet", "create", "mine", "--passphrase-file", secretFile]);
    expect(silent).toMatchObject({ out: "", code: 2 });
    expect(silent.err).toContain("the recovery phrase would be lost");
    const words = [
      "wallet",
      "create",
      "mine",
      "--passphrase-file",
      secretFile,
      "--recovery-phrase-out",
      phraseFile,
      "--json",
    ];
    const { out, err, code } = await cli.run(words);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual({
      wallet: { name: "mine", keyDerivationVersion: 2, filePath: join(cli.wallets, "mine") },
      key: {
        publicKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        algorithm: { name: "vega/ed25519", version: 1 },
        metadata: [{ key: "name", value: "Key 1" }],
      },
    });
    firstKey = JSON.parse(out).key.publicKey;
    expect(statSync(phraseFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(phraseFile, "utf8").trim().split(" ")).toHaveLength(24);
    const again = await cli.run(words);
    expect([again.code, again.err]).toEqual([
      1,
      '{"error":{"attempt":"wallet","code":"wallet_exists","message":"a wallet with the same name already exists","hint":"choose another name"}}\n',
    ]);
  });

  test("the phrase restores it elsewhere", async () => {
    const { out, code } = await cli.run([
      "wallet",
      "import",
      "again",
      "--recovery-phrase-file",
      phraseFile,
      "--passphrase-file",
      secretFile,
      "--json",
    ]);
    expect(code).toBe(0);
    const describeAgain = ["wallet", "describe", "again", "--passphrase-file", secretFile, "--json"];
    expect(JSON.parse((await cli.run(describeAgain)).out)).toMatchObject({
      ...{ name: "again", type: "HD wallet", keyDerivationVersion: 2, format: "lyra", keys: 1 },
    });
    const { wallet, key } = JSON.parse(out);
    expect([wallet.recoveryPhrase, key.publicKey]).toEqual([undefined, firstKey]);
  });

  test("a phrase that cannot be kept leaves no wallet", async () => {
    const words = ["wallet", "create", "lost", "--passphrase-file", secretFile, "--recovery-phrase-out"];
    expect((await cli.run([...words, phraseFile])).err).toContain("is there already");
    expect((await cli.run([...words, join(cli.home, "nowhere", "phrase")])).err).toContain(
      "cannot be written: ENOENT",
    );
    expect(readdirSync(cli.wallets)).not.toContain("lost");
  });

  test("a new passphrase, another name, an end", async () => {
    const newest = cli.file("newest", "newest");
    await cli.addWallet("spare", secret);
    const change = [
      "wallet",
      "passphrase",
      "spare",
      "--passphrase-file",
      secretFile,
      "--new-passphrase-file",
      newest,
    ];
    const wrong = change.map((word) => (word === secretFile ? newest : word));
    expect((await cli.run(wrong)).err).toContain("wrong passphrase");
    expect((await cli.run([...change, "--json"])).out).toBe('{"name":"spare"}\n');
    expect((await cli.run(["wallet", "rename", "spare", "other", "--json"])).out).toBe('{"name":"other"}\n');
    expect((await cli.run(["wallet", "describe", "other", "--passphrase-file", newest, "--json"])).code).toBe(
      0,
    );
    const refused = await cli.run(["wallet", "delete", "other"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("say --force")]);
    expect((await cli.run(["wallet", "delete", "other", "--force", "--json"])).out).toBe(
      '{"deleted":"other"}\n',
    );
    expect((await cli.run(["wallet", "list", "--json"])).out).toBe(
      '{"wallets":[{"name":"again","format":"lyra"},{"name":"mine","format":"lyra"},{"name":"old","format":"original"}]}\n',
    );
  });

  test("no secret is in a file, a message or an output", async () => {
    const phrase = readFileSync(phraseFile, "utf8").trim();
    await cli.addWallet("cheap", secret, phrase);
    const outputs = [
      await cli.run(["wallet", "describe", "cheap", "--passphrase-file", passphraseFile]),
      await cli.run(["wallet", "describe", "cheap", "--passphrase-file", secretFile]),
      await cli.run([
        "wallet",
        "import",
        "x",
        "--recovery-phrase-file",
        secretFile,
        "--passphrase-file",
        secretFile,
      ]),
      await cli.run([
        "wallet",
        "import",
        "x",
        "--recovery-phrase-file",
        phraseFile,
        `--passphrase=${secret}`,
      ]),
      await cli.run([
        "wallet",
        "import",
        "x",
        `--recovery-phrase=${phrase}`,
        "--passphrase-file",
        secretFile,
      ]),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([1, 0, 1, 2, 2]);
    const texts = outputs.flatMap(({ out, err }) => [out, err]);
    for (const name of readdirSync(cli.wallets)) texts.push(readFileSync(join(cli.wallets, name), "latin1"));
    for (const text of texts) {
      expect(text).not.toContain(secret);
      // Single words stand in messages as well: "phrase" is on the list.
      for (const [, words] of wordsOf(phrase)) expect(text).not.toContain(words.toString());
    }
  });
});

describe("a wallet of the original", () => {
  test("works as it is, and is upgraded in place", async () => {
    expect(await cli.json("wallet", "describe", "old")).toEqual({
      name: "old",
      id: WALLET_ID,
      type: "HD wallet",
      keyDerivationVersion: 2,
      format: "original",
      keys: 1,
    });
    expect(
      await cli.json("wallet", "key", "generate", "old", "--meta", "name=second", "--meta", "use=a=b"),
    ).toEqual({
      publicKey: KEY_2,
      algorithm: { name: "vega/ed25519", version: 1 },
      metadata: [
        { key: "name", value: "second" },
        { key: "use", value: "a=b" },
      ],
    });
    expect(await cli.json("wallet", "upgrade", "old")).toEqual({
      name: "old",
      format: "lyra",
      upgraded: true,
    });
    await cli.addWallet("quick", ORIGINAL_FILE.passphrase);
    expect(await cli.json("wallet", "upgrade", "quick")).toEqual({
      name: "quick",
      format: "lyra",
      upgraded: false,
    });
    const out = join(cli.home, "exported");
    expect(
      await cli.json("wallet", "export", "quick", "--out", out, "--new-passphrase-file", passphraseFile),
    ).toMatchObject({ out });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(
      await cli.json("wallet", "import", "fast", "--file", out, "--file-passphrase-file", passphraseFile),
    ).toMatchObject({ wallet: { name: "fast" }, key: { publicKey: KEY_1 } });
  });

  test("damage and a wrong passphrase end differently", async () => {
    const file = join(cli.wallets, "quick");
    const content = readFileSync(file);
    content[content.length - 20]! ^= 1;
    cli.file("wallets/quick", content);
    const damaged = await cli.run([
      "wallet",
      "describe",
      "quick",
      "--passphrase-file",
      passphraseFile,
      "--json",
    ]);
    expect([damaged.code, JSON.parse(damaged.err).error.code]).toEqual([4, "wallet_damaged"]);
    content[content.length - 20]! ^= 1;
    cli.file("wallets/quick", content);
    chmodSync(file, 0o644);
    const open = await cli.run(["wallet", "describe", "quick", "--passphrase-file", passphraseFile]);
    expect([open.code, open.err]).toEqual([1, expect.stringContaining(`chmod 600 ${file}`)]);
    expect((await cli.run(["wallet", "list"])).out).toContain("can be used by others");
    chmodSync(file, 0o600);
  });
});

describe("keys", () => {
  const keys = new Cli();
  afterAll(() => keys.remove());

  test("are listed, described, annotated, tainted, isolated and rotated", async () => {
    await keys.json("wallet", "key", "generate", "old");
    expect(await keys.json("wallet", "key", "list", "old")).toEqual({
      keys: [
        { name: "Key 1", publicKey: KEY_1, isTainted: false },
        { name: "Key 2", publicKey: KEY_2, isTainted: false },
      ],
    });
    expect(
      await keys.json("wallet", "key", "annotate", "old", KEY_2, "--meta", "name=\u001b[31mred"),
    ).toEqual({
      metadata: [{ key: "name", value: "\u001b[31mred" }],
    });
    const listed = await keys.run(["wallet", "key", "list", "old", "--passphrase-file", keys.passphraseFile]);
    expect(listed.out).toBe(`${KEY_1}  Key 1\n${KEY_2}  \ufffd[31mred\n`);
    expect(await keys.json("wallet", "key", "annotate", "old", KEY_2, "--clear")).toEqual({
      metadata: [{ key: "name", value: "Key 2" }],
    });
    expect(await keys.json("wallet", "key", "taint", "old", KEY_2)).toEqual({
      publicKey: KEY_2,
      isTainted: true,
    });
    expect(await keys.json("wallet", "key", "describe", "old", KEY_2)).toMatchObject({
      name: "Key 2",
      isTainted: true,
    });
    await keys.json("wallet", "key", "untaint", "old", KEY_2);
    expect(
      await keys.json(
        "wallet",
        "key",
        "isolate",
        "old",
        KEY_1,
        "--isolated-passphrase-file",
        keys.passphraseFile,
      ),
    ).toEqual({ wallet: "old.b5fd9d3c.isolated", filePath: join(keys.wallets, "old.b5fd9d3c.isolated") });
    const rotation = [
      "--from",
      KEY_1,
      "--to",
      KEY_2,
      "--chain-id",
      "c",
      "--height",
      "10",
      "--target-height",
      "20",
    ];
    expect(await keys.json("wallet", "key", "rotate", "old", ...rotation)).toEqual({
      masterPublicKey: WALLET_ID,
      encodedTransaction: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
    });
  });

  test("sign messages that anybody can verify", async () => {
    const [, message, signature] = MESSAGE_SIGNATURES[0]!;
    const base64 = Buffer.from(signature, "hex").toString("base64");
    expect(await keys.json("wallet", "message", "sign", "old", KEY_1, "--text", message)).toEqual({
      signature: base64,
      hexSignature: signature,
    });
    const file = keys.file("message", message);
    for (const form of [base64, signature]) {
      const { out, code } = await keys.run([
        "wallet",
        "message",
        "verify",
        KEY_1,
        form,
        "--message-file",
        file,
      ]);
      expect([out, code]).toEqual(["valid\n", 0]);
    }
    const wrong = await keys.run(["wallet", "message", "verify", KEY_2, base64, "--text", message, "--json"]);
    expect([wrong.out, wrong.code]).toEqual(['{"isValid":false}\n', 4]);
  });
});

describe("secrets", () => {
  beforeAll(() => cli.addWallet("light", "another passphrase"));

  test.each([
    ["a file", ["--passphrase-file", passphraseFile]],
    ["standard input", ["--passphrase-fd", "0"]],
    ["a named descriptor", ["--passphrase-file", "/dev/stdin"]],
  ])("come from %s", async (_, flags) => {
    const stdin = `${ORIGINAL_FILE.passphrase}\n`;
    expect((await cli.run(["wallet", "describe", "light", ...flags], stdin)).err).toContain(
      "wrong passphrase",
    );
    expect((await cli.run(["wallet", "describe", "quick", ...flags], stdin)).code).toBe(0);
  });

  test("keep the blanks in them", async () => {
    const blank = cli.file("blank", ` ${ORIGINAL_FILE.passphrase}\n`);
    expect((await cli.run(["wallet", "describe", "quick", "--passphrase-file", blank])).err).toContain(
      "wrong passphrase",
    );
  });

  test.each([
    [[], "there is no terminal to ask for the passphrase"],
    [["--passphrase-file", "missing"], "cannot be read: ENOENT"],
    [["--passphrase-fd", "99"], "cannot be read: EBADF"],
    [["--passphrase-fd", "x"], "the number of a descriptor"],
    [["--passphrase-fd", "0"], "the passphrase is empty"],
    [["--passphrase-fd", "0", "--passphrase-file", passphraseFile], "both give the same secret"],
    [["--passphrase", "x"], "Unknown option '--passphrase'"],
  ])("with %p are refused with exit code 2", async (flags, message) => {
    const { out, err, code } = await cli.run(["wallet", "describe", "old", ...flags]);
    expect([out, code]).toEqual(["", 2]);
    expect(err).toContain(message);
  });

  test("from a descriptor that nobody gave are not waited for", async () => {
    const shell = ["sh", "-c", 'exec 3<&- 4<&- 5<&- 6<&-; exec "$@"', "sh"];
    // Files that the runtime opened for itself have these numbers then.
    for (const descriptor of ["3", "4"]) {
      const words = ["wallet", "describe", "old", "--passphrase-fd", descriptor];
      const { err, code } = await cli.runBehind(shell, words);
      expect([code, err.includes("the passphrase cannot be read")]).toEqual([2, true]);
    }
  });

  test("that are too long are refused", async () => {
    const long = cli.file("long", "x".repeat(5000));
    const { err } = await cli.run(["wallet", "describe", "old", "--passphrase-file", long]);
    expect(err).toContain("has more than 4096 bytes");
  });
});

test.each([
  [[], "say one of create, import"],
  [["burn"], "there is no 'wallet burn'"],
  [["key"], "say one of generate"],
  [["key", "burn"], "there is no 'wallet key burn'"],
  [["message"], "say one of sign, verify"],
  [["create"], "say NAME"],
  [["create", "a", "b"], "say NAME"],
  [["list", "a"], "say nothing more"],
  [["create", "a/../b", "--with-recovery-phrase"], "the wallet's name has a slash"],
  [["describe", "none"], "the wallet does not exist"],
  [["key", "annotate", "old", KEY_1], "say --meta KEY=VALUE, or --clear"],
  [["key", "annotate", "old", KEY_1, "--meta", "x"], "--meta is KEY=VALUE"],
  [["key", "rotate", "old", "--from", KEY_1, "--to", KEY_2, "--chain-id", "c"], "say --height N"],
  [["message", "verify", "xy", "AA==", "--text", "x"], "could not decode the public key"],
  [["message", "verify", KEY_1, "A", "--text", "x"], "not a valid base-64 string"],
  [["message", "sign", "old", KEY_1], "say --text TEXT"],
  [["export", "old"], "say where to"],
])("%p is refused", async (words, message) => {
  const { out, err, code } = await cli.run(["wallet", ...words]);
  expect(err).toContain(message);
  expect(out).toBe("");
  expect([1, 2]).toContain(code);
});

test("the vectors' phrase gives the vectors' keys from the command line", async () => {
  const phrase = cli.file("vector-phrase", PHRASE.replaceAll(" ", "\n"));
  const { out } = await cli.run([
    "wallet",
    "import",
    "vectors",
    "--key-version",
    "1",
    "--recovery-phrase-file",
    phrase,
    "--passphrase-file",
    passphraseFile,
  ]);
  expect(out).toBe("vectors  30ebce58d94ad37c4ff6a9014c955c20e12468da956163228cc7ec9b98d3a371\n");
});

describe.skipIf(process.platform === "win32")("input that is read", () => {
  const vote = ["tx", "check"];
  const message = ["wallet", "message", "verify", KEY_1, "aaaa", "--message-file"];

  test("is no more than is wanted, of what has no end", async () => {
    const errors = await Promise.all(
      [
        [...vote, "/dev/zero"],
        [...message, "/dev/zero"],
        ["wallet", "import", "endless", "--file", "/dev/zero"],
      ].map(async (words) => (await cli.run(words)).err),
    );
    expect(errors[0]).toContain("larger than a transaction may be");
    expect(errors[1]).toContain("a message has at most");
    expect(errors[2]).toContain("it has more than");
  });

  test.each([
    ["a command", vote, '{"voteSubmission":{"proposalId":"', 1],
    ["a message", message, "hello", 4],
  ])("from a pipe that does not wait: %s", async (_, words, text, exitCode) => {
    const pipe = join(cli.home, `pipe-${exitCode}`);
    Bun.spawnSync(["mkfifo", "-m", "600", pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(pipe, "w");
    const child = Bun.spawn([...PROGRAM, ...words, "-"], {
      stdin: reader,
      stdout: "ignore",
      stderr: "pipe",
    });
    closeSync(reader);
    // It finds the pipe empty.
    await grace(500);
    writeSync(writer, text);
    closeSync(writer);
    const err = await new Response(child.stderr).text();
    expect([await child.exited, err.includes("EAGAIN")]).toEqual([exitCode, false]);
  });
});
