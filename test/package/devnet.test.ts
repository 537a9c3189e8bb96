// startDevnet of the package: what it gives, what it says when it fails, and what is left of it in the end.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Devnet, NodeError, startDevnet } from "../../src/package/devnet.ts";
import type { DevnetOptions } from "../../src/package/options.ts";
import { eventually } from "../support/eventually.ts";
import { isRunning, Workshop } from "./program.ts";

const GENERAL = 4;
const workshop = new Workshop();
afterAll(() => workshop.remove());

const start = (options: DevnetOptions = {}) => startDevnet({ binary: workshop.lyra, ...options });
const transfer = (devnet: Devnet, amount: string) => ({
  kind: "transfer" as const,
  payload: {
    fromAccountType: GENERAL,
    toAccountType: GENERAL,
    to: devnet.party("bob").publicKey,
    asset: devnet.assets.tUSD!.id,
    amount,
    reference: "r",
    oneOff: {},
  },
});
const transfersOf = async (devnet: Devnet) =>
  (await devnet.get<{ transfers: { edges: { node: { amount: string } }[] } }>("/api/v2/transfers")).transfers
    .edges.length;

async function failureOf(options: DevnetOptions): Promise<NodeError> {
  const devnet = await start(options).catch((error: unknown) => error);
  if (devnet instanceof NodeError) return devnet;
  await (devnet as Devnet).stop?.();
  throw new Error(`it started, or failed otherwise: ${devnet}`);
}

