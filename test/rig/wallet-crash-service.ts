// A wallet service that keeps its sessions, killed while pages connect to it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policyHash } from "../../src/wallet/policies/policy.ts";
import { readLog } from "../../src/wallet/policies/request-log.ts";
import { tokenHash } from "../../src/wallet/service/tokens.ts";
import type { Scratch } from "./homes.ts";
import { serviceFolderOf, sessionsOf } from "./wallet-home.ts";

const PAIRING_TOKEN = "k".repeat(64);
const POLICY = {
  version: 1 as const,
  name: "all connections",
  rules: [{ name: "connect", hostnames: ["*"], connect: true, pairing: tokenHash(PAIRING_TOKEN) }],
  otherwise: "reject" as const,
};
const LISTEN_MS_MAX = 30_000;

interface Connected {
  readonly hostname: string;
  readonly token: string;
}

export class ServiceKiller {
  private readonly configOut: string;

  constructor(
    private readonly home: string,
    private readonly program: readonly string[],
    private readonly scratch: Scratch,
  ) {
    this.configOut = scratch.path("where.json");
  }

  /** @param killMs after the first connection. @returns what is wrong afterwards */
  async run(killMs: number): Promise<string[]> {
    const policy = `${this.configOut}.policy`;
    writeFileSync(policy, JSON.stringify(POLICY));
    const words = ["--wallet-port", "0", "--keep-sessions", "--config-out", this.configOut];
    const unlock = ["--unlock", "old", "--passphrase-file", join(this.home, "original")];
    const decide = ["--wallet-approve", "policy", "--policy", policy, "--policy-hash", policyHash(POLICY)];
    const node = ["--node-url", "http://127.0.0.1:1"];
    const child = Bun.spawn([...this.program, "wallet", "serve", ...words, ...unlock, ...decide, ...node], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      env: { PATH: process.env.PATH, HOME: this.scratch.folder, LYRA_HOME: this.home },
    });
    const url = await this.listening(() => child.exitCode !== null);
    const connected: Connected[] = [];
    let timer: Timer | undefined;
    for (let page = 1; child.exitCode === null && child.signalCode === null; page++) {
      const hostname = `page-${page}.example`;
      const token = await connect(url, hostname);
      if (token === undefined) break;
      connected.push({ hostname, token });
      timer ??= setTimeout(() => child.kill("SIGKILL"), killMs);
    }
    child.kill("SIGKILL");
    clearTimeout(timer);
    await child.exited;
    return this.problems(connected);
  }

  /** Every connection that was answered is kept, and in the log; one more may be. */
  private async problems(connected: readonly Connected[]): Promise<string[]> {
    const problems: string[] = [];
    const sessions = sessionsOf(this.home);
    await sessions.load();
    for (const { hostname, token } of connected) {
      if (sessions.find(token)?.hostname !== hostname) problems.push(`the session of ${hostname} is gone`);
    }
    const more = sessions.all.filter(({ wallet }) => wallet === "old").length - connected.length;
    if (more < 0 || more > 1) problems.push(`there are ${more} sessions more than were told of`);
    const log = readLog(join(serviceFolderOf(this.home), "requests.jsonl"));
    const logged = log.filter(({ kind, outcome }) => kind === "connection" && outcome === "done");
    if (logged.length < connected.length) {
      problems.push(`${logged.length} of ${connected.length} connections are in the log`);
    }
    return problems;
  }

  private async listening(hasEnded: () => boolean): Promise<string> {
    const deadline = performance.now() + LISTEN_MS_MAX;
    while (!existsSync(this.configOut)) {
      if (hasEnded() || performance.now() > deadline) throw new Error("the service does not listen");
      await Bun.sleep(5);
    }
    return (JSON.parse(readFileSync(this.configOut, "utf8")) as { walletUrl: string }).walletUrl;
  }
}

async function connect(url: string, hostname: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/v2/requests`, {
      method: "POST",
      headers: {
        "content-type": "application/json-rpc",
        origin: `https://${hostname}`,
        authorization: `VWT ${PAIRING_TOKEN}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", method: "client.connect_wallet", params: {}, id: "1" }),
    });
    await response.text();
    return response.headers.get("authorization")?.slice("VWT ".length);
  } catch {
    // It was killed.
    return undefined;
  }
}
