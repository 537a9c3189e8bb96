// A waiting request as it is shown to a person, in this terminal or in another. Texts of others are made harmless
// here, once; `raw` is JSON in which they are escaped.

import { domainToUnicode } from "node:url";
import type { ApprovalRequest, Destination, Outcome } from "./approver.ts";
import { type Cost, costLines, costWarnings } from "./costs.ts";
import type { Line, Words } from "./formatting.ts";
import { lookAlikes, named, plain, quoted, WORD_LINES_MAX } from "./formatting.ts";

interface ShownKey {
  readonly name: string;
  readonly publicKey: string;
}

export interface ShownRequest {
  readonly id: string;
  readonly kind: ApprovalRequest["kind"];
  readonly hostname: string;
  /** Of the one who asks, with its scheme. */
  readonly origin: string;
  readonly receivedAt: string;
  /** The wallet's own page asks. */
  readonly isOwn?: true;
  readonly wallet?: string;
  readonly wallets?: readonly string[];
  readonly keys?: readonly ShownKey[];
  readonly purpose?: "send" | "sign" | "check";
  readonly key?: ShownKey;
  readonly words?: Words;
  readonly destination?: Destination;
  readonly costs?: readonly Cost[];
  /** Labels and texts of the costs. */
  readonly balances?: readonly Line[];
  readonly raw?: string;
  readonly reason?: string;
}

export function shown(request: ApprovalRequest): ShownRequest {
  const { id, kind, receivedAt } = request;
  const common = { id, kind, hostname: plain(request.hostname), origin: plain(request.origin), receivedAt };
  switch (request.kind) {
    case "connection":
      return { ...common, wallets: request.wallets };
    case "keys":
      return { ...common, wallet: request.wallet, keys: request.keys.map(shownKey) };
    case "passphrase":
      return { ...common, wallet: request.wallet, reason: request.reason };
    case "transaction": {
      const { wallet, purpose, publicKey, keyName, words, destination, costs, raw } = request;
      const key = shownKey({ name: keyName, publicKey });
      const shownWords = { ...words, warnings: [...words.warnings, ...costWarnings(costs)] };
      return {
        ...common,
        ...(request.isOwn && { isOwn: true }),
        ...{ wallet, purpose, key, words: shownWords, destination, costs },
        balances: costLines(costs),
        raw,
      };
    }
  }
}

function shownKey({ name, publicKey }: ShownKey): ShownKey {
  return { name: plain(name), publicKey };
}

const LABEL_WIDTH = 20;
/** A raw form that is longer pushes the words off the screen: they are said again below it. */
const SCREEN_LINES = 15;
/** Of a raw form; the rest is in `lyra wallet approvals list --json`. */
const RAW_LINES_MAX = 1_000;

/** The name of the one who asks, with what it looks like. */
export function askerOf({ origin, isOwn }: ShownRequest): string {
  if (isOwn) return "the wallet's own page";
  return origin === "null" ? 'a page without an address ("null")' : named(origin) + readAs(origin);
}

/** Sentences to read before the answer. */
export function warningsOf({ kind, purpose, words, destination }: ShownRequest): string[] {
  if (kind !== "transaction") return [];
  const warnings = [...words!.warnings];
  // Checked is what is signed: it is in the answer too.
  if (purpose !== "send")
    warnings.unshift("it gets the signed transaction, and can send it whenever it is still good");
  if (destination !== undefined && destination.chainId === undefined)
    warnings.push("nothing is signed before a node names a chain that you confirmed");
  return warnings;
}

/** Sentences that are no warnings: the chain, where this approval is the first for it. */
export function notesOf({ destination }: ShownRequest): string[] {
  if (destination?.chainId === undefined || destination.standing !== "new") return [];
  const { chainId, node } = destination;
  return [
    `${named(node)} says that its chain is ${named(chainId)}: a signature for it is good there, and nowhere else`,
  ];
}

/** The chain and the node that a transaction goes to. */
export function placeLines({ destination }: ShownRequest): Line[] {
  if (destination === undefined) return [];
  const { chainId, standing, node } = destination;
  const nodeName = node === "" ? "no node answers now" : named(node);
  if (chainId === undefined) return [["chain", `not known: ${nodeName}`]];
  return [
    ["chain", `${named(chainId)} (${STANDINGS[standing]})`],
    ["node", nodeName],
  ];
}

