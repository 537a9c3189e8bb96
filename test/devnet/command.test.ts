// lyra devnet as a process: what it prints, the tools' verbs, and how it ends.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand } from "../../src/cli/command/table.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { type BannerFacts, devnetBanner, units } from "../../src/cli/devnet.ts";
import { type DevnetAddress, defaultDevnetHome } from "../../src/devnet/home.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import type { PartiesReport } from "../../src/devnet/parties.ts";
import { TOOL_LIST } from "../../src/planes/devnet/declarations.ts";
import { presetChanges } from "../../src/planes/devnet/markets.ts";
import { type Ended, Lyra } from "../rig/lyra.ts";
import { anyMoment, eventually } from "../support/eventually.ts";

const PORTS = ["--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
const folder = mkdtempSync(join(tmpdir(), "lyra-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const report: PartiesReport = {
  warning: "PUBLIC TEST KEYS: beware",
  recoveryPhrase: "one two three",
  stakingToken: { symbol: "LYRA", decimals: 18 },
  assets: [{ id: "aa", symbol: "tUSD", decimals: 5 }],
  parties: devnetParties()
    .slice(0, 2)
    .map(({ name, index, publicKey, privateKey }) => ({
      name,
      index,
      publicKey,
      privateKey,
      stake: index === 1 ? (5n * 10n ** 18n).toString() : "0",
      balances: [{ asset: "aa", symbol: "tUSD", decimals: 5, balance: "123456789" }],
    })),
};

const facts: BannerFacts = {
  chainId: "lyra-devnet",
  height: 1234,
  nodeUrl: "http://127.0.0.1:3003",
  dataUrl: "http://127.0.0.1:3008",
  faucetUrl: "http://127.0.0.1:1790",
  home: "./net",
  isTemporary: false,
  mode: "instant",
  firstBlockMs: 87.4,
  resumed: "",
  commandLine: "npm run lyra --",
  report,
};

describe("the banner", () => {
  test("has the addresses, the chain, the parties with their keys and balances, the phrase, the warning, the way out", () => {
    const text = devnetBanner(facts);
    const [alice, bob] = report.parties;
    for (const part of [
      "or: npm run lyra -- devnet --help",
      "npm run lyra -- COMMAND where a text says lyra COMMAND",
      "chain lyra-devnet, block 1,234",
      "first block after 87 ms",
      "page          http://127.0.0.1:3003/",
      "node API      http://127.0.0.1:3003/statistics",
      "data API      http://127.0.0.1:3008/api/v2/",
      "faucet        http://127.0.0.1:1790/api/v1/mint",
      "home          ./net",
      ` 1 alice  ${alice!.publicKey}`,
      "5 LYRA staked",
      ` 2 bob    ${bob!.publicKey}`,
      "each holds  1,234.5678 tUSD",
      "recovery phrase  one two three",
      "PUBLIC TEST KEYS: beware",
      "Ctrl-C stops.",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain(alice!.privateKey);
  });

  test("given parties that hold different things, then each has its own line", () => {
    const [alice, bob] = report.parties;
    const richer = { ...alice!, balances: [{ ...alice!.balances[0]!, balance: "200000000" }] };
    const text = devnetBanner({ ...facts, report: { ...report, parties: [richer, bob!] } });
    expect(text).not.toContain("each holds");
    expect(text).toContain("2,000 tUSD");
    expect(text).toContain("1,234.5678 tUSD");
  });

  test("given a chain that goes on, then it says where", () => {
    expect(devnetBanner({ ...facts, resumed: "resumed at block 812" })).toContain("(resumed at block 812)");
  });

  test.each([
    [0n, 5, "0"],
    [1n, 5, "0"],
    [10n, 5, "0.0001"],
    [123_456_789n, 5, "1,234.5678"],
    [5n, 0, "5"],
    [10n ** 24n, 18, "1,000,000"],
  ] as const)("%s with %s decimals is %s", (amount, decimals, text) => {
    expect(units(amount, decimals)).toBe(text);
  });
});

describe("a verb", () => {
  test.each(TOOL_LIST.map(({ path }) => path))("'%s' is found by its words", async (path) => {
    const match = await findCommand(COMMANDS, ["devnet", ...path.split("/"), "word"]);
    expect(match).toMatchObject({ path: `devnet ${path.replace("/", " ")}`, rest: ["word"] });
  });
});

describe("a running devnet", () => {
  const home = join(folder, "net");
  const configOut = join(folder, "net.json");
  let lyra: Lyra;
  let address: DevnetAddress;

  beforeAll(async () => {
    lyra = new Lyra([
      "devnet",
      "--home",
      home,
      ...PORTS,
      "--config-out",
      configOut,
      "--json",
      "--parameter",
      "validators.epoch.length=5m",
    ]);
    await eventually(() => (existsSync(join(home, "devnet.json")) && existsSync(configOut)) || lyra.hasEnded);
    if (lyra.hasEnded) throw new Error((await lyra.end()).err);
    address = JSON.parse(readFileSync(configOut, "utf8")) as DevnetAddress;
  });

  const verb = async (...words: string[]): Promise<Ended> =>
    new Lyra(["devnet", ...words, "--home", home, "--json"]).end();

  test("answers where it says it does", async () => {
    expect((await fetch(`${address.nodeUrl}/blockchain/height`)).status).toBe(200);
    expect((await fetch(`${address.dataUrl}/api/v2/assets`)).status).toBe(200);
    const { networkParameter } = await (
      await fetch(`${address.dataUrl}/api/v2/network/parameters/validators.epoch.length`)
    ).json();
    expect(networkParameter.value).toBe("5m");
  });

  test("is used by its verbs, with names for parties and assets", async () => {
    const funded = await verb("fund", "alice", "tUSD", "5");
    expect(funded).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(funded.out).deposit).toMatch(/^[0-9a-f]{64}$/);
    const before = JSON.parse((await verb("status")).out);
    const after = JSON.parse((await verb("mine", "3")).out);
    expect(Number(after.height) - Number(before.height)).toBe(3);
  });

  test("is found without being named: by the folder of npm start, and by the home that lyra devnet takes", async () => {
    const start = await Bun.file(join(import.meta.dir, "../../scripts/start.ts")).text();
    const [, projectHome = ""] = /"--home", "([^"]+)"/.exec(start)!;
    const project = join(folder, "project");
    const data = join(folder, "xdg");
    for (const place of [join(project, projectHome), join(data, "lyra", "devnet")]) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "devnet.json"), JSON.stringify(address));
    }
    const nowhere = { XDG_DATA_HOME: join(folder, "no-data") };
    const status = (cwd: string, env: Record<string, string>) =>
      new Lyra(["devnet", "status"], { cwd, env }).end();
    expect(await status(project, nowhere)).toMatchObject({ code: 0, err: "" });
    expect(await status(folder, { XDG_DATA_HOME: data })).toMatchObject({ code: 0, err: "" });
    expect(await status(project, { LYRA_HOME: join(folder, "elsewhere") })).toMatchObject({ code: 3 });
    expect(await status(folder, { LYRA_HOME: home })).toMatchObject({ code: 0, err: "" });
    expect(await status(folder, nowhere)).toMatchObject({ code: 3, out: "" });
    expect(defaultDevnetHome({ XDG_DATA_HOME: data })).toBe(join(data, "lyra", "devnet"));
  });

  test("half an address file is named", async () => {
    const half = join(folder, "half");
    mkdirSync(half);
    writeFileSync(join(half, "devnet.json"), '{"nodeUrl": "http');
    const { code, err } = await new Lyra(["devnet", "status", "--home", half]).end();
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("it is not JSON") });
  });

  test("refuses by name, with the exit code of its kind", async () => {
    expect(await verb("fund", "alice", "tUSD", "none")).toMatchObject({ code: 1, out: "" });
    const { err } = await verb("fund", "alice", "tUSD", "none");
    expect(JSON.parse(err).error.message).toStartWith("'amount' must be a whole number");
    expect(JSON.parse(err).error.hint).toBe("see: lyra devnet help fund");
    // Read after the form of the body was checked, which bundling must not lose.
    const nothing = await verb("fund", "alice", "tUSD", "0");
    expect(JSON.parse(nothing.err).error.message).toBe("'amount' must be above zero, not '0'");
    expect(await verb("teleport")).toMatchObject({ code: 2, out: "" });
    expect(await verb("stake", "alice")).toMatchObject({ code: 2, out: "" });
  });

  test("takes the last of several words alone, where those before are empty", async () => {
    const { code, out } = await verb("bridge", "signers", "", "", "666");
    expect([code, JSON.parse(out)]).toEqual([0, { threshold: 666 }]);
    expect((await verb("fund", "alice", "", "5")).code).toBe(1);
  });

  test("takes words by their names as well, in any order, and a proposal from a file", async () => {
    const flagged = await verb("fund", "--amount", "5", "--party", "alice", "tUSD");
    expect(flagged).toMatchObject({ code: 0, err: "" });
    const eth = await verb("market", "create", "--preset", "eth");
    expect(JSON.parse(eth.out)).toMatchObject({ code: "ETH/USD", state: "STATE_ACTIVE" });
    const { assets } = await (await fetch(`${address.dataUrl}/api/v2/assets`)).json();
    const nodes = assets.edges.map(({ node }: { node: { id: string; details: { symbol: string } } }) => node);
    const dollar = nodes.find(({ details }: { details: { symbol: string } }) => details.symbol === "tUSD").id;
    const oracle = JSON.parse(eth.out).oracle;
    const changes = presetChanges("simple", dollar, oracle);
    const mine = { ...changes, instrument: { ...changes.instrument, code: "MINE" } };
    for (const [at, proposal] of [
      { changes: mine },
      { proposalSubmission: { terms: { newMarket: { changes: mine } } } },
    ].entries()) {
      const file = join(folder, `proposal-${at}.json`);
      const mark = at === 0 ? "\ufeff" : "";
      writeFileSync(file, `${mark}${JSON.stringify(proposal)}`);
      const creation = await verb("market", "create", "--file", file, "--price", "250");
      expect(creation.err).toBe("");
      const { market, code } = JSON.parse(creation.out);
      expect(code).toBe("MINE");
      const latest = await (await fetch(`${address.dataUrl}/api/v2/market/data/${market}/latest`)).json();
      expect(latest.marketData.markPrice).toBe("250");
    }
    const wrong = join(folder, "wrong.json");
    writeFileSync(wrong, "{");
    expect(await verb("market", "create", "--file", wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not JSON"),
    });
    expect((await verb("market", "create", "--file", join(folder, "none.json"))).err).toContain(
      "cannot be read",
    );
    writeFileSync(wrong, "{}");
    expect((await verb("market", "create", "--file", wrong)).err).toContain("with its `changes`");
    const { error } = JSON.parse((await verb("mine", "--preset", "eth")).err);
    expect([error.message, error.hint]).toEqual([
      "Unknown option '--preset'",
      "see: lyra devnet mine --help",
    ]);
    expect((await verb("market", "create", "eth", "--preset", "eth")).code).toBe(2);
  }, 120_000);

  test("keeps its home for itself", async () => {
    const second = await new Lyra(["devnet", "--home", home, ...PORTS]).end();
    expect(second.code).toBe(1);
    expect(second.err).toContain("is using the home");
    const reset = await new Lyra(["devnet", "--home", home, "--reset", ...PORTS]).end();
    expect(reset.code).toBe(1);
  });

  test("ends in order at a signal, and its ports are free; the address file is gone", async () => {
    const { code, out } = await lyra.stop("SIGTERM");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...address,
      warning: expect.stringContaining("PUBLIC TEST KEYS"),
    });
    expect(existsSync(join(home, "devnet.json"))).toBe(false);
    expect(fetch(`${address.nodeUrl}/time`)).rejects.toThrow();
    expect((await verb("status")).code).toBe(3);
  });

  test("goes on where it ended, and starts over after --reset", async () => {
    const begun = async (...flags: string[]) => {
      const next = new Lyra(["devnet", "--home", home, ...PORTS, "--block", "manual", "--json", ...flags]);
      await eventually(() => existsSync(join(home, "devnet.json")) || next.hasEnded);
      return JSON.parse((await next.stop("SIGTERM")).out) as { height: number; resumed: string };
    };
    const { height } = await begun();
    const again = await begun();
    expect(again).toMatchObject({ height, resumed: expect.stringContaining(`resumed at block ${height}`) });
    const fresh = await begun("--reset");
    expect(fresh.resumed).toBe("");
    expect(fresh.height).toBeLessThan(height);
  });
});

