// The OpenAPI document of the faucet.
import { answer, flag, jsonBody, object, ref, smallDocument, text } from "../../http/openapi/parts.ts";
import type { Paths } from "../../http/openapi/types.ts";

const refused = (description: string) => answer(description, ref("Refusal"));
const METHOD = refused("Another method.");

const paths: Paths = {
  "/api/v1/mint": {
    post: {
      operationId: "Mint",
      tags: ["Faucet"],
      summary: "Get free units of a built-in asset",
      description: "Once a minute for a party and an asset; this machine and private networks need not wait.",
      parameters: [],
      requestBody: jsonBody(
        "JSON, whatever the content type says.",
        object({
          party: { ...text("Public key of the party that gets them."), pattern: "^[0-9a-fA-F]{64}$" },
          asset: text("Identifier of a built-in asset."),
          amount: {
            type: "string",
            pattern: "^\\+?\\d{1,78}$",
            description:
              "Amount above 0, in the asset's smallest units; at most what the asset allows at a time.",
          },
        }),
        { party: "11".repeat(32), asset: "VOTE", amount: "1" },
      ),
      responses: {
        "200": answer("Minted: the deposit is in a block.", ref("Success")),
        "400": refused("The body is not understood, the asset is not known, or the amount is not allowed."),
        "403": refused("The party has had this asset within the last minute; the text says until when."),
        "405": METHOD,
        "429": refused("Too many large bodies are being read."),
        "500": refused("The asset is not a built-in one, or the network could not be asked."),
      },
    },
  },
  "/api/v1/health": {
    get: {
      operationId: "Health",
      tags: ["Faucet"],
      summary: "Whether the process answers",
      parameters: [],
      responses: { "200": answer("It does.", ref("Success")), "405": METHOD },
    },
  },
};

export const faucetDocument = () =>
  smallDocument({
    title: "Lyra faucet",
    sentences: ["Free units of built-in assets, for tests; of this machine alone unless it was opened."],
    tags: { Faucet: "Units for nothing." },
    paths,
    schemas: {
      Success: object({ success: flag("Always true.") }),
      Refusal: object({ error: text("Why nothing was minted.") }),
    },
  });
