// Flips single bits of a store at random. None may change what can be read and pass the checks of `lyra doctor --deep`,
// and none may be answered wrongly by a server whose scrub has gone round once. Over a recording the home is as a kill
// leaves it, with everything in its log:
// bun scripts/rot-rig.ts --home DIR | --recording FILE [--flips N] [--seed N] [--in store|log|sums] [--no-scrub]
import { parseArgs } from "node:util";
import { Scratch } from "../test/rig/homes.ts";
import { type Flip, killedHome, RottingHome, type StoreEnd } from "../test/rig/rot.ts";
import { Dice } from "./sample/seeded.ts";

const ENDS: Readonly<Record<string, StoreEnd>> = { store: "", log: "-wal", sums: "-sums" };

const { values } = parseArgs({
  options: {
    home: { type: "string" },
    recording: { type: "string" },
    flips: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    in: { type: "string", default: "store" },
    // Shows that the rig can fail.
    "no-scrub": { type: "boolean", default: false },
  },
});
const end = ENDS[values.in];
if (end === undefined) throw new Error("flip --in store, log or sums");

const scratch = new Scratch("rot-rig");
const dice = new Dice(Number(values.seed));
const doctor = { found: 0, harmless: 0, missed: 0 };
const server = { refused: 0, equal: 0, failed: 0, wrong: 0 };
let bytes = 0;
let requests = 0;
try {
  const rotting = await RottingHome.of(await givenHome(), scratch.path());
  bytes = rotting.bytes(end);
  requests = rotting.requests;
  if (bytes === 0) throw new Error(`the home has no ${values.in}`);
  for (let i = 0; i < Number(values.flips); i++) await tryFlip(rotting, drawn());
} finally {
  scratch.remove();
}
process.stdout.write(
  `${JSON.stringify({ flips: Number(values.flips), in: values.in, bytes, requests, doctor, server })}\n`,
);
process.exitCode = doctor.missed + server.wrong === 0 ? 0 : 1;

async function givenHome(): Promise<string> {
  if (values.recording) return killedHome(values.recording, scratch.path(), scratch.path());
  if (values.home) return values.home;
  throw new Error("give a home that was loaded with segments: --home DIR, or --recording FILE");
}

function drawn(): Flip {
  return { end: end!, offset: dice.below(bytes), bit: dice.below(8) };
}

async function tryFlip(rotting: RottingHome, flip: Flip): Promise<void> {
  rotting.flip(flip);
  if (await rotting.isFound()) doctor.found++;
  else if (rotting.isSame()) doctor.harmless++;
  else {
    doctor.missed++;
    process.stderr.write(`not found: byte ${flip.offset}, bit ${flip.bit}\n`);
  }
  rotting.flip(flip);
  const { isRefused, equal, failed, wrong } = await rotting.serve(!values["no-scrub"]);
  if (isRefused) server.refused++;
  else if (wrong.length > 0) {
    server.wrong++;
    process.stderr.write(`wrong: byte ${flip.offset}, bit ${flip.bit}: ${wrong.join(" ")}\n`);
  } else if (failed > 0) server.failed++;
  else if (equal > 0) server.equal++;
}
