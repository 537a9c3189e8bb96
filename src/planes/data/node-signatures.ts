// Signatures of validators over a resource: an asset, a withdrawal, a change of signers (reference 10, section 5.8).

import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument } from "../../http/errors.ts";
import { CursorError, type Row } from "../../http/pagination.ts";
import { canonicalIdentifier, identifierBytes } from "../../wire/identifiers.ts";
import type { CursorReader, DataContext } from "./context.ts";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface SignatureRow extends Row {
  k1: Uint8Array;
  kind: bigint;
}

const listNodeSignatures: Endpoint<DataContext> = {
  path: "/api/v2/node/signatures",
  request: "datanode.api.v2.ListNodeSignaturesRequest",
  response: "datanode.api.v2.ListNodeSignaturesResponse",
  tag: "Nodes",
  summary: "List node signatures",
  description: "Signatures of validators over the resource `id`, by their bytes.",
  handle(context, request) {
    const id = (request.id as string | undefined) ?? "";
    if (id === "") throw invalidArgument("missing resource ID");
    const page = context.page(request);
    return context.query(
      "failed to get notary for resource ID",
      () => {
        const resource = identifierBytes(id);
        const resourceId = canonicalIdentifier(id);
        const signatures = context.list<SignatureRow, object>({
          query: {
            select: "s.kind",
            from: "node_signatures s",
            where: ["s.resource = ?"],
            params: [resource],
            order: [{ sql: "s.resource" }, { sql: "s.sig" }],
          },
          page,
          key: (cursor) => [cursor.bytes("resource_id"), signatureOf(cursor)],
          cursor: (row) =>
            JSON.stringify({ resource_id: resourceId, sig: Buffer.from(row.k1).toString("base64") }),
          node: (row) => ({ id: resourceId, sig: row.k1, kind: Number(row.kind) }),
        });
        return { signatures };
      },
      `resourceID: ${id.slice(0, 200)}: `,
    );
  },
};

function signatureOf(cursor: CursorReader): Uint8Array {
  const text = cursor.string("sig");
  if (!BASE64.test(text)) throw new CursorError("parsing cursor: member sig is not base64");
  return Buffer.from(text, "base64");
}

export const nodeSignatureEndpoints = [listNodeSignatures];
