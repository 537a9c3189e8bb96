// What the smaller documents share: one way to write an answer, a body, and the way to the other documents.
import manifest from "../../../package.json" with { type: "json" };
import type { Operation, Paths, Response, Schema } from "./types.ts";
import { OPENAPI_VERSION } from "./types.ts";

/** Where each document is when the ports are the usual ones; a devnet prints its own at the start. */
const OTHERS = [
  "[data API](http://127.0.0.1:3008/docs)",
  "[node API](http://127.0.0.1:3003/docs)",
  "[devnet tools](http://127.0.0.1:3003/devnet/docs)",
  "[faucet](http://127.0.0.1:1790/docs)",
  "[wallet](http://127.0.0.1:1789/docs)",
].join(", ");

/** Stands at the end of every document's description. */
export const OTHER_DOCUMENTS = `Documents at their usual ports: ${OTHERS}. \`lyra devnet\` prints the ports it took.`;

export function info(title: string, ...sentences: readonly string[]) {
  return { title, version: manifest.version, description: [...sentences, OTHER_DOCUMENTS].join(" ") };
}

export interface SmallDocument {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly paths: Paths;
  readonly schemas: Readonly<Record<string, Schema>>;
}

export function smallDocument({ title, sentences, tags, paths, schemas }: SmallDocument) {
  return {
    openapi: OPENAPI_VERSION,
    info: info(title, ...sentences),
    servers: [{ url: "/", description: "This server" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas },
  };
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const text = (description: string): Schema => ({ type: "string", description });
export const flag = (description: string): Schema => ({ type: "boolean", description });
export const whole = (description: string): Schema => ({ type: "integer", minimum: 0, description });
/** 64-bit numbers are texts. */
export const wholeText = (description: string): Schema => ({
  type: "string",
  pattern: "^\\d+$",
  description,
});

/** An object; a name with a question mark may be missing. */
export function object(members: Readonly<Record<string, Schema>>, description?: string): Schema {
  const names = Object.keys(members);
  const required = names.filter((name) => !name.endsWith("?"));
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), members[name]!])),
    ...(required.length > 0 ? { required } : {}),
  };
}

export function answer(description: string, schema: Schema, type = "application/json"): Response {
  return { description, content: { [type]: { schema } } };
}

export function jsonBody(description: string, schema: Schema, example: unknown): Operation["requestBody"] {
  return { required: true, description, content: { "application/json": { schema, example } } };
}