test("given a devnet that is killed, then the next start goes on, with nothing twice and nothing lost", async () => {
  const home = join(folder, "killed");
  const begin = async () => {
    const lyra = new Lyra(["devnet", "--home", home, ...PORTS, "--json"]);
    const file = join(home, "devnet.json");
    const isThere = () => existsSync(file) && readFileSync(file, "utf8").includes(`"pid":${lyra.pid}}`);
    await eventually(() => isThere() || lyra.hasEnded);
    return { lyra, url: (JSON.parse(readFileSync(file, "utf8")) as DevnetAddress).nodeUrl };
  };
  const first = await begin();
  const party = "0d".repeat(32);
  const fund = (url: string) =>
    fetch(`${url}/devnet/fund`, {
      method: "POST",
      body: JSON.stringify({ party, asset: "VOTE", amount: "5" }),
    });
  expect((await fund(first.url)).status).toBe(200);
  const before = await (await fetch(`${first.url}/devnet/parties`)).json();
  await first.lyra.stop("SIGKILL");

  const second = await begin();
  expect(await (await fetch(`${second.url}/devnet/parties`)).json()).toEqual(before);
  expect((await fund(second.url)).status).toBe(200);
  const { out } = await second.lyra.stop("SIGTERM");
  expect(JSON.parse(out).chainId).toBe("lyra-devnet");
});

