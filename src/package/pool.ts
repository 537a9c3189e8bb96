/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Devnets for tests that run in parallel: one for each worker, by its id. The pool is started by one process, before the tests; the
 * workers connect to it. A devnet starts when it is first asked for, and goes on for the worker's next file.
 */
import { randomBytes } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NodeError } from "../errors/node-error.ts";
import type { DevnetHandle, Started } from "./devnet-process.ts";
import { HttpClient } from "./http-client.ts";
import type { DevnetOptions } from "./options.ts";
import { type Devnet, RunningDevnet } from "./running-devnet.ts";
import { startProcess } from "./start-devnet.ts";

/** Options that only one devnet can have. */
const OF_ONE = [
  "home",
  "reset",
  "nodePort",
  "dataPort",
  "faucetPort",
  "grpcNodePort",
  "grpcDataPort",
  "record",
  "configOut",
  "eventsTo",
] as const satisfies readonly (keyof DevnetOptions)[];

/** Options of each devnet, and how many there may be. */
export interface PoolOptions extends Omit<DevnetOptions, (typeof OF_ONE)[number]> {
  /** Devnets at the same time; default 32. */
  readonly devnetsMax?: number;
}

export interface DevnetPool extends AsyncDisposable {
  /** Address for `connectPool`, with the pool's own secret. */
  readonly url: string;
  /**
   * The devnet of an id: in the state that it started in when this pool object is first asked for it, later as it is.
   * @param id default: the worker's, as vitest, jest, Bun and node:test number them, else the process's
   * @throws NodeError `usage`, `devnet_unreachable` when the pool has ended, and those of `startDevnet`
   */
  devnet(id?: string | number): Promise<Devnet>;
  /** Ends all devnets where the pool was started; elsewhere only the connection to it. */
  stop(): Promise<void>;
}

const DEVNETS_MAX = 32;
/** Where `startPool` leaves the address for the workers that are started after it. */
const VARIABLE = "LYRA_POOL_URL";
const WORKER_VARIABLES = ["VITEST_POOL_ID", "JEST_WORKER_ID", "BUN_TEST_WORKER_ID", "NODE_TEST_WORKER_ID"];
const ID = /^[\w.-]{1,60}$/;
const PROCESS_ID = /^process-(\d+)$/;
const TOKEN_BYTES = 16;
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** The answer of the pool. */
interface Lent {
  readonly started: Started;
  readonly pid: number;
  /** Snapshot of the state that it started in. */
  readonly clean: string;
}

/**
 * Starts a pool in this process, with which it ends. Its address is in the environment variable `LYRA_POOL_URL`, where
 * processes that are started later find it.
 * @throws NodeError `usage`
 */
export async function startPool(options: PoolOptions = {}): Promise<DevnetPool> {
  const { devnetsMax = DEVNETS_MAX, ...devnetOptions } = options;
  const stray = OF_ONE.find((name) => name in options);
  if (stray !== undefined)
    throw wrong(`a pool has no option '${stray}'`, "it is an option of a single devnet: startDevnet");
  if (!Number.isInteger(devnetsMax) || devnetsMax < 1)
    throw wrong("'devnetsMax' must be a whole number above zero");
  const keeper = new Keeper(devnetOptions, devnetsMax);
  const url = await keeper.listen();
  process.env[VARIABLE] = url;
  return new ConnectedPool(url, async () => {
    if (process.env[VARIABLE] === url) delete process.env[VARIABLE];
    await keeper.stop();
  });
}

/** A pool that another process, or another module of this one, has started. @throws NodeError `usage` */
export function connectPool(url: string | undefined = process.env[VARIABLE]): DevnetPool {
  if (url === undefined || url === "")
    throw wrong("there is no pool to connect to", "start one before the tests: await startPool()");
  return new ConnectedPool(url, async () => {});
}

/** Starts the devnets and lends them. */
class Keeper {
  private readonly devnets = new Map<string, Promise<{ readonly devnet: Devnet; readonly lent: Lent }>>();
  private readonly token = randomBytes(TOKEN_BYTES).toString("hex");
  private server: Server | undefined;

