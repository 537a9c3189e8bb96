import type { DevnetPort } from "../../engine/chain-port.ts";
import type { NameReport } from "./names.ts";
import type { TransactionStory } from "./transaction-story.ts";

/** The tools' dependencies. */
export interface DevnetContext {
  readonly chain: DevnetPort;
  /** The story of a transaction; undefined for one that is in no block and was not recently refused. */
  story(hash: string): Promise<TransactionStory | undefined>;
  /** The funded parties with their keys and balances, and the recovery phrase. */
  parties(): NameReport;
  /** An answer of the data API; undefined for 404. @param path as the endpoint has it @throws ChainCallError */
  read<T>(path: string, values: Readonly<Record<string, string>>): T | undefined;
}
