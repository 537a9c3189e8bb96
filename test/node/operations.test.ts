// Operating a node: its service manager, its memory, the unit, the dashboard, and the page for alarms.
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ALARMS, alarmTable, alertRules, PAGE_FILE, RULES_FILE, withTable } from "../../scripts/alarms.ts";
import { DASHBOARD_FILE, dashboardOf, knownMetrics } from "../../scripts/grafana.ts";
import type { ProgramEntry } from "../../src/errors/explanation.ts";
import { isProgramCode, PROGRAM_CODES } from "../../src/errors/program-codes.ts";
import { checkMemory } from "../../src/node/memory-limit.ts";
import { loadSidecarConfig } from "../../src/node/sidecar-config.ts";
import { startNode } from "../../src/start-node.ts";
import { SAMPLE, Scratch } from "../rig/homes.ts";
import { ListeningLyra, lyra, PROGRAM } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

const root = join(import.meta.dir, "..", "..");
const scratch = new Scratch("operations");
afterAll(() => scratch.remove());

const UNIT = join(root, "data", "lyra-sidecar.service");
const python = Bun.which("python3");
const hasPython = python !== null;
if (!hasPython)
  console.log("SKIPPED: python3 is not on this machine, so no datagram of a node is received here");
const analyze = Bun.which("systemd-analyze");
const hasAnalyze = analyze !== null;
if (!hasAnalyze)
  console.log("SKIPPED: systemd-analyze is not on this machine, so it does not check the unit here");

const promtool = Bun.which("promtool");
const hasPromtool = promtool !== null;
if (!hasPromtool)
  console.log("SKIPPED: promtool is not on this machine, so it does not check the alert rules here");

/** Receives what a node tells its service manager, ends it, and prints all as JSON. */
const MANAGER = `
import json, os, signal, socket, subprocess, sys
path, words = sys.argv[1], sys.argv[2:]
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(path.replace("@", "\\0", 1))
manager.settimeout(15)
env = {**os.environ, "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "300000"}
node = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL)
said = [manager.recv(1000).decode() for _ in range(3)]
node.send_signal(signal.SIGTERM)
while not said[-1].startswith("STOPPING"):
    said.append(manager.recv(1000).decode())
print(json.dumps([node.wait(), said]))
`;

/** Receives the first that a node tells its service manager, and prints it as JSON. */
const FAILING = `
import json, os, socket, subprocess, sys
path, words = sys.argv[1], sys.argv[2:]
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(path)
manager.settimeout(15)
node = subprocess.Popen(words, env={**os.environ, "NOTIFY_SOCKET": path}, stdout=subprocess.DEVNULL)
print(json.dumps(manager.recv(1000).decode()))
node.wait()
`;

const sidecar = () => [
  ...["sidecar", "--home", scratch.path(), "--events-port", "0"],
  ...["--data-port", "0", "--node-port", "0", "--quiet"],
];
const listenAs = (address: string): [number, string[]] => {
  const script = scratch.file(MANAGER, "manager.py");
  const { stdout } = Bun.spawnSync([python!, script, address, ...PROGRAM, ...sidecar()], {
    stderr: "pipe",
  });
  return JSON.parse(stdout.toString()) as [number, string[]];
};

if (!hasPython) test.skip("a service manager hears of a node", () => {});
else
  test("a service manager hears that a node is ready, alive, and stopping", () => {
    for (const address of [scratch.path("notify"), `@lyra-test-${process.pid}`]) {
      const [code, notices] = listenAs(address);
      expect(code).toBe(0);
      expect(notices[0]).toBe("READY=1\nSTATUS=block 0 of chain (none yet)");
      expect(notices.slice(1, 3).every((message) => message.startsWith("WATCHDOG=1\n"))).toBe(true);
      expect(notices.at(-1)).toBe("STOPPING=1");
    }
  });

test("a service manager that is gone changes nothing", async () => {
  const env = { NOTIFY_SOCKET: scratch.path("nowhere"), WATCHDOG_USEC: "30000" };
  const node = new ListeningLyra<{ dataUrl: string }>(sidecar(), { env });
  const { dataUrl } = await node.listens();
  await eventually(async () => (await fetch(`${dataUrl}/healthz`)).ok);
  expect(node.hasEnded).toBe(false);
  expect((await node.stop()).code).toBe(0);
});

