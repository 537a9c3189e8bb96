// bun scripts/notices.ts                  writes THIRD_PARTY_NOTICES.md
// bun scripts/notices.ts --texts FILE     writes the texts of the licences
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { licenceTexts, notices } from "./package/licences.ts";

const root = join(import.meta.dir, "..");
const [flag, file] = process.argv.slice(2);
if (flag === undefined) writeFileSync(join(root, "THIRD_PARTY_NOTICES.md"), await notices(root));
else if (flag === "--texts" && file) writeFileSync(file, await licenceTexts(root));
else {
  console.error("bun scripts/notices.ts [--texts FILE]");
  process.exit(2);
}
