// lyra proto: the interface as .proto files, for clients in any language.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { writeNamedFile } from "../files/whole-file.ts";
import { PROTO_TEXTS } from "../wire/proto/texts.ts";
import { command, option } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";

export const proto = command({
  usage: ["--out DIR [flags]"],
  flags: {
    out: option("DIR", "folder for the files; those of the same name are replaced"),
  },
  notes: `  Packages, messages, fields and services have the network's own names and
  numbers, so clients made from its files and from these understand each other.
  protoc -I DIR DIR/vega/api/v1/core.proto ... makes a client; docs/grpc.md has
  a line for each of Go, Python and Node.`,
  json: "{out, files: [path]}: the `.proto` files that were written below `out`",
  wrongWords: ([word]) => `proto takes no '${word}'`,
  async run({ values }) {
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
  },
});