describe("a sidecar on a home whose history is cut by length", () => {
  const home = scratch.path();
  const words = [...sidecar().slice(3), "--home", home];

  test("goes on with it, as a home began", async () => {
    expect((await lyra(["replay", SAMPLE, "--home", home, "--quiet"])).code).toBe(0);
    const node = await startNode({ kind: "sidecar", home, events: { host: "127.0.0.1", port: 0 } });
    expect(node.head()?.height).toBe(3_010);
    await node.stop();
  });

  test("refuses the other kind, and a cause that lasts ends the restarts of its unit", async () => {
    const command = ["sidecar", ...words, "--segments", "network"];
    const ended = await lyra(command);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('"code":"segments_differ"')]);
    const managed = await lyra(command, { env: { NOTIFY_SOCKET: scratch.path("nowhere") } });
    expect([managed.code, managed.err]).toEqual([5, expect.stringContaining('"code":"segments_differ"')]);
    const prevented = /^RestartPreventExitStatus=(.*)$/m.exec(readFileSync(UNIT, "utf8"))![1]!;
    expect(prevented.split(" ")).toEqual(["2", "5"]);
  });

  test("whose store was removed says so, and ends the restarts too", async () => {
    const stripped = scratch.path();
    mkdirSync(stripped);
    copyFileSync(join(home, "lyra.db-sums"), join(stripped, "lyra.db-sums"));
    const ended = await lyra(["sidecar", "--home", stripped, ...sidecar().slice(3)], {
      env: { NOTIFY_SOCKET: scratch.path("nowhere") },
    });
    expect([ended.code, ended.err]).toEqual([5, expect.stringContaining('"code":"store_missing"')]);
    expect(readdirSync(stripped)).toContain("lyra.db-sums");
  });

  if (hasPython)
    test("the service manager is told the cause", () => {
      const script = scratch.file(FAILING, "failing.py");
      const command = [...PROGRAM, "sidecar", ...words, "--segments", "network"];
      const { stdout } = Bun.spawnSync([python!, script, scratch.path("failing"), ...command], {
        stderr: "pipe",
      });
      expect(JSON.parse(stdout.toString())).toMatch(
        /^STOPPING=1\nSTATUS=segments_differ: the history segments/,
      );
    });
});

if (!hasAnalyze) test.skip("the unit is one that systemd takes", () => {});
else
  test("the unit is one that systemd takes", () => {
    const unit = scratch.file(
      readFileSync(UNIT, "utf8").replaceAll("/usr/local/bin/lyra", "/bin/true"),
      "l.service",
    );
    const { exitCode, stderr } = Bun.spawnSync([analyze!, "verify", "--man=no", unit], { stderr: "pipe" });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  });

describe("the unit", () => {
  test("gives a sidecar flags that it has, and the memory that it needs", () => {
    const text = readFileSync(UNIT, "utf8");
    const words = /^ExecStart=(.*)$/m.exec(text)![1]!.split(" ");
    expect(words.slice(1, 2)).toEqual(["sidecar"]);
    const config = scratch.file('events-port = 3005\ncomet = "http://127.0.0.1:26657"\n', "sidecar.toml");
    expect(loadSidecarConfig({}, { home: scratch.path(), config }, {}).events?.port).toBe(3005);
    expect(words.filter((word) => word.startsWith("--"))).toEqual(["--home", "--config"]);
    expect(() => checkMemory(() => "", 1024 ** 3)).not.toThrow();
    expect(text).toContain("MemoryMax=1G");
  });
});

describe("a limit of memory", () => {
  const files = (texts: Readonly<Record<string, string>>) => (path: string) => {
    const text = texts[path];
    if (text === undefined) throw new Error("ENOENT");
    return text;
  };
  const MIB = 2 ** 20;
  const CASES: readonly (readonly [name: string, texts: Readonly<Record<string, string>>, mib: number])[] = [
    ["of the root", { "/sys/fs/cgroup/memory.max": `${100 * MIB}\n` }, 100],
    [
      "of a unit",
      {
        "/proc/self/cgroup": "0::/system.slice/lyra.service\n",
        "/sys/fs/cgroup/system.slice/lyra.service/memory.max": `${7 * MIB}`,
      },
      7,
    ],
    [
      "of the slice above",
      {
        "/proc/self/cgroup": "0::/a.slice/b\n",
        "/sys/fs/cgroup/a.slice/b/memory.max": "max",
        "/sys/fs/cgroup/a.slice/memory.max": `${9 * MIB}`,
      },
      9,
    ],
    [
      "of version 1",
      {
        "/proc/self/cgroup": "4:cpu,memory:/x\n",
        "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": `${6 * MIB}`,
      },
      6,
    ],
  ];
  for (const [name, texts, mib] of CASES) {
    test(`${name} is found, and refused with a sentence`, () =>
      expect(() => checkMemory(files(texts), 8e9)).toThrow(
        `this process may use ${mib} MiB of memory, and a sidecar needs 384 MiB`,
      ));
  }

  test("that is enough, or stands for no limit, is not", () => {
    checkMemory(files({}), 8e9);
    checkMemory(files({ "/sys/fs/cgroup/memory.max": `${384 * MIB}` }), 8e9);
    checkMemory(files({ "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712" }), 8e9);
    expect(() => checkMemory(files({}), 200 * MIB)).toThrow("200 MiB");
    const limits = (space: string) =>
      files({ "/proc/self/limits": `Max cpu time 1\nMax address space  ${space}  ${space}\n` });
    checkMemory(limits("unlimited"), 8e9);
    expect(() => checkMemory(limits(String(900 * MIB)), 8e9)).toThrow("may use 900 MiB of address space");
  });
});

