// The faucet's routes as its document shows them.
import { flag, object, text } from "../../http/declaration.ts";
import { answer, info, ref, withParts } from "../../http/openapi/parts.ts";
import type { Operation, Paths } from "../../http/openapi/types.ts";
import { schemaOf } from "../../http/schema-of.ts";
import { MINT_BODY } from "./mint.ts";

export const MODELS = {
  Refusal: schemaOf(object({ error: text("Why nothing was minted.") })),
};

const TAGS = ["Faucet"];
const success = (description: string) => ({
  200: { ...schemaOf(object({ success: flag("Always true.") })), description },
});

export const MINT = {
  body: MINT_BODY,
  response: success("Minted: the deposit is in a block."),
  detail: {
    operationId: "Mint",
    tags: TAGS,
    summary: "Get free units of a built-in asset",
    description: "Once a minute for a party and an asset; this machine and private networks need not wait.",
  },
};

export const HEALTH = {
  response: success("It does."),
  parse: ["json" as const],
  detail: { operationId: "Health", tags: TAGS, summary: "Whether the process answers" },
};

const refused = (description: string) => answer(description, ref("Refusal"));
const METHOD = { "405": refused("Another method.") };
const MINT_ERRORS: Operation["responses"] = {
  "400": refused("The body is not understood, the asset is not known, or the amount is not allowed."),
  "403": refused("The party has had this asset within the last minute; the text says until when."),
  ...METHOD,
  "429": refused("Too many large bodies are being read."),
  "500": refused("The asset is not a built-in one, or the network could not be asked."),
};

export function documentation() {
  return {
    parts: async () => ({
      info: info(
        "Lyra faucet",
        "Free units of built-in assets, for tests; of this machine alone unless it was opened.",
      ),
      servers: [{ url: "/", description: "This server" }],
      tags: [{ name: "Faucet", description: "Units for nothing." }],
    }),
    examples: async (paths: Paths) =>
      withParts(paths, (path) => ({
        errors: path.endsWith("/mint") ? MINT_ERRORS : METHOD,
        bodyDescription: "JSON, whatever the content type says.",
        example: { party: "11".repeat(32), asset: "VOTE", amount: "1" },
      })),
  };
}
