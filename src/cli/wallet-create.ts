// lyra wallet create. Its phrase is out of the house before there is a wallet: in a file that is on the disk, printed,
// or written down by a person who says some of its words again. A wallet without its phrase would be lost with its
// passphrase, and its owner would not know.
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
import { cannotWrite, fileExists, print, storeOf, WALLET_FLAGS } from "./wallet-opening.ts";
import { promptLine, readNewPassphrase } from "./wallet-secrets.ts";

const CREATE_FLAGS = {
  ...WALLET_FLAGS,
  "recovery-phrase-out": option("FILE", "the phrase goes to a new file, for you alone"),
  "with-recovery-phrase": toggle("it is printed, also where there is no terminal"),
} as const satisfies Flags;

/** Words that are asked for again, and answers that may be wrong. */
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
    const isTold = values["with-recovery-phrase"] === true;
    const isShown = isTold || (process.stdout.isTTY === true && !values.json);
    const path = values["recovery-phrase-out"];
    if (!isShown && path === undefined) {
      throw usageError(
        "wallet",
        "the recovery phrase would be lost: say --recovery-phrase-out FILE or --with-recovery-phrase",
      );
    }
    // Flags that place the phrase show that the user knows of it; a phrase on the screen may be overlooked.
    const isAsked = isShown && !isTold && path === undefined && hasPerson();
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
        // Of a change that the disk does not confirm there is a wallet, and these are its words.
        const isThere = error instanceof NodeError && error.code === "change_unconfirmed";
        if (isKept && !isThere) rmSync(path!, { force: true });
        throw error;
      })
      .finally(() => wipe(passphrase));
    const key = wallet.keys[0];
    if (!(values.json && isShown)) tellNew({ name, filePath, key }, values);
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

/** Says which wallet there is now. */
export function tellNew(
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

/** Has some words of the phrase typed. @throws NodeError `cancelled` when they are others: then there is no wallet */
async function askAgain(phrase: string): Promise<void> {
  const words = phrase.split(" ");
  say(`\n${numbered(words)}\n\nThe wallet is made when you have them: type ${WORDS_ASKED} of them.`);
  let wrong = 0;
  for (const at of somePlaces(words.length)) {
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

/** In order, and not foreseeable. */
function somePlaces(count: number): number[] {
  const places = new Set<number>();
  while (places.size < WORDS_ASKED) places.add(secureRandom(1)[0]! % count);
  return [...places].sort((a, b) => a - b);
}

/** A line on standard output that has left this process. */
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
    throw cannotWrite("standard output", error);
  } finally {
    wipe(bytes);
  }
}

/** A new file, closed to others, on the disk before anybody relies on it. A phrase is nowhere else on the way. */
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
    throw cannotWrite(path, error);
  } finally {
    wipe(bytes);
  }
}
