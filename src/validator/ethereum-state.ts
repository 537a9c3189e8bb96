/**
 * The simulated Ethereum of a network of several validators: one process has its state, and each validator that calls a contract
 * takes it, changes it and gives it back, one after the other. All others watch it.
 */

import { existsSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { writeFileWhole } from "../files/whole-file.ts";

/** A caller waits for its block meanwhile; one that is killed gives its turn up after this. */
const TURN_MS = 45_000;
const WAITERS_MAX = 1_000;
/** A state is a text of JSON within one, whose quotation marks are escaped. */
const FILE_BYTES_MAX = 128 * 1024 * 1024;

export interface EthereumView {
  /** Rises with every change. */
  readonly version: number;
  /** Empty before the first change. */
  readonly state: string;
}

/** The state in a file. @throws NodeError `ethereum_file_unreadable` */
export function readEthereumFile(path: string): EthereumView {
  let view: Partial<Record<keyof EthereumView, unknown>> | null;
  try {
    view = JSON.parse(readShortText(path, FILE_BYTES_MAX));
  } catch (error) {
    throw unreadable(path, reasonOf(error));
  }
  const { version, state } = view ?? {};
  if (!Number.isSafeInteger(version) || Number(version) < 0 || typeof state !== "string")
    throw unreadable(path, "it has no version and state");
  return { version: Number(version), state };
}

function unreadable(path: string, reason: string): NodeError {
  return new NodeError(
    "ethereum",
    "ethereum_file_unreadable",
    `the state of the simulated Ethereum in ${path} cannot be read: ${reason}`,
    "restore it from its backup; or move it away, and start while a validator runs that has followed it",
  );
}

export interface EthereumTurn extends EthereumView {
  readonly token: string;
}

interface Waiter {
  resolve(turn: EthereumTurn): void;
}

export class EthereumState {
  private version = 0;
  private state = "";
  private token: string | undefined;
  private expiry: ReturnType<typeof setTimeout> | undefined;
  private turns = 0;
  private readonly waiters: Waiter[] = [];
  private readonly watchers = new Set<() => void>();

  /** @param file where it is kept; in memory alone without one */
  constructor(
    private readonly file?: string,
    private readonly turnMs = TURN_MS,
  ) {
    if (file === undefined || !existsSync(file)) return;
    const { version, state } = readEthereumFile(file);
    this.version = version;
    this.state = state;
  }

  get view(): EthereumView {
    return { version: this.version, state: this.state };
  }

  /** Settles when it is the caller's turn. @throws NodeError `ethereum_busy` */
  takeTurn(): Promise<EthereumTurn> {
    if (this.token === undefined) return Promise.resolve(this.beginTurn());
    if (this.waiters.length >= WAITERS_MAX)
      throw refused("ethereum_busy", `${WAITERS_MAX} callers wait for the simulated Ethereum`);
    return new Promise((resolve) => this.waiters.push({ resolve }));
  }

  /** Ends a turn. @param state as it is now; undefined when nothing has changed @throws NodeError `ethereum_turn_over` */
  endTurn(token: string, state?: string): EthereumView {
    if (token !== this.token)
      throw refused("ethereum_turn_over", "this turn at the simulated Ethereum is over");
    if (state !== undefined && state !== this.state) {
      this.version++;
      this.state = state;
      if (this.file) writeFileWhole(this.file, JSON.stringify(this.view));
      for (const wake of [...this.watchers]) wake();
    }
    this.closeTurn();
    return this.view;
  }

  /** The state after this version; as it is, when none comes in time. */
  async after(version: number, waitMs: number): Promise<EthereumView> {
    if (this.version > version) return this.view;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.watchers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      this.watchers.add(wake);
    });
    return this.view;
  }

  private beginTurn(): EthereumTurn {
    this.token = String(++this.turns);
    this.expiry = setTimeout(() => this.closeTurn(), this.turnMs);
    this.expiry.unref();
    return { ...this.view, token: this.token };
  }

  private closeTurn(): void {
    clearTimeout(this.expiry);
    this.token = undefined;
    this.waiters.shift()?.resolve(this.beginTurn());
  }
}

function refused(code: "ethereum_busy" | "ethereum_turn_over", text: string): NodeError {
  return new NodeError("ethereum", code, text, "try again");
}