describe("a devnet", () => {
  test("gives addresses, parties with keys, tools, signed transactions, snapshots; stop leaves nothing", async () => {
    const devnet = await start({ parameters: { "transfer.fee.factor": "0" }, walletPort: 0, cometPort: 0 });
    expect(devnet.chainId).toBe("lyra-devnet");
    expect(devnet.parties.map(({ name }) => name).slice(0, 2)).toEqual(["alice", "bob"]);
    expect(devnet.party("alice").privateKey).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(devnet.assets)).toContain("tUSD");
    expect(devnet.walletUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
    expect((await fetch(`${devnet.cometUrl}/health`)).status).toBe(200);

    const clean = await devnet.snapshot();
    const { outcome, id } = await devnet.party("alice").send(transfer(devnet, "10000"));
    expect(outcome).toMatchObject({ code: 0, height: Number((await devnet.tools.status()).height) });
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(await transfersOf(devnet)).toBe(1);
    expect(await devnet.tools.transaction(outcome.hash)).toMatchObject({ state: "executed" });
    await devnet.revert(clean);
    expect(await transfersOf(devnet)).toBe(0);
    // The planner of proofs follows the chain back.
    for (let n = 0; n < 12; n++) await devnet.party("alice").send(transfer(devnet, "10000"));
    expect(await transfersOf(devnet)).toBe(12);

    const { home, pid, dataUrl } = devnet;
    await Promise.all([devnet.stop(), devnet.stop()]);
    expect([existsSync(home), isRunning(pid)]).toEqual([false, false]);
    await expect(fetch(dataUrl)).rejects.toThrow();
    expect(await devnet.ended).toMatchObject({ code: "devnet_ended", message: "the devnet was stopped" });
    expect(devnet.tools.mine()).rejects.toMatchObject({ code: "devnet_ended" });
  });

  test("a refusal of a transaction and of a tool is an error with code and hint, or the answer's outcome", async () => {
    await using devnet = await start();
    const tooMuch = transfer(devnet, (10n ** 40n).toString());
    const alice = devnet.party("alice");
    const refusal = (await alice.send(tooMuch).catch((error) => error)) as NodeError;
    const { outcome } = await alice.send(tooMuch, { allowRefusal: true });
    expect(outcome.code).not.toBe(0);
    expect(outcome.details?.rule).toBe("command_failed");
    // The refused transaction by its hash, with the rule, its numbers, the cause in the chain's own words, and the outcome.
    expect(refusal).toMatchObject({
      code: "transaction_refused",
      hint: expect.stringContaining("allowRefusal"),
      rule: "command_failed",
      numbers: outcome.details!.numbers,
      details: [{ code: outcome.code, message: outcome.text, inner: outcome.details!.sentence }],
      outcome: { code: outcome.code, text: outcome.text, hash: refusal.hash },
    });
    expect((await devnet.tools.transaction(refusal.hash!)).hash).toBe(refusal.hash!);
    const named = {
      transfer: {
        ...tooMuch.payload,
        fromAccountType: "ACCOUNT_TYPE_GENERAL",
        toAccountType: 4,
        amount: "10000",
      },
    };
    expect((await alice.send(named as never)).outcome.code).toBe(0);
    const wrong: [unknown, string][] = [
      [{ kind: "fly", payload: {} }, "there is no command 'fly'"],
      [{}, "a command has one member, its kind"],
      [{ tranfer: {} }, "there is no command 'tranfer': did you mean 'transfer'?"],
      [{ transfer: { assset: "x" } }, "the transfer has no member 'assset': did you mean 'asset'?"],
      [{ transfer: { oneOff: { deliverOnn: 5n } } }, "'oneOff.deliverOnn': did you mean 'oneOff.deliverOn'?"],
      [
        { orderSubmission: { side: "SIDE_BY" } },
        "orderSubmission.side: \"SIDE_BY\" is not a vega.Side: did you mean 'SIDE_BUY'?",
      ],
      [{ kind: "transfer", payload: { ammount: "5" } }, "no member 'ammount': did you mean 'amount'?"],
      [
        { kind: "batchMarketInstructions", payload: { submissions: [{ prize: "1" }] } },
        "no member 'submissions.prize': did you mean 'submissions.price'?",
      ],
      [{ kind: "transfer" }, "the transfer has no payload"],
      [{ kind: "transfer", payload: { to: "x", amount: 5 } }, "cannot be encoded: 'amount' has another type"],
      [{ kind: "orderSubmission", payload: { size: 10 } }, "cannot be encoded: 'size' has another type"],
      [
        { kind: "orderSubmission", payload: { side: "SIDE_BUY" } },
        "cannot be encoded: 'side' has another type",
      ],
    ];
    for (const [command, message] of wrong)
      await expect(alice.send(command as never)).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining(message),
        hint: expect.stringContaining("by name"),
      });
    await expect(devnet.tools.fund("nobody", "tUSD", 1)).rejects.toThrow("there is no party 'nobody'");
    await expect(devnet.get("/api/v2/order/zz")).rejects.toBeInstanceOf(NodeError);
    await expect(devnet.get("/api/v2/accounts?filter.marketIds=zz")).rejects.toMatchObject({
      status: 400,
      message: "invalid party id: one or more market id is invalid",
      details: [{ message: "invalid party id", inner: "one or more market id is invalid" }],
    });
    expect(() => devnet.party("nobody")).toThrow("there is no party 'nobody': give alice");
    await expect(devnet.partyOf("no key")).rejects.toThrow("a private key must be 64 hexadecimal digits");
  });

  test("a party of the caller's own key, a dump and a checkpoint as another chain's beginning", async () => {
    await using devnet = await start();
    const own = await devnet.partyOf("42".repeat(32));
    await devnet.tools.fund(own.publicKey, "tUSD", 1_000_000n);
    await own.send(transfer(devnet, "10000"));
    const dump = await devnet.tools.dump();
    const checkpoint = await devnet.tools.checkpoint();
    await using other = await start({ checkpoint });
    const { accounts } = await other.get<{ accounts: { edges: { node: { balance: string } }[] } }>(
      `/api/v2/accounts?filter.partyIds=${own.publicKey}`,
    );
    expect(accounts.edges.map(({ node }) => node.balance).length).toBe(1);
    const { height } = await other.tools.load(dump);
    expect(height).toBe((await devnet.tools.status()).height);
  });

  test("a home is kept and goes on; a genesis may be a document; the log comes line by line", async () => {
    const home = join(workshop.folder, "kept");
    const first = await start({ home });
    await first.tools.mine(5);
    const { height } = await first.tools.status();
    await first.stop();
    expect(existsSync(home)).toBe(true);
    const lines: string[] = [];
    const second = await start({ home, onLog: (line) => lines.push(line) });
    expect(Number((await second.tools.status()).height)).toBeGreaterThanOrEqual(Number(height));
    await second.stop();
    expect(lines.some((line) => line.includes("stopping"))).toBe(true);
    const genesis = JSON.parse(readFileSync(join(home, "genesis.json"), "utf8")) as object;
    await using third = await start({ genesis: { ...genesis, chain_id: "my-chain" } });
    expect(third.chainId).toBe("my-chain");
  });
});

describe("several devnets", () => {
  test("start at once, each on ports of its own and with a chain of its own", async () => {
    const devnets = await Promise.all(["one", "two", "three"].map(() => start()));
    try {
      expect(new Set(devnets.flatMap(({ nodeUrl, dataUrl }) => [nodeUrl, dataUrl])).size).toBe(6);
      await devnets[0]!.party("alice").send(transfer(devnets[0]!, "10000"));
      expect(await Promise.all(devnets.map(transfersOf))).toEqual([1, 0, 0]);
    } finally {
      await Promise.all(devnets.map((devnet) => devnet.stop()));
    }
  });

  test("take no settings from this process's environment but those that are given", async () => {
    const [host, token] = [process.env.LYRA_HOST, process.env.LYRA_TOOLS_TOKEN];
    process.env.LYRA_HOST = "192.0.2.1";
    process.env.LYRA_TOOLS_TOKEN = "a token of the environment";
    try {
      const env = { LYRA_TOOLS_TOKEN: "0123456789abcdef-given" };
      await using devnet = await start({ env, toolsAllow: ["host.example"] });
      expect(devnet.nodeUrl).toContain("127.0.0.1");
      expect(readFileSync(join(devnet.home, "tools-token"), "utf8")).toBe(`${env.LYRA_TOOLS_TOKEN}\n`);
      const { statistics } = await devnet.get<{ statistics: { chainId: string } }>("/statistics");
      expect(statistics.chainId).toBe(devnet.chainId);
    } finally {
      if (host === undefined) delete process.env.LYRA_HOST;
      else process.env.LYRA_HOST = host;
      if (token === undefined) delete process.env.LYRA_TOOLS_TOKEN;
      else process.env.LYRA_TOOLS_TOKEN = token;
    }
  });
});

