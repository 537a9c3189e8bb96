/**
 * The table of views: one line each. A view is a file in `views/` whose default export gets the parts of its path; it is
 * loaded when it is first opened. A line with `nav` stands in the navigation, with `key` it opens by `g` and that key.
 */
import type { ComponentType } from "preact";
import type { ViewProps } from "./view-props.ts";

export interface View {
  /** Behind `#/`. */
  readonly path: string;
  readonly title: string;
  readonly nav?: true;
  /** Path of the view that is marked in the navigation while this one is open. */
  readonly under?: string;
  readonly key?: string;
  /** Only in this mode of the node. */
  readonly only?: "devnet";
  readonly load: () => Promise<{ readonly default: ComponentType<ViewProps> }>;
}

export const VIEWS: readonly View[] = [
  { path: "", title: "Overview", nav: true, key: "o", load: () => import("./views/overview.tsx") },
  { path: "blocks", title: "Blocks", nav: true, key: "b", load: () => import("./views/blocks.tsx") },
  { path: "block/:height", title: "Block", under: "blocks", load: () => import("./views/block.tsx") },
  {
    path: "transactions",
    title: "Transactions",
    nav: true,
    key: "t",
    load: () => import("./views/transactions.tsx"),
  },
  {
    path: "transaction/:hash",
    title: "Transaction",
    under: "transactions",
    load: () => import("./views/transaction.tsx"),
  },
  { path: "parties", title: "Parties", nav: true, key: "p", load: () => import("./views/parties.tsx") },
  { path: "party/:id", title: "Party", under: "parties", load: () => import("./views/party.tsx") },
  { path: "assets", title: "Assets", nav: true, key: "a", load: () => import("./views/assets.tsx") },
  { path: "asset/:id", title: "Asset", under: "assets", load: () => import("./views/asset.tsx") },
  { path: "markets", title: "Markets", nav: true, key: "m", load: () => import("./views/markets.tsx") },
  { path: "market/:id", title: "Market", under: "markets", load: () => import("./views/market.tsx") },
  { path: "order/:id", title: "Order", load: () => import("./views/record.tsx") },
  { path: "deposit/:id", title: "Deposit", load: () => import("./views/record.tsx") },
  { path: "withdrawal/:id", title: "Withdrawal", load: () => import("./views/record.tsx") },
  { path: "proposals", title: "Proposals", nav: true, key: "r", load: () => import("./views/proposals.tsx") },
  { path: "proposal/:id", title: "Proposal", under: "proposals", load: () => import("./views/proposal.tsx") },
  {
    path: "validators",
    title: "Validators",
    nav: true,
    key: "v",
    load: () => import("./views/validators.tsx"),
  },
  {
    path: "validator/:id",
    title: "Validator",
    under: "validators",
    load: () => import("./views/validator.tsx"),
  },
  { path: "epochs", title: "Epoch", nav: true, key: "e", load: () => import("./views/epochs.tsx") },
  { path: "epoch/:id", title: "Epoch", under: "epochs", load: () => import("./views/epoch.tsx") },
  { path: "history", title: "History", nav: true, key: "h", load: () => import("./views/history.tsx") },
  { path: "node", title: "Node", nav: true, key: "n", load: () => import("./views/node.tsx") },
  {
    path: "devnet",
    title: "Devnet",
    nav: true,
    key: "d",
    only: "devnet",
    load: () => import("./views/devnet.tsx"),
  },
  { path: "parameters", title: "Parameters", nav: true, load: () => import("./views/parameters.tsx") },
];

/** The view of a path, with the values of its parameters. */
export function viewAt(
  parts: readonly string[],
): { readonly view: View; readonly params: ViewProps["params"] } | undefined {
  for (const view of VIEWS) {
    const pattern = view.path === "" ? [] : view.path.split("/");
    if (pattern.length !== parts.length) continue;
    if (!pattern.every((name, n) => name.startsWith(":") || name === parts[n])) continue;
    const named = pattern.flatMap((name, n) =>
      name.startsWith(":") ? [[name.slice(1), parts[n]!] as const] : [],
    );
    return { view, params: Object.fromEntries(named) };
  }
  return undefined;
}
