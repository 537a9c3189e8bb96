// Exports over gRPC: the archive of REST in messages of a mebibyte, whatever the client's pace; what cannot be exported.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { status as Status } from "@grpc/grpc-js";
import { MESSAGE_BYTES } from "../../../src/history/export.ts";
import { recordSegment } from "../../../src/history/segment-table.ts";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { dataApp } from "../../../src/planes/data/app.ts";
import { DataContext } from "../../../src/planes/data/context.ts";
import { DataPlane } from "../../../src/planes/data/plane.ts";
import { type GrpcPort, serveGrpc } from "../../../src/planes/grpc/port.ts";
import { openReader, openWriter, segmentDirectory } from "../../../src/store/database.ts";
import { folder, makeSegments, removeFolders } from "../../history/fixtures.ts";
import { grace } from "../../support/eventually.ts";
import { GrpcClient } from "../../support/grpc-client.ts";

const EXPORT = "datanode.api.v2.TradingDataService/ExportNetworkHistory";
const TRADES = 6;
const WHOLE = { fromBlock: 1n, toBlock: 20n, table: TRADES };
const PAUSE_MS = 20;

const home = folder();
let port: GrpcPort;
let plane: DataPlane;
let client: GrpcClient;
let archive: Buffer;

/** Of half as many bytes once they are deflated. */
const lines = (bytes: number) =>
  Array.from({ length: bytes / 2_000 }, () => randomBytes(1_000).toString("hex"));

beforeAll(async () => {
  const db = openWriter(home);
  const segments = [
    { from: 1, to: 10, lines: lines(9_000_000) },
    { from: 11, to: 20, lines: lines(5_000_000) },
  ];
  for (const row of await makeSegments(segmentDirectory(home), segments)) recordSegment(db, row);
  db.close();
  const build = { version: "v0.71.6", commit: "test" };
  plane = new DataPlane(new DataContext(openReader(home), { limits: DEFAULT_LIMITS, build, home }));
  const app = dataApp(plane);
  const url = "http://localhost/api/v2/networkhistory/export?table=TABLE_TRADES&fromBlock=1&toBlock=20";
  archive = Buffer.from(await (await app.handle(new Request(url))).arrayBuffer());
  port = await serveGrpc(
    { kind: "data", data: plane, status: new ServerStatus() },
    { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" },
  );
  client = new GrpcClient(port.address);
});
afterAll(async () => {
  client.close();
  await port.stop();
  plane.context.db.close();
  removeFolders();
});

describe("the archive", () => {
  test("comes in messages of a mebibyte and what is left, and is the one of REST", async () => {
    const { messages, ended, headers } = client.stream(EXPORT, WHOLE);
    expect(await ended).toMatchObject({ code: Status.OK, text: "" });
    expect(headers()["content-disposition"]).toEndWith("trades-000001-000020.zip");
    expect(new Set(messages.map(({ contentType }) => contentType))).toEqual(new Set(["application/zip"]));
    const sizes = messages.map(({ data }) => data.length);
    expect(sizes.length).toBe(Math.ceil(archive.length / MESSAGE_BYTES));
    expect(sizes.slice(0, -1).every((size) => size === MESSAGE_BYTES)).toBe(true);
    expect(Buffer.concat(messages.map(({ data }) => data)).equals(archive)).toBe(true);
  });

  test("is the same for a client that reads slowly, beside one that does not", async () => {
    const slow = client.stream(EXPORT, WHOLE);
    slow.call.on("data", () => {
      slow.call.pause();
      void grace(PAUSE_MS).then(() => slow.call.resume());
    });
    const fast = client.stream(EXPORT, WHOLE);
    for (const { messages, ended } of [fast, slow]) {
      expect((await ended).code).toBe(Status.OK);
      expect(Buffer.concat(messages.map(({ data }) => data)).equals(archive)).toBe(true);
    }
  });

  test("of a range that there is not is refused", async () => {
    const { code, details } = await client.stream(EXPORT, { ...WHOLE, toBlock: 19n }).ended;
    expect(code).toBe(Status.INVALID_ARGUMENT);
    expect(details[0]!.inner).toStartWith("no contiguous segment range found with height 1 to 19");
  });
});