describe("a devnet that does not start", () => {
  const cases: readonly (readonly [string, () => DevnetOptions, Readonly<Record<string, unknown>>])[] = [
    ["an option that there is not", () => ({ nodeport: 1 }) as DevnetOptions, { code: "usage" }],
    [
      "a value that the executable refuses",
      () => ({ block: "soon" }),
      { code: "usage", message: /--block must be/ },
    ],
    ["a file that is not there", () => ({ genesis: "/nowhere/g.json" }), { code: "genesis_unreadable" }],
    [
      "an executable that is not there",
      () => ({ binary: "/nowhere/lyra" }),
      { code: "executable_missing", message: /'binary' names \/nowhere\/lyra/ },
    ],
    [
      "a file that cannot be run",
      () => {
        const binary = join(workshop.folder, "plain");
        writeFileSync(binary, "text");
        return { binary };
      },
      { code: "executable_failed", hint: /chmod/ },
    ],
    [
      "another program",
      () => ({ binary: workshop.script("other", "echo hello") }),
      { code: "executable_failed", message: /not Lyra's/ },
    ],
    [
      "a program that ends with words",
      () => ({ binary: workshop.script("failing", "echo out of luck >&2; exit 9") }),
      { code: "devnet_ended", message: /with code 9: out of luck/ },
    ],
    [
      "a program that says nothing",
      () => ({ binary: workshop.script("silent", "exec sleep 60"), startTimeoutMs: 50 }),
      { code: "devnet_slow", message: /within 50 ms/ },
    ],
    ["a signal that was given already", () => ({ signal: AbortSignal.abort() }), { code: "devnet_ended" }],
    [
      "a signal that comes meanwhile",
      () => ({ signal: AbortSignal.timeout(30), binary: workshop.script("slow", "exec sleep 60") }),
      { code: "devnet_ended", message: /given up/ },
    ],
  ];
  for (const [what, options, expected] of cases) {
    test(what, async () => {
      const { code, message, hint } = await failureOf(options());
      for (const [member, value] of Object.entries(expected)) {
        const text = { code, message, hint }[member]!;
        if (value instanceof RegExp) expect(text).toMatch(value);
        else expect({ member, text }).toEqual({ member, text: value as string });
      }
    });
  }

  test("a port in use is said by the executable's own error", async () => {
    await using devnet = await start();
    const dataPort = Number(new URL(devnet.dataUrl).port);
    const { code, message } = await failureOf({ dataPort });
    expect(code).toBe("port_in_use");
    expect(message).toContain(String(dataPort));
  });
});

describe("a devnet whose process", () => {
  test("is killed says so, leaves no home, and calls reject", async () => {
    const devnet = await start();
    process.kill(devnet.pid, "SIGKILL");
    expect(await devnet.ended).toMatchObject({
      code: "devnet_ended",
      message: "the devnet has ended by SIGKILL",
    });
    expect(existsSync(devnet.home)).toBe(false);
    await expect(devnet.tools.status()).rejects.toThrow("by SIGKILL");
    await devnet.stop();
  });

  test("is stopped by a signal's end while it runs", async () => {
    const controller = new AbortController();
    const devnet = await start({ signal: controller.signal });
    controller.abort();
    expect(await devnet.ended).toMatchObject({ message: "the devnet was stopped" });
    expect(existsSync(devnet.home)).toBe(false);
  });

  const parents: readonly (readonly [string, string, (pid: number) => void])[] = [
    [
      "has a parent that is killed",
      // real time: of a process that lives until it is killed
      "await new Promise(() => setInterval(() => {}, 1000));",
      (pid) => process.kill(pid, "SIGKILL"),
    ],
    ["has a parent that forgets it", "", () => {}],
    ["has a parent that fails", "process.exit(3);", () => {}],
  ];
  for (const [what, rest, end] of parents) {
    test(`${what} ends with it, and its home is gone`, async () => {
      const library = await workshop.compiled("devnet");
      const script = join(workshop.folder, "parent.mjs");
      writeFileSync(
        script,
        `import { startDevnet } from ${JSON.stringify(library)};
         const { pid, home } = await startDevnet({ binary: ${JSON.stringify(workshop.lyra)} });
         process.stdout.write(JSON.stringify({ pid, home }) + "\\n", () => {});
         ${rest}`,
      );
      const parent = Bun.spawn(["node", script], { stdout: "pipe", stderr: "inherit" });
      const { value } = await parent.stdout.getReader().read();
      const { pid, home } = JSON.parse(new TextDecoder().decode(value)) as { pid: number; home: string };
      end(parent.pid);
      await parent.exited;
      await eventually(() => !isRunning(pid) && !existsSync(home), `the end of ${pid}`);
    });
  }
});
