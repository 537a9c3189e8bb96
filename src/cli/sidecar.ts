// lyra sidecar: follow a validator, and answer for it.
import { loadSidecarConfig } from "../node/sidecar-config.ts";
import { command, option, toggle } from "./command/command.ts";
import { NODE_PORTS, RULES, SERVING } from "./flags.ts";
import { serveUntilSignal } from "./serve.ts";

export const sidecar = command({
  flags: {
    "events-port": option("N", "for a core's events (3005 without other sources)", { hasVariable: true }),
    "events-host": option("H", "address of it (127.0.0.1)", { hasVariable: true }),
    "events-socket": option("PATH", "a Unix socket", { hasVariable: true }),
    comet: option("URL", "CometBFT's RPC: transactions, proof of work, spam", { hasVariable: true }),
    core: option("URL", "a core's REST API: its head, submissions", { hasVariable: true }),
    "follow-sidecar": option("URL", "events of another sidecar", { hasVariable: true }),
    "gaps-from": option("URL", "another sidecar, for missing blocks", { hasVariable: true }),
    "allow-gaps": toggle("store what follows missing blocks, and mark the gap", { hasVariable: true }),
    "event-log": option("SIZE", "events on disk (256MB)", { hasVariable: true }),
    ...NODE_PORTS,
    rules: { ...RULES.rules, text: "0.71.6 (default): as the network; or default" },
    "ready-lag-blocks": option("N", "/readyz is 503 further behind (10; 0: no bound)", { hasVariable: true }),
    "ready-lag-seconds": option("N", "the same (30)", { hasVariable: true }),
    ...SERVING,
  },
  notes: `  Each source stands alone. Stops on SIGTERM or Ctrl-C when requests have ended;
  /status tells all states.`,
  json: "as `lyra serve`, with `eventsUrl?`, `eventsPort?`, `eventsSocket?`, `nodeUrl?`, `nodePort?`, `grpcNodeAddress?`, `grpcNodePort?`",
  startsNode: () => true,
  wrongWords: ([word]) => `sidecar takes no file: '${word}'`,
  run({ values }) {
    const { "allow-gaps": allowGaps, ...texts } = values;
    const config = loadSidecarConfig({ ...texts, ...(allowGaps && { "allow-gaps": "true" }) }, values);
    return serveUntilSignal(config, values);
  },
});
