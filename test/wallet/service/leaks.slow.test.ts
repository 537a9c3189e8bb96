// The whole life of a wallet, on the command line and by the service, and then a search for its secrets in everything
// that was said, logged, shown to other processes or left in a file.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { keySeed, seedOf, walletNode } from "../../../src/wallet/keys/derivation.ts";
import { policyHash } from "../../../src/wallet/policies/policy.ts";
import { tokenHash } from "../../../src/wallet/service/tokens.ts";
import { PROGRAM } from "../../rig/lyra.ts";
import { formsOf, pathsBelow, wordsOf } from "../../rig/wallet-home.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";
import { VOTE } from "./rig.ts";

const PASSPHRASES = {
  passphrase: "Tr0ubador-and-three-others",
  "new passphrase": "another Passphrase, much longer",
  "wrong passphrase": "not-this-one-but-nearly",
} as const;
const POLL_MS = 2;
const LISTEN_MS_MAX = 20_000;

/** A user's own machine: a home of the program, a home folder, a folder for temporary files, secrets to type. */
class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "lyra-leaks-"));
  readonly home = join(this.folder, "lyra");
  /** Texts with their source: outputs, answers, command lines and environments. */
  readonly said: (readonly [who: string, text: string | Uint8Array])[] = [];
  private readonly inputs = join(this.folder, "inputs");
  private readonly running: Bun.Subprocess[] = [];

  constructor() {
    for (const name of ["inputs", "user", "temporary"]) mkdirSync(join(this.folder, name), { mode: 0o700 });
  }

  /** A file that has a secret because somebody wrote it there. */
  input(name: string, text?: string): string {
    const path = join(this.inputs, name);
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  start(...words: string[]) {
    const child = Bun.spawn([...PROGRAM, "wallet", ...words], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: {
        PATH: process.env.PATH,
        HOME: join(this.folder, "user"),
        TMPDIR: join(this.folder, "temporary"),
        LYRA_HOME: this.home,
        // Failures that nobody expects are told in full.
        LYRA_DEBUG: "1",
      },
    });
    this.running.push(child);
    return child;
  }

  async run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const child = this.start(...words);
    const output = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    while (child.exitCode === null) {
      this.look(child.pid);
      await Bun.sleep(POLL_MS);
    }
    const [out, err] = (await Promise.all(output)) as [string, string];
    this.said.push([words.join(" "), out], [words.join(" "), err]);
    return { code: child.exitCode, out, err };
  }

  /** The view that other processes have of one. */
  look(pid: number): void {
    for (const name of ["cmdline", "environ"]) {
      try {
        const text = readFileSync(`/proc/${pid}/${name}`, "latin1");
        if (!this.said.some(([, before]) => before === text)) this.said.push([`its ${name}`, text]);
      } catch {
        // It has ended.
      }
    }
  }

  /** Where secrets are that should be nowhere. */
  found(secrets: Iterable<readonly [name: string, text: Uint8Array]>): string[] {
    const files = pathsBelow(this.folder)
      .filter((path) => !path.startsWith(this.inputs) && existsSync(path) && Bun.file(path).size > 0)
      .flatMap((path): [string, Buffer][] => {
        try {
          return [[path.slice(this.folder.length + 1), readFileSync(path)]];
        } catch {
          // A folder, or a socket.
          return [];
        }
      });
    const places = [...this.said.map(([who, text]) => [who, Buffer.from(text)] as const), ...files];
    return [...secrets].flatMap(([name, secret]) =>
      places.filter(([, content]) => content.includes(secret)).map(([where]) => `${name}: ${where}`),
    );
  }

  async remove(): Promise<void> {
    for (const child of this.running) child.kill("SIGKILL");
    await Promise.all(this.running.map(({ exited }) => exited));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let machine: Machine;
let devnet: Devnet;
beforeAll(async () => {
  machine = new Machine();
  devnet = await borrowDevnet({ "spam.pow.difficulty": "3" });
});
afterAll(async () => {
  await returnDevnet();
  await machine.remove();
});

/** Everything secret of a phrase: its words, its seed, its node, its keys. */
async function secretsOfPhrase(phrase: string): Promise<[string, Uint8Array][]> {
  const seed = await seedOf(phrase);
  const node = walletNode(seed);
  const keys = [1, 2, 3].map((index) => [`key ${index}`, keySeed(node, 2, index)] as const);
  const secrets = [["seed", seed.subarray(0, 32)], ["node", node.subarray(0, 32)], ...keys] as const;
  return [...wordsOf(phrase), ...secrets.flatMap(([name, raw]) => formsOf(name, raw))];
}

const JSON_RPC = { "content-type": "application/json-rpc" };

test("no secret of a wallet is said, shown, logged or left", async () => {
  const tokens: [string, Uint8Array][] = [];
  const right = machine.input("right", PASSPHRASES.passphrase);
  const next = machine.input("next", PASSPHRASES["new passphrase"]);
  const wrong = machine.input("wrong", PASSPHRASES["wrong passphrase"]);
  const phraseFile = machine.input("phrase");
  const run = async (code: number, ...words: string[]) => {
    const ended = await machine.run(...words);
    expect([words.join(" "), ended.err, ended.code]).toEqual([words.join(" "), ended.err, code]);
    return ended.out;
  };
  const mine = (file = right) => ["mine", "--passphrase-file", file];

  // Made, used, restored.
  const created = JSON.parse(
    await run(0, "create", ...mine(), "--recovery-phrase-out", phraseFile, "--json"),
  ) as {
    key: { publicKey: string };
  };
  const key = created.key.publicKey;
  const phrase = readFileSync(phraseFile, "utf8").trim();
  await run(0, "message", "sign", "mine", key, "--text", "hello", "--passphrase-file", right);
  await run(0, "import", "again", "--recovery-phrase-file", phraseFile, "--passphrase-file", right);
  await run(0, "passphrase", "again", "--passphrase-file", right, "--new-passphrase-file", next);
  // A file of the original opens without a wait, so what is done to keys is done there.
  const exported = join(machine.home, "wallets", "old");
  await run(0, "export", ...mine(), "--out", exported, "--new-passphrase-file", next);
  const old = ["--passphrase-file", next];
  await run(0, "key", "generate", "old", ...old, "--json");
  await run(0, "key", "list", "old", ...old);
  await run(0, "key", "annotate", "old", key, "--meta", "use=trading", ...old);
  await run(0, "key", "isolate", "old", key, ...old, "--isolated-passphrase-file", right);
  await run(0, "describe", "old", ...old);

  // Mistakes.
  await run(1, "describe", ...mine(wrong), "--json");
  await run(
    1,
    "import",
    "x",
    "--file",
    exported,
    "--file-passphrase-file",
    wrong,
    "--passphrase-file",
    right,
  );
  const typo = machine.input("typo", phrase.replace(/\w+$/, "zzzz"));
  await run(1, "import", "x", "--recovery-phrase-file", typo, "--passphrase-file", right);
  const turned = machine.input("turned", phrase.split(" ").reverse().join(" "));
  await run(1, "import", "x", "--recovery-phrase-file", turned, "--passphrase-file", right);
  // A passphrase where a phrase should be, and the other way round.
  await run(1, "import", "x", "--recovery-phrase-file", right, "--passphrase-file", right);
  await run(1, "describe", ...mine(phraseFile));
  const file = join(machine.home, "wallets", "again");
  const content = readFileSync(file);
  content[content.length - 20]! ^= 1;
  writeFileSync(file, content);
  await run(4, "describe", "again", "--passphrase-file", next);
  writeFileSync(file, content.subarray(0, 100));
  await run(4, "describe", "again", "--passphrase-file", next, "--json");
  await run(0, "list");

  // Served, with what pages and the local socket are told.
  const policy = {
    version: 1 as const,
    name: "all",
    rules: [
      {
        name: "all",
        hostnames: ["*"],
        tokens: ["*"],
        wallets: ["mine"],
        connect: true,
        pairing: tokenHash("p".repeat(64)),
        commands: ["*" as const],
      },
    ],
    otherwise: "reject" as const,
  };
  const policyFile = join(machine.folder, "user", "policy.json");
  writeFileSync(policyFile, JSON.stringify(policy));
  const program = JSON.parse(await tokenOf()) as { token: string };
  const where = join(machine.folder, "user", "where.json");
  const decide = ["--wallet-approve", "policy", "--policy", policyFile, "--policy-hash", policyHash(policy)];
  const place = [
    "--wallet-port",
    "0",
    "--config-out",
    where,
    "--node-url",
    devnet.nodeUrl,
    "--keep-sessions",
  ];
  const served = machine.start("serve", ...decide, ...place);
  const output = [served.stdout, served.stderr].map((stream) => new Response(stream).text());
  const url = await listening();
  machine.look(served.pid);
  await run(1, "unlock", ...mine(wrong));
  await run(0, "unlock", ...mine());
  const authorization = (await call("client.connect_wallet", {}, `VWT ${"p".repeat(64)}`)).token!;
  tokens.push(["session token", Buffer.from(authorization.slice(4))]);
  expect((await call("client.list_keys", {}, authorization)).status).toBe(200);
  const transaction = { publicKey: key, sendingMode: "TYPE_SYNC", transaction: VOTE };
  for (const method of ["client.sign_transaction", "client.send_transaction", "client.check_transaction"]) {
    expect([200, 400]).toContain((await call(method, transaction, authorization)).status);
  }
  expect((await call("client.list_keys", {}, `VWT ${program.token}`)).status).toBe(200);
  expect((await call("client.list_keys", {}, `VWT ${"x".repeat(64)}`)).status).toBe(401);
  expect((await call("client.send_transaction", { publicKey: key }, authorization)).status).toBe(400);
  await call("admin.unlock_wallet", { wallet: "mine", passphrase: "x" }, authorization);
  await run(0, "lock", "mine");
  await run(1, "unlock", "again", "--passphrase-file", next);
  machine.look(served.pid);
  served.kill("SIGTERM");
  for (const text of await Promise.all(output)) machine.said.push(["the service", text]);

  const secrets: [string, Uint8Array][] = [
    ...(await secretsOfPhrase(phrase)),
    ...Object.entries(PASSPHRASES).map(([name, text]): [string, Uint8Array] => [name, Buffer.from(text)]),
    ...Object.entries(PASSPHRASES).flatMap(([name, text]) => formsOf(name, Buffer.from(text)).slice(1)),
    ...tokens,
  ];
  expect(machine.found(secrets)).toEqual([]);
  // The search finds leaks: a name in a command line, an output, a log and a temporary file.
  machine.said.push(["planted", phrase]);
  writeFileSync(join(machine.folder, "temporary", "planted"), Buffer.from(PASSPHRASES.passphrase));
  const planted = machine.found(secrets);
  expect(planted).toContain("words 1 to 3: planted");
  expect(planted).toContain("passphrase: temporary/planted");
  expect(machine.found([["a hostname", Buffer.from("dapp.example")]])).toContain(
    "a hostname: lyra/wallet-service/requests.jsonl",
  );
  expect(machine.found([["a name", Buffer.from("--recovery-phrase-out")]])).toContain("a name: its cmdline");

  async function tokenOf(): Promise<string> {
    // It is printed this once, so that is not searched.
    const child = machine.start("token", "generate", "mine", "--json");
    const text = await new Response(child.stdout).text();
    tokens.push(["long-living token", Buffer.from((JSON.parse(text) as { token: string }).token)]);
    return text;
  }

  async function listening(): Promise<string> {
    const deadline = performance.now() + LISTEN_MS_MAX;
    while (!existsSync(where) || !readFileSync(where, "utf8").endsWith("\n")) {
      if (served.exitCode !== null || performance.now() > deadline) throw new Error("it does not serve");
      await Bun.sleep(10);
    }
    return (JSON.parse(readFileSync(where, "utf8")) as { walletUrl: string }).walletUrl;
  }

  async function call(method: string, params: unknown = {}, token?: string) {
    const response = await fetch(`${url}/v2/requests`, {
      method: "POST",
      headers: {
        origin: "https://dapp.example",
        ...JSON_RPC,
        ...(token !== undefined && { authorization: token }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
    });
    machine.said.push([`the answer to ${method}`, await response.text()]);
    return { status: response.status, token: response.headers.get("authorization") };
  }
}, 120_000);
