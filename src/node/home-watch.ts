// Looks whether the home that is served is still where it was. A folder that is moved or removed under a process goes on
// being written to, where nobody will look for it.
import { NodeError } from "../errors.ts";
import { storeIdentity } from "./store-facts.ts";

const LOOK_MS = 2_000;

export class HomeWatch {
  private readonly timer: ReturnType<typeof setInterval>;

  /** @param onLost called once */
  constructor(home: string, onLost: (failure: NodeError) => void, lookMs = LOOK_MS) {
    const before = storeIdentity(home);
    this.timer = setInterval(() => {
      if (identityOf(home) === before) return;
      this.stop();
      onLost(homeLost(home, identityOf(home) !== undefined));
    }, lookMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** A folder above that may not be entered any more hides the store as well as one that is gone. */
function identityOf(home: string): string | undefined {
  try {
    return storeIdentity(home);
  } catch {
    return undefined;
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
