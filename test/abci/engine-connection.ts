// A connection as the consensus engine opens it to the application.
import { FrameSplitter, frameOf } from "../../src/abci/frames.ts";
import type { Init } from "../../src/wire/codec.ts";
import { decodeResponse, encodeRequest, type Request, type Response } from "../../src/wire/generated/abci.ts";
import { eventually } from "../support/eventually.ts";

export async function dialEngine(port: number) {
  const splitter = new FrameSplitter();
  const answers: Response[] = [];
  let isClosed = false;
  let rest = Buffer.alloc(0);
  const write = (socket: { write(bytes: Uint8Array): number }) => {
    rest = rest.subarray(Math.max(0, socket.write(rest)));
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, bytes) => {
        for (const frame of splitter.push(bytes)) answers.push(decodeResponse(frame));
      },
      drain: write,
      close: () => {
        isClosed = true;
      },
    },
  });
  const raw = (bytes: Uint8Array) => {
    rest = Buffer.concat([rest, bytes]);
    write(socket);
  };
  return {
    answers,
    raw,
    socket,
    send: (...requests: Init<Request>[]) =>
      raw(Buffer.concat(requests.map((each) => frameOf(encodeRequest(each))))),
    count: (least: number) =>
      eventually(
        () => answers.length >= least,
        () => `${answers.length} answers`,
      ),
    closed: () => eventually(() => isClosed),
  };
}
