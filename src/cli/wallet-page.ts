// lyra wallet session page: the address of the wallet's page, and the browser that opens it.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { command, toggle } from "./command/command.ts";
import { dim, say } from "./terminal.ts";
import { print } from "./wallet-opening.ts";
import { askService } from "./wallet-session.ts";

/** The browser has read the file by then. */
const FILE_MS = 60_000;
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

export const page = command({
  flags: { open: toggle("start the browser with it") },
  notes: "  The address works once, for ten minutes, and ends the one before it.",
  json: "{url}; it is secret until it was opened",
  async run({ values }) {
    const home = values.home ?? defaultHome();
    const { url } = await askService(home, "service.page_link", {});
    if (values.open) openInBrowser(home, url);
    else if (values.json) print({ url });
    else process.stdout.write(`${url}\n`);
    return ExitCode.done;
  },
});

/** By a file that only its owner reads: other users of this machine see the arguments of every program. */
export function openInBrowser(home: string, url: string): void {
  const folder = join(home, "wallet-service");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "page.html");
  rmSync(path, { force: true });
  writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  const timer = setTimeout(() => rmSync(path, { force: true }), FILE_MS);
  timer.unref();
  process.once("exit", () => rmSync(path, { force: true }));
  try {
    const opener = OPENERS[process.platform] ?? ["xdg-open"];
    Bun.spawn([...opener, path], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  } catch {
    rmSync(path, { force: true });
    say(dim("no browser could be started: open the address by yourself"));
  }
}
