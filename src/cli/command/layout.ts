// Rows of a label and its text for a screen of 80 columns.

export type Row = readonly [label: string, text: string];

export const COLUMNS = 80;
/** The last line of a screen is the prompt's. */
export const LINES = 23;
const INDENT = "  ";
const LABEL_MAX = 31;

/** A line for each row; a text that does not fit goes on below itself. */
export function roomy(rows: readonly Row[], columns = COLUMNS, labelMax = LABEL_MAX): string[] {
  const width = Math.max(0, ...rows.map(([label]) => label.length).filter((length) => length <= labelMax));
  return rows.flatMap((row) => lines(row, width, columns));
}

function lines([label, text]: Row, width: number, columns: number): string[] {
  if (text === "") return wrapList(label, columns - INDENT.length).map((line) => INDENT + line);
  const head = `${INDENT}${label.padEnd(width)}${INDENT}`;
  const below = " ".repeat(INDENT.length * 2 + (width || INDENT.length));
  const [first = "", ...more] = wrap(text, columns - head.length, columns - below.length);
  return [head + first, ...more.map((line) => below + line)];
}

/** Items that commas part; none is torn. */
function wrapList(text: string, room: number): string[] {
  return wrap(text.replace(/(?<!,) /g, "\u00a0"), room).map((line) => line.replaceAll("\u00a0", " "));
}

/** Words into lines; the first one may be shorter than the others. */
export function wrap(text: string, first: number, others = first): string[] {
  const wrapped: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const room = wrapped.length === 0 ? first : others;
    if (line !== "" && line.length + 1 + word.length > room) {
      wrapped.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...wrapped, line];
}
