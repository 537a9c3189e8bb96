// `lyra` as `npm link` installs it, started in a foreign folder: it takes neither code nor settings from there.
import { afterAll, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";

const scratch = new Scratch("foreign-folder");
afterAll(() => scratch.remove());
const ROOT = join(import.meta.dir, "../..");

test.skipIf(process.platform === "win32")("a folder's preload and variables are left alone", async () => {
  const [tree, cwd] = [scratch.path(), scratch.path()];
  for (const folder of [tree, join(tree, "src"), cwd]) mkdirSync(folder);
  // A link to the sources would be followed: the launcher alone is copied, so that it can be made executable.
  const program = join(tree, "src", "main.ts");
  copyFileSync(join(ROOT, "src", "main.ts"), program);
  chmodSync(program, 0o755);
  for (const name of readdirSync(join(ROOT, "src"))) {
    if (name !== "main.ts") symlinkSync(join(ROOT, "src", name), join(tree, "src", name));
  }
  writeFileSync(join(cwd, "preload.ts"), 'require("node:fs").writeFileSync("ran", "");');
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(cwd, ".env"), `LYRA_HOME=${join(cwd, "taken")}\n`);
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const { out, err } = await lyra(["doctor", "--json"], { program: [program], cwd, env });
  expect(err).toBe("");
  expect(JSON.parse(out).home).not.toContain("taken");
  expect(readdirSync(cwd)).not.toContain("ran");
});