/** The lines of a transaction's words that are shown, and how many are left. */
export function linesOf({ lines, left = 0 }: Words): Required<Pick<Words, "lines" | "left">> {
  return { lines: lines.slice(0, WORD_LINES_MAX), left: left + Math.max(0, lines.length - WORD_LINES_MAX) };
}

/** The lines of a request, the sentence first. */
export function requestLines(request: ShownRequest): string[] {
  const { wallet } = request;
  const who = askerOf(request);
  switch (request.kind) {
    case "connection":
      return [`${who} wants to connect to a wallet`, row("wallets", request.wallets!.join(", "))];
    case "keys":
      return [
        `${who} wants to see the public keys of ${wallet}, and to ask for signatures by them`,
        ...request.keys!.map(({ name, publicKey }) => row(name, publicKey)),
      ];
    case "passphrase":
      return [`${who} needs the wallet ${wallet}: ${request.reason}`];
    case "transaction": {
      const { words, purpose, key, balances, raw } = request;
      const { lines, left } = linesOf(words!);
      const title = `${who} wants to ${purpose} a transaction: ${words!.title}`;
      const warnings = [...warningsOf(request), ...notesOf(request)].map((warning) => `! ${warning}`);
      const rawLines = raw!.split("\n").map((text) => `  ${text}`);
      return [
        title,
        ...lines.map(([label, value]) => row(label, value)),
        ...(left > 0 ? [`  ... and ${left} lines more, as below`] : []),
        row("with the key", `${key!.name}  ${key!.publicKey}`),
        ...placeLines(request).map(([label, value]) => row(label, value)),
        ...(balances ?? []).map(([label, value]) => row(label, value)),
        ...warnings,
        "as it is signed:",
        ...rawLines.slice(0, RAW_LINES_MAX),
        ...(rawLines.length > RAW_LINES_MAX
          ? [`  ... and ${rawLines.length - RAW_LINES_MAX} lines more: lyra wallet approvals list --json`]
          : []),
        ...(rawLines.length > SCREEN_LINES ? ["", title, ...warnings] : []),
      ];
    }
  }
}

/** A browser names hosts of other scripts by their code, which hides what they look like. */
function readAs(origin: string): string {
  if (!/(?:^|[./])xn--/i.test(origin)) return lookAlikes(origin);
  const host = origin.replace(/^[a-z]+:\/\//i, "").replace(/:\d*$/, "");
  const shown = domainToUnicode(host);
  return shown === "" ? "" : ` (shown as ${quoted(shown)}${lookAlikes(shown)})`;
}

const STANDINGS: Readonly<Record<Destination["standing"], string>> = {
  own: "this devnet",
  told: "as the settings say",
  confirmed: "confirmed before",
  new: "new: approving confirms it for this node",
};

/** The outcome of an approved transaction, in one sentence. */
export function outcomeLine(outcome: Outcome): string {
  switch (outcome.kind) {
    case "sent": {
      const place =
        outcome.height > 0n
          ? `in block ${outcome.height}`
          : outcome.isFollowed
            ? "waiting for its block"
            : "the node has it, and has not said in which block";
      return `sent as ${outcome.hash}: ${place}`;
    }
    case "signed":
      return "signed, and handed to the page";
    case "refused":
      return `refused by the node: ${plain(outcome.reason)}`;
    case "unknown":
      return `sent, and nothing is known of it: ${plain(outcome.reason)}`;
    case "unsigned":
      return `not signed: ${plain(outcome.reason)}`;
  }
}

const INDENT = " ".repeat(LABEL_WIDTH + 3);
/** A terminal that is narrower breaks the lines itself. */
const COLUMNS_MIN = 60;

/**
 * Lines as a terminal of this many columns shows them: what is longer goes on below its value, so that an identifier is
 * whole and is seen to be one.
 */
export function wrapped(lines: readonly string[], columns: number | undefined): string[] {
  if (columns === undefined || columns < COLUMNS_MIN) return [...lines];
  return lines.flatMap((line) => {
    const pieces: string[] = [];
    let rest = line;
    let indent = "";
    while (rest.length > columns - indent.length) {
      const room = columns - indent.length;
      const blank = rest.lastIndexOf(" ", room);
      const isWord = blank > room / 2 && rest.slice(0, blank).trim() !== "";
      const at = isWord ? blank : room;
      pieces.push(indent + rest.slice(0, at));
      rest = rest.slice(isWord ? at + 1 : at);
      indent = /^ {2}\S/.test(line) ? INDENT : "  ";
    }
    return [...pieces, indent + rest];
  });
}

function row(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)} ${value}`;
}
