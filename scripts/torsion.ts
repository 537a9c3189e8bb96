// Verifies many signatures with random torsion components: bun scripts/torsion.ts [CASES]. A long form of
// test/crypto/ed25519-rule.test.ts; it stops at the first wrong verdict.
import { ed25519Verify } from "../src/crypto/ed25519.ts";
import { torsionCase } from "../test/support/torsion.ts";

const cases = Number(process.argv[2] ?? 100_000);
for (let n = 0; n < cases; n++) {
  const { publicKey, message, signature } = torsionCase(n);
  if (!ed25519Verify(publicKey, message, signature)) throw new Error(`case ${n} is refused`);
  const wrong = signature.with(32 + (n % 31), signature[32 + (n % 31)]! ^ (1 << (n & 7)));
  if (ed25519Verify(publicKey, message, wrong)) throw new Error(`case ${n} is accepted with another S`);
}
console.log(`${cases} signatures with torsion: all accepted, and refused with another S`);
