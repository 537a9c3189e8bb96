// lyra completions: completion scripts for shells, made from the declarations of all commands.

import { ExitCode } from "../errors/node-error.ts";
import { COMMON_FLAGS, type Commands, command } from "./command/command.ts";
import { allCommands } from "./command/table.ts";
import { usageError } from "./command/usage-error.ts";

/** Words and flags that may follow each prefix of words. */
interface CompletionTree {
  /** By prefix, its words joined by a blank; the empty text for `lyra` alone. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** @param table the commands to complete */
export const completionsOf = (table: Commands) =>
  command({
    words: { SHELL: { text: "bash, zsh or fish", choices: ["bash", "zsh", "fish"] } },
    usage: ["bash|zsh|fish"],
    notes: `  bash   lyra completions bash > ~/.local/share/bash-completion/completions/lyra
  zsh    lyra completions zsh > a file named _lyra in a folder of $fpath
  fish   lyra completions fish > ~/.config/fish/completions/lyra.fish`,
    json: "a script for that shell, not JSON",
    wrongWords: () => WITHOUT_SHELL,
    async run({ words: { SHELL: shell } }) {
      const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (write === undefined) throw usageError("completions", WITHOUT_SHELL);
      process.stdout.write(write(await treeOf(table)));
      return ExitCode.done;
    },
  });

const WITHOUT_SHELL = "say bash, zsh or fish";

async function treeOf(table: Commands): Promise<CompletionTree> {
  const words = new Map<string, Set<string>>();
  const flags = new Map<string, readonly string[]>();
  const add = (before: string, word: string) => words.set(before, (words.get(before) ?? new Set()).add(word));
  for (const [path, entry] of Object.entries(await allCommands(table))) {
    if (entry.isHidden) continue;
    const parts = path.split(" ");
    for (const [at, part] of parts.entries()) add(parts.slice(0, at).join(" "), part);
    const declaration = await entry.load?.();
    const names = Object.keys({ ...COMMON_FLAGS, ...entry.leadingFlags, ...declaration?.flags, help: true });
    flags.set(path, names.map((name) => `--${name}`).sort());
    for (const { choices = [] } of Object.values(declaration?.words ?? {}))
      for (const choice of choices) add(path, choice);
  }
  return { words: new Map([...words].map(([place, names]) => [place, [...names].sort()])), flags };
}

const SHELLS: Readonly<Record<string, (tree: CompletionTree) => string>> = { bash, zsh, fish };

/** A `case` of all prefixes, for bash and zsh. */
function cases(tree: CompletionTree): string {
  const places = new Set([...tree.words.keys(), ...tree.flags.keys()]);
  return [...places]
    .sort()
    .map((place) => {
      const words = (tree.words.get(place) ?? []).join(" ");
      return `    '${place}') words='${words}'; flags='${(tree.flags.get(place) ?? []).join(" ")}' ;;`;
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
