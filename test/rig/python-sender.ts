// The rig's sender by another SP implementation: nng, in a process of Python (scripts/sidecar-sender.py).
import { join } from "node:path";
import type { RigSender } from "./sidecar.ts";

const PROGRAM = join(import.meta.dir, "..", "..", "scripts", "sidecar-sender.py");
const PYTHON = process.env.PYTHON ?? "python3";

export async function hasPynng(): Promise<boolean> {
  try {
    const child = Bun.spawn([PYTHON, "-c", "import pynng"], { stdout: "ignore", stderr: "ignore" });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}

export class PythonSender implements RigSender {
  private child: Bun.Subprocess<"pipe", "pipe", "inherit"> | undefined;
  private answers: AsyncGenerator<string> | undefined;

  constructor(private readonly path: string) {}

  dial(port: number): Promise<void> {
    return this.order(`dial tcp://127.0.0.1:${port}`);
  }

  send(from: number, to: number): Promise<void> {
    return this.order(`send ${from} ${to}`);
  }

  /** Events that still wait in its queue are lost, as in a core that ends. */
  async end(): Promise<boolean> {
    await this.order("close");
    return false;
  }

  async abort(): Promise<void> {
    this.child?.kill("SIGKILL");
    await this.child?.exited;
    this.child = undefined;
  }

  private async order(line: string): Promise<void> {
    if (this.child === undefined) {
      this.child = Bun.spawn([PYTHON, PROGRAM, this.path], {
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      });
      this.answers = linesOf(this.child.stdout);
    }
    this.child.stdin.write(`${line}\n`);
    this.child.stdin.flush();
    const { value } = await this.answers!.next();
    if (value !== "ok") throw new Error(`the sender's answer to '${line}' is '${value}'`);
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + Buffer.from(piece).toString()).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
