// What a person reads first when a devnet has started: a pure function of its facts.
import type { PartiesReport, PartyBalance, PartyReport } from "../devnet/parties.ts";
import { bold, dim, grouped, red } from "./terminal.ts";

export interface BannerFacts {
  readonly chainId: string;
  readonly height: number;
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  /** Where the wallet is served, if it is. */
  readonly walletUrl?: string;
  readonly home: string;
  /** The home is removed when the devnet stops. */
  readonly isTemporary: boolean;
  readonly mode: string;
  /** From the start of the process to the first block. */
  readonly firstBlockMs: number;
  /** What was found in the home; empty for a new chain. */
  readonly resumed: string;
  readonly report: PartiesReport;
}

export function devnetBanner(facts: BannerFacts): string {
  const { report, nodeUrl, dataUrl, faucetUrl } = facts;
  const started = facts.resumed || `first block after ${Math.round(facts.firstBlockMs)} ms`;
  return [
    "",
    `  ${bold("Lyra devnet")}  chain ${facts.chainId}, block ${grouped(facts.height)} ${dim(`(${started})`)}`,
    "",
    `  node API      ${nodeUrl}/`,
    `  data API      ${dataUrl}/api/v2/`,
    `  faucet        ${faucetUrl}/api/v1/mint`,
    ...(facts.walletUrl === undefined
      ? []
      : [`  wallet        ${facts.walletUrl}  ${red("approves everything")}`]),
    `  documentation ${dataUrl}/docs`,
    `  tools         ${nodeUrl}/devnet/  ${dim("or: lyra devnet --help")}`,
    `  blocks        ${facts.mode}`,
    `  home          ${facts.home}${facts.isTemporary ? dim("  (gone when it stops)") : ""}`,
    "",
    ...partyLines(report),
    "",
    `  recovery phrase  ${bold(report.recoveryPhrase)}`,
    "",
    `  ${red(bold("!!"))} ${bold(report.warning)}`,
    "",
    dim("  Ctrl-C stops."),
    "",
  ].join("\n");
}

function partyLines({ parties, stakingToken }: PartiesReport): string[] {
  const holdings = parties.map(({ balances }) => balances.map(balanceText).join("  "));
  const isSame = holdings.every((text) => text === holdings[0]);
  const staked = ({ stake }: PartyReport) =>
    stake === "0"
      ? ""
      : dim(`  ${units(BigInt(stake), stakingToken.decimals)} ${stakingToken.symbol} staked`);
  const lines = parties.flatMap((party, at) => [
    `  ${String(party.index).padStart(2)} ${party.name.padEnd(6)} ${party.publicKey}${staked(party)}`,
    ...(isSame ? [] : [dim(`            ${holdings[at]}`)]),
  ]);
  return isSame && holdings[0] ? [...lines, "", `  each holds  ${holdings[0]}`] : lines;
}

function balanceText({ balance, decimals, symbol }: PartyBalance): string {
  return `${units(BigInt(balance), decimals)} ${symbol}`;
}

/** Whole units with up to four decimals: 1,234.5 */
export function units(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits
    .slice(digits.length - decimals)
    .slice(0, 4)
    .replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
