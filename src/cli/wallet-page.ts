// lyra wallet session page: the address of the wallet's page, and the browser that opens it.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { command, toggle } from "./command/command.ts";
import { dim, say } from "./terminal.ts";
import { print } from "./wallet-opening.ts";
import { askService } from "./wallet-session.ts";

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

/**
 * By a file that only its owner reads: other users of this machine see the arguments of every program. The file stays after
 * this process where that ends at once; its link works once, for ten minutes.
 * @returns removes the file
 */
export function openInBrowser(home: string, url: string): () => void {
  const folder = join(home, "wallet-service");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "page.html");
  const remove = () => rmSync(path, { force: true });
  remove();
  writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
  try {
    const opener = OPENERS[process.platform] ?? ["xdg-open"];
    Bun.spawn([...opener, path], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  } catch {
    remove();
    say(dim(`no browser could be started: open ${url}`));
  }
  return remove;
}
