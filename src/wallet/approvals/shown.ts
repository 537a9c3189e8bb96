// A waiting request as it is shown to a person, in this terminal or another one. Texts of others are made harmless
// here, once; `raw` is JSON in which they are escaped.
import type { ApprovalRequest } from "./approver.ts";
import { named, plain } from "./plain-text.ts";
import type { Words } from "./words.ts";
import { WORD_LINES_MAX } from "./words-helpers.ts";

export interface ShownKey {
  readonly name: string;
  readonly publicKey: string;
}

export interface ShownRequest {
  readonly id: string;
  readonly kind: ApprovalRequest["kind"];
  readonly hostname: string;
  readonly receivedAt: string;
  readonly wallet?: string;
  readonly wallets?: readonly string[];
  readonly keys?: readonly ShownKey[];
  readonly purpose?: "send" | "sign" | "check";
  readonly key?: ShownKey;
  readonly words?: Words;
  readonly raw?: string;
  readonly reason?: string;
}

export function shown(request: ApprovalRequest): ShownRequest {
  const { id, kind, receivedAt } = request;
  const common = { id, kind, hostname: plain(request.hostname), receivedAt };
  switch (request.kind) {
    case "connection":
      return { ...common, wallets: request.wallets };
    case "keys":
      return { ...common, wallet: request.wallet, keys: request.keys.map(shownKey) };
    case "passphrase":
      return { ...common, wallet: request.wallet, reason: request.reason };
    case "transaction": {
      const { wallet, purpose, publicKey, keyName, words, raw } = request;
      return { ...common, wallet, purpose, key: shownKey({ name: keyName, publicKey }), words, raw };
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

/** The lines of a request, the sentence first. */
export function requestLines(request: ShownRequest): string[] {
  const { hostname, wallet } = request;
  const who = hostname === "null" ? 'a page without an address ("null")' : named(hostname);
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
      const { words, purpose, key, raw } = request;
      const left = (words!.left ?? 0) + Math.max(0, words!.lines.length - WORD_LINES_MAX);
      const title = `${who} wants to ${purpose} a transaction: ${words!.title}`;
      const warnings = [
        // Checked is what is signed: it is in the answer too.
        ...(purpose !== "send"
          ? ["! it gets the signed transaction, and can send it whenever it is still good"]
          : []),
        ...words!.warnings.map((warning) => `! ${warning}`),
      ];
      const rawLines = raw!.split("\n").map((text) => `  ${text}`);
      return [
        title,
        ...words!.lines.slice(0, WORD_LINES_MAX).map(([label, value]) => row(label, value)),
        ...(left > 0 ? [`  ... and ${left} lines more, as below`] : []),
        row("with the key", `${key!.name}  ${key!.publicKey}`),
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

function row(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)} ${value}`;
}
