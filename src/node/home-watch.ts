// Watches whether the home that is served is still in its place: a folder that is moved or removed under a process is
// still written to, unseen.
import { statSync } from "node:fs";
import { NodeError } from "../errors/node-error.ts";
import { storeIdentity, storePath } from "../store/database.ts";

const LOOK_MS = 500;

interface HomeWatchOptions {
  /** The store is served as not written: a write by another process shows in its size, its time and its log. */
  readonly isStill?: boolean;
  readonly lookMs?: number;
}

export class HomeWatch {
  private readonly timer: ReturnType<typeof setInterval>;

  /** @param onChange called with a failure when the home is lost, and without one when it is back in its place */
  constructor(
    home: string,
    onChange: (failure: NodeError | undefined) => void,
    options: HomeWatchOptions = {},
  ) {
    const look = () => placeOf(home, options.isStill === true);
    const before = look();
    let isLost = false;
    this.timer = setInterval(() => {
      const now = look();
      if ((now !== before) === isLost) return;
      isLost = !isLost;
      if (!isLost) onChange(undefined);
      else onChange(isSameStore(now, before) ? homeWritten(home) : homeLost(home, now !== GONE));
    }, options.lookMs ?? LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

const GONE = "gone";

function isSameStore(one: string, other: string): boolean {
  return one.split(" ")[0] === other.split(" ")[0];
}

/** A folder above that may not be entered any more hides the store as well as one that is gone. */
function placeOf(home: string, isStill: boolean): string {
  try {
    const identity = storeIdentity(storePath(home));
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
    "put the home back, and it goes on; or stop this process and name its new place with --home",
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
