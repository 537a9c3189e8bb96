// `--config-out FILE`: who waits for the file sees all of it or nothing.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { openWriter } from "../../src/store/database.ts";
import { Scratch } from "../rig/homes.ts";
import { Lyra } from "../rig/lyra.ts";

const scratch = new Scratch("config-out");
afterAll(() => scratch.remove());

const withStore = (): string => {
  const home = scratch.path();
  mkdirSync(home);
  openWriter(home).close();
  return home;
};

const SERVICES: Record<string, (home: string) => string[]> = {
  serve: () => ["serve", "--home", withStore(), "--data-port", "0"],
  devnet: (home) => [
    ...["devnet", "--home", home, "--node-port", "0"],
    ...["--data-port", "0", "--faucet-port", "0"],
  ],
  wallet: (home) => [
    ...["wallet", "serve", "--home", home, "--wallet-port", "0"],
    ...["--node-url", "http://127.0.0.1:1"],
  ],
};

describe("--config-out FILE that cannot be written", () => {
  for (const [name, words] of Object.entries(SERVICES)) {
    test(`ends ${name} with a sentence`, async () => {
      const file = `${scratch.path("nowhere")}/where.json`;
      const { code, err } = await new Lyra([...words(scratch.path()), "--config-out", file]).end();
      expect(code).toBe(1);
      expect(err).toContain(`${file} cannot be written: ENOENT`);
      expect(err).toContain("give --config-out a file in a folder that exists");
      expect(existsSync(dirname(file))).toBe(false);
    });
  }
});
