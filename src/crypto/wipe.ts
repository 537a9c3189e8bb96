// Wiping of secrets. It reaches what lies in a byte array, and nothing else: JavaScript copies texts as it likes and
// frees them when it likes, so secrets stay out of texts wherever they can (docs/cli.md, "What stays in memory").

/** Overwrites bytes that were secret. */
export function wipe(...secrets: readonly (Uint8Array | undefined)[]): void {
  for (const secret of secrets) secret?.fill(0);
}

/**
 * A copy of a secret that has one place for good. The runtime keeps small arrays within its own heap, and moves them out
 * when a view of them is made, which leaves what was there where nothing wipes it; one with a buffer is not moved.
 */
export function secretCopy(bytes: Uint8Array): Uint8Array {
  const secret = new Uint8Array(new ArrayBuffer(bytes.length));
  secret.set(bytes);
  return secret;
}
