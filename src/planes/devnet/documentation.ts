// The document of the tools beside their routes; loaded with the first request for it.
import { answer, info, ref, withParts } from "../../http/openapi/parts.ts";
import type { Operation, Paths } from "../../http/openapi/types.ts";
import { FORWARD_TIME, FORWARD_TIME_PATH, TOOL_LIST } from "./declarations.ts";
import type { NameReport } from "./names.ts";
import { TAG } from "./route-documents.ts";

const ERRORS: Operation["responses"] = {
  "400": answer("The body is not understood, or the chain refused.", ref("Error")),
  "403": answer("The request comes from another machine, or from a page of another origin.", ref("Error")),
  "501": answer("Another method.", ref("Error")),
};

export const parts = () => ({
  info: info(
    "Lyra devnet tools",
    "Whatever a developer wants of a local network: time, blocks, money, snapshots.",
    "For this machine alone, unless `--tools-allow` opened them.",
  ),
  servers: [{ url: "/", description: "This server" }],
  tags: [{ name: TAG, description: "Each is a verb of `lyra devnet` too." }],
});

/** With the errors that all tools have in common, and examples that work on this devnet. */
export function completed(paths: Paths, { parties, assets }: NameReport): Paths {
  const party = JSON.stringify(parties[0]?.name ?? "alice");
  const asset = JSON.stringify(parties[0]?.balances[0]?.symbol ?? assets[0]?.symbol ?? "");
  return withParts(paths, (path) => {
    const example = JSON.stringify(EXAMPLES.get(path) ?? {});
    return {
      errors: ERRORS,
      bodyDescription: "Members by name; no others.",
      example: JSON.parse(example.replaceAll('"PARTY"', party).replaceAll('"ASSET"', asset)),
    };
  });
}

const EXAMPLES: ReadonlyMap<string, object> = new Map(
  [
    ...TOOL_LIST.map((tool) => [`/devnet/${tool.path}`, tool] as const),
    [FORWARD_TIME_PATH, FORWARD_TIME] as const,
  ].map(([path, { example = {} }]) => [path, example]),
);
