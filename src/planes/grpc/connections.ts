/**
 * The places of a gRPC port. A connection must open its first call in time, and finish what it has begun. Where all places
 * are taken, one without a call gives way to a new one: first one that has never opened any, then one that is idle.
 */
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { givesWay } from "../../http/connection-places.ts";
import { type IncomingRequest, requestBudget } from "../../http/request-budget.ts";

/** Preface, settings and the headers of the first call must be whole within this. */
const FIRST_CALL_MS = 20_000;
/**
 * A ping goes to a connection this long after its last answer, and is answered within the second time. Inside a frame, or
 * between the frames of a header block, a client cannot answer (RFC 9113, section 4.3): so headers have a limit of time.
 */
const PING_MS = 10_000;
const PING_ANSWER_MS = 15_000;
/** Interval at which connections are looked at, while there are some. */
const LOOK_MS = 250;
/** Time for the client to take the last frame of a connection that is closed. */
const GOODBYE_MS = 1_000;
/** Nothing is wrong: a client opens another connection by itself. */
const NO_ERROR = 0;

export class Connections {
  private readonly all = new Set<Connection>();
  /** Those that have not opened a call, oldest first. */
  private readonly uncalled = new Set<Connection>();
  /** Those whose calls have all ended, the one that is idle for the longest time first. */
  private readonly idle = new Set<Connection>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly max: number) {}

  /** @returns undefined where there is no place for it: it is closed */
  add(socket: Socket): Connection | undefined {
    if (this.all.size >= this.max && !this.makePlace(socket)) {
      socket.destroy();
      return undefined;
    }
    const connection = new Connection(socket, {
      onIdle: () => this.idle.add(connection),
      onCall: () => {
        this.uncalled.delete(connection);
        this.idle.delete(connection);
      },
      onEnd: () => this.remove(connection),
    });
    this.all.add(connection);
    this.uncalled.add(connection);
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
    return connection;
  }

  /** Breaks off what is left. */
  destroy(): void {
    for (const connection of this.all) connection.destroy();
  }

  private makePlace(next: Socket): boolean {
    const connection = givesWay([...this.uncalled], next) ?? givesWay([...this.idle], next);
    connection?.close();
    return connection !== undefined;
  }

  private look(): void {
    const nowMs = requestBudget.nowMs();
    for (const connection of this.all) connection.checkAlive(nowMs);
  }

  private remove(connection: Connection): void {
    for (const set of [this.all, this.uncalled, this.idle]) set.delete(connection);
    if (this.all.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

interface ConnectionHooks {
  /** It has begun a call. */
  onCall(): void;
  /** Its last call has ended. */
  onIdle(): void;
  /** It has no place any more. */
  onEnd(): void;
}

export class Connection {
  readonly remoteAddress: string;
  private readonly firstCall: IncomingRequest;
  private session: ServerHttp2Session | undefined;
  private calls = 0;
  /** Of the last call whose headers were whole. */
  private lastStreamId = 0;
  /** When a ping was last sent or answered. */
  private pingMs = requestBudget.nowMs();
  private isPingSent = false;
  private hasEnded = false;

  constructor(
    private readonly socket: Socket,
    private readonly hooks: ConnectionHooks,
  ) {
    this.remoteAddress = socket.remoteAddress ?? "";
    this.firstCall = requestBudget.open(FIRST_CALL_MS, () => this.close());
    socket.once("close", () => this.end());
  }

  /** @param session that reads from the socket from now on */
  start(session: ServerHttp2Session): void {
    this.session = session;
    session.on("stream", (stream) => this.noteCall(stream));
  }

  /** Closes a connection that does not finish a frame or a header block, or whose client is gone. */
  checkAlive(nowMs: number): void {
    const { session } = this;
    if (session === undefined || session.destroyed) return;
    const sinceMs = nowMs - this.pingMs;
    if (this.isPingSent) {
      if (sinceMs >= PING_ANSWER_MS) this.close();
      return;
    }
    if (sinceMs < PING_MS) return;
    this.pingMs = nowMs;
    // Calls under way have the library's own pings, which leave more time.
    if (this.calls > 0 && !this.hasBegunHeaders(session)) return;
    this.isPingSent = true;
    session.ping(() => {
      this.isPingSent = false;
      this.pingMs = requestBudget.nowMs();
    });
  }

  /** Tells the client, and gives the place back. */
  close(): void {
    this.end();
    const { session, socket } = this;
    if (session === undefined || session.destroyed) {
      socket.destroy();
      return;
    }
    session.close();
    setTimeout(() => this.destroy(), GOODBYE_MS).unref();
  }

  destroy(): void {
    if (this.session?.destroyed === false) this.session.destroy();
    this.socket.destroy();
  }

  private noteCall(stream: ServerHttp2Stream): void {
    this.lastStreamId = stream.id ?? 0;
    this.firstCall.release();
    this.calls++;
    if (!this.hasEnded) this.hooks.onCall();
    stream.once("close", () => {
      this.calls--;
      if (this.calls === 0 && !this.hasEnded) this.hooks.onIdle();
    });
    // The library has refused it, and would leave it open until its client has sent the whole request.
    if (stream.writableEnded) stream.once("finish", () => stream.close(NO_ERROR));
  }

  private hasBegunHeaders(session: ServerHttp2Session): boolean {
    return (session.state.lastProcStreamID ?? 0) > this.lastStreamId;
  }

  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.firstCall.release();
    this.hooks.onEnd();
  }
}
