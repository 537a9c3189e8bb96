// Help of `lyra wallet` and of each of its words.

const OVERVIEW = `lyra wallet: keys that stay on this machine; only serve needs a network

  create NAME         a new wallet; shows its recovery phrase once
  import NAME         from a recovery phrase, or with --file from a wallet file
  list                all wallets          describe NAME    one of them
  rename NAME NEW     another name         delete NAME      takes the file away
  passphrase NAME     another passphrase
  upgrade NAME        makes a file of the original wallet one of Lyra's
  export NAME         a file for the original wallet
  default NAME [KEY]  what is meant where none is named
  balance [NAME]      what its keys have, as a node says
  key VERB NAME       generate, list, describe, annotate, taint, untaint,
                      isolate, rotate
  message VERB        sign, verify
  serve               the service for pages; what goes with it:
    unlock, lock NAME   approvals   session   permissions   token
    network   policy

  lyra wallet WORD --help says more. --wallets DIR is the wallets' folder, in
  --home DIR. Secrets: a prompt, --passphrase-file FILE or --passphrase-fd N;
  never an argument. --json, --quiet. lyra tx builds, signs, sends.
`;

const SECRETS = `
  A secret comes from a prompt that shows nothing, or where its flags say:
    --passphrase-file FILE, --passphrase-fd N
`;
const MORE_SECRETS = (...names: string[]) =>
  SECRETS + names.map((name) => `    --${name}-file FILE, --${name}-fd N\n`).join("");

const TOPICS: Readonly<Record<string, string>> = {
  create: `lyra wallet create NAME: a wallet of a new recovery phrase, and its first key

  --recovery-phrase-out FILE  the phrase goes to a new file, for you alone
  --with-recovery-phrase      it is printed, also where there is no terminal

  On a terminal the phrase is shown once, and three of its words are typed again
  before the wallet is made. No file of the wallet has it.
${SECRETS}`,
  import: `lyra wallet import NAME: a wallet that was, under a passphrase of its own

  --key-version 1|2   how keys are derived from the phrase (default 2)
  --file FILE         a wallet file of Lyra or of the original, not a phrase
${MORE_SECRETS("recovery-phrase", "file-passphrase")}`,
  list: `lyra wallet list: names, and whose format their files have\n`,
  describe: `lyra wallet describe NAME: identifier, kind, version of its keys\n${SECRETS}`,
  rename: `lyra wallet rename NAME NEW_NAME: another name, which must be free\n`,
  delete: `lyra wallet delete NAME [--force]

  Takes the file away. Only the recovery phrase brings the wallet back, so its
  name must be typed; --force does without, and must be said where there is no
  terminal.
`,
  passphrase: `lyra wallet passphrase NAME: another passphrase for its file\n${MORE_SECRETS("new-passphrase")}`,
  upgrade: `lyra wallet upgrade NAME: a file of the original becomes one of Lyra's, in place

  The passphrase stays. The original cannot open it then: see export.
${SECRETS}`,
  export: `lyra wallet export NAME --out FILE: a file that the original wallet opens

  Such files hardly protect their passphrase: use one that cannot be guessed.
${MORE_SECRETS("new-passphrase")}`,
  key: `lyra wallet key: the keys of a wallet

  key generate NAME [--meta KEY=VALUE]...      the next key; prints it
  key list NAME
  key describe NAME PUBLIC_KEY
  key annotate NAME PUBLIC_KEY --meta KEY=VALUE...    in place of what was there
  key annotate NAME PUBLIC_KEY --clear
  key taint NAME PUBLIC_KEY                    it signs nothing, pages lose it
  key untaint NAME PUBLIC_KEY
  key isolate NAME PUBLIC_KEY                  a wallet with this key alone
  key rotate NAME --from KEY --to KEY --chain-id ID --height N --target-height N
                        a validator's change of keys, signed by the master key
${MORE_SECRETS("isolated-passphrase")}`,
  message: `lyra wallet message: signatures of messages

  message sign NAME PUBLIC_KEY MESSAGE         prints the signature, base64
  message verify PUBLIC_KEY SIGNATURE MESSAGE  exit code 4 for a wrong one

  MESSAGE is one of:
    --text TEXT           as it is, in UTF-8
    --message BASE64
    --message-file FILE   or - for standard input
${SECRETS}`,
  serve: `lyra wallet serve: the JSON-RPC service that pages and programs talk to

  --node-url URL...         nodes to send to (default: the devnet of this home,
                            else the one on port 3003)
  --network NAME            those of a network that is kept
  --chain-id ID             of the only chain to send to
  --unlock NAME             unlocks a wallet at once; else its passphrase is
                            asked for when a page wants it
  --wallet-approve ask|policy   who decides (default: you are asked)
  --policy FILE --policy-hash HASH
  --idle-lock MINUTES       without use (default 30; 0: never)
  --keep-sessions           connections outlive the service
  --sole-user               no other wallet uses these keys: use all of a block
  --wait SECONDS            for a block with room (default 20)
  --wallet-port N           default 1789; 0: a free one
  --host H --wallet-allow-remote   listen where other machines reach it
  --wallet-allow-host NAME  another name that requests may be sent to
  --config-out FILE         where it listens, as JSON
${SECRETS}`,
  unlock: `lyra wallet unlock NAME: unlocks it in the service that runs for this home

  It locks again after idle time, by lyra wallet lock NAME, or with the service.
  Commands that work on the file itself ask for the passphrase each time.
${SECRETS}`,
  lock: `lyra wallet lock NAME: locks it in the service that runs for this home\n`,
  approvals: `lyra wallet approvals: what pages ask for, from a second terminal

  approvals                 shows and asks, one after the other
  approvals list
  approvals --approve ID [--wallet NAME] [--keep] [--allow-key KEY]...
  approvals --reject ID [--block]    with --block its site may not ask again
  approvals --reject-all
`,
  session: `lyra wallet session: connections of the running service

  session list
  session revoke HOSTNAME [--wallet NAME]    at once, with what it asks for
  session block HOSTNAME                     all of its site, from now on
  session unblock HOSTNAME
  session blocked                            the sites

  Where no service runs: the connections that the next one would bring back.
`,
  permissions: `lyra wallet permissions: what pages may see of a wallet

  permissions list NAME
  permissions describe NAME HOSTNAME
  permissions revoke NAME HOSTNAME
  permissions purge NAME --force            those of all hostnames
${SECRETS}`,
  token: `lyra wallet token: long-living tokens for programs

  token generate NAME [--description TEXT] [--expires-in 720h]
  token list
  token delete ID
`,
  network: `lyra wallet network: nodes under a name, for serve --network NAME

  network list
  network add NAME --node-url URL... [--chain-id ID] [--force]
  network import FILE_OR_URL [--name NAME] [--force]    a file of the original
  network describe|locate NAME
  network rename NAME NEW_NAME
  network remove NAME
`,
  default: `lyra wallet default [NAME [PUBLIC_KEY]]: meant where none is named

  default              which they are
  default NAME [KEY]   for balance, describe, key list, key generate, tx sign
  default --clear

  Without a default, the only wallet there is and its only key are meant.
`,
  balance: `lyra wallet balance [NAME]: general accounts, as a node says

  --key PUBLIC_KEY    of this key, without opening a wallet
  --node URL          which node; or --network NAME; else the running devnet
${SECRETS}`,
  policy: `lyra wallet policy: a file that decides in your place (docs/wallet.md)

  policy check FILE                   whether it is one, and its hash
  policy hash FILE
  policy pair                         a token for a program to connect with
  policy simulate FILE [--log FILE]   what it would have said of past requests
`,
};

