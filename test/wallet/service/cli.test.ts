// `lyra wallet serve` and its companions as processes, against a devnet; and that no secret is left anywhere.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { policyHash } from "../../../src/wallet/policies/policy.ts";
import { tokenHash } from "../../../src/wallet/service/tokens.ts";
import { Lyra } from "../../rig/lyra.ts";
import { eventually, grace } from "../../support/eventually.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";
import { Cli } from "../support/cli.ts";
import { ORIGINAL_FILE } from "../support/vectors.ts";
import { answerOf, ORIGIN, type RpcAnswer, VOTE } from "./rig.ts";

interface Where {
  readonly walletUrl: string;
  readonly walletPort: number;
  readonly socket: string;
}

class ServedWallet extends Lyra {
  readonly configOut: string;

  constructor(
    private readonly cli: Cli,
    flags: readonly string[],
  ) {
    const configOut = join(cli.home, `where-${crypto.randomUUID()}.json`);
    super(["wallet", "serve", "--wallet-port", "0", "--config-out", configOut, ...flags], {
      env: { LYRA_HOME: cli.home },
    });
    this.configOut = configOut;
  }

  async where(): Promise<Where> {
    await eventually(() => existsSync(this.configOut) || this.hasEnded);
    if (this.hasEnded) throw new Error(`it does not serve: ${(await this.end()).err}`);
    return JSON.parse(readFileSync(this.configOut, "utf8")) as Where;
  }

