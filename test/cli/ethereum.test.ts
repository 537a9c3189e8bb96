// lyra ethereum: where it may listen.
import { expect, test } from "bun:test";
import { dispatch } from "../../src/cli/command/dispatch.ts";
import { COMMANDS } from "../../src/cli/commands.ts";

test.each([
  "0.0.0.0",
  "203.0.113.9",
  "::",
  "example.org",
  "127.example.com",
  "127.0.0.1.nip.io",
  "10.example.org",
])("it does not listen on %s", async (address) => {
  const logFailure = (error: unknown) => {
    throw error;
  };
  const argv = ["ethereum", "--port", "0", "--address", address];
  await expect(dispatch(COMMANDS, argv, { asJson: false, logFailure })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("of a private net"),
  });
});
