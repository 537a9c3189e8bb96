// lyra completions: what a shell completes, made from the commands' own help, which names every word and flag.
import { ExitCode } from "../errors/node-error.ts";
import { readArguments, usageError } from "./arguments.ts";
import { verbFlags } from "./devnet-tools.ts";
import { orderHelp } from "./tx-order.ts";
import { HELP_WORDS, helpOf } from "./wallet-help.ts";

export const help = `lyra completions bash|zsh|fish: what your shell completes

  bash   lyra completions bash > ~/.local/share/bash-completion/completions/lyra
  zsh    lyra completions zsh > a file named _lyra in a folder of $fpath
  fish   lyra completions fish > ~/.config/fish/completions/lyra.fish
`;

/** The words behind `lyra` at each place, and the flags there. */
interface CompletionTree {
  /** By the words before, joined by a blank; the empty text for none. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

type Commands = Readonly<Record<string, { load(): Promise<{ readonly help: string }> }>>;

const COMMON_FLAGS = ["--help", "--home", "--json", "--quiet"];
const WORD = /^[a-z][a-z-]*$/;

/** @param helps help texts, by the words that they are of */
function treeOf(helps: ReadonlyMap<string, string>): CompletionTree {
  const words = new Map<string, Set<string>>();
  const flags = new Map<string, readonly string[]>();
  const add = (before: string, word: string) => words.set(before, (words.get(before) ?? new Set()).add(word));
  for (const [place, text] of helps) {
    for (const [at, part] of place.split(" ").entries())
      if (part !== "") add(place.split(" ").slice(0, at).join(" "), part);
    const found = text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    flags.set(place, [...new Set([...found, ...COMMON_FLAGS])].sort());
    for (const word of verbsIn(place, text)) add(place, word);
  }
  return { words: new Map([...words].map(([place, found]) => [place, [...found].sort()])), flags };
}

/** `lyra tx build INPUT` and, in the help of `wallet key`, `key list NAME`: the word behind the place's own. */
function verbsIn(place: string, text: string): string[] {
  if (place === "") return [];
  const last = place.split(" ").at(-1)!;
  const found: string[] = [];
  for (const line of text.split("\n").slice(1)) {
    const words = line
      .trim()
      .replace(/^lyra /, "")
      .split(/\s+/);
    const at = words.indexOf(last);
    if (at < 0 || at > 1) continue;
    for (const word of (words[at + 1] ?? "").split("|")) if (WORD.test(word)) found.push(word);
  }
  return found;
}

/** @param commands of which the help texts are read */
export async function runFor(argv: string[], commands: Commands): Promise<number> {
  const { positionals } = readArguments("completions", argv, { help: { type: "boolean", short: "h" } });
  const [shell] = positionals;
  const write = shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (positionals.length !== 1 || write === undefined)
    throw usageError("completions", "say bash, zsh or fish");
  process.stdout.write(write(treeOf(await helpTexts(commands))));
  return ExitCode.done;
}

const SHELLS: Readonly<Record<string, (tree: CompletionTree) => string>> = { bash, zsh, fish };

/** The deepest place whose words were typed, and what may follow there: the same for bash and zsh. */
function cases(tree: CompletionTree): string {
  const places = new Set([...tree.words.keys(), ...tree.flags.keys()]);
  return [...places]
    .sort()
    .map((place) => {
      const words = (tree.words.get(place) ?? []).join(" ");
      return `    '${place}') words='${words}'; flags='${(tree.flags.get(place) ?? COMMON_FLAGS).join(" ")}' ;;`;
    })
    .join("\n");
}

function bash(tree: CompletionTree): string {
  return `# lyra completions bash
_lyra() {
  local current=\${COMP_WORDS[COMP_CWORD]} place='' word words flags next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${place:+$place }$word"
    _lyra_at "$next" && place=$next
  done
  _lyra_at "$place"
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current")); fi
}
_lyra_at() {
  case $1 in
${cases(tree)}
    *) return 1 ;;
  esac
}
complete -o filenames -F _lyra lyra
`;
}

function zsh(tree: CompletionTree): string {
  return `#compdef lyra
_lyra_at() {
  case $1 in
${cases(tree)}
    *) return 1 ;;
  esac
}
_lyra() {
  local place='' word words flags next current=\${words[CURRENT]} typed=("\${(@)words[2,CURRENT-1]}")
  for word in $typed; do
    next="\${place:+$place }$word"
    _lyra_at "$next" && place=$next
  done
  _lyra_at "$place"
  if [[ $current == -* ]]; then compadd -- \${=flags}
  else compadd -- \${=words}; _files; fi
}
_lyra "$@"
`;
}

function fish(tree: CompletionTree): string {
  const lines = [
    "# lyra completions fish",
    "function __lyra_at",
    "  set -l typed (commandline -opc)",
    "  set -e typed[1]",
  ];
  lines.push('  test (string join " " -- (string match -v -- "-*" $typed)) = "$argv[1]"', "end");
  for (const [place, words] of tree.words) {
    lines.push(`complete -c lyra -n '__lyra_at "${place}"' -a '${words.join(" ")}'`);
  }
  for (const [place, flags] of tree.flags) {
    for (const flag of flags) lines.push(`complete -c lyra -n '__lyra_at "${place}"' -l ${flag.slice(2)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Every help text by the words that it is of. */
async function helpTexts(commands: Commands): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>([["", ""]]);
  for (const [name, { load }] of Object.entries(commands)) texts.set(name, (await load()).help);
  for (const word of HELP_WORDS) texts.set(`wallet ${word}`, helpOf([word]));
  for (const [verb, flags] of verbFlags())
    texts.set(`devnet ${verb}`, flags.map((flag) => `--${flag}`).join(" "));
  texts.set("tx build", texts.get("tx")!).set("tx build order", orderHelp);
  return texts;
}
