// lyra sidecar: follow a validator, and answer for it.
import { loadSidecarConfig } from "../node/sidecar-config.ts";
import { command } from "./command/command.ts";
import { NODE_PORTS, RULES, SERVING } from "./flags.ts";
import { serveUntilSignal } from "./serve.ts";

export const sidecar = command({
  flags: {
    "events-port": {
      type: "string",
      value: "N",
      text: "for a core's events (3005 without other sources)",
      variable: "LYRA_EVENTS_PORT",
    },
    "events-host": {
      type: "string",
      value: "H",
      text: "address of it (127.0.0.1)",
      variable: "LYRA_EVENTS_HOST",
    },
    "events-socket": {
      type: "string",
      value: "PATH",
      text: "a Unix socket",
      variable: "LYRA_EVENTS_SOCKET",
    },
    comet: {
      type: "string",
      value: "URL",
      text: "CometBFT's RPC: transactions, proof of work, spam",
      variable: "LYRA_COMET",
    },
    core: {
      type: "string",
      value: "URL",
      text: "a core's REST API: its head, submissions",
      variable: "LYRA_CORE",
    },
    "follow-sidecar": {
      type: "string",
      value: "URL",
      text: "events of another sidecar",
      variable: "LYRA_FOLLOW_SIDECAR",
    },
    "gaps-from": {
      type: "string",
      value: "URL",
      text: "another sidecar, for missing blocks",
      variable: "LYRA_GAPS_FROM",
    },
    "allow-gaps": { type: "boolean", text: "store what follows missing blocks, and mark the gap" },
    "event-log": {
      type: "string",
      value: "SIZE",
      text: "events on disk (256MB)",
      variable: "LYRA_EVENT_LOG",
    },
    ...NODE_PORTS,
    rules: { ...RULES.rules, text: "0.71.6 (default): as the network; or default" },
    "ready-lag-blocks": {
      type: "string",
      value: "N",
      text: "/readyz is 503 further behind (10; 0: no bound)",
      variable: "LYRA_READY_LAG_BLOCKS",
    },
    "ready-lag-seconds": {
      type: "string",
      value: "N",
      text: "the same (30)",
      variable: "LYRA_READY_LAG_SECONDS",
    },
    ...SERVING,
  },
  notes: `  Each source stands alone. Stops on SIGTERM or Ctrl-C when requests have ended;
  /status tells all states.`,
  json: "as `lyra serve`, with `eventsUrl?`, `eventsPort?`, `eventsSocket?`, `nodeUrl?`, `nodePort?`, `grpcNodeAddress?`, `grpcNodePort?`",
  startsNode: () => true,
  wrongWords: ([word]) => `sidecar takes no file: '${word}'`,
  run({ values }) {
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
  },
});
