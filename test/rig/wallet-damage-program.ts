// Damaged wallet files as the command line makes them, given to the program: its answers and exit codes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dice } from "../../scripts/sample/seeded.ts";
import { ExitCode } from "../../src/errors/node-error.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { WalletStore } from "../../src/wallet/wallet-store.ts";
import { PHRASE } from "../wallet/support/vectors.ts";
import { Scratch } from "./homes.ts";
import { lyra } from "./lyra.ts";
import { type DamageReport, damaged } from "./wallet-damage.ts";
import { folderOf, PASSPHRASES, passphrase, pathsBelow, secretsOf } from "./wallet-home.ts";

export async function damageByProgram(
  program: readonly string[],
  cases: number,
  seed: number,
): Promise<DamageReport> {
  const scratch = new Scratch("wallet-damage-program");
  try {
    const home = scratch.path();
    const keystore = new FolderKeystore(folderOf(home));
    const store = new WalletStore({ keystore });
    const bytes: Uint8Array[] = [];
    for (const name of ["w", "x"]) {
      await store.import({ name, passphrase: passphrase("first"), recoveryPhrase: PHRASE });
      bytes.push((await keystore.read(name))!);
    }
    const secret = join(scratch.folder, "first");
    writeFileSync(secret, PASSPHRASES.first, { mode: 0o600 });
    const words = ["wallet", "describe", "w", "--passphrase-file", secret, "--json", "--home", home];
    const dice = new Dice(seed);
    const secrets = secretsOf();
    const answers = new Map<string, number>();
    const failures: string[] = [];
    const before = pathsBelow(home).join();
    for (let count = 1; count <= cases; count++) {
      const { kind, content } = damaged(bytes[0]!, dice, [bytes[1]!]);
      const path = join(folderOf(home), "w");
      writeFileSync(path, content);
      const { code, out, err } = await lyra(words, { program, env: { HOME: scratch.folder } });
      const failure = (JSON.parse(err) as { error: { code: string; hint: string } }).error;
      const key = `the executable, ${kind}: ${failure.code}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
      const isTold =
        (failure.code === "wallet_damaged" && code === ExitCode.verificationFailed) ||
        (failure.code === "kdf_refused" && kind === "forged head") ||
        (failure.code === "wrong_passphrase" && failure.hint.includes("or the file is damaged"));
      if (!isTold || out !== "") failures.push(`case ${count} (${kind}): exit code ${code}, ${out}${err}`);
      for (const [what, hidden] of secrets) {
        if (err.includes(hidden.toString("latin1"))) failures.push(`case ${count}: it tells the ${what}`);
      }
      const isLeft = pathsBelow(home).join() === before && readFileSync(path).equals(content);
      if (!isLeft) failures.push(`case ${count} (${kind}): something was written`);
    }
    return { cases, answers, failures };
  } finally {
    scratch.remove();
  }
}
