// A client made of the network's public JavaScript packages and fetch, and of nothing of ours: their key derivation,
// their encoders, their signature, their proof of work.
import { HARDENED, PoW, VegaWallet } from "@vegaprotocol/crypto";
import type { KeyPair } from "@vegaprotocol/crypto/keypair";
import { encode as encodeInput } from "@vegaprotocol/protos/vega/commands/v1/InputData/encode";
import { encode as encodeTransaction } from "@vegaprotocol/protos/vega/commands/v1/Transaction/encode";

/** The last block, by `/blockchain/height`. */
export interface Head {
  readonly height: string;
  readonly hash: string;
  readonly chainId: string;
  readonly spamPowDifficulty: number;
}

/** Tricks that an honest client would not use. */
export interface Tricks {
  /** Signed for this chain in place of the node's. */
  readonly chainId?: string;
  /** Done to the signature before it is sent. */
  readonly forge?: (signature: Uint8Array) => Uint8Array;
  /** The block that the proof names, in place of the last. */
  readonly head?: Head;
  /** The proof, in place of a new one. */
  readonly pow?: { readonly tid: string; readonly nonce: bigint };
}

export interface Answer {
  readonly status: number;
  readonly success: boolean;
  readonly code: number;
  readonly data: string;
  readonly log: string;
  readonly txHash: string;
  readonly height: string;
  readonly details?: {
    readonly rule: string;
    readonly numbers: Record<string, string>;
    readonly sentence: string;
  };
}

type Input = Parameters<typeof encodeInput>[0];
type Envelope = Parameters<typeof encodeTransaction>[0];

export class PublicClient {
  /** Of all clients of this process: no proof is made twice. */
  private static count = 0;

  private constructor(
    private readonly key: KeyPair,
    readonly nodeUrl: string,
  ) {}

  /** @param index of the key in the wallet of the phrase, from 1 */
  static async open(recoveryPhrase: string, index: number, nodeUrl: string): Promise<PublicClient> {
    const wallet = await VegaWallet.fromMnemonic(recoveryPhrase);
    return new PublicClient(await wallet.keyPair(HARDENED + index), nodeUrl);
  }

  get party(): string {
    return this.key.publicKey.toString();
  }

  async head(): Promise<Head> {
    return (await (await fetch(`${this.nodeUrl}/blockchain/height`)).json()) as Head;
  }

  /** A proof for the last block, or for another. */
  async prove({ hash, spamPowDifficulty }: Head): Promise<{ tid: string; nonce: bigint }> {
    PublicClient.count += 1;
    const tid = Bun.SHA256.hash(`${this.party} ${PublicClient.count}`, "hex").toUpperCase();
    return PoW.solve(spamPowDifficulty, hash, tid, 0n);
  }

  /** The bytes of a transaction. @param command one member of InputData */
  async transaction(command: object, tricks: Tricks = {}): Promise<Uint8Array> {
    const head = tricks.head ?? (await this.head());
    PublicClient.count += 1;
    const inputData = encodeInput({
      nonce: BigInt(PublicClient.count),
      blockHeight: BigInt(head.height),
      ...command,
    } as unknown as Input);
    const signature = await this.key.sign(inputData, tricks.chainId ?? head.chainId);
    const value = Buffer.from(tricks.forge?.(signature) ?? signature).toString("hex");
    return encodeTransaction({
      inputData,
      signature: { value, algo: this.key.algorithm.name, version: this.key.algorithm.version },
      from: { pubKey: this.party },
      version: 3,
      pow: tricks.pow ?? (await this.prove(head)),
    } as unknown as Envelope);
  }

  async submit(tx: Uint8Array, type: "TYPE_SYNC" | "TYPE_COMMIT"): Promise<Answer> {
    const body = JSON.stringify({ tx: Buffer.from(tx).toString("base64"), type });
    const response = await fetch(`${this.nodeUrl}/transaction/raw?details=true`, { method: "POST", body });
    return { status: response.status, ...((await response.json()) as Omit<Answer, "status">) };
  }

  async send(command: object, tricks?: Tricks): Promise<Answer> {
    return this.submit(await this.transaction(command, tricks), "TYPE_COMMIT");
  }
}
