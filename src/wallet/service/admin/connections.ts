// Administrative methods about connections of pages.
import { Params } from "../params.ts";
import type { AdminMethod } from "./shared.ts";

const list: AdminMethod = async ({ sessions }) => ({
  activeConnections: sessions.all.map(({ hostname, wallet }) => ({ hostname, wallet })),
});

const close: AdminMethod = async ({ revokeWallet }, value) => {
  const params = new Params(value);
  const hostname = params.text("hostname", "hostname");
  await revokeWallet(params.text("wallet", "wallet"), hostname);
};

/** Also what the hostname is doing, and asks for, at this moment. */
const closeHostname: AdminMethod = async ({ revokeHostname }, value) => {
  await revokeHostname(new Params(value).text("hostname", "hostname"));
};

const closeWallet: AdminMethod = async ({ revokeWallet }, value) => {
  await revokeWallet(new Params(value).text("wallet", "wallet"));
};

export const connectionMethods = {
  "admin.list_connections": list,
  "admin.close_connection": close,
  "admin.close_connections_to_hostname": closeHostname,
  "admin.close_connections_to_wallet": closeWallet,
} satisfies Readonly<Record<string, AdminMethod>>;
