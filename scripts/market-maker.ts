// `npm run example:market-maker`: the example with the sources in the place of the package's executable.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "lyra-example-"));
const lyra = join(folder, "lyra");
const program = join(import.meta.dir, "..", "src", "main.ts");
writeFileSync(lyra, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
process.env.LYRA_BINARY = lyra;
try {
  await import("../examples/market-maker/main.js" as string);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
