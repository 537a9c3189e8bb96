// lyra ethereum: the simulated Ethereum of a network of several validators.
import { ExitCode } from "../errors/node-error.ts";
import { isLoopback, isPrivate } from "../testnet/addresses.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { say, waitForInputEnd, waitForSignal } from "./terminal.ts";

export const ethereum = command({
  flags: {
    port: option("N", "where it answers (8545; 0: free)"),
    address: option("ADDRESS", "of a private net: it knows no password (127.0.0.1)"),
    file: option("FILE", "where its state is kept (else in memory)"),
    "stop-with-stdin": toggle("end when standard input does", { isMinor: true }),
  },
  notes: "  Validators watch it: lyra validator --ethereum URL.",
  json: "{url, port} once it listens",
  startsNode: () => true,
  async run({ values }) {
    const inputEnd = values["stop-with-stdin"] ? waitForInputEnd() : undefined;
    const { port = "8545" } = values;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw usageError("ethereum", "--port must be a port");
    const { address = "127.0.0.1" } = values;
    if (!isPrivate(address) && !isLoopback(address))
      throw usageError(
        "ethereum",
        "--address must be one of this machine or of a private net: every program that reaches it can write deposits",
      );
    const signals = waitForSignal();
    const { serveEthereum } = await import("../validator/ethereum-server.ts");
    const server = serveEthereum({
      port: Number(port),
      host: address,
      ...(values.file !== undefined && { file: values.file }),
    });
    try {
      if (values.json) process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port })}\n`);
      else if (!values.quiet) say(`the simulated Ethereum answers at ${server.url}`, { url: server.url });
      const signal = await Promise.race([signals, ...(inputEnd ? [inputEnd] : [])]);
      return signal === "SIGINT" ? ExitCode.interrupted : ExitCode.done;
    } finally {
      await server.stop();
    }
  },
});
