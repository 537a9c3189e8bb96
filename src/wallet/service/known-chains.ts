// The chain of a service's nodes. A signature is good on one chain, and the node says which: a node that names
// a wrong chain would get signatures for that chain. So a service signs for the chain that it was told, or
// that its owner has confirmed for these nodes, and for no other.

import { sendError, wrongChain } from "../sending/nodes.ts";
import type { JsonFile } from "./json-file.ts";

interface ConfirmedChain {
  /** Address of the node, as it is asked. */
  readonly node: string;
  readonly chainId: string;
  /** RFC 3339. */
  readonly confirmedAt: string;
}

interface ChainsDocument {
  readonly version: 1;
  readonly chains: readonly ConfirmedChain[];
}

export const NO_CHAINS: ChainsDocument = { version: 1, chains: [] };
/** Nodes that are remembered; the oldest goes for one more. */
const NODES_MAX = 1_000;

/** Reason for which a chain is the right one: `own` is that of this very process. */
export type ChainStanding = "own" | "told" | "confirmed" | "new";

interface KnownChainsOptions {
  /** Addresses of the nodes. */
  readonly nodes: readonly string[];
  /** The chain that the settings name. */
  readonly chainId?: string | undefined;
  /** The nodes are this process's own chain: it is what it says. */
  readonly isOwn?: boolean | undefined;
  /** Where confirmed chains are kept; in memory without. */
  readonly file?: JsonFile<ChainsDocument> | undefined;
  /** RFC 3339. */
  readonly now: () => string;
}

export class KnownChains {
  private confirmed: string | undefined;
  private isLoaded = false;

  constructor(private readonly options: KnownChainsOptions) {}

  /** The chain to sign for; undefined as long as nobody has said or confirmed one. @throws NodeError `file_unreadable` */
  async expected(): Promise<string | undefined> {
    const { chainId, file, nodes } = this.options;
    if (chainId !== undefined) return chainId;
    if (!this.isLoaded && file !== undefined) {
      const { chains } = await file.read();
      this.confirmed = chains.find(({ node }) => nodes.includes(node))?.chainId;
    }
    this.isLoaded = true;
    return this.confirmed;
  }

  /** The standing of a chain with this service. @throws NodeError `wrong_chain` with both names */
  async standing(chainId: string): Promise<ChainStanding> {
    if (this.options.isOwn) return "own";
    const expected = await this.expected();
    if (expected === undefined) return "new";
    if (expected !== chainId) throw wrongChain(expected, chainId);
    return this.options.chainId === undefined ? "confirmed" : "told";
  }

  /** The owner has seen the chain's name and approved. @throws NodeError `wrong_chain` when another chain was confirmed meanwhile */
  async confirm(chainId: string): Promise<void> {
    if ((await this.standing(chainId)) !== "new") return;
    const { file, nodes, now } = this.options;
    const confirmedAt = now();
    await file?.update(({ chains }) => {
      const others = chains.filter(({ node }) => !nodes.includes(node));
      const added = nodes.map((node) => ({ node, chainId, confirmedAt }));
      return { version: 1, chains: [...others, ...added].slice(-NODES_MAX) };
    });
    this.confirmed = chainId;
  }

  /**
   * Before a signature, when nobody reads its chain: by a policy, or by a program's token.
   * @throws NodeError `chain_unconfirmed`, `wrong_chain`
   */
  async check(chainId: string): Promise<void> {
    if ((await this.standing(chainId)) === "new") throw unconfirmed(chainId);
  }
}

function unconfirmed(chainId: string) {
  return sendError(
    "chain_unconfirmed",
    `the node says that its chain is ${chainId}, and the owner of the wallet has not confirmed it`,
    `approve a transaction of a page, which shows the chain; or serve with --chain-id ${chainId}`,
  );
}