export const help = OVERVIEW;

/** Of the first word that has a help of its own; the overview else. */
export function helpOf([word = ""]: readonly string[]): string {
  return Object.hasOwn(TOPICS, word) ? TOPICS[word]! : OVERVIEW;
}

/** Words with a help of their own. */
export const HELP_WORDS: readonly string[] = Object.keys(TOPICS);

import { NodeError } from "../errors/node-error.ts";
import { didYouMean, usageError } from "./arguments.ts";

// The words after `lyra wallet`: which command they name, and the help that a wrong one points to.

type Verb = (argv: string[]) => Promise<number>;
export type Verbs = Readonly<Record<string, Verb>>;

export function verbOf(verbs: Verbs, word: string | undefined): Verb | undefined {
  return word !== undefined && Object.hasOwn(verbs, word) ? verbs[word] : undefined;
}

/** The second word of `lyra wallet NOUN VERB`. @throws NodeError with exit code 2 */
export async function pickVerb(noun: string, argv: string[], verbs: Verbs): Promise<number> {
  const [verb, ...rest] = argv;
  const known = verbOf(verbs, verb);
  if (known !== undefined) return known(rest);
  const names = Object.keys(verbs).join(", ");
  throw usageError(
    "wallet",
    verb === undefined
      ? `say one of ${names}`
      : `there is no 'wallet ${noun} ${verb.slice(0, 40)}'${didYouMean(verb, Object.keys(verbs)) || `: ${names}`}`,
  );
}

/** Runs `lyra wallet WORD`; a wrong use points to the help of that word. */
export async function runWord(word: string, run: Verb, argv: string[]): Promise<number> {
  try {
    return await run(argv);
  } catch (error) {
    if (!(error instanceof NodeError) || error.code !== "usage" || error.hint !== "see: lyra wallet --help")
      throw error;
    const { attempt, message } = error;
    throw new NodeError(attempt, "usage", message, `see: lyra wallet ${word} --help`);
  }
}