  constructor(
    private readonly options: DevnetOptions,
    private readonly devnetsMax: number,
  ) {}

  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      const [, token = "", id = ""] = (request.url ?? "").split("/");
      if (token !== this.token || request.method !== "POST") answer(response, 404, {});
      else
        this.serve(id).then(
          (body) => answer(response, 200, body),
          (error) => answer(response, 400, errorBody(error)),
        );
    });
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    server.unref();
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${this.token}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections?.();
    this.server?.close();
    await Promise.all([...this.devnets.keys()].map((id) => this.end(id)));
  }

  /** @param word an id, or `-` and an id to end its devnet */
  private async serve(word: string): Promise<object> {
    if (word.startsWith("-")) {
      await this.end(word.slice(1));
      return {};
    }
    if (!ID.test(word)) throw wrong("an id must be 1 to 60 letters, digits, points, underscores and hyphens");
    await this.endForgotten();
    const lent = this.devnets.get(word) ?? this.start(word);
    return (await lent).lent;
  }

  private start(id: string) {
    if (this.devnets.size >= this.devnetsMax) {
      const text = `the pool has ${this.devnetsMax} devnets, and may have no more`;
      throw wrong(text, "stop one, or give more: startPool({ devnetsMax })");
    }
    const starting = startProcess(this.options).then(async ({ devnet, started }) => {
      void devnet.ended.then(() => this.devnets.delete(id));
      return { devnet, lent: { started, pid: devnet.pid, clean: await devnet.snapshot() } };
    });
    this.devnets.set(id, starting);
    starting.catch(() => this.devnets.delete(id));
    return starting;
  }

  private async end(id: string): Promise<void> {
    const running = await this.devnets.get(id)?.catch(() => undefined);
    await running?.devnet.stop();
  }

  /** Ends the devnets of processes that have ended. */
  private async endForgotten(): Promise<void> {
    const forgotten = [...this.devnets.keys()].filter((id) => {
      const pid = PROCESS_ID.exec(id)?.[1];
      return pid !== undefined && !isRunning(Number(pid));
    });
    await Promise.all(forgotten.map((id) => this.end(id)));
  }
}

class ConnectedPool implements DevnetPool {
  private readonly http = new HttpClient(() => undefined);
  private readonly devnets = new Map<string, Promise<Devnet>>();

  constructor(
    readonly url: string,
    private readonly onStop: () => Promise<void>,
  ) {}

  devnet(id: string | number = workerId()): Promise<Devnet> {
    const name = String(id);
    const devnet = this.devnets.get(name) ?? this.borrow(name);
    this.devnets.set(name, devnet);
    devnet.then(
      ({ ended }) => ended.then(() => this.devnets.delete(name)),
      () => this.devnets.delete(name),
    );
    return devnet;
  }

  async stop(): Promise<void> {
    await this.onStop();
    this.http.close();
  }

  [asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async borrow(id: string): Promise<Devnet> {
    const lent = await this.http.json<Lent>("POST", `${this.url}/${encodeURIComponent(id)}`);
    const handle = new LentDevnet(lent.pid, async () => {
      await this.http.json("POST", `${this.url}/-${encodeURIComponent(id)}`);
    });
    const devnet = new RunningDevnet(handle, lent.started, false);
    await devnet.revert(lent.clean);
    return devnet;
  }
}

/** The process of another process. */
class LentDevnet implements DevnetHandle {
  readonly ended: Promise<NodeError>;
  endedBy: NodeError | undefined;
  private resolve: (reason: NodeError) => void = () => {};

  constructor(
    readonly pid: number,
    private readonly end: () => Promise<void>,
  ) {
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  async stop(): Promise<void> {
    this.endedBy = new NodeError(
      "devnet.process",
      "devnet_ended",
      "the devnet was stopped",
      "ask the pool again",
    );
    await this.end();
    this.resolve(this.endedBy);
  }
}

function workerId(): string {
  const number = WORKER_VARIABLES.map((name) => process.env[name]).find(
    (value) => value !== undefined && value !== "",
  );
  return number ?? `process-${process.pid}`;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The API's form of an error. */
function errorBody(error: unknown): object {
  const { message, code = "", hint = "" } = error as Partial<NodeError>;
  return { message, details: [{ message: code, inner: hint }] };
}

function wrong(message: string, hint = ""): NodeError {
  return new NodeError("devnet.pool", "usage", message, hint);
}
