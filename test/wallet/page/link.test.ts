// The page's address: printed by the service that a person runs, a new one over the local socket, opened without standing in
// the arguments of a program.
import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../../rig/lyra.ts";
import { eventually } from "../../support/eventually.ts";
import { Cli } from "../support/cli.ts";

const cli = new Cli();
afterAll(() => cli.remove());

test("the browser starts with a file of the owner's own; a new link comes over the socket", async () => {
  const bin = join(cli.home, "bin");
  const opened = join(cli.home, "opened");
  mkdirSync(bin);
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$@" > ${opened}.arguments\ncp -p "$1" ${opened}\n`);
  chmodSync(join(bin, "xdg-open"), 0o700);
  const out = join(cli.home, "where.json");
  const service = Bun.spawn(
    [
      ...[...PROGRAM, "wallet", "serve", "--wallet-port", "0", "--config-out", out, "--open"],
      ...["--node-url", "http://127.0.0.1:1", "--unlock", "old", "--passphrase-file", cli.passphraseFile],
    ],
    {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: cli.home, LYRA_HOME: cli.home },
    },
  );
  try {
    await eventually(() => existsSync(opened) && existsSync(out));
    const { walletPort } = JSON.parse(readFileSync(out, "utf8"));
    const link = new RegExp(`http://127\\.0\\.0\\.1:${walletPort}/#open=(\\w{64})`);
    const [, first] = link.exec(readFileSync(opened, "utf8"))!;
    expect(statSync(opened).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${opened}.arguments`, "utf8")).not.toContain(first!);
    expect(readFileSync(out, "utf8")).not.toContain("open=");

    const printed = await cli.run(["wallet", "session", "page", "--json"]);
    const [, second] = link.exec(JSON.parse(printed.out).url)!;
    const open = (token: string) =>
      fetch(`http://127.0.0.1:${walletPort}/page/api/open`, {
        method: "POST",
        headers: { origin: `http://127.0.0.1:${walletPort}`, "content-type": "application/json" },
        body: JSON.stringify({ link: token }),
      });
    expect([(await open(first!)).status, (await open(second!)).status, (await open(second!)).status]).toEqual(
      [403, 200, 403],
    );
  } finally {
    service.kill("SIGTERM");
    await service.exited;
  }
  const output = (await new Response(service.stdout).text()) + (await new Response(service.stderr).text());
  expect(output).not.toContain("open=");
  expect(existsSync(join(cli.home, "wallet-service", "page.html"))).toBe(false);
}, 60_000);
