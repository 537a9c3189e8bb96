// Where a running devnet listens, in its home, so that other processes find it.

export const devnetAddressFile = "devnet.json";

/** What `--config-out` writes, and the file in the home. */
export interface DevnetAddress {
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  readonly nodePort: number;
  readonly dataPort: number;
  readonly faucetPort: number;
  readonly chainId: string;
  readonly home: string;
  readonly pid: number;
}
