/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The word behind `lyra explain` for a refusal: one name stands for all of a command's own rules, whose texts say more. */
export const explainWord = (rule: string, text: string) =>
  rule === "command_failed" ? shellWord(text) : rule;