  async call(method: string, params: unknown = {}, authorization?: string): Promise<RpcAnswer> {
    const { walletUrl } = await this.where();
    return answerOf(
      await fetch(`${walletUrl}/v2/requests`, {
        method: "POST",
        headers: {
          "content-type": "application/json-rpc",
          origin: ORIGIN,
          ...(authorization !== undefined && { authorization }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
      }),
    );
  }

  /** The words of a second command in the same home. */
  run(...words: string[]) {
    return this.cli.run(words);
  }
}

let cli: Cli;
let devnet: Devnet;
beforeAll(async () => {
  cli = new Cli();
  devnet = await borrowDevnet({ "spam.pow.difficulty": "3" });
});
afterAll(async () => {
  await returnDevnet();
  cli.remove();
});

const unlock = () => ["--unlock", "old", "--passphrase-file", cli.passphraseFile];
const node = () => ["--node-url", devnet.nodeUrl];

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

describe("lyra wallet serve", () => {
  test("asks in a second terminal, sends to a devnet, throws a page out, and leaves no secret", async () => {
    const served = new ServedWallet(cli, [...unlock(), ...node()]);
    const { socket } = await served.where();
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const approve = async (kind: string) => {
      const id = await eventually(async () => {
        const { out } = await served.run("wallet", "approvals", "list", "--json");
        const { requests } = JSON.parse(out) as { requests: { id: string; kind: string }[] };
        return requests[0]?.kind === kind && requests[0].id;
      });
      expect((await served.run("wallet", "approvals", "--approve", id)).code).toBe(0);
    };
    const connecting = served.call("client.connect_wallet");
    await approve("connection");
    const token = (await connecting).token!;
    const listing = served.call("client.list_keys", {}, token);
    await approve("keys");
    const keys = (await listing).body.result.keys as { publicKey: string }[];
    expect(keys.length).toBeGreaterThan(0);
    const params = { publicKey: keys[0]!.publicKey, sendingMode: "TYPE_SYNC", transaction: VOTE };
    const sending = served.call("client.send_transaction", params, token);
    await approve("transaction");
    // The devnet knows no such proposal, or no stake of this key: what matters is that its own answer came back.
    const sent = await sending;
    expect([200, 400]).toContain(sent.status);
    expect(sent.body.result?.transactionHash ?? sent.body.error.data).toMatch(/^[0-9A-F]{64}$|the network/);

    const sessions = JSON.parse((await served.run("wallet", "session", "list", "--json")).out);
    expect(sessions).toEqual({ sessions: [{ hostname: "dapp.example", wallet: "old" }], served: true });
    const commandLine = readFileSync(`/proc/${served.pid}/cmdline`, "utf8");
    expect((await served.run("wallet", "session", "revoke", "dapp.example")).code).toBe(0);
    const after = await served.call("client.list_keys", {}, token);
    expect([after.status, after.body.error.data]).toEqual([401, "the connection has been closed"]);

    const { code, out, err } = await served.stop("SIGTERM");
    expect(code).toBe(0);
    expect(existsSync(socket)).toBe(false);
    const secrets = [ORIGINAL_FILE.passphrase, token.slice(4)];
    const places = filesBelow(cli.home).filter((path) => path !== cli.passphraseFile);
    for (const secret of secrets) {
      expect([commandLine, out, err].some((text) => text.includes(secret))).toBe(false);
      expect(places.filter((path) => readFileSync(path).includes(secret))).toEqual([]);
    }
    const later = JSON.parse((await cli.run(["wallet", "session", "list", "--json"])).out);
    expect(later).toEqual({ sessions: [], served: false });
  }, 120_000);

  test("beside a node that does not answer, which is said at once", async () => {
    const served = new ServedWallet(cli, ["--node-url", "http://127.0.0.1:9"]);
    await served.where();
    // Until it has asked its node, and said what came of it.
    await grace(500);
    const { err } = await served.stop("SIGTERM");
    expect(err).toContain(
      "no healthy node available: pages can connect, and nothing is sent until that changes",
    );
  }, 120_000);

  test("by a pinned policy, with a long-living token, to a network by name", async () => {
    const paired = JSON.parse((await cli.run(["wallet", "policy", "pair", "--json"])).out);
    expect(paired.pairing).toBe(tokenHash(paired.token));
    const policy = {
      version: 1 as const,
      name: "bot",
      rules: [
        {
          name: "votes",
          tokens: ["*"],
          hostnames: ["dapp.example"],
          connect: true,
          pairing: tokenHash(paired.token),
          commands: ["voteSubmission" as const],
        },
      ],
      otherwise: "reject" as const,
    };
    const file = cli.file("policy.json", JSON.stringify(policy));
    const hash = (await cli.run(["wallet", "policy", "hash", file])).out.trim();
    expect(hash).toBe(policyHash(policy));
    const add = ["wallet", "network", "add", "local", ...node(), "--chain-id", devnet.chainId];
    expect((await cli.run(add)).code).toBe(0);
    const generated = JSON.parse(
      (await cli.run(["wallet", "token", "generate", "old", "--expires-in", "1h", "--json"])).out,
    );
    expect(generated.token).toMatch(/^[a-zA-Z0-9]{64}$/);

    const serve = ["--network", "local", "--wallet-approve", "policy", "--policy", file];
    const served = new ServedWallet(cli, [...unlock(), ...serve, "--policy-hash", hash]);
    const authorization = `VWT ${generated.token}`;
    expect((await served.call("client.list_keys", {}, authorization)).status).toBe(200);
    const publicKey = (await served.call("client.list_keys", {}, authorization)).body.result.keys[0]
      .publicKey;
    const cancel = { publicKey, sendingMode: "TYPE_SYNC", transaction: { orderCancellation: {} } };
    expect((await served.call("client.send_transaction", cancel, authorization)).body.error.code).toBe(3001);
    expect((await served.call("client.connect_wallet")).body.error.code).toBe(3001);
    expect((await served.call("client.connect_wallet", {}, `VWT ${paired.token}`)).status).toBe(200);

    const listed = JSON.parse((await cli.run(["wallet", "token", "list", "--json"])).out);
    expect(listed.tokens).toEqual([expect.objectContaining({ id: generated.id, wallet: "old" })]);
    expect(JSON.stringify(listed)).not.toContain(generated.token);
    expect((await cli.run(["wallet", "token", "delete", generated.id])).code).toBe(0);
    expect((await served.call("client.list_keys", {}, authorization)).status).toBe(401);
    await served.stop();

    const simulated = JSON.parse((await cli.run(["wallet", "policy", "simulate", file, "--json"])).out);
    expect(simulated.requests.at(-3)).toMatchObject({
      kind: "transaction",
      verdict: "reject",
      why: "votes: the command orderCancellation is not in it",
    });
    const changed = cli.file("changed.json", JSON.stringify({ ...policy, name: "other" }));
    const words = [
      "wallet",
      "serve",
      "--wallet-approve",
      "policy",
      "--policy",
      changed,
      "--policy-hash",
      hash,
    ];
    const refused = await cli.run(words);
    expect([refused.code, refused.err.includes("not the one that was pinned")]).toEqual([4, true]);
  }, 120_000);

  const refusals: readonly (readonly [words: readonly string[], code: number, sentence: string])[] = [
    [["serve", "--wallet-approve", "all"], 2, "only for a devnet"],
    [["serve", "--wallet-approve", "maybe"], 2, "ask or policy"],
    [["serve", "--wallet-approve", "policy"], 2, "say which policy"],
    [["serve", "--host", "0.0.0.0"], 2, "to other machines"],
    [["serve", "--node-url", "nothing"], 2, "a node's address is like"],
    [["serve", "--network", "none"], 1, "the network does not exist"],
    [["serve", "--wallet-port", "70000"], 2, "--wallet-port must be"],
    [["serve", "--unlock", "none"], 1, "the wallet does not exist"],
    [["serve", "--passphrase", "secret"], 2, "Unknown option"],
    [["approvals"], 2, "there is no terminal"],
    [["approvals", "list"], 3, "no wallet service runs"],
    [["session", "revoke"], 2, "say HOSTNAME"],
    [["session"], 2, "say one of list, revoke"],
    [["token", "generate", "none"], 1, "the wallet does not exist"],
    [["token", "generate", "old", "--expires-in", "soon"], 1, "'soon' is not a duration"],
    [["token", "delete", "a".repeat(64)], 2, "say the token's name"],
    [["network", "add", "x"], 2, "--node-url"],
    [["network", "describe", "../x"], 1, "the network's name is not valid"],
    [["policy", "check", "/nothing"], 2, "cannot be read"],
    [["serve", "--wallet-allow-host", "me.example:8080"], 2, "without a port"],
    [["serve", "--wallet-allow-host", "https://me.example"], 2, "without a port"],
    [["permissions", "purge", "old"], 2, "--force"],
  ];
  test.each(refusals)("lyra wallet %j", async (words, code, sentence) => {
    const ended = await cli.run(["wallet", ...words]);
    expect([ended.code, ended.out]).toEqual([code, ""]);
    expect(ended.err).toContain(sentence);
  });
});

test("a name of --wallet-allow-host is one with or without the dot that ends it", async () => {
  const remote = ["--host", "127.0.0.1", "--wallet-allow-host", "Me.Example.", "--wallet-allow-host", "::2"];
  const served = new ServedWallet(cli, ["--node-url", "http://127.0.0.1:9", ...remote]);
  const { walletPort } = await served.where();
  const statusOf = async (host: string) => {
    const answer = await fetch(`http://127.0.0.1:${walletPort}/api/v2/health`, { headers: { host } });
    return answer.status;
  };
  expect(await Promise.all(["me.example", "me.example.:80", "[::2]", "you.example"].map(statusOf))).toEqual([
    200, 200, 200, 403,
  ]);
  await served.stop();
});

test("permissions on the command line", async () => {
  const json = (...words: string[]) => cli.json("wallet", "permissions", ...words);
  expect(await json("describe", "old", "nobody.example")).toEqual({
    permissions: { publicKeys: { access: "none", allowedKeys: null } },
  });
  const listed = (await json("list", "old")) as { permissions: Record<string, unknown> };
  expect(Object.keys(listed.permissions)).toContain("dapp.example");
  await json("revoke", "old", "dapp.example");
  expect(await json("list", "old")).not.toHaveProperty(["permissions", "dapp.example"]);
  await json("purge", "old", "--force");
  expect(await json("list", "old")).toEqual({ permissions: {} });
});
