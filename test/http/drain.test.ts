// The end of a node's ports, as a balancer, a request under way, a waiting one and a stream see it.
import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { Ports, ReadinessAskers } from "../../src/http/drain.ts";
import { announceEnd, listen, stopServer } from "../../src/http/http.ts";
import { startNode } from "../../src/start-node.ts";
import { Scratch } from "../rig/homes.ts";
import { anyMoment, eventually } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const scratch = new Scratch("drain");
afterAll(() => scratch.remove());

describe("clients that poll readiness", () => {
  /** Asks every `intervalMs`, and says whether the wait has ended after each further question. */
  async function pollingClients(intervalMs: number, questions: number, quietMs = 0) {
    let nowMs = 0;
    const askers = new ReadinessAskers(() => nowMs);
    for (let n = 0; n < questions; n++) {
      askers.note("data", "127.0.0.1");
      nowMs += intervalMs;
    }
    nowMs += quietMs;
    let isOver = false;
    const seen = askers.haveSeen().then(() => {
      isOver = true;
    });
    const ask = async () => {
      await new Promise(setImmediate);
      const was = isOver;
      askers.note("data", "127.0.0.1");
      nowMs += intervalMs;
      return was;
    };
    return { seen, ask };
  }

  test("are waited for until they have seen three refusals", async () => {
    const { seen, ask } = await pollingClients(2_000, 10);
    expect([await ask(), await ask(), await ask()]).toEqual([false, false, false]);
    await seen;
  });

  test("have half a second for another look if they were there once, lately", async () => {
    const { seen, ask } = await pollingClients(1_000, 1);
    expect(await ask()).toBe(false);
    await seen;
  });

  test("that had left before their answer are not waited for: their addresses are unknown", async () => {
    let nowMs = 0;
    const askers = new ReadinessAskers(() => nowMs);
    for (let n = 0; n < 3; n++) {
      askers.note("data", null);
      nowMs += 4_000;
    }
    let isOver = false;
    const seen = askers.haveSeen().then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    expect(isOver).toBe(true);
    await seen;
  });

  test.each([
    ["once, some time ago", 1, 20_000],
    ["a while ago", 10, 60_000],
    ["never", 0, 0],
  ])("%s are not waited for", async (_, questions, quietMs) => {
    const { seen, ask } = await pollingClients(1_000, questions, quietMs);
    expect(await ask()).toBe(true);
    await seen;
  });
});

/** The bytes that come over a connection on which a single request is sent. */
function rawAnswer(port: number, path: string): { readonly text: Promise<string>; send(path: string): void } {
  const socket = connect(port, "127.0.0.1");
  const pieces: string[] = [];
  const send = (at: string) => void socket.write(`GET ${at} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  send(path);
  socket.on("data", (bytes) => pieces.push(bytes.toString()));
  socket.on("error", (error) => pieces.push(`error ${error.message}`));
  return { send, text: new Promise((resolve) => socket.on("close", () => resolve(pieces.join("")))) };
}

describe("a server that stops", () => {
  const listening = { host: "127.0.0.1", port: 0, bodyBytesMax: 1_000, portFlag: "--data-port" };

  test("lets requests under way end, and takes no new connection", async () => {
    const finish = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const server = listen(listening, async () => {
      begun.resolve();
      await finish.promise;
      return new Response("whole");
    });
    const port = server.port!;
    const { text } = rawAnswer(port, "/");
    await begun.promise;
    const stopped = stopServer(server);
    expect(await fetch(`http://127.0.0.1:${port}/`).catch(() => "refused")).toBe("refused");
    finish.resolve();
    expect(await text).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*whole$/);
    await stopped;
  });

  test("breaks off what does not end in time", async () => {
    const begun = Promise.withResolvers<void>();
    const server = listen(listening, () => {
      begun.resolve();
      return new Promise<Response>(() => {});
    });
    const { text } = rawAnswer(server.port!, "/");
    await begun.promise;
    await stopServer(server, 20);
    expect(await text).not.toContain("200");
  });

  test("ends each connection with an answer before it ends the port", async () => {
    const server = listen(listening, () => new Response("ok"));
    announceEnd(server);
    expect(await rawAnswer(server.port!, "/").text).toMatch(/^HTTP\/1.1 200 OK\r\nConnection: close\r\n/);
    await stopServer(server);
  });

  test("is not ready first, and only then goes", async () => {
    const steps: string[] = [];
    const askers = new ReadinessAskers();
    const ports = new Ports({ beginStop: () => steps.push("not ready"), askers });
    ports.add({
      announceEnd: () => steps.push("connections end"),
      stop: async () => void steps.push("stopped"),
    });
    await Promise.all([ports.drain(), ports.drain()]);
    expect(steps).toEqual(["not ready", "connections end", "stopped"]);
  });
});

describe("a node that stops", () => {
  test.each(["devnet", "sidecar"] as const)(
    "(%s) has told a balancer, and answers a waiting request with 503",
    async (kind) => {
      const devnet = await startTestDevnet({ home: scratch.path(), cometPort: 0 });
      const node =
        kind === "devnet"
          ? devnet
          : await startNode({ kind: "sidecar", home: scratch.path(), comet: devnet.address.cometUrl! });
      const readyz = async () => {
        const response = await fetch(`${node.dataUrl}/readyz`);
        return { status: response.status, text: await response.text() };
      };
      for (let n = 0; n < 4; n++) {
        await readyz();
        // The pace of a balancer, which the node measures.
        await anyMoment(20);
      }
      const waiting = fetch(`${node.dataUrl}/api/v2/assets`, { headers: { "X-Min-Height": "99999" } });
      await readyz();
      const stopped = node.stop();
      await eventually(async () => (await readyz()).text.includes("the node is stopping"));
      expect((await fetch(`${node.dataUrl}/api/v2/assets`)).headers.get("connection")).toBe("close");
      expect((await readyz()).status).toBe(503);
      await readyz();
      const answer = await waiting;
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      await stopped;
      if (kind === "sidecar") await devnet.stop();
    },
  );

  test("answers a submission that waits for its block with 503, unless the block comes", async () => {
    const devnet = await startTestDevnet({ mode: { kind: "manual" } });
    const { PartyClient } = await import("../../src/devnet/party-client.ts");
    const { madeUpAssetId } = await import("../../src/devnet/keys.ts");
    const client = new PartyClient(devnet.chain, devnet.parties[0]!.key, "drain");
    const { bytes } = await client.build({
      kind: "transfer",
      payload: {
        ...{ fromAccountType: 4, toAccountType: 4, to: devnet.parties[1]!.publicKey },
        ...{ asset: madeUpAssetId("tUSD"), amount: "100000", oneOff: {} },
      },
    });
    const submitted = fetch(`${devnet.nodeUrl}/transaction/raw`, {
      method: "POST",
      body: JSON.stringify({ tx: bytes.toBase64(), type: "TYPE_COMMIT" }),
    });
    await eventually(() => devnet.chain.status.mempool.count === 1);
    const stopped = devnet.stop();
    const answer = await submitted;
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    await stopped;
  });
});
