// A chain that is given the blocks of a script one after the other, to be killed: goes on where its home ends.
import { readFileSync } from "node:fs";
import { openWriter } from "../../src/store/database.ts";
import { openChain, play, type ScriptBlock } from "./script-of-blocks.ts";

const [home, scriptFile] = process.argv.slice(2) as [string, string];
const { first, script } = JSON.parse(readFileSync(scriptFile, "utf8")) as {
  readonly first: number;
  readonly script: ScriptBlock[];
};
const chain = openChain(openWriter(home));
console.log(`open ${chain.status.height} ${chain.resumption.sentence}`);
const appHash = await play(chain, script, first);
await chain.stop();
console.log(`done ${appHash}`);
process.exit(0);
