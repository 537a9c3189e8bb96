// The local socket of a running wallet service, from another process of the same user.

import { NodeError } from "../errors/node-error.ts";
import { socketPath } from "../planes/wallet/start.ts";
import { checkSocket } from "../wallet/keystore/guard.ts";

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: string };
}

/** @throws NodeError `wallet_not_served` with exit code 3, `wallet_refused` with the service's words */
export async function askService<T>(home: string, method: string, params: object = {}): Promise<T> {
  const path = socketPath(home);
  // A passphrase may follow: whose socket it is comes before the first word.
  if (!checkSocket(path)) throw notServed(home);
  let answer: RpcAnswer;
  try {
    const response = await fetch("http://wallet/", {
      unix: path,
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
    });
    answer = (await response.json()) as RpcAnswer;
  } catch {
    throw notServed(home);
  }
  if (answer.error !== undefined) throw new NodeError("wallet", "wallet_refused", answer.error.data);
  return answer.result as T;
}

function notServed(home: string): NodeError {
  return new NodeError(
    "wallet",
    "wallet_not_served",
    `no wallet service runs for the home ${home}`,
    "start one: lyra wallet serve",
  );
}
