import { MESSAGES } from "../../src/wire/generated/schema.ts";

export function messageNames(): string[] {
  return Object.keys(MESSAGES);
}
