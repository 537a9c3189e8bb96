// What gets a core first when there are more busy threads than cores.
import { setPriority } from "node:os";

/** Steps of niceness: each is worth about a quarter of a thread's share. */
export const Niceness = {
  /** Answers whoever asks: after the chain, whose blocks everybody waits for. */
  serving: 5,
  /** Nobody waits for it. */
  background: 10,
} as const;

/**
 * Makes the calling thread give way. Linux keeps this for each thread, and those that it starts have it too; elsewhere
 * it would be the whole process, and is left alone.
 */
export function giveWay(niceness: number): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(niceness);
  } catch {
    // A sandbox that forbids it: all threads are equal then.
  }
}
