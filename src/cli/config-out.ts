// `--config-out FILE`: where everything listens, for scripts that wait for the file.
import { NodeError } from "../errors/node-error.ts";
import { writeNamedFile } from "../files/whole-file.ts";

/** Whoever sees the file sees all of it. @throws NodeError when it cannot be written */
export function writeConfigOut(file: string | undefined, where: Readonly<Record<string, unknown>>): void {
  if (file === undefined) return;
  try {
    writeNamedFile(file, `${JSON.stringify(where)}\n`);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    throw new NodeError(
      "config_out",
      "file_unwritable",
      `${file} cannot be written: ${code}`,
      "give --config-out a file in a folder that exists",
    );
  }
}
