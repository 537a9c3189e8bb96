// Descriptions of the members of messages and of the values of enums; read when a document is first asked for.
import { ASSETS } from "./assets.ts";
import { ENUMS } from "./enums.ts";
import { FRAMES } from "./frames.ts";
import { GOVERNANCE } from "./governance.ts";
import { MARKETS } from "./markets.ts";
import { NETWORK } from "./network.ts";
import { parseTexts, type Texts } from "./notation.ts";
import { SHARED } from "./shared.ts";
import { TRADING } from "./trading.ts";
import { TRANSACTIONS } from "./transactions.ts";

let members: Texts | undefined;
let values: Texts | undefined;

/** Every particular description of a member, by message. */
export function memberTexts(): Texts {
  members ??= parseTexts(FRAMES, MARKETS, TRADING, ASSETS, GOVERNANCE, NETWORK, TRANSACTIONS);
  return members;
}

/** Every description of a value, by enum. */
export function valueTexts(): Texts {
  values ??= parseTexts(ENUMS);
  return values;
}

/** The most particular description there is. */
export function memberText(message: string, member: string): string | undefined {
  return memberTexts().get(message)?.get(member) ?? SHARED[member];
}

/** A list in Markdown: each value with its meaning. */
export function enumText(name: string, names: readonly string[]): string {
  const texts = valueTexts().get(name);
  return names.map((each) => `- \`${each}\`: ${texts?.get(each) ?? ""}`).join("\n");
}
