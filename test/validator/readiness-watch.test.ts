// A validator's conclusions from looks at its engine: readiness, what is refused, one line in the log for each change.
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { ReadinessWatch } from "../../src/validator/readiness-watch.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";

let heights = 0;

/** A validator whose engine, clock and disk the test moves. */
class Bench {
  nowNs = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
  /** Lead of the machine's clock. */
  aheadSeconds = 0;
  /** The log leaves out lines that are repeated: each bench has its own. */
  height = (heights += 1_000);
  timeNs = this.nowNs - SECOND_NS;
  halt: string | undefined;
  barred: string | undefined;
  isDialled = true;
  isRunning = true;
  isCatchingUp = false;
  peers: readonly number[] = [this.height + 1, this.height + 1, this.height + 1];
  free = 1e9;
  changes = 0;
  requests = 0;
  readonly watch: ReadinessWatch;

  constructor() {
    const bench = this;
    const answer = async (value: unknown) => {
      this.requests++;
      if (!this.isRunning) throw new Error("ECONNREFUSED");
      return value as never;
    };
    this.watch = new ReadinessWatch({
      chain: {
        get committed() {
          return { height: bench.height } as never;
        },
        get haltReason() {
          return bench.halt;
        },
        get status() {
          const { height, timeNs } = bench;
          return { height, timeNs, previousTimeNs: timeNs - SECOND_NS };
        },
        failure: undefined,
        validators: 4,
        bar: (reason) => {
          this.barred = reason;
        },
      },
      engine: {
        ownValidator: () => answer({ isCatchingUp: this.isCatchingUp, version: "0.38.26", address: "aa" }),
        peerHeights: () => answer(this.peers),
      },
      isDialled: () => this.isDialled,
      isTakingState: () => false,
      doubleSigned: (address) => ({ count: 2, own: address }),
      freeBytes: () => this.free,
      nowNs: () => this.nowNs,
      machineClockUs: () => Number(this.nowNs / 1_000n) + this.aheadSeconds * 1e6,
      onChange: () => {
        this.changes++;
      },
    });
  }

  /** Seconds with a look in each, and with a block where the network makes some. */
  async pass(seconds: number, { blocks = false } = {}): Promise<void> {
    for (let n = 0; n < seconds; n++) {
      this.nowNs += SECOND_NS;
      if (blocks) {
        this.height++;
        this.timeNs += SECOND_NS;
        this.peers = this.peers.map(() => this.height + 1);
        this.watch.noteBlock();
      }
      await this.watch.look();
    }
  }

  get notReady(): string | undefined {
    return this.watch.report().notReady;
  }
}

let lines: ReturnType<typeof spyOn<typeof process.stderr, "write">>;
beforeEach(() => {
  lines = spyOn(process.stderr, "write").mockImplementation(() => true);
});
afterEach(() => lines.mockRestore());

/** Levels, codes and begins of the lines since the last call. */
function logged(): string[] {
  const all = lines.mock.calls.map(([text]) => JSON.parse(String(text)));
  lines.mockClear();
  return all.map(({ level, code = "", message }) => `${level} ${code} ${message.slice(0, 30)}`);
}

async function ready(): Promise<Bench> {
  const bench = new Bench();
  await bench.pass(6, { blocks: true });
  expect(bench.notReady).toBeUndefined();
  expect(logged()).toEqual(["info  the consensus engine is connec", "info  ready: with the others at bloc"]);
  return bench;
}

test("an engine that never starts is no start: it is not ready, and says so once", async () => {
  const bench = new Bench();
  bench.isDialled = false;
  bench.isRunning = false;
  expect(bench.notReady).toContain("has not connected yet");
  await bench.pass(95);
  expect(bench.notReady).toContain("no consensus engine is connected since 2026-01-01T00:00:00Z");
  expect(logged()).toEqual(["error engine_away no consensus engine is connect"]);
});

