// Comparing secrets must take the same time wherever they differ. No behaviour shows it, so the sources are read.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const COMPARISONS: readonly (readonly [file: string, name: string])[] = [
  ["planes/devnet/loopback.ts", "isSameSecret"],
  ["wallet/service/tokens.ts", "isSameHash"],
  ["wallet/keystore/lyra-seal.ts", "isCheckedBy"],
];

const textOf = (file: string) => readFileSync(join(import.meta.dir, "../../src", file), "utf8");

test.each(COMPARISONS)("%s: %s compares in constant time", (file, name) => {
  const body = new RegExp(`^(?:export )?function ${name}\\(.*?^}`, "ms").exec(textOf(file))?.[0] ?? "";
  expect(body).toMatch(/return (?:\w+\.length === \w+\.length && )?timingSafeEqual\(/);
});

test.each([
  ["planes/devnet/loopback.ts", "isSameSecret(bearer, token)"],
  ["wallet/service/tokens.ts", "!isSameHash(entry.hash, hash)"],
  ["wallet/service/sessions.ts", "isSameHash(session.hash, hash)"],
  ["wallet/policies/decision.ts", "isSameHash(pairing, request.pairing)"],
])("%s compares its secret by them: %s", (file, call) => {
  expect(textOf(file)).toContain(call);
});
