// lyra wallet create. The recovery phrase is safe before the wallet exists: in a durable file, printed, or written down by a
// person who types some of its words again. Without its phrase a wallet is lost with its passphrase.
import { existsSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { wipe } from "../crypto/secrets.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { realSteps, syncNames } from "../files/whole-file.ts";
import { walletError, walletExists } from "../wallet/errors.ts";
import { KEY_VERSION_DEFAULT } from "../wallet/keys/wallet-data.ts";
import { secureRandom } from "../wallet/random.ts";
import type { KeyView } from "../wallet/unlocked-wallet.ts";
import { command, type Flags, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { bold, dim, say } from "./terminal.ts";
import { fileExists, print, storeOf, unwritable, WALLET_FLAGS } from "./wallet-opening.ts";
import { promptLine, readNewPassphrase } from "./wallet-secrets.ts";

const CREATE_FLAGS = {
  ...WALLET_FLAGS,
  "recovery-phrase-out": option("FILE", "the phrase goes to a new file, for you alone"),
  "with-recovery-phrase": toggle("it is printed, also where there is no terminal"),
} as const satisfies Flags;

/** Words to type again, and wrong answers allowed. */
const WORDS_ASKED = 3;
const WRONG_MAX = 3;
const WORDS_A_ROW = 6;

export const create = command({
  words: { NAME: { text: "its name" } },
  flags: CREATE_FLAGS,
  notes: `  On a terminal the phrase is shown once, and three of its words are typed again
  before the wallet is made. No file of the wallet has it.`,
  json: "{wallet: {name, keyDerivationVersion, filePath, recoveryPhrase?}, key: {publicKey, algorithm: {name, version}, metadata: [{key, value}]}}",
  async run({ words: { NAME: name }, values }) {
    const store = storeOf(values);
    const isPrinted = values["with-recovery-phrase"] === true;
    const isShown = isPrinted || (process.stdout.isTTY === true && !values.json);
    const path = values["recovery-phrase-out"];
    if (!isShown && path === undefined) {
      throw usageError(
        "wallet",
        "the recovery phrase would be lost: say --recovery-phrase-out FILE or --with-recovery-phrase",
      );
    }
    // A phrase on the screen may be overlooked; a flag that places it shows that the user knows of it.
    const isAsked = isShown && !isPrinted && path === undefined && hasPerson();
    if (await store.has(name)) throw walletExists();
    if (path !== undefined && existsSync(path)) throw fileExists(path);
    const passphrase = await readNewPassphrase(values, name);
    const filePath = store.locationOf(name);
    let isKept = false;
    const keep = async (phrase: string, key: KeyView) => {
      if (path !== undefined) {
        writeInPlace(path, Buffer.from(`${phrase}\n`));
        isKept = true;
      }
      if (!isShown) return;
      if (values.json) {
        printAtOnce(JSON.stringify(newWalletDocument({ name, filePath, key, recoveryPhrase: phrase })));
        return;
      }
      if (!values.quiet) {
        say(
          `\n${bold("Write these words down, in this order. They are shown this once.")}\n` +
            "Whoever has them has the wallet; without them a lost file or passphrase is lost for good.\n",
        );
      }
      printAtOnce(phrase);
      if (isAsked) await askAgain(phrase);
    };
    const { wallet } = await store
      .create({ name, passphrase }, keep)
      .catch((error: unknown) => {
        // After an unconfirmed change the wallet may exist, so keep its phrase.
        const isThere = error instanceof NodeError && error.code === "change_unconfirmed";
        if (isKept && !isThere) rmSync(path!, { force: true });
        throw error;
      })
      .finally(() => wipe(passphrase));
    const key = wallet.keys[0];
    if (!(values.json && isShown)) printNewWallet({ name, filePath, key }, values);
    wallet.lock();
    return ExitCode.done;
  },
});

interface NewWalletFacts {
  readonly name: string;
  readonly filePath: string;
  readonly key: KeyView | undefined;
  readonly keyVersion?: number;
  readonly recoveryPhrase?: string;
}

/** The result, for scripts. */
function newWalletDocument(facts: NewWalletFacts): object {
  const { name, filePath, key, keyVersion = KEY_VERSION_DEFAULT, recoveryPhrase } = facts;
  return {
    wallet: {
      name,
      keyDerivationVersion: keyVersion,
      ...(recoveryPhrase !== undefined && { recoveryPhrase }),
      filePath,
    },
    key: key && { publicKey: key.publicKey, algorithm: key.algorithm, metadata: key.metadata },
  };
}

/** Prints the new wallet. */
export function printNewWallet(
  facts: NewWalletFacts,
  values: { readonly json?: boolean | undefined; readonly quiet?: boolean | undefined },
): void {
  if (values.json) {
    print(newWalletDocument(facts));
    return;
  }
  const { name, filePath, key } = facts;
  process.stdout.write(`${name}  ${key?.publicKey ?? "no key"}\n`);
  if (!values.quiet) say(dim(`\nthe wallet is ${filePath}`));
}

const hasPerson = () => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks for some words of the phrase. @throws NodeError `cancelled` for wrong words; no wallet is made then */
async function askAgain(phrase: string): Promise<void> {
  const words = phrase.split(" ");
  say(`\n${numbered(words)}\n\nThe wallet is made when you have them: type ${WORDS_ASKED} of them.`);
  let wrong = 0;
  for (const at of randomPlaces(words.length)) {
    while ((await promptLine(`word ${at + 1}`)).trim().toLowerCase() !== words[at]) {
      if (++wrong === WRONG_MAX) {
        throw walletError(
          "cancelled",
          "nothing was made: these are not the words",
          "run it again, which makes other words",
        );
      }
      say(`that is not word ${at + 1}`);
    }
  }
  say("");
}

function numbered(words: readonly string[]): string {
  const cells = words.map((word, at) => `${String(at + 1).padStart(4)} ${word.padEnd(8)}`);
  const rows = Math.ceil(cells.length / WORDS_A_ROW);
  return Array.from({ length: rows }, (_, row) =>
    cells
      .slice(row * WORDS_A_ROW, (row + 1) * WORDS_A_ROW)
      .join("")
      .trimEnd(),
  ).join("\n");
}

/** Random places in ascending order. */
function randomPlaces(count: number): number[] {
  const places = new Set<number>();
  while (places.size < WORDS_ASKED) places.add(secureRandom(1)[0]! % count);
  return [...places].sort((a, b) => a - b);
}

/** Writes a line to standard output synchronously. */
function printAtOnce(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  try {
    for (let done = 0; done < bytes.length; ) {
      try {
        done += writeSync(1, bytes, done);
      } catch (error) {
        if ((error as { code?: string }).code !== "EAGAIN") throw error;
        Bun.sleepSync(5);
      }
    }
  } catch (error) {
    throw unwritable("standard output", error);
  } finally {
    wipe(bytes);
  }
}

/** Writes a new private file durably, without a temporary copy of the phrase. */
function writeInPlace(path: string, bytes: Uint8Array): void {
  let isMade = false;
  try {
    const descriptor = realSteps.create(path);
    isMade = true;
    try {
      realSteps.write(descriptor, bytes);
      realSteps.sync(descriptor);
    } finally {
      realSteps.close(descriptor);
    }
    syncNames(dirname(path), realSteps);
  } catch (error) {
    if (isMade) rmSync(path, { force: true });
    throw unwritable(path, error);
  } finally {
    wipe(bytes);
  }
}