test("a folder that is not there is named: for a temporary home, and for a wallet service", async () => {
  const nowhere = join(folder, "nowhere");
  const temporary = await new Lyra(["devnet", "--temporary", ...PORTS], { env: { TMPDIR: nowhere } }).end();
  expect([temporary.code, temporary.err]).toEqual([1, expect.stringContaining(`${nowhere}/`)]);
  expect(temporary.err).toContain("ENOENT");
  const home = mkdtempSync(join(folder, "home-"));
  writeFileSync(join(home, "wallet-service"), "");
  const service = await new Lyra(["wallet", "serve", "--home", home, "--wallet-port", "0"]).end();
  expect([service.code, service.err]).toEqual([1, expect.stringContaining("wallet-service cannot be used")]);
});

test("a signal that comes twice at once ends it in order: nothing of a temporary home is left", async () => {
  const tmp = mkdtempSync(join(folder, "tmp-"));
  const lyra = new Lyra(["devnet", "--temporary", ...PORTS], { env: { TMPDIR: tmp } });
  const isThere = () => readdirSync(tmp).some((name) => existsSync(join(tmp, name, "devnet.json")));
  await eventually(() => isThere() || lyra.hasEnded);
  lyra.kill("SIGTERM");
  await anyMoment(3);
  expect((await lyra.stop("SIGTERM")).code).toBe(0);
  expect(readdirSync(tmp)).toEqual([]);
});

