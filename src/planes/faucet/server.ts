// The faucet on a port, on this machine alone: whoever reaches it gets as much as they like.
import { NodeError } from "../../errors/node-error.ts";
import { listen, urlOf } from "../../http/http.ts";
import type { ServerStatus } from "../../http/status.ts";
import { faucetApp } from "./app.ts";
import type { FaucetPort } from "./port.ts";

export const DEFAULT_FAUCET_PORT = 1790;

/** Bodies up to this are read, and refused with an error object; of a larger one nothing is read (a bare 413). */
const BODY_READ_BYTES_MAX = 64 * 1024;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

interface FaucetServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Time of this machine, Unix milliseconds. */
  nowMs(): number;
  /** That of the data plane. */
  readonly status?: ServerStatus;
  /** Must be said for any other host than loopback. */
  readonly allowRemote?: boolean;
}

interface FaucetServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens. @throws NodeError `not_loopback`, `port_in_use`, `cannot_listen` */
export function serveFaucet(faucet: FaucetPort, options: FaucetServerOptions): FaucetServer {
  const { host, port, status, allowRemote = false } = options;
  if (!allowRemote && !LOOPBACK.test(host)) {
    throw new NodeError(
      "serve",
      "not_loopback",
      `the faucet gives money to whoever reaches it, and ${host} can be reached from other machines`,
      "leave it on 127.0.0.1, or allow it with its own flag",
    );
  }
  const addressOf = (request: Request) => server.requestIP(request)?.address;
  const app = faucetApp(faucet, { nowMs: () => options.nowMs(), addressOf, ...(status && { status }) });
  const onFailure = () => Response.json({ error: "the network could not be asked" }, { status: 500 });
  const listening = { host, port, bodyBytesMax: BODY_READ_BYTES_MAX, portFlag: "--faucet-port", onFailure };
  const server = listen(listening, (request) => app.fetch(request));
  return { port: server.port!, url: urlOf(host, server.port!), stop: () => server.stop(true) };
}
