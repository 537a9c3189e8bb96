// Sessions that outlive the service: seen and revoked while none runs, also in the moment in which one begins.
import { afterAll, describe, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceFiles } from "../../../src/planes/wallet/start.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import { revokeKept, Sessions } from "../../../src/wallet/service/sessions.ts";
import { Cli } from "../support/cli.ts";
import { Rig } from "./rig.ts";

const clis: Cli[] = [];
const newCli = () => {
  const cli = new Cli();
  clis.push(cli);
  return cli;
};
afterAll(() => {
  for (const cli of clis) cli.remove();
});

const sessionsOf = (home: string) =>
  new Sessions({ random: secureRandom, now: () => "", file: serviceFiles(home).sessions });

async function withSessions(...pairs: readonly (readonly [hostname: string, wallet: string])[]) {
  const cli = newCli();
  const sessions = sessionsOf(cli.home);
  const tokens: string[] = [];
  for (const [hostname, wallet] of pairs) tokens.push(await sessions.open(hostname, wallet, true));
  return { cli, tokens };
}

describe("while no service runs", () => {
  test("kept sessions are listed and revoked, by hostname or by hostname and wallet", async () => {
    const { cli } = await withSessions(["a.example", "one"], ["a.example", "two"], ["b.example", "one"]);
    const list = async () =>
      JSON.parse((await cli.run(["wallet", "session", "list", "--json"])).out) as unknown;
    const session = (hostname: string, wallet: string) => ({ hostname, wallet });
    expect(await list()).toEqual({
      sessions: [session("a.example", "one"), session("a.example", "two"), session("b.example", "one")],
      served: false,
    });
    const revoke = (...words: string[]) => cli.run(["wallet", "session", "revoke", ...words, "--json"]);
    expect((await revoke("a.example", "--wallet", "two")).out).toBe('{"revoked":"a.example","sessions":1}\n');
    expect((await revoke("b.example")).out).toBe('{"revoked":"b.example","sessions":1}\n');
    expect((await revoke("b.example")).out).toBe('{"revoked":"b.example","sessions":0}\n');
    expect(await list()).toEqual({ sessions: [session("a.example", "one")], served: false });
    const file = join(cli.home, "wallet-service", "sessions.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const shown = await cli.run(["wallet", "session", "list"]);
    expect([shown.out, shown.err]).toEqual([
      "a.example  one\n",
      "no service runs: these are the sessions that the next one brings back\n",
    ]);
    expect((await cli.run(["wallet", "session", "revoke", "c.example"])).err).toStartWith(
      "c.example has no session",
    );
  }, 120_000);

  test("a revoked one is nobody's when the service is there again, and the others are", async () => {
    const { cli, tokens } = await withSessions(["a.example", "vectors"], ["b.example", "vectors"]);
    await cli.run(["wallet", "session", "revoke", "a.example"]);
    const rig = await Rig.start({ home: cli.home, hasSocket: false });
    const statuses: number[] = [];
    for (const [at, hostname] of ["a.example", "b.example"].entries()) {
      const headers = { origin: `https://${hostname}`, authorization: `VWT ${tokens[at]}` };
      statuses.push((await rig.call("client.list_keys", {}, headers)).status);
    }
    expect(statuses).toEqual([401, 200]);
    await rig.stop();
  });

  test("a file that is no JSON of ours is said to be, and is left alone", async () => {
    const { cli } = await withSessions(["a.example", "one"]);
    const file = join(cli.home, "wallet-service", "sessions.json");
    writeFileSync(file, "{", { mode: 0o600 });
    const { code, err } = await cli.run(["wallet", "session", "revoke", "a.example"]);
    expect([code, err.includes("is not the JSON it should be")]).toEqual([1, true]);
  });
});

describe("while a service begins", () => {
  test("a session revoked after the service read the file ends, before or with its next write", async () => {
    const { cli, tokens } = await withSessions(["a.example", "one"], ["b.example", "one"]);
    const { sessions: file } = serviceFiles(cli.home);
    const [heeding, writing] = [sessionsOf(cli.home), sessionsOf(cli.home)];
    await heeding.load();
    await writing.load();
    expect(await revokeKept(file, { hostname: "a.example" })).toBe(1);
    await heeding.applyRevocations();
    expect(heeding.all.map(({ hostname }) => hostname)).toEqual(["b.example"]);
    await writing.open("c.example", "one", true);
    expect(writing.find(tokens[0]!)).toBeUndefined();
    expect((await file.read()).sessions.map(({ hostname }) => hostname)).toEqual(["b.example", "c.example"]);
  });

  test("a session that begins meanwhile is not taken for a revoked one", async () => {
    const { cli } = await withSessions();
    const sessions = sessionsOf(cli.home);
    await sessions.load();
    const beginning = sessions.open("new.example", "one", true);
    await sessions.applyRevocations();
    await beginning;
    expect(sessions.all.map(({ hostname }) => hostname)).toEqual(["new.example"]);
  });
});