const genesisOf = (home: string) => Bun.file(join(home, "genesis.json")).json();

async function beginAndStop(home: string, ...flags: string[]) {
  const lyra = new Lyra(["devnet", "--home", home, "--port", "0", "--json", ...flags]);
  await eventually(() => existsSync(join(home, "devnet.json")) || lyra.hasEnded);
  return lyra.stop("SIGTERM");
}

describe("impossible options are reported before anything is made", () => {
  const cases: [flags: string[], message: string][] = [
    [["--block", "often"], "--block must be"],
    [["--rules", "none"], "--rules must be"],
    [["--parameter", "x"], "is not key=value"],
    [["--node-port", "70000"], "--node-port must be a port"],
    [["--temporary", "--home", "x"], "give --home or --temporary"],
    [["--genesis", join(folder, "nowhere.json")], "cannot be read"],
  ];
  test.each(cases)("%j", async (flags, message) => {
    const { code, err } = await new Lyra([
      "devnet",
      "--home",
      join(folder, "never"),
      ...PORTS,
      ...flags,
    ]).end();
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(join(folder, "never", "lyra.db"))).toBe(false);
  });

  test("--reset leaves a home alone that holds no devnet", async () => {
    const home = join(folder, "recording");
    await Bun.write(join(home, "lyra.db"), "somebody's");
    const { code, err } = await new Lyra(["devnet", "--home", home, "--reset", ...PORTS]).end();
    expect({ code, left: readFileSync(join(home, "lyra.db"), "utf8") }).toEqual({
      code: 2,
      left: "somebody's",
    });
    expect(err).toContain("holds no devnet");
  });

  test("a new chain's parameter that is wrong keeps nothing from beginning later", async () => {
    const home = join(folder, "typo");
    const begin = (...flags: string[]) => beginAndStop(home, ...flags);
    const wrong = await begin("--parameter", "validators.epoch.lenght=5m");
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("unknown key") });
    const { genesis_time: first } = await genesisOf(home);
    expect(await begin("--parameter", "validators.epoch.length=5m")).toMatchObject({
      code: 0,
      err: expect.not.stringContaining("unknown key"),
    });
    const genesis = await genesisOf(home);
    expect(genesis.genesis_time).not.toBe(first);
    expect(genesis.app_state.network_parameters["validators.epoch.length"]).toBe("5m");
    // It is kept, whatever a reset is asked for that cannot begin; and what an existing chain cannot use is reported.
    const record = join(folder, "used.evts");
    writeFileSync(record, "used");
    for (const flags of [
      ["--parameter", "no=1"],
      ["--wallet-port", "x"],
      ["--record", record],
    ])
      expect((await begin("--reset", ...flags)).code).toBeGreaterThan(0);
    expect(await genesisOf(home)).toEqual(genesis);
    const { code, err } = await begin("--parameter", "validators.epoch.length=7m");
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("goes on without --parameter") });
    expect(await genesisOf(home)).toEqual(genesis);
    expect(existsSync(join(home, "before-reset"))).toBe(false);
  });

  test("a reset that was cut off loses the last chain only once another one is there", async () => {
    const home = join(folder, "cut-off");
    const aside = join(home, "before-reset");
    await beginAndStop(home);
    const genesis = await genesisOf(home);
    const cutOff = () => {
      mkdirSync(aside);
      for (const name of ["lyra.db", "genesis.json"]) renameSync(join(home, name), join(aside, name));
    };
    cutOff();
    expect((await beginAndStop(home, "--reset", "--parameter", "no=1")).code).toBeGreaterThan(0);
    expect(existsSync(aside)).toBe(false);
    expect(await genesisOf(home)).toEqual(genesis);
    cutOff();
    expect((await beginAndStop(home)).code).toBe(0);
    expect(existsSync(aside)).toBe(false);
    expect(await genesisOf(home)).not.toEqual(genesis);
  });

  test("an asset that nobody holds has its symbol all the same", async () => {
    const home = join(folder, "unfunded");
    const lyra = new Lyra(["devnet", "--home", home, ...PORTS, "--no-funding"]);
    await eventually(() => existsSync(join(home, "devnet.json")) || lyra.hasEnded);
    const funded = await new Lyra(["devnet", "fund", "alice", "tUSD", "5", "--home", home]).end();
    expect(funded).toMatchObject({ code: 0, err: "" });
    await lyra.stop("SIGTERM");
  });

  test("a home that holds a recording is refused, and left as one", async () => {
    const home = join(folder, "loaded");
    await new Lyra(["replay", join(import.meta.dir, "../../data/sample.evts.gz"), "--home", home]).end();
    const { code, err } = await new Lyra(["devnet", "--home", home, ...PORTS]).end();
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("this home holds a recording") });
    expect(existsSync(join(home, "genesis.json"))).toBe(false);
  });

  test("a dump that is not there, and a port that --port does not take", async () => {
    const home = join(folder, "address");
    await Bun.write(join(home, "devnet.json"), JSON.stringify({ nodeUrl: "http://127.0.0.1:9" }));
    const load = await new Lyra(["devnet", "load", join(folder, "nowhere"), "--home", home]).end();
    expect(load).toMatchObject({ code: 2, err: expect.stringContaining("cannot be read (ENOENT)") });
    const { code, err } = await new Lyra(["devnet", "--port", "3003"]).end();
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("--port must be 0") });
  });

  test("a genesis that cannot be used is refused with the reason", async () => {
    const file = join(folder, "genesis.json");
    writeFileSync(file, JSON.stringify({ chain_id: "x", genesis_time: "now", app_state: {} }));
    const { code, err } = await new Lyra(["devnet", "--temporary", "--genesis", file, ...PORTS]).end();
    expect(err).toContain("genesis");
    expect(code).toBe(1);
  });
});
