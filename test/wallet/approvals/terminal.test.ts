// Approvals on real terminals: the one that runs the service, and a second one. Text typed for an ended request,
// or before one is shown, approves nothing.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../../rig/lyra.ts";
import { eventually, grace, staysOpen } from "../../support/eventually.ts";
import { answerOf, type RpcAnswer } from "../service/rig.ts";
import { Cli } from "../support/cli.ts";
import { HAS_SETSID } from "../support/pty.ts";

const WAIT_MS_MAX = 20_000;
const CONNECT = "connect? yes/NO/keep/block/clear: ";
const OVER = "the request does not wait any more";

let cli: Cli;
beforeAll(() => {
  cli = new Cli();
});
afterAll(() => cli.remove());

/** `lyra WORDS` with somebody before it. */
class Seat {
  private text = "";
  private seen = 0;
  private readonly terminal = new Bun.Terminal({
    cols: 200,
    rows: 50,
    data: (_, chunk) => {
      this.text += Buffer.from(chunk).toString("utf8").replaceAll("\r\n", "\n");
    },
  });
  readonly child;

  constructor(...words: string[]) {
    this.child = Bun.spawn(["/usr/bin/setsid", "--ctty", ...PROGRAM, ...words], {
      terminal: this.terminal,
      env: { PATH: process.env.PATH, HOME: cli.home, LYRA_HOME: cli.home, TERM: "dumb", NO_COLOR: "1" },
    });
  }

  /** Waits for a text that was not seen before. @returns what came until its end */
  async sees(text: string): Promise<string> {
    await eventually(
      () => this.rest.includes(text),
      () => `'${text}' in: ${this.rest}`,
    );
    const end = this.text.indexOf(text, this.seen) + text.length;
    const came = this.text.slice(this.seen, end);
    this.seen = end;
    return came;
  }

  types(keys: string): void {
    this.terminal.write(keys);
  }

  /** Text that came while no test waited for it. */
  get rest(): string {
    return this.text.slice(this.seen);
  }

  end(): void {
    this.child.kill("SIGKILL");
    this.terminal.close();
  }
}

describe.skipIf(!HAS_SETSID)("approvals on two terminals", () => {
  let service: Seat;
  let url: string;
  const others: Seat[] = [];
  beforeEach(async () => {
    const out = join(cli.home, `where-${crypto.randomUUID()}.json`);
    service = new Seat(
      ...["wallet", "serve", "--wallet-port", "0", "--config-out", out, "--node-url", "http://127.0.0.1:1"],
      ...["--unlock", "old", "--passphrase-file", cli.passphraseFile],
    );
    expect(await service.sees("Ctrl-C stops.")).toContain(
      "you are asked, here and in: lyra wallet approvals",
    );
    await eventually(() => existsSync(out));
    url = JSON.parse(readFileSync(out, "utf8")).walletUrl;
  }, WAIT_MS_MAX);
  afterEach(() => {
    for (const seat of [service, ...others.splice(0)]) seat.end();
  });

  const second = async () => {
    const seat = new Seat("wallet", "approvals");
    others.push(seat);
    await seat.sees("waiting for requests");
    return seat;
  };
  const connect = async (host: string, signal?: AbortSignal): Promise<RpcAnswer> =>
    answerOf(
      await fetch(`${url}/v2/requests`, {
        method: "POST",
        headers: { "content-type": "application/json-rpc", origin: `https://${host}` },
        body: '{"jsonrpc":"2.0","method":"client.connect_wallet","id":"1"}',
        ...(signal && { signal }),
      }),
    );

  test("either answers; the other one is told that it is over; a late answer is for nothing", async () => {
    const other = await second();
    const first = connect("a.example");
    expect(await service.sees(CONNECT)).toContain("a.example wants to connect to a wallet");
    await other.sees(CONNECT);
    other.types("yes\n");
    expect((await first).status).toBe(200);
    await service.sees(OVER);
    // The answer to the first comes when the next one is waiting already; its prompt comes without a key.
    const next = connect("b.example");
    await other.sees(CONNECT);
    service.types("yes\nyes");
    await service.sees(CONNECT);
    expect(await staysOpen(next)).toBe(true);
    // A line that was begun before it is dropped as well.
    service.types("\n");
    expect((await next).body.error.code).toBe(3001);
    await other.sees(OVER);
  }, 120_000);

  test("keys typed before a question was shown do not answer it", async () => {
    service.types("yes\nyes\n");
    await grace(100);
    const first = connect("a.example");
    await service.sees(CONNECT);
    expect(await staysOpen(first, 200)).toBe(true);
    // A paste: its first line is the answer, the others are for nobody.
    const next = connect("b.example");
    service.types("no\nyes\nyes\n");
    expect((await first).body.error.code).toBe(3001);
    await service.sees(CONNECT);
    expect(await staysOpen(next, 200)).toBe(true);
    service.types("\n");
    expect((await next).body.error.code).toBe(3001);
  }, 120_000);

  test("a page that goes away takes its question with it", async () => {
    const controller = new AbortController();
    const lost = connect("gone.example", controller.signal).catch(() => "gone");
    await service.sees(CONNECT);
    controller.abort();
    expect(await lost).toBe("gone");
    await service.sees(OVER);
    service.types("yes\n");
    await grace(100);
    const sessions = JSON.parse((await cli.run(["wallet", "session", "list", "--json"])).out);
    expect(sessions).toEqual({ sessions: [], served: true });
  }, 120_000);

  test("when the service ends while one waits, the page and both terminals are told", async () => {
    const other = await second();
    const waiting = connect("late.example");
    await service.sees(CONNECT);
    await other.sees(CONNECT);
    service.types("\x03");
    const answer = await waiting;
    expect([answer.body.error.code, answer.body.error.data]).toEqual([
      3000,
      "the user closed the connection",
    ]);
    expect(await service.child.exited).toBe(130);
    await other.sees(OVER);
    await other.sees("no wallet service runs");
    expect(await other.child.exited).toBe(3);
  }, 120_000);

  test("at the end of its input a terminal asks no more, and a second one goes on", async () => {
    const first = connect("a.example");
    await service.sees(CONNECT);
    service.types("\x04");
    await service.sees("no more prompts here");
    const other = await second();
    await other.sees(CONNECT);
    other.types("keep\n");
    expect((await first).status).toBe(200);
    const kept = readFileSync(join(cli.home, "wallet-service", "sessions.json"), "utf8");
    expect(kept).toContain('"hostname": "a.example"');
  }, 120_000);
});
