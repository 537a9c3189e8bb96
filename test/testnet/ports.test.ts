// Ports of a test network: those that another program has are named before anything starts.
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { portUses } from "../../src/testnet/files.ts";
import { checkPorts, freePort } from "../../src/testnet/ports.ts";

const nodeOn = (port: number) => ({
  ...{ number: 2, home: "", consensusHome: "", abci: "" },
  ...{ peerPort: port, rpcPort: port + 1, nodePort: port + 2, dataPort: port + 3 },
});

test("a port that is in use is named with what should listen there", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  try {
    const uses = portUses({ ethereumPort: freePort(), nodes: [nodeOn(server.port! - 2)] });
    const taken = uses.filter(({ port }) => port === server.port);
    expect(taken.map(({ use }) => use)).toEqual(["validator 2's node API"]);
    await expect(checkPorts(taken, "stop it", 1)).rejects.toMatchObject({
      code: "port_in_use",
      message: `port ${server.port} on 127.0.0.1 is in use`,
      hint: "it is for validator 2's node API: stop it",
    });
  } finally {
    await server.stop(true);
  }
});

test("ports that nothing has are free, and one that is left in time", async () => {
  const port = freePort();
  await expect(checkPorts([{ port, use: "a test" }], "", 1)).resolves.toBeUndefined();
  const server = Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response() });
  const checking = checkPorts([{ port, use: "a test" }], "");
  await server.stop(true);
  await checking;
});

test("a network is not written while its ports are in use", async () => {
  const { writeTestnet } = await import("../../src/testnet/files.ts");
  const folder = mkdtempSync(join(tmpdir(), "lyra-ports-"));
  // Validators' usual ports lie ten apart: that of the fourth one's node API is in use here or by another program.
  const server = (() => {
    try {
      return Bun.serve({ hostname: "127.0.0.1", port: 3_033, fetch: () => new Response() });
    } catch {
      return undefined;
    }
  })();
  try {
    const options = {
      folder,
      validators: 4,
      ports: "usual",
      isFunded: false,
      cometbft: "/bin/false",
    } as const;
    await expect(writeTestnet({ ...options, nowNs: 0n, portLooks: 1 })).rejects.toMatchObject({
      code: "port_in_use",
    });
    expect(existsSync(join(folder, "node1"))).toBe(false);
  } finally {
    await server?.stop(true);
    rmSync(folder, { recursive: true });
  }
});
