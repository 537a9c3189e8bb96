// lyra serve: answer queries over an existing home.
import { NodeError } from "../errors/node-error.ts";
import { loadConfig } from "../node/config.ts";
import { hasStore } from "../store/database.ts";
import { COMMON, readArguments, SERVING, usageError } from "./arguments.ts";
import { serveUntilSignal } from "./serving.ts";

export const help = `lyra serve: answer queries over an existing home

  lyra serve [--home DIR] [--data-port N] [--host H]

  --home DIR            the store (default: $LYRA_HOME, XDG data folder)
  --data-port N         port of the data API (default 3008; 0: a free one)
  --host H              address to listen on (default 127.0.0.1)
  --segment-length N    blocks in a history segment (default 1000)
  --limit NAME=VALUE    change a limit (docs/operations.md); can be repeated
  --config FILE         configuration (default: lyra.toml in the home)
  --config-out FILE     write where everything listens, as JSON
  --json, --quiet       for scripts

  Stops on SIGTERM or Ctrl-C within two seconds.
`;

export const startsNode = () => true;

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("serve", argv, { ...COMMON, ...SERVING });
  if (positionals.length > 0) throw usageError("serve", `serve takes no file: '${positionals[0]}'`);
  const config = loadConfig({
    ...values,
    dataPort: values["data-port"],
    segmentLength: values["segment-length"],
  });
  if (!hasStore(config.home)) {
    throw new NodeError(
      "serve",
      "store_missing",
      `there is no store in ${config.home}`,
      "load one with: lyra replay FILE --home DIR",
    );
  }
  return serveUntilSignal(config, {
    quiet: values.quiet === true,
    json: values.json === true,
    configOut: values["config-out"],
  });
}
