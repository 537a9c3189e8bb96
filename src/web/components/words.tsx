// A command in words, as the wallet writes them: identifiers become short, and links to what they name.
import { shortId } from "../format.ts";
import { Id, Market, Party, Validator } from "./id.tsx";

const ASSET = / \(asset [^)\s]{1,80}\)/g;
const ID = /\b([0-9a-f]{64})\b/;
/** Words before an identifier that say what it names. */
const KINDS = [
  { before: /market $/, show: (id: string) => <Market id={id} /> },
  { before: /validator $/, show: (id: string) => <Validator id={id} /> },
  { before: /proposal $/, show: (id: string) => <Id id={id} kind="proposal" isBare /> },
  { before: /(?:to|from|key) $/, show: (id: string) => <Party id={id} isBare /> },
] as const;

interface WordsProps {
  readonly text: string;
  /** Name of the value, such as `to`. */
  readonly label?: string;
  /** Without links, within something that is pressed. */
  readonly isPlain?: boolean;
}

export function Words({ text, label = "", isPlain = false }: WordsProps) {
  const parts = text.replace(ASSET, "").split(ID);
  return (
    <>
      {parts.map((part, n) => {
        if (n % 2 === 0) return part;
        const before = parts[n - 1] || `${label} `;
        if (isPlain) return <span class="id">{shortId(part)}</span>;
        const show = KINDS.find((each) => each.before.test(before))?.show;
        return show?.(part) ?? <Id id={part} isBare />;
      })}
    </>
  );
}
