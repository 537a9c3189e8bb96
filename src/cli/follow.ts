// lyra replay --follow: load a file while it is written.
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import type { NodeConfig } from "../node/config.ts";
import { Loading } from "../node/loading.ts";
import type { ChainHead } from "../store/head.ts";
import { dim, grouped, onEndSignal, red, say } from "./terminal.ts";

interface FollowOptions {
  readonly quiet: boolean;
  readonly json: boolean;
}

/** Until a signal comes, or standard input ends. @returns the exit code */
export async function followFile(path: string, config: NodeConfig, options: FollowOptions): Promise<number> {
  const lock = lockHome(config.home);
  const loading = new Loading(config.home, config);
  const following = new TailLoad(path, loading, options);
  const forget = onEndSignal((signal) => following.stop(signal));
  try {
    await following.run(config.replay);
    await loading.segmentsMade();
  } finally {
    forget();
    await loading.close();
    lock.release();
  }
  return following.end();
}

class TailLoad {
  private head: ChainHead | undefined;
  private failure: NodeError | undefined;
  private signal: string | undefined;
  /** Height of the last message about waiting. */
  private waitedAt = -1;
  private missingBytes = 0;
  private readonly intake: ReturnType<Loading["intake"]>;

  constructor(
    path: string,
    private readonly loading: Loading,
    private readonly options: FollowOptions,
  ) {
    this.head = loading.writer.committedHead;
    this.intake = loading.intake(
      { kind: "file", path },
      {
        onCommit: (head) => this.noteCommit(head),
        onRead: (_, isAtEnd) => isAtEnd && this.noteWaiting(),
        onState: (trouble) =>
          this.noteTrouble(trouble && new NodeError("replay", trouble.code, trouble.text)),
        onKnown: () => {},
        onRefused: () => {},
        // A file takes no answers.
        onUpgrade: async () => {},
        onEnd: (missingBytes) => {
          this.missingBytes = missingBytes;
        },
        onFailed: (error) => {
          this.noteTrouble(error);
          this.intake.stop();
        },
      },
    );
  }

  /** @param files to load before */
  async run(files: readonly string[]): Promise<void> {
    const { files: ends } = await this.loading.replay(files, {
      isStopping: () => this.signal !== undefined,
      onCommit: (head) => this.noteCommit(head),
    });
    const damaged = ends.find(({ damage }) => damage);
    if (damaged) throw new NodeError("replay", "block_invalid", `${damaged.path}: ${damaged.damage!.reason}`);
    if (this.signal === undefined) await this.intake.run();
  }

  stop(signal: string): void {
    this.signal = signal;
    this.intake.stop();
  }

  /** Says how it ended. @returns the exit code */
  end(): number {
    const { head, failure, missingBytes } = this;
    const isCut = missingBytes > 0 && this.signal === undefined;
    if (this.options.json) {
      const report = {
        ...this.intake.count,
        chainId: head?.chainId ?? null,
        height: head?.height ?? null,
        ...(failure && { code: failure.code, message: failure.message }),
        ...(isCut && { missingBytes }),
      };
      process.stdout.write(`${JSON.stringify(report)}\n`);
    } else if (!this.options.quiet && head) {
      say(
        dim(
          `       stored ${grouped(this.intake.count.blocks)} blocks; the last block is ${grouped(head.height)}`,
        ),
      );
    }
    if (isCut && !this.options.json)
      say(`${red("damaged")} the input ends inside a record, ${missingBytes} bytes before its end`);
    if (this.signal === "SIGINT") return ExitCode.interrupted;
    return failure || isCut ? ExitCode.failed : ExitCode.done;
  }

  private noteCommit(head: ChainHead): void {
    this.head = head;
  }

  private noteWaiting(): void {
    const height = this.head?.height;
    if (height === undefined || height === this.waitedAt || this.failure || this.options.quiet) return;
    // Say it once per stretch of waiting, not for each block of a running core.
    const isFirst = this.waitedAt === -1;
    this.waitedAt = height;
    if (isFirst) say(`waiting for more events; the last block is ${grouped(height)}`, { height });
  }

  private noteTrouble(failure: NodeError | undefined): void {
    this.failure = failure;
    if (failure && !this.options.quiet) say(`${red("stopped")} ${failure.message}`, { code: failure.code });
    else if (!failure && this.waitedAt >= 0 && !this.options.quiet) say("blocks are stored again");
  }
}
