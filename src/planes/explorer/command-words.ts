// Commands in words, with names and decimals out of the store: the words that the wallet shows its user.
import type { Words, WordsContext } from "../../wallet/approvals/formatting.ts";
import { wordsOf } from "../../wallet/approvals/words.ts";
import type { InputData } from "../../wire/generated/commands.ts";
import { InvalidIdentifier } from "../../wire/identifiers.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import { COMMAND_KINDS } from "../../wire/transaction-commands.ts";
import { findAsset } from "../data/assets.ts";
import type { DataContext } from "../data/context.ts";
import { findMarket } from "../data/markets.ts";

/** The staked asset is a network parameter. */
const REWARD_ASSET = "reward.asset";
const NO_WORDS: Words = { title: "A command that this version does not know", lines: [], warnings: [] };

/** Facts are read once: for the commands of one answer. */
export class CommandWords {
  private readonly facts: WordsContext;

  constructor(context: DataContext) {
    const assets = remembered((id) => {
      const asset = findAsset(context, id);
      return (
        asset && { symbol: asset.details?.symbol ?? "", decimals: Number(asset.details?.decimals ?? 0n) }
      );
    });
    const markets = remembered((id) => {
      const market = findMarket(context, id);
      const instrument = market?.tradableInstrument?.instrument;
      const future = instrument?.future;
      if (market === undefined || future === undefined) return undefined;
      return {
        code: instrument?.code ?? "",
        quoteName: future.quoteName,
        settlementAsset: future.settlementAsset,
        decimals: Number(market.decimalPlaces),
        positionDecimals: Number(market.positionDecimalPlaces),
      };
    });
    const staked = context.get<{ value: string }>(
      "SELECT value FROM network_parameters_current WHERE key = ?",
      REWARD_ASSET,
    );
    // Of no key in particular: a transfer to its own sender is shown with its key.
    this.facts = { assets, markets, stakeAsset: staked?.value, publicKey: "" };
  }

  of(command: Partial<InputData>): Words {
    const kind = COMMAND_KINDS.find((each) => command[each] !== undefined);
    if (kind === undefined) return NO_WORDS;
    return wordsOf({ kind, payload: command[kind] } as CommandInit, this.facts);
  }
}

function remembered<T>(read: (id: string) => T | undefined): (id: string) => T | undefined {
  const values = new Map<string, T | undefined>();
  return (id) => {
    if (!values.has(id)) values.set(id, readOrNothing(read, id));
    return values.get(id);
  };
}

/** Commands are as their senders wrote them: an identifier may be any text. */
function readOrNothing<T>(read: (id: string) => T | undefined, id: string): T | undefined {
  try {
    return read(id);
  } catch (error) {
    if (error instanceof InvalidIdentifier) return undefined;
    throw error;
  }
}
