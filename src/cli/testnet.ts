// lyra testnet: a network of several validators on this machine.
import { ExitCode } from "../errors/node-error.ts";
import type { Testnet } from "../testnet/testnet.ts";
import { command, type Flags, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { MEMPOOL } from "./flags.ts";
import { mempoolLimitsOf } from "./mempool-limits.ts";
import { ownProgram } from "./own-program.ts";
import { dim, say, waitForInputEnd, waitForSignal } from "./terminal.ts";

const FLAGS = {
  validators: option("N", "how many, 1 to 16 (4)"),
  dir: option("DIR", "where it is kept, and goes on (else a temporary folder)"),
  cometbft: option("PATH", "the consensus engine, CometBFT 0.38 ($LYRA_COMETBFT, else of the path)"),
  port: option("0", "free ports for all of them"),
  "own-keys": toggle("of a new network: each validator has keys of its own, in a file (always beyond 4)"),
  ...MEMPOOL,
  "no-funding": toggle("parties without balances", { isMinor: true }),
  "chain-id": option("ID", "of a new network", { isMinor: true }),
  "stop-with-stdin": toggle("end when standard input does", { isMinor: true }),
} as const satisfies Flags;

export const testnet = command({
  flags: FLAGS,
  notes: `  For trials: keys are the devnet's, PUBLIC, unless --own-keys is given.
  A validator is two processes, started again when they end; its folder has
  their logs. For several machines: lyra testnet files.`,
  json: "{chainId, dir, nodes: [{number, nodeUrl, dataUrl, consensusUrl, home, consensusHome}]} once every validator has a block",
  startsNode: () => true,
  async run({ values }) {
    const inputEnd = values["stop-with-stdin"] ? waitForInputEnd() : undefined;
    const { port, validators = "4" } = values;
    if (port !== undefined && port !== "0") throw usageError("testnet", "--port must be 0");
    if (!/^\d{1,3}$/.test(validators)) throw usageError("testnet", "--validators must be a number");
    const signals = waitForSignal();
    const { startTestnet } = await import("../testnet/testnet.ts");
    const running = await startTestnet({
      ...(values.dir !== undefined && { folder: values.dir }),
      validators: Number(validators),
      ports: port === undefined ? "usual" : "free",
      isFunded: !values["no-funding"],
      mempool: mempoolLimitsOf("testnet", values),
      ...(values["own-keys"] && { ownKeys: true }),
      ...(values.cometbft !== undefined && { cometbft: values.cometbft }),
      ...(values["chain-id"] !== undefined && { chainId: values["chain-id"] }),
      lyra: ownProgram(),
      events: {
        onLine: ({ number }, role, line) => values.quiet || say(`validator ${number}, ${role}: ${line}`, {}),
        onEthereum: (line) => values.quiet || say(`the simulated Ethereum: ${line}`, {}),
        onEnded: ({ number }, role, how) =>
          values.quiet || say(`validator ${number}: its ${role} ended (${how}), and is started again`, {}),
      },
    });
    try {
      const ending = Promise.race([signals, ...(inputEnd ? [inputEnd] : [])]);
      // Settles on a stop, too.
      const isReady = await Promise.race([running.ready().then(() => true), ending.then(() => false)]);
      if (isReady) report(running, values);
      const signal = await ending;
      if (!values.quiet) say(dim(`${signal}: stopping`), { signal });
      return signal === "SIGINT" ? ExitCode.interrupted : ExitCode.done;
    } finally {
      await running.stop();
    }
  },
});

function report({ chainId, folder, nodes }: Testnet, values: { json?: boolean; quiet?: boolean }): void {
  const listening = nodes.map(({ number, nodePort, dataPort, rpcPort, home, consensusHome }) => ({
    number,
    nodeUrl: `http://127.0.0.1:${nodePort}`,
    dataUrl: `http://127.0.0.1:${dataPort}`,
    consensusUrl: `http://127.0.0.1:${rpcPort}`,
    ...{ home, consensusHome },
  }));
  if (values.json) process.stdout.write(`${JSON.stringify({ chainId, dir: folder, nodes: listening })}\n`);
  if (values.json || values.quiet) return;
  for (const { number, nodeUrl, dataUrl, consensusUrl } of listening)
    say(`validator ${number}: node API ${nodeUrl}, data API ${dataUrl}, consensus RPC ${consensusUrl}`, {
      ...{ number, nodeUrl, dataUrl, consensusUrl },
    });
}
