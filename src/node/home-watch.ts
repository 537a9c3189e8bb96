// Watches whether the home that is served is still in its place: a folder that is moved or removed under a process is
// still written to, unseen.
import { statSync } from "node:fs";
import { NodeError } from "../errors/node-error.ts";
import { storePath } from "../store/database.ts";
import { storeIdentity } from "./reading.ts";

const LOOK_MS = 2_000;

interface HomeWatchOptions {
  /** The store is served as not written: a write by another process shows in its size, its time and its log. */
  readonly isStill?: boolean;
  readonly lookMs?: number;
}

export class HomeWatch {
  private readonly timer: ReturnType<typeof setInterval>;

  /** @param onLost called once */
  constructor(home: string, onLost: (failure: NodeError) => void, options: HomeWatchOptions = {}) {
    const look = () => placeOf(home, options.isStill === true);
    const before = look();
    this.timer = setInterval(() => {
      const now = look();
      if (now === before) return;
      this.stop();
      onLost(now.split(" ")[0] === before.split(" ")[0] ? homeWritten(home) : homeLost(home, now !== GONE));
    }, options.lookMs ?? LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

const GONE = "gone";

/** A folder above that may not be entered any more hides the store as well as one that is gone. */
function placeOf(home: string, isStill: boolean): string {
  try {
    const identity = storeIdentity(home);
    if (identity === undefined) return GONE;
    if (!isStill) return identity;
    const { size, mtimeNs } = statSync(storePath(home), { bigint: true });
    const log = statSync(`${storePath(home)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return `${identity} ${size} ${mtimeNs} ${log}`;
  } catch {
    return GONE;
  }
}

function homeLost(home: string, isReplaced: boolean): NodeError {
  const what = isReplaced ? "has another store now" : "was moved or removed";
  return new NodeError(
    "serve",
    "home_lost",
    `the home ${home} ${what} while it was in use`,
    "stop this process, put the home back or name its new place with --home, and start again",
  );
}

function homeWritten(home: string): NodeError {
  return new NodeError(
    "serve",
    "home_written",
    `the home ${home} is written by another process while it is served as one that nobody writes`,
    "stop this process; serve a copy, or from the process that writes",
  );
}
