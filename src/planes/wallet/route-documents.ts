// Descriptions of the wallet's routes. The body of a call is read by the service, whose errors are the protocol's.
import { list, object, text } from "../../http/declaration.ts";
import { schemaOf } from "../../http/schema-of.ts";

const METHOD_LIST = object({
  result: object(
    { registeredMethods: list("Names, sorted.", text("Name of a method.")) },
    "The list below its name, as in a result.",
  ),
});

export const TAG = "Wallet";

const documented = (operationId: string, summary: string, description?: string) => ({
  // For the document: the routes take no body, or read it by themselves.
  parse: ["json" as const],
  detail: { operationId, tags: [TAG], summary, ...(description !== undefined && { description }) },
});

export const HEALTH = documented("Health", "Whether the service answers");
export const LIST = {
  ...documented("Methods", "List the methods"),
  response: { 200: { ...schemaOf(METHOD_LIST), description: "Names of the methods." } },
};
export const CALL = {
  ...documented(
    "Request",
    "Call a method",
    "The page's origin, from `Origin` or `Referer`, is shown to the user.",
  ),
  parse: "none" as const,
};
