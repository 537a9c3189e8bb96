// The public package comes without types; this is as much of it as the tests use.
declare module "@vegaprotocol/crypto/keypair" {
  export class KeyPair {
    static fromSeed(index: number, seed: Uint8Array): Promise<KeyPair>;
    readonly algorithm: { readonly name: string; readonly version: number };
    readonly publicKey: { toString(): string };
    sign(message: Uint8Array, chainId?: string): Promise<Uint8Array>;
    verify(signature: Uint8Array, message: Uint8Array, chainId?: string): Promise<boolean>;
    hash(message: Uint8Array, chainId?: string): Promise<Uint8Array>;
  }
}

declare module "@vegaprotocol/crypto" {
  import type { KeyPair } from "@vegaprotocol/crypto/keypair";
  export const HARDENED: number;
  export const PoW: {
    solve(
      difficulty: number,
      blockHash: string,
      tid: string,
      startNonce?: bigint,
    ): Promise<{ nonce: bigint; tid: string; hashFunction: string }>;
    verify(difficulty: number, blockHash: string, tid: string, nonce: bigint): Promise<boolean>;
  };
  export class VegaWallet {
    static fromMnemonic(mnemonic: string): Promise<VegaWallet>;
    keyPair(index: number): Promise<KeyPair>;
  }
}
