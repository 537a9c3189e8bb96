// Removes the oldest rows of a home until it is killed.
import { Loading } from "../../src/node/loading.ts";

const [home = "", bytes = "0"] = process.argv.slice(2);
const disk = { bytes: Number(bytes), retention: "archive" } as const;
const loading = new Loading(home, { segmentLength: 100, segments: undefined, disk });
await loading.segmentsMade();
process.stdout.write("pruning\n");
await loading.prune();
await loading.close();
process.stdout.write("done\n");
