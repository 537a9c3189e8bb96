// The document of the faucet beside its routes; loaded with the first request for it.
import { answer, info, ref, withParts } from "../../http/openapi/parts.ts";
import type { Operation, Paths } from "../../http/openapi/types.ts";

const refused = (description: string) => answer(description, ref("Refusal"));
const METHOD = { "405": refused("Another method.") };
const MINT_ERRORS: Operation["responses"] = {
  "400": refused("The body is not understood, the asset is not known, or the amount is not allowed."),
  "403": refused("The party has had this asset within the last minute; the text says until when."),
  ...METHOD,
  "429": refused("Too many large bodies are being read."),
  "500": refused("The asset is not a built-in one, or the network could not be asked."),
};

export const parts = () => ({
  info: info(
    "Lyra faucet",
    "Free units of built-in assets, for tests; of this machine alone unless it was opened.",
  ),
  servers: [{ url: "/", description: "This server" }],
  tags: [{ name: "Faucet", description: "Units for nothing." }],
});

export const completed = (paths: Paths) =>
  withParts(paths, (path) => ({
    errors: path.endsWith("/mint") ? MINT_ERRORS : METHOD,
    bodyDescription: "JSON, whatever the content type says.",
    example: { party: "11".repeat(32), asset: "VOTE", amount: "1" },
  }));
