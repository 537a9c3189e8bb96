// A process that writes to a home, and kills itself with SIGKILL in front of one of the steps of that; half of the
// bytes of a write are written before it. Started by wallet-crash.ts:
//
//   bun wallet-crash-child.ts HOME OPERATION STEP      exit code 0 when it came to its end before that step
//   bun wallet-crash-child.ts HOME --ledger            saves to the ledger for ever; a line for each that is safe
import { writeSync } from "node:fs";
import { join } from "node:path";
import { type FileSteps, realSteps } from "../../src/files/whole-file.ts";
import type { PlannerState } from "../../src/wallet/sending/blocks.ts";
import { FileLedger } from "../../src/wallet/sending/sent-ledger.ts";
import { serviceFolderOf } from "./wallet-home.ts";
import { OPERATIONS } from "./wallet-operations.ts";

const [home, operation, killAt] = process.argv.slice(2) as [string, string, string?];

/** SHA-256 of a counter. */
function countedRandom(): (length: number) => Uint8Array {
  let count = 0;
  return (length) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, () =>
      new Bun.CryptoHasher("sha256").update(`${count++}`).digest(),
    );
    return Uint8Array.from(Buffer.concat(blocks).subarray(0, length));
  };
}

function dyingBefore(step: number): FileSteps {
  let done = 0;
  const watched = Object.entries(realSteps).map(([name, real]) => [
    name,
    (...args: unknown[]) => {
      if (done++ === step) {
        if (name === "write") {
          const [descriptor, content] = args as [number, Uint8Array];
          realSteps.write(descriptor, content.subarray(0, content.length >> 1));
        }
        process.kill(process.pid, "SIGKILL");
        // The signal comes before the call returns.
        Bun.sleepSync(10_000);
      }
      return (real as (...values: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(watched) as FileSteps;
}

if (operation === "--ledger") {
  const ledger = new FileLedger(join(serviceFolderOf(home), "sent.db"));
  for (let count = 1; ; count++) {
    const state = { head: "1", lastId: count, blocks: [] };
    ledger.save("chain-1", "party", state as unknown as PlannerState);
    writeSync(1, `${count}\n`);
  }
}
await OPERATIONS[operation]!.run({ home, steps: dyingBefore(Number(killAt)), random: countedRandom() });
