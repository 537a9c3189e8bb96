// lyra version: what this executable is.
import { Database } from "bun:sqlite";
import { PROGRAM_RELEASE } from "../engine/upgrades.ts";
import { BUILD, COMMIT, VERSION } from "../node/build.ts";
import { SCHEMA_VERSION } from "../store/schema.ts";
import { command } from "./command/command.ts";

export const version = command({
  json: "{version, commit, interface, release, schema, bun, sqlite}",
  wrongWords: ([word]) => `version takes no '${word}'`,
  run({ values }) {
    const db = new Database(":memory:");
    const sqlite = (db.query("SELECT sqlite_version() AS v").get() as { v: string }).v;
    db.close();
    const facts = {
      version: VERSION,
      commit: COMMIT,
      interface: BUILD.version,
      release: PROGRAM_RELEASE,
      schema: SCHEMA_VERSION,
      bun: Bun.version,
      sqlite,
    };
    if (values.json) process.stdout.write(`${JSON.stringify(facts)}\n`);
    else
      process.stdout.write(
        `lyra ${VERSION} (${COMMIT}), interface ${BUILD.version}, release ${PROGRAM_RELEASE}, schema ${SCHEMA_VERSION}, Bun ${Bun.version}, SQLite ${sqlite}\n`,
      );
    return 0;
  },
});
