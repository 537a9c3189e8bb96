// Documents of the faucet's routes.
import { flag, object, text } from "../../http/declaration.ts";
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
