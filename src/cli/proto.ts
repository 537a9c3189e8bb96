// lyra proto: the interface as .proto files, for clients in any language.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { writeNamedFile } from "../files/whole-file.ts";
import { PROTO_TEXTS } from "../wire/proto/texts.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";

export const help = `lyra proto: the interface as .proto files, for clients in any language

  lyra proto --out DIR

  --out DIR             folder for the files; those of the same name are replaced
  --json                print their paths as JSON
  --quiet               print nothing

  Packages, messages, fields and services have the network's own names and
  numbers, so clients made from its files and from these understand each other.
  protoc -I DIR DIR/vega/api/v1/core.proto ... makes a client; docs/grpc.md has
  a line for each of Go, Python and Node.
`;

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("proto", argv, { ...COMMON, out: { type: "string" } });
  if (positionals.length > 0) throw usageError("proto", `proto takes no '${positionals[0]}'`);
  const { out } = values;
  if (out === undefined) throw usageError("proto", "name a folder with --out DIR");
  try {
    for (const [path, text] of PROTO_TEXTS) {
      mkdirSync(dirname(join(out, path)), { recursive: true });
      writeNamedFile(join(out, path), text);
    }
  } catch (error) {
    const sentence = `${out} cannot be written: ${reasonOf(error)}`;
    throw new NodeError("proto", "file_unwritable", sentence, "give --out a folder that can be written");
  }
  const files = [...PROTO_TEXTS.keys()].sort();
  if (values.json) process.stdout.write(`${JSON.stringify({ out, files })}\n`);
  else if (!values.quiet) process.stdout.write(files.map((path) => `${join(out, path)}\n`).join(""));
  return 0;
}
