/**
 * The chain of a devnet whose HTTP has a thread of its own, for callers in the chain's process: a call settles when that thread
 * answers for the blocks that the call has made. Without it, a read over HTTP right after a call might miss them.
 */
import type { DevnetPort } from "../engine/chain-port.ts";

/** Calls that make no block, nor wait for one. A verdict of the mempool alone is `submit` with "check". */
const WITHOUT_BLOCKS: ReadonlySet<string | symbol> = new Set([
  "blockMode",
  "check",
  "clock",
  "pending",
  "proofBlocks",
  "refusalOf",
  "spamStatistics",
  "statePart",
] satisfies (keyof DevnetPort)[]);

export function answeredChain(chain: DevnetPort, caughtUp: () => Promise<void>): DevnetPort {
  const answered = <T extends object>(target: T, parts: Partial<T>): T =>
    new Proxy(target, {
      get(_, name) {
        if (name in parts) return parts[name as keyof T];
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (WITHOUT_BLOCKS.has(name)) return member.bind(target);
        return (...values: unknown[]) => {
          const settled: unknown = member.apply(target, values);
          if (!(settled instanceof Promise) || (name === "submit" && values[1] === "check")) return settled;
          return settled.finally(caughtUp);
        };
      },
    });
  return answered(chain, { bridge: answered(chain.bridge, {}) });
}
