// Socket intake against file ingest: the same events sent to a sidecar's event socket at full speed, and loaded as a file by
// `lyra replay`, in turn. The recording is made longer by its own blocks again, higher and later, so that what a start
// costs counts for little on either side.
// bun bench/intake.ts [--rounds N] [--binary PATH]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { EnvelopeReader } from "../src/wire/bus-event.ts";
import { decodeBusEvent, encodeBusEvent } from "../src/wire/generated/events.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";
import { ListeningLyra } from "../test/rig/lyra.ts";
import { messagesOf, Sender } from "../test/rig/sp-sender.ts";
import { blockSpans, record, recordOffsets } from "../test/rig/stream.ts";
import { argument, defaultRecording, median, programOf } from "./support.ts";

const TIMES = 8;
const ROUNDS = 5;
const POLL_MS = 20;
const BEGIN_BLOCK = 148;
const END_BLOCK = 149;
const HEAD_BYTES = 12;

interface Stream {
  readonly bytes: Uint8Array;
  readonly events: number;
  readonly lastHeight: number;
}

/** The whole blocks of a recording, and the same again behind them. */
function longer(recording: Uint8Array, times: number): Stream {
  const spans = blockSpans(recording);
  const offsets = recordOffsets(recording.subarray(0, spans.at(-1)!.end));
  const messages = offsets.slice(0, -1).map((at, i) => recording.subarray(at + HEAD_BYTES, offsets[i + 1]!));
  const begins = spans.map(({ record }) => decodeBusEvent(messages[record - 1]!).beginBlock!);
  const heights = spans.at(-1)!.height;
  const spanNs = begins.at(-1)!.timestamp - begins[0]!.timestamp + SECOND_NS;
  // The first height comes twice, and only at the beginning.
  const again = spans.findIndex(({ height }, i) => i > 0 && height === spans[0]!.height);
  const skipped = again > 0 ? spans[again]!.record - 1 : 0;
  const records: Uint8Array[] = [];
  for (let n = 0; n < times; n++) {
    const shift = { height: n * heights, timeNs: BigInt(n) * spanNs };
    for (const message of n === 0 ? messages : messages.slice(skipped)) {
      records.push(record(n === 0 ? message : later(message, shift), BigInt(records.length)));
    }
  }
  return { bytes: Buffer.concat(records), events: records.length, lastHeight: times * heights };
}

const envelope = new EnvelopeReader();

function later(message: Uint8Array, shift: { height: number; timeNs: bigint }): Uint8Array {
  envelope.read(message, 0, message.length);
  const height = envelope.height + shift.height;
  const id = `${height}-${envelope.seq}`;
  if (envelope.field !== BEGIN_BLOCK && envelope.field !== END_BLOCK) {
    // The id is the first field.
    return Buffer.concat([Uint8Array.of(10, id.length), Buffer.from(id), message.subarray(envelope.idEnd)]);
  }
  const event = { ...decodeBusEvent(message), id };
  if (event.endBlock) event.endBlock = { ...event.endBlock, height: BigInt(height) };
  if (event.beginBlock) {
    const timestamp = event.beginBlock.timestamp + shift.timeNs;
    event.beginBlock = { ...event.beginBlock, height: BigInt(height), timestamp };
  }
  return encodeBusEvent(event);
}

const binary = argument("--binary");
const program = programOf(binary);

/** Milliseconds, from the first event to the last commit. */
async function ingestFile(path: string, home: string): Promise<number> {
  const words = ["replay", path, "--home", home, "--segments", "network", "--json"];
  const run = Bun.spawn([...program, ...words], { stdout: "pipe", stderr: "inherit" });
  const { seconds } = JSON.parse(await new Response(run.stdout).text()) as { seconds: number };
  await run.exited;
  return seconds * 1_000;
}

interface Where {
  readonly dataUrl: string;
  readonly eventsPort: number;
}

async function ingestSocket(bytes: Uint8Array, lastHeight: number, home: string): Promise<number> {
  const ports = ["--events-port", "0", "--data-port", "0", "--node-port", "0"];
  const sidecar = new ListeningLyra<Where>(["sidecar", "--home", home, ...ports], { program });
  const { dataUrl, eventsPort } = await sidecar.listens();
  const height = async () =>
    ((await (await fetch(`${dataUrl}/status`)).json()) as { height: number | null }).height;
  const started = performance.now();
  const sender = await Sender.dial({ hostname: "127.0.0.1", port: eventsPort });
  await sender.write(bytes);
  while ((await height()) !== lastHeight) await Bun.sleep(POLL_MS);
  const ms = performance.now() - started;
  await sidecar.stop();
  return ms;
}

const folder = mkdtempSync(join(tmpdir(), "lyra-bench-"));
try {
  const given = readFileSync(defaultRecording());
  const stream = longer(gunzipSync(given), TIMES);
  const path = join(folder, "stream.evts");
  writeFileSync(path, stream.bytes);
  const messages = Buffer.concat(messagesOf(stream.bytes));
  const file: number[] = [];
  const socket: number[] = [];
  for (let round = 0; round < Number(argument("--rounds") ?? ROUNDS); round++) {
    file.push(await ingestFile(path, join(folder, `file-${round}`)));
    socket.push(await ingestSocket(messages, stream.lastHeight, join(folder, `socket-${round}`)));
    for (const kind of ["file", "socket"]) rmSync(join(folder, `${kind}-${round}`), { recursive: true });
  }
  const rate = (ms: number) => (stream.events / ms) * 1_000;
  const figures = {
    events: stream.events,
    fileEventsPerSecond: rate(median(file)),
    socketEventsPerSecond: rate(median(socket)),
    ratioToFile: median(socket.map((ms, i) => file[i]! / ms)),
  };
  console.log(JSON.stringify(figures, undefined, 1));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
