// Requests written byte by byte, for what `fetch` would mend or refuse.
import { turns } from "./eventually.ts";
export interface RawAnswer {
  /** 0 when the server closed without a word. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const END_OF_HEAD = "\r\n\r\n";

/** Sends the bytes and reads until the server closes, answers whole, or `timeoutMs` has ended. @throws Error then */
export async function sendRaw(
  port: number,
  request: string | Uint8Array,
  timeoutMs = 3_000,
): Promise<RawAnswer> {
  const bytes = typeof request === "string" ? Buffer.from(request, "latin1") : request;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  // real time: bounds a wait
  const timer = setTimeout(
    () => reject(new Error(`no whole answer within ${timeoutMs} ms: ${text}`)),
    timeoutMs,
  );
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_, chunk) {
        text += Buffer.from(chunk).toString("latin1");
        if (isWhole(text)) resolve(text);
      },
      close: () => resolve(text),
      error: (_, error) => reject(error),
    },
  });
  try {
    let sent = 0;
    while (sent < bytes.length) {
      sent += Math.max(0, socket.write(bytes.subarray(sent)));
      if (sent < bytes.length) await turns(1);
    }
    return parse(await promise);
  } finally {
    clearTimeout(timer);
    socket.end();
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return false;
  const { headers, body, status } = parse(text);
  const length = headers.get("content-length");
  if (length !== null) return body.length >= Number(length);
  if (headers.get("transfer-encoding") === "chunked") return text.endsWith("\r\n0\r\n\r\n");
  return status === 204;
}

function parse(text: string): RawAnswer {
  const end = text.indexOf(END_OF_HEAD);
  const [line = "", ...lines] = (end < 0 ? text : text.slice(0, end)).split("\r\n");
  const headers = new Headers();
  for (const one of lines) {
    const colon = one.indexOf(":");
    if (colon > 0) headers.append(one.slice(0, colon), one.slice(colon + 1).trim());
  }
  return {
    status: Number(line.split(" ")[1] ?? 0),
    headers,
    body: end < 0 ? "" : text.slice(end + END_OF_HEAD.length),
  };
}
