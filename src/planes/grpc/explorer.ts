// The block explorer's service, over the calls of its routes.
import { codecOf } from "../../wire/codecs.ts";
import type { Explorer } from "../explorer/explorer.ts";
import type { LoadExplorer } from "../explorer/routes.ts";
import type { ListRequest } from "../explorer/transactions.ts";
import { decodeRequest, type UnaryMethod } from "./unary.ts";

const PACKAGE = "blockexplorer.api.v1";

type Ask = (explorer: Explorer, request: object) => object | Promise<object>;

const CALLS: Readonly<Record<string, Ask>> = {
  Info: (explorer) => explorer.info(),
  ListTransactions: (explorer, request) => explorer.list(request as ListRequest),
  GetTransaction: (explorer, request) => explorer.get((request as { readonly hash: string }).hash),
};

/** Methods by their request message. */
export function explorerMethods(load: LoadExplorer | undefined): [request: string, method: UnaryMethod][] {
  if (load === undefined) return [];
  return Object.entries(CALLS).map(([name, ask]) => {
    const request = `${PACKAGE}.${name}Request`;
    const requestCodec = codecOf(request);
    const responseCodec = codecOf(`${PACKAGE}.${name}Response`);
    const run = async (bytes: Uint8Array) => {
      const message = await ask(await load(), decodeRequest(requestCodec, bytes));
      return { body: responseCodec.encode(message) };
    };
    return [request, { kind: "read", needs: "store", run }];
  });
}
