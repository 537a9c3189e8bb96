// lyra sidecar: follow a validator, and answer for it.
import { loadSidecarConfig } from "../node/sidecar-config.ts";
import { COMMON, readArguments, SERVING, usageError } from "./arguments.ts";
import { serveUntilSignal } from "./serve.ts";

export const help = `lyra sidecar: follow a validator, and answer for it

  lyra sidecar [--home DIR] [--events-port 3005] [--comet URL] [--core URL]

 Sources; each stands alone. Without any the event socket listens on 3005.
  --events-port N       port for a core's events (0: free), --events-host H
  --events-socket PATH  a Unix socket for the same
  --comet URL           CometBFT's RPC: transactions, proof of work, spam
  --core URL            a core's REST API: its head; submissions without --comet
  --follow-sidecar URL  events of another sidecar; --gaps-from URL missing ones

  --data-port N         data API (3008), --node-port N (3003), --host H
  --grpc-data-port N    over gRPC (3007; off: none), --grpc-node-port N (3002)
  --rules RULES         0.71.6 (default): as the network; or default
  --allow-gaps          store what follows missing blocks, and mark the gap
  --event-log SIZE      events kept on disk (default 256MB)
  --disk SIZE           bound of the home, or --retention archive|standard|lite
  --ready-lag-blocks N  /readyz is 503 further behind (10; 0: no bound),
                        --ready-lag-seconds N (30)
  --segments length     cut history by --segment-length, not as the network
  --limit NAME=VALUE, --config FILE, --config-out FILE, --json, --quiet

  Stops on SIGTERM or Ctrl-C when requests have ended; /status tells all states.
`;

export const startsNode = () => true;

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("sidecar", argv, {
    ...COMMON,
    ...SERVING,
    "events-port": { type: "string" },
    "events-host": { type: "string" },
    "events-socket": { type: "string" },
    "event-log": { type: "string" },
    comet: { type: "string" },
    core: { type: "string" },
    "follow-sidecar": { type: "string" },
    "gaps-from": { type: "string" },
    "node-port": { type: "string" },
    "grpc-node-port": { type: "string" },
    rules: { type: "string" },
    "allow-gaps": { type: "boolean" },
    "ready-lag-blocks": { type: "string" },
    "ready-lag-seconds": { type: "string" },
  });
  if (positionals.length > 0) throw usageError("sidecar", `sidecar takes no file: '${positionals[0]}'`);
  const { "allow-gaps": allowGaps, ...texts } = values;
  const config = loadSidecarConfig(
    { ...texts, ...(allowGaps && { "allow-gaps": "true" }) },
    {
      ...values,
      dataPort: values["data-port"],
      grpcDataPort: values["grpc-data-port"],
      segmentLength: values["segment-length"],
    },
  );
  return serveUntilSignal(config, {
    quiet: values.quiet === true,
    json: values.json === true,
    configOut: values["config-out"],
  });
}
