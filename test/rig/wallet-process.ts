// A wallet service as a process of its own, beside a node, with the keys of a devnet's public phrase. It approves
// everything, which `lyra wallet serve` never does; all else is the same. Options as JSON on the command line.
import { writeSync } from "node:fs";
import { DEVNET_RECOVERY_PHRASE } from "../../src/devnet/keys.ts";
import { startWalletService } from "../../src/planes/wallet/start.ts";
import { ApproveAll } from "../../src/wallet/approvals/approver.ts";
import { HttpNode } from "../../src/wallet/sending/http-node.ts";
import { bytes, cheapStore } from "../wallet/support/wallets.ts";

export interface WalletProcessOptions {
  readonly nodes: readonly string[];
  /** Where the memory of what was sent is. */
  readonly home: string;
  readonly waitMs?: number;
  readonly isSoleUser?: boolean;
}

if (import.meta.main) {
  const { nodes, ...options } = JSON.parse(process.argv[2]!) as WalletProcessOptions;
  const store = cheapStore();
  const passphrase = bytes("public");
  const wallet = await store.import({ name: "devnet", passphrase, recoveryPhrase: DEVNET_RECOVERY_PHRASE });
  const running = await startWalletService({
    store,
    nodes: nodes.map((address) => new HttpNode(address)),
    approver: new ApproveAll({ isDevnet: true }),
    unlocked: [wallet],
    isOwnChain: true,
    port: 0,
    hasSocket: false,
    ...options,
  });
  writeSync(1, `${JSON.stringify({ url: running.url, publicKey: wallet.keys[0]!.publicKey })}\n`);
}

/** The process, and what a page says to it. */
export class WalletProcess {
  private readonly child: Bun.Subprocess<"ignore", "pipe", "inherit">;
  private token = "";
  private url = "";
  publicKey = "";

  constructor(options: WalletProcessOptions) {
    this.child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(options)], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
  }

  /** Waits until it listens, and connects. */
  async connect(): Promise<this> {
    const reader = this.child.stdout.getReader();
    const { value } = await reader.read();
    const announcement = JSON.parse(new TextDecoder().decode(value)) as { url: string; publicKey: string };
    this.url = announcement.url;
    this.publicKey = announcement.publicKey;
    const { token } = await this.call("client.connect_wallet", {});
    this.token = token!;
    await this.call("client.list_keys", {});
    return this;
  }

  /** @returns undefined when it was sent, or why it was not */
  async send(transaction: object): Promise<string | undefined> {
    const params = { publicKey: this.publicKey, sendingMode: "TYPE_SYNC", transaction };
    return (await this.call("client.send_transaction", params)).error;
  }

  async end(): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }

  private async call(method: string, params: object): Promise<{ error?: string; token: string | null }> {
    const headers: Record<string, string> = {
      "content-type": "application/json-rpc",
      origin: "https://dapp.example",
    };
    if (this.token !== "") headers.authorization = this.token;
    const response = await fetch(`${this.url}/v2/requests`, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
    });
    const { error } = (await response.json()) as { error?: { data: string } };
    return { ...(error && { error: error.data }), token: response.headers.get("authorization") };
  }
}
