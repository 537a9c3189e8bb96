// What the faucet asks of the network: which assets there are, and that one is deposited for a party.

export interface FaucetAsset {
  /** The most that one request may mint; undefined for an asset that is not built in. */
  readonly mintMax: bigint | undefined;
}

export interface FaucetPort {
  /** @returns undefined when the network has no such asset */
  asset(id: string): Promise<FaucetAsset | undefined>;
  /**
   * Deposits an amount of a built-in asset for a party.
   * @throws ChainCallError when the network does not take it
   */
  deposit(party: string, asset: string, amount: bigint): Promise<unknown>;
}
