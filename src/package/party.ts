// A party of a devnet that signs, proves and sends transactions. The code for that is loaded with the first one.
import type { Command } from "../client/api.generated.ts";
import type { SendOptions, SentTransaction } from "../devnet/party-client.ts";
import type { CommandInit } from "../wire/transaction.ts";
import type { PartyNode } from "./signing.ts";

type Send = (command: CommandInit | Command, options?: SendOptions) => Promise<SentTransaction>;

export class Party {
  /** 64 lower-case hexadecimal digits. */
  readonly publicKey: string;
  private sender: Promise<Send> | undefined;

  constructor(
    private readonly node: PartyNode,
    /** `alice` to `judy`; empty for a key of the caller's own. */
    readonly name: string,
    /** Of the key in the wallet of the recovery phrase, from 1; 0 for a key of the caller's own. */
    readonly index: number,
    keys: { readonly publicKey: string; readonly privateKey: string },
  ) {
    this.publicKey = keys.publicKey;
    this.privateKey = keys.privateKey;
  }

  /** The 32 bytes of the private key, hexadecimal. PUBLIC, where the party has a name. */
  readonly privateKey: string;

  /**
   * Signs a command, makes its proof of work, and sends it; settles when it is in a block.
   * @throws NodeError `transaction_refused` with the chain's reason; with `allowRefusal` that is the answer's `outcome`
   */
  async send(command: CommandInit | Command, options?: SendOptions): Promise<SentTransaction> {
    this.sender ??= import("./signing.ts").then(({ senderOf }) => senderOf(this.node, this.privateKey));
    return (await this.sender)(command, options);
  }
}