test("given an engine that is killed, then it is not ready after five seconds, and is again when blocks go on", async () => {
  const bench = await ready();
  bench.isDialled = false;
  bench.isRunning = false;
  await bench.pass(5);
  expect(bench.notReady).toBeUndefined();
  expect(bench.watch.report()).toMatchObject({ isConnected: false, peers: 0, version: "0.38.26" });
  await bench.pass(1);
  expect(bench.notReady).toContain("no consensus engine is connected");
  expect(bench.barred).toBeUndefined();
  bench.isDialled = true;
  bench.isRunning = true;
  bench.isCatchingUp = true;
  await bench.pass(10, { blocks: true });
  expect(bench.notReady).toContain("it catches up");
  bench.isCatchingUp = false;
  await bench.pass(4, { blocks: true });
  expect(bench.notReady).toBeUndefined();
  expect(bench.watch.report()).toMatchObject({
    isConnected: true,
    peers: 3,
    validators: 4,
    isCatchingUp: false,
  });
  expect(logged()).toEqual([
    "info  the consensus engine has close",
    "error engine_away no consensus engine is connect",
    "info  the consensus engine is connec",
    "info  not ready: it catches up with ",
    "info  ready: with the others at bloc",
  ]);
});

test("given that two of four validators go away, then it is not ready within 30 seconds, takes submissions, and is ready when they are back", async () => {
  const bench = await ready();
  bench.peers = [bench.height + 1];
  await bench.pass(19);
  expect(bench.notReady).toBeUndefined();
  await bench.pass(1);
  expect(bench.notReady).toMatch(/^no block has come since .* its consensus engine has 1 peer$/);
  expect(bench.barred).toBeUndefined();
  await bench.pass(60);
  bench.peers = [0, 0, 0];
  await bench.pass(4, { blocks: true });
  expect(bench.notReady).toBeUndefined();
  expect(logged()).toEqual([
    "error chain_stands no block has come since 2026-0",
    "info  ready: with the others at bloc",
  ]);
});

test("given that the others go on without it, then it refuses submissions, with their height as it is now", async () => {
  const bench = await ready();
  const { height } = bench;
  bench.peers = [height + 5, height + 5, height + 5];
  await bench.pass(6);
  expect(bench.barred).toContain(
    `stands at block ${height} while 3 of its 3 peers are at block ${height + 4}`,
  );
  bench.peers = [height + 60, height + 60, height + 60];
  bench.free = 0;
  await bench.pass(1);
  expect(bench.notReady).toContain(`peers are at block ${height + 59}`);
  expect(bench.notReady).toEndWith("its disk is full");
  bench.free = 1e9;
  await bench.pass(6);
  expect(bench.notReady).toMatch(/its disk was full until 2026-01-01T\S+Z$/);
  bench.watch.noteBlock();
  expect(bench.barred).toBeUndefined();
  await bench.pass(4, { blocks: true });
  expect([bench.notReady, bench.barred]).toEqual([undefined, undefined]);
  expect(logged()).toEqual([
    "error validator_differs this validator stands at block",
    "error disk_full this validator stands at block",
    "info  ready: with the others at bloc",
  ]);
});

test("an engine that waits for the next release is asked nothing, and the halt has its own line in the log", async () => {
  const bench = await ready();
  bench.halt = "protocol upgrade to v2";
  const { requests } = bench;
  await bench.pass(60);
  expect(bench.notReady).toBe("protocol upgrade to v2");
  expect(bench.requests).toBe(requests);
  expect(logged()).toEqual([]);
});

test("a clock that is ten minutes ahead shows, a busy network and its pace do not", async () => {
  const bench = await ready();
  await bench.pass(40, { blocks: true });
  expect(bench.watch.report().clockSkewSeconds).toBe(0);
  bench.aheadSeconds = 600;
  await bench.pass(40, { blocks: true });
  expect(bench.watch.report().clockSkewSeconds).toBeWithin(595, 605);
  expect(bench.notReady).toBeUndefined();
});

test("only what has changed is reported beside blocks", async () => {
  const bench = await ready();
  const { changes } = bench;
  await bench.pass(10, { blocks: true });
  expect(bench.changes).toBe(changes);
  bench.peers = [bench.height + 1];
  await bench.pass(1);
  expect(bench.changes).toBe(changes + 1);
});
