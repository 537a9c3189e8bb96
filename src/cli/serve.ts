// lyra serve: answer queries over an existing home.

import { ExitCode, NodeError } from "../errors/node-error.ts";
import { writeNamedFile } from "../files/whole-file.ts";
import { loadConfig, type NodeConfig } from "../node/config.ts";
import { ServiceManager } from "../node/service-manager.ts";
import type { SidecarConfig } from "../node/sidecar-config.ts";
import type { DataNode } from "../node/start.ts";
import { startNode } from "../start-node.ts";
import { hasStore } from "../store/database.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import { command, type ValuesOf } from "./command/command.ts";
import { type CONFIG_OUT, SERVING } from "./flags.ts";
import { bold, dim, grouped, say, sayFailure, waitForSignal } from "./terminal.ts";

export const serve = command({
  flags: SERVING,
  notes: "  Stops on SIGTERM or Ctrl-C when requests have ended.",
  json: "{dataUrl, dataPort, grpcDataAddress?, grpcDataPort?, home, pid} once it listens; `--config-out FILE` writes the same",
  startsNode: () => true,
  wrongWords: ([word]) => `serve takes no file: '${word}'`,
  async run({ values }) {
    const config = loadConfig(values);
    if (!hasStore(config.home)) {
      throw new NodeError(
        "serve",
        "store_missing",
        `there is no store in ${config.home}`,
        "load one with: lyra replay FILE --home DIR",
      );
    }
    return serveUntilSignal(config, values);
  },
});

// Shared by commands that serve: banner, file for scripts, orderly end.

type ServeValues = ValuesOf<typeof CONFIG_OUT>;

type ServedConfig = NodeConfig | SidecarConfig;

/** Starts a node and keeps it until a signal comes; the exit code is the command's. */
export async function serveUntilSignal(config: ServedConfig, values: ServeValues): Promise<number> {
  const signals = waitForSignal();
  const manager = ServiceManager.find();
  const node = await startNode(config).catch((error) => {
    if (manager === undefined || !(error instanceof NodeError)) throw error;
    sayFailure(error, values.json === true);
    return manager.notifyFailed(error);
  });
  if (typeof node === "number") return node;
  limitGarbage();
  const where = {
    dataUrl: node.dataUrl,
    dataPort: node.dataPort,
    ...node.addresses,
    home: config.home,
    pid: process.pid,
  };
  try {
    writeConfigOut(values["config-out"], where);
  } catch (error) {
    await node.stop();
    throw error;
  }
  if (values.json) process.stdout.write(`${JSON.stringify(where)}\n`);
  if (!values.quiet) sayListening(node, config, where);
  let code: number = ExitCode.done;
  const watch = watchLoading(node, config, values, (failed) => {
    code = failed;
  });
  node.broken.then((error) => {
    code = sayFailure(error, values.json === true);
  });
  let isBroken = false;
  node.broken.then(() => {
    isBroken = true;
  });
  manager?.notifyReady(
    () => `block ${node.head()?.height ?? 0} of chain ${node.head()?.chainId ?? "(none yet)"}`,
    () => !isBroken,
  );
  const signal = await signals;
  manager?.notifyStopping();
  if (!values.quiet) say(dim(`${signal}: stopping`), { signal });
  await node.stop();
  await Promise.race([watch, Bun.sleep(0)]);
  return signal === "SIGINT" ? ExitCode.interrupted : code;
}

function sayListening(node: DataNode, config: ServedConfig, where: Record<string, unknown>): void {
  if (process.stderr.isTTY) say(banner(node, config));
  else say("listening", where);
}

/** The banner: a pure function of the node's facts. */
export function banner(
  node: Pick<DataNode, "dataUrl" | "head" | "addresses">,
  config: Pick<ServedConfig, "home">,
): string {
  const head = node.head();
  const chain = head ? `chain ${head.chainId}, block ${grouped(head.height)}` : "empty so far";
  return [
    "",
    `  ${bold("Lyra")}  ${chain}`,
    "",
    `  page          ${node.dataUrl}/`,
    `  data API      ${node.dataUrl}/api/v2/`,
    ...addressLines(node.addresses),
    `  documentation ${node.dataUrl}/docs`,
    `  try           ${node.dataUrl}/api/v2/assets`,
    `  home          ${config.home}`,
    "",
    dim("  Ctrl-C stops."),
    "",
  ].join("\n");
}

const ADDRESS_TITLES: Readonly<Record<string, string>> = {
  nodeUrl: "node API",
  grpcNodeAddress: "gRPC node",
  grpcDataAddress: "gRPC data",
  eventsUrl: "events",
  eventsSocket: "events",
};

function addressLines(addresses: DataNode["addresses"]): string[] {
  return Object.entries(ADDRESS_TITLES).flatMap(([name, title]) => {
    const address = addresses[name];
    return address === undefined ? [] : [`  ${title.padEnd(13)} ${address}`];
  });
}

async function watchLoading(
  node: DataNode,
  config: ServedConfig,
  values: ServeValues,
  onFailure: (code: number) => void,
): Promise<void> {
  try {
    const result = await node.loaded;
    const damaged = result?.files.find((file) => file.damage);
    if (damaged) {
      say(`${damaged.path} is damaged: ${damaged.damage!.reason}; everything before it is loaded`, {
        ...damaged.damage,
      });
      onFailure(ExitCode.failed);
    }
    if (!values.quiet && config.replay.length > 0 && result?.head) {
      const text = `loaded ${grouped(result.blocks)} blocks, ${grouped(result.events)} events; the last block is ${grouped(result.head.height)}`;
      say(dim(`  ${text}`), { blocks: result.blocks, events: result.events, height: result.head.height });
    }
  } catch (error) {
    onFailure(sayFailure(error, values.json === true));
  }
}

// `--config-out FILE`: where everything listens, for scripts that wait for the file.

/** Writes the file atomically. @throws NodeError when it cannot be written */
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
