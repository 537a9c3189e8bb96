// The place where a node's page looks for its user's wallet: on this machine alone. Node and page both follow it, since the
// policy that the page is sent with names the only wallet that it can ask.

export const DEFAULT_WALLET_PORT = 1789;
/** In the query of the page's address, for a wallet on another port. */
export const WALLET_PORT_QUERY = "wallet-port";
const PORT_MAX = 65_535;

/** Origin of the wallet. @param pageUrl with its query */
export function walletOriginFor(pageUrl: string): string {
  const text = new URL(pageUrl).searchParams.get(WALLET_PORT_QUERY) ?? "";
  const port = /^[1-9]\d{0,4}$/.test(text) && Number(text) <= PORT_MAX ? text : DEFAULT_WALLET_PORT;
  return `http://127.0.0.1:${port}`;
}
