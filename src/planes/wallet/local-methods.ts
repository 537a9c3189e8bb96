/**
 * Methods of the wallet's local socket that Lyra's own programs call, one declaration each: the handler in
 * `local-socket.ts`, the caller (`askService` in `cli/wallet-session.ts`) and the document have it from here. The other
 * administrative methods are the original's (`wallet/service/admin/`), which check their parameters in its words.
 */
import {
  choice,
  flag,
  json,
  list,
  nullable,
  object,
  type Shape,
  text,
  type ValueOf,
  whole,
} from "../../http/declaration.ts";
import type { ApprovalRequest } from "../../wallet/approvals/approver.ts";
import type { ShownRequest } from "../../wallet/approvals/shown.ts";

interface LocalDeclaration<Params = unknown, Result = unknown> {
  readonly summary: string;
  readonly params: Shape<Params>;
  readonly result: Shape<Result>;
}

const method = <Params, Result>(
  summary: string,
  params: Shape<Params>,
  result: Shape<Result>,
): LocalDeclaration<Params, Result> => ({ summary, params, result });

const NO_PARAMS = object({}) as Shape<{ readonly [name: string]: never }>;
const NOTHING = { type: "null" } as Shape<null>;
const REQUEST_ID = text("Of the request.");
const WALLET = text("Name of a wallet.");
const HOSTNAME = text("Of a site.");
const REQUEST = json("A request in words, as a terminal shows it.") as Shape<ShownRequest>;
const KIND = choice<ApprovalRequest["kind"]>("Kind of the request.", [
  "connection",
  "keys",
  "passphrase",
  "transaction",
]);

/** Requests that wait for a person, and the state of the service. */
const DESK_METHODS = {
  "approvals.list": method(
    "the requests that wait",
    NO_PARAMS,
    object({ requests: list("Oldest first.", REQUEST) }),
  ),
  "approvals.next": method(
    "the request to answer first",
    NO_PARAMS,
    object({ request: nullable(REQUEST) }, "`null` where no request waits."),
  ),
  "approvals.waits": method(
    "whether a request still waits",
    object({ id: REQUEST_ID }),
    object({ waits: flag("Whether it does.") }),
  ),
  "approvals.outcome": method(
    "how an approved transaction ended",
    object({ id: REQUEST_ID }),
    object({ outcome: nullable(text("In words; null until there is one.")) }),
  ),
  "approvals.answer": method(
    "answers a request",
    object({
      id: REQUEST_ID,
      outcome: choice("The person's decision.", ["approved", "rejected", "cancelled"]),
      "reach?": choice("Of a rejection: ends all other requests of the site, or of every site.", [
        "site",
        "all",
      ]),
      "wallet?": WALLET,
      "keep?": flag("Whether the connection outlives the service."),
      "allowedKeys?": list("Public keys that the site may see.", text("Public key.")),
      "passphrase?": text("Of the wallet, where the request is for it."),
    }),
    object({ answered: flag("Whether the request was still waiting."), kind: KIND }),
  ),
  "approvals.reject_all": method(
    "rejects all requests that wait",
    NO_PARAMS,
    object({ rejected: whole("Their number.") }),
  ),
  "service.page_link": method(
    "makes the address that opens the wallet's page in one browser, once",
    NO_PARAMS,
    object({ url: text("It is secret until it was opened.") }),
  ),
  "service.status": method("what the service is, and what waits", NO_PARAMS, json("Members by name.")),
} satisfies Readonly<Record<string, LocalDeclaration>>;

export const LOCAL_METHODS = {
  ...DESK_METHODS,
  // The opposite of `admin.unlock_wallet`, which the original does not have.
  "service.lock_wallet": method(
    "locks a wallet",
    object({ wallet: WALLET }),
    object({ wasUnlocked: flag("Whether it was unlocked before.") }),
  ),
  "admin.unlock_wallet": method(
    "unlocks a wallet in the service",
    object({ wallet: WALLET, passphrase: text("Of the wallet.") }),
    nullable(json("Nothing to read.")),
  ),
  "admin.remove_wallet": method("removes a wallet", object({ wallet: WALLET }), NOTHING),
  "admin.rename_wallet": method(
    "gives a wallet another name",
    object({ wallet: WALLET, newName: text("Its name from now on.") }),
    NOTHING,
  ),
  "admin.list_wallets": method(
    "the wallets of the service",
    NO_PARAMS,
    object({ wallets: list("Names, sorted.", WALLET) }),
  ),
  "admin.list_connections": method(
    "the open sessions",
    NO_PARAMS,
    object({
      activeConnections: list(
        "An entry for each site and wallet.",
        object({ hostname: HOSTNAME, wallet: WALLET }),
      ),
    }),
  ),
  "admin.close_connection": method(
    "ends the session of a site with a wallet",
    object({ hostname: HOSTNAME, wallet: WALLET }),
    NOTHING,
  ),
  "admin.close_connections_to_hostname": method(
    "ends the sessions of a site",
    object({ hostname: HOSTNAME }),
    NOTHING,
  ),
} satisfies Readonly<Record<string, LocalDeclaration>>;

type TypesOf<Declarations extends Readonly<Record<string, LocalDeclaration>>> = {
  readonly [Name in keyof Declarations]: {
    readonly params: ValueOf<Declarations[Name]["params"]>;
    readonly result: ValueOf<Declarations[Name]["result"]>;
  };
};

export type DeskMethods = TypesOf<typeof DESK_METHODS>;
export type LocalMethods = TypesOf<typeof LOCAL_METHODS>;
export type LocalMethod = keyof LocalMethods;
