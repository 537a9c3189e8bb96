// Messages to systemd (sd_notify(3)): ready, stopping, alive. They go as datagrams to the Unix socket that NOTIFY_SOCKET
// names. The runtime has no such sockets, so three calls of the C library are made directly; where they cannot be made, or
// no manager listens, nothing happens.
import { dlopen, FFIType, ptr } from "bun:ffi";
import type { NodeError } from "../errors/node-error.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
/** A manager that has gone ends no process by a signal. */
const MSG_NOSIGNAL = 0x4000;
const FAMILY_BYTES = 2;
/** Of the path in a socket's address, its last zero among them. */
const PATH_BYTES_MAX = 108;
const LIBRARIES = ["libc.so.6", "libc.so"];
/** Signs of life in the time after which the manager gives the process up. */
const SIGNS = 3;

type Send = (message: string) => void;

/** Causes of a failed start that the next start meets again: they are for a person. */
const LASTING: ReadonlySet<string> = new Set([
  ...["segments_differ", "own_chain", "schema_newer", "schema_older", "store_foreign", "migration_failed"],
  ...["store_damaged", "store_missing", "store_unreadable", "memory_low", "host_empty", "sqlite_too_old"],
]);
/** Ends the restarts of the unit (`RestartPreventExitStatus`). */
const NO_RESTART_CODE = 5;

export class ServiceManager {
  private timer: ReturnType<typeof setInterval> | undefined;

  private constructor(
    private readonly send: Send,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @returns undefined where no manager has started this process */
  static find(env: NodeJS.ProcessEnv = process.env): ServiceManager | undefined {
    const address = env.NOTIFY_SOCKET;
    if (address === undefined || !/^[/@]./.test(address) || process.platform !== "linux") return undefined;
    const send = sender(address);
    return send && new ServiceManager(send, env);
  }

  /**
   * The node answers. Where the manager watches the process, it hears from now on that the process is alive.
   * @param status a line for `systemctl status`, made when it is sent
   * @param isAlive false ends the signs of life: the manager restarts the process
   */
  notifyReady(status: () => string, isAlive: () => boolean): void {
    this.send(`READY=1\nSTATUS=${status()}`);
    const { WATCHDOG_USEC, WATCHDOG_PID } = this.env;
    const us = Number(WATCHDOG_USEC);
    const isMine = WATCHDOG_PID === undefined || WATCHDOG_PID === "" || Number(WATCHDOG_PID) === process.pid;
    if (!(us > 0) || !isMine) return;
    this.timer = setInterval(
      () => {
        if (isAlive()) this.send(`WATCHDOG=1\nSTATUS=${status()}`);
      },
      us / 1_000 / SIGNS,
    );
    this.timer.unref();
  }

  /**
   * The node could not start: `systemctl status` shows why.
   * @returns the exit code that ends the restarts, for a cause that the next start would meet again
   */
  notifyFailed({ code, message, exitCode }: NodeError): number {
    this.send(`STOPPING=1\nSTATUS=${code}: ${message.replaceAll("\n", " ")}`);
    return LASTING.has(code) ? NO_RESTART_CODE : exitCode;
  }

  notifyStopping(): void {
    clearInterval(this.timer);
    this.send("STOPPING=1");
  }
}

/** @returns undefined where the C library has no such calls */
function sender(address: string): Send | undefined {
  const path = Buffer.from(address);
  if (path.length >= PATH_BYTES_MAX) return undefined;
  const calls = library();
  if (calls === undefined) return undefined;
  const isAbstract = address.startsWith("@");
  const name = Buffer.alloc(FAMILY_BYTES + path.length + (isAbstract ? 0 : 1));
  name.writeUInt16LE(AF_UNIX, 0);
  path.copy(name, FAMILY_BYTES);
  // An abstract name begins with a zero.
  if (isAbstract) name[FAMILY_BYTES] = 0;
  return (message) => {
    const bytes = Buffer.from(message);
    const socket = calls.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    calls.sendto(socket, ptr(bytes), bytes.length, MSG_NOSIGNAL, ptr(name), name.length);
    calls.close(socket);
  };
}

function library() {
  const { i32, u32, u64, i64_fast: length } = FFIType;
  const pointer = FFIType.ptr;
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, {
        socket: { args: [i32, i32, i32], returns: i32 },
        sendto: { args: [i32, pointer, u64, i32, pointer, u32], returns: length },
        close: { args: [i32], returns: i32 },
      }).symbols;
    } catch {
      // Another C library.
    }
  }
  return undefined;
}
