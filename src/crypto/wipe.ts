// Wiping of secrets. It reaches what lies in a byte array, and nothing else: JavaScript copies texts as it likes and
// frees them when it likes, so secrets stay out of texts wherever they can (docs/cli.md, "What stays in memory").

/** Overwrites bytes that were secret. */
export function wipe(...secrets: readonly (Uint8Array | undefined)[]): void {
  for (const secret of secrets) secret?.fill(0);
}