describe("lyra health", () => {
  test("ends with 0 where a node answers, with 3 where none does", async () => {
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.endsWith("/readyz")
          ? Response.json({ code: 14, message: "loading", details: [] }, { status: 503 })
          : new Response("ok"),
    });
    const url = `http://127.0.0.1:${server.port}`;
    expect(await lyra(["health", "--url", url])).toEqual({ code: 0, out: "ok\n", err: "" });
    expect(await lyra(["health", "--ready", "--url", url])).toEqual({ code: 3, out: "loading\n", err: "" });
    await server.stop(true);
    expect(await lyra(["health", "--url", url])).toMatchObject({ code: 3 });
  });
});

describe("the dashboard", () => {
  test("is made of the metrics that there are: bun scripts/grafana.ts", async () => {
    expect(readFileSync(DASHBOARD_FILE, "utf8")).toBe(dashboardOf(await knownMetrics()));
  });

  test("has a panel for each", async () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD_FILE, "utf8")) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const metrics = await knownMetrics();
    const named = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(metrics.filter(({ name }) => !named.some((expr) => expr.includes(name)))).toEqual([]);
    expect(metrics.length).toBeGreaterThan(20);
    const names = metrics.map(({ name }) => name);
    for (const name of [
      "disk_budget_bytes",
      "event_log_unread_bytes",
      "follower_height",
      "scrub_time_seconds",
    ])
      expect(names).toContain(`lyra_${name}`);
  });
});

describe("the alert rules for Prometheus", () => {
  const rules = readFileSync(RULES_FILE, "utf8");
  const { groups } = Bun.YAML.parse(rules) as {
    groups: { name: string; rules: Record<string, unknown>[] }[];
  };

  test("are made of the alarms of the documents: bun scripts/alarms.ts", () => {
    expect(rules).toBe(alertRules());
    const page = readFileSync(PAGE_FILE, "utf8");
    expect(page).toBe(withTable(page));
    expect(page).toContain(alarmTable());
  });

  test("are what Prometheus reads", () => {
    expect(groups.map(({ name }) => name)).toEqual(["lyra"]);
    const names = groups[0]!.rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(ALARMS.length);
    for (const rule of groups[0]!.rules) {
      expect(Object.keys(rule)).toEqual(["alert", "expr", "for", "labels", "annotations"]);
      expect(rule.alert).toMatch(/^Lyra[A-Za-z]+$/);
      expect(rule.for).toMatch(/^\d+[smhd]$/);
      expect(["critical", "warning"]).toContain((rule.labels as { severity: string }).severity);
      for (const text of Object.values(rule.annotations as Record<string, string>))
        expect(text.replace("{{ $labels.instance }}", "")).not.toMatch(/[`{}]/);
    }
  });

  test("ask for metrics that there are, in balanced expressions", async () => {
    const metrics = new Set([...(await knownMetrics()).map(({ name }) => name), "up"]);
    for (const { alert, expr } of ALARMS) {
      const bare = expr.replace(/"[^"]*"/g, "");
      const named = bare.match(/\b(?:lyra|process)_\w+|\bup\b/g) ?? [];
      expect({ alert, unknown: named.filter((name) => !metrics.has(name)) }).toEqual({ alert, unknown: [] });
      expect(named.length).toBeGreaterThan(0);
      for (const [open, close] of ["()", "[]", "{}"])
        expect({ alert, count: bare.split(open!).length }).toEqual({
          alert,
          count: bare.split(close!).length,
        });
    }
  });
});

if (!hasPromtool) test.skip("the alert rules are some that promtool takes", () => {});
else
  test("the alert rules are some that promtool takes", () => {
    expect(Bun.spawnSync([promtool!, "check", "rules", RULES_FILE]).exitCode).toBe(0);
  });

describe("the page for alarms", () => {
  /** Rooms of a sidecar: their codes are what /status, /readyz and the log show. */
  const ROOMS = ["node", "ingest", "comet", "store"];
  /** These end a command that a person has typed. */
  const isUsage = (code: keyof typeof PROGRAM_CODES) =>
    (PROGRAM_CODES[code] as ProgramEntry).exit === "usage";

  const page = readFileSync(join(root, "docs", "operations.md"), "utf8");
  const alarms = page.slice(page.indexOf("## Alarms"));

  test("has a line for every code that a sidecar can show", () => {
    const codes = new Set<string>();
    for (const room of ROOMS) {
      const folder = join(root, "src", room);
      const names = readdirSync(join(root, "src")).includes(room) ? readdirSync(folder) : [];
      for (const name of names.filter((one) => one.endsWith(".ts"))) {
        for (const [, word] of readFileSync(join(folder, name), "utf8").matchAll(/"([a-z_]+)"/g))
          if (isProgramCode(word!) && !isUsage(word) && !NOT_SHOWN.has(word)) codes.add(word);
      }
    }
    expect(codes.size).toBeGreaterThan(20);
    expect([...codes].filter((code) => !alarms.includes(`| \`${code}\``)).sort()).toEqual([]);
  });

  test("has a line for every state of a source", () => {
    for (const state of ["waiting", "connected", "receiving", "paused", "stopped"])
      expect(alarms).toContain(`| \`${state}\``);
  });
});

/** Words that are also something else in the code, or codes of commands that a person types. */
const NOT_SHOWN = new Set<string>(["stopped", "refused", "file_failed", "invalid_transaction"]);
