import { packages } from "../../src/wire/schema/index.ts";

export function messageNames(): string[] {
  return packages.flatMap((pack) => Object.keys(pack.messages).map((local) => `${pack.name}.${local}`));
}
