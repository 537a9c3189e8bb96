// Hashes of a CometBFT header that follow from the content of blocks: Merkle roots over SHA-256 with different bytes in
// front of leaves and inner nodes (RFC 6962). Upper-case hexadecimal, as its RPC prints them.

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const digest = new Bun.CryptoHasher("sha256");
  for (const part of parts) digest.update(part);
  return new Uint8Array(digest.digest());
}

function upper(bytes: Uint8Array): string {
  return bytes.toHex().toUpperCase();
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(LEAF, leaves[0]!);
  // The left part is the largest power of two below the whole.
  const left = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return sha256(INNER, rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}

export function merkleRoot(leaves: readonly Uint8Array[]): string {
  return upper(rootOf(leaves));
}

/** `data_hash`: over the hashes of the transactions. */
export function dataHash(txs: readonly Uint8Array[]): string {
  return merkleRoot(txs.map((tx) => sha256(tx)));
}

/** `last_results_hash`: over what of the results does not depend on the machine. */
export function resultsHash(
  results: readonly { readonly code: number; readonly data: Uint8Array }[],
): string {
  return merkleRoot(
    results.map(({ code, data }) =>
      Buffer.concat([code === 0 ? NOTHING : varintField(1, code), bytesField(2, data)]),
    ),
  );
}

interface PowerOfKey {
  readonly publicKey: Uint8Array;
  readonly power: number;
}

/** `validators_hash`: over keys and powers. */
export function validatorsHash(validators: readonly PowerOfKey[]): string {
  return merkleRoot(
    validators.map(({ publicKey, power }) =>
      Buffer.concat([bytesField(1, bytesField(1, publicKey)), varintField(2, power)]),
    ),
  );
}

/** `consensus_hash`: over the limits of a block. */
export function consensusHash({ bytesMax }: { readonly bytesMax: number }): string {
  // No limit of gas is -1, whose varint is ten bytes long.
  const gas = Uint8Array.of(16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
  return upper(sha256(varintField(1, bytesMax), gas));
}

/** `last_commit_hash`: over one signature that is absent. */
export function absentCommitHash(): string {
  return merkleRoot([
    Uint8Array.of(8, 1, 26, 11, 8, 0x80, 0x92, 0xb8, 0xc3, 0x98, 0xfe, 0xff, 0xff, 0xff, 1),
  ]);
}

/** Hash of the single part that a block has. */
export function partsHash(blockHash: string): string {
  return merkleRoot([Uint8Array.fromHex(blockHash)]);
}

const NOTHING = new Uint8Array(0);

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

function varintField(field: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(field * 8), ...varint(value)]);
}

/** Nothing where there are no bytes. */
function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return NOTHING;
  return Buffer.concat([Uint8Array.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes]);
}
