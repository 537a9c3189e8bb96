// Shared by the commands that keep a port open: banner, configuration file for scripts, orderly end.
import { ExitCode } from "../errors/node-error.ts";
import type { NodeConfig } from "../node/config.ts";
import { type RunningNode, startNode } from "../node/start.ts";
import { writeConfigOut } from "./config-out.ts";
import { waitForSignal } from "./signals.ts";
import { bold, dim, grouped, say, sayFailure } from "./terminal.ts";

export interface ServeOptions {
  readonly quiet: boolean;
  readonly json: boolean;
  readonly configOut?: string | undefined;
}

/** Starts a node and keeps it until a signal comes; the exit code is the command's. */
export async function serveUntilSignal(config: NodeConfig, options: ServeOptions): Promise<number> {
  const signals = waitForSignal();
  const node = await startNode(config);
  const where = { dataUrl: node.dataUrl, dataPort: node.dataPort, home: config.home, pid: process.pid };
  try {
    writeConfigOut(options.configOut, where);
  } catch (error) {
    await node.stop();
    throw error;
  }
  if (options.json) process.stdout.write(`${JSON.stringify(where)}\n`);
  if (!options.quiet) sayListening(node, config, where);
  let code: number = ExitCode.done;
  const watch = watchLoading(node, config, options, (failed) => {
    code = failed;
  });
  node.broken.then((error) => {
    code = sayFailure(error, options.json);
  });
  const signal = await signals;
  if (!options.quiet) say(dim(`${signal}: stopping`), { signal });
  await node.stop();
  await Promise.race([watch, Bun.sleep(0)]);
  return signal === "SIGINT" ? ExitCode.interrupted : code;
}

function sayListening(node: RunningNode, config: NodeConfig, where: Record<string, unknown>): void {
  if (process.stderr.isTTY) say(banner(node, config));
  else say("listening", where);
}

/** What a person reads first. A pure function of the node's facts. */
export function banner(node: Pick<RunningNode, "dataUrl" | "head">, config: NodeConfig): string {
  const head = node.head();
  const chain = head ? `chain ${head.chainId}, block ${grouped(head.height)}` : "empty so far";
  return [
    "",
    `  ${bold("Lyra")}  ${chain}`,
    "",
    `  data API      ${node.dataUrl}/api/v2/`,
    `  documentation ${node.dataUrl}/docs`,
    `  try           ${node.dataUrl}/api/v2/assets`,
    `  home          ${config.home}`,
    "",
    dim("  Ctrl-C stops."),
    "",
  ].join("\n");
}

async function watchLoading(
  node: RunningNode,
  config: NodeConfig,
  options: ServeOptions,
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
    if (!options.quiet && config.replay.length > 0 && result?.head) {
      const text = `loaded ${grouped(result.blocks)} blocks, ${grouped(result.events)} events; the last block is ${grouped(result.head.height)}`;
      say(dim(`  ${text}`), { blocks: result.blocks, events: result.events, height: result.head.height });
    }
  } catch (error) {
    onFailure(sayFailure(error, options.json));
  }
}
