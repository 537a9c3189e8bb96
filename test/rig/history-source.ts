// A node that shares its history, and a proxy before it that lies in one way.
import type { Database } from "bun:sqlite";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { openReader } from "../../src/store/database.ts";
import { turns } from "../support/eventually.ts";

/** @returns an answer in place of the node's; undefined passes the request on */
export type Lie = (
  request: Request,
  path: string,
  honest: () => Promise<Response>,
) => Promise<Response> | Response | undefined;

export class SharingNode {
  /** Requests by path. */
  readonly asked: string[] = [];
  lie: Lie | undefined;
  private readonly db: Database;
  private readonly server: ReturnType<typeof Bun.serve>;

  constructor(home: string) {
    this.db = openReader(home);
    const build = { version: "v0", commit: "" };
    const app = dataApp(new DataPlane(new DataContext(this.db, { limits: DEFAULT_LIMITS, build, home })));
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 5,
      fetch: async (request) => {
        const path = new URL(request.url).pathname.replace("/lyra/v1/history", "");
        this.asked.push(path);
        const honest = async () => app.fetch(request);
        return (await this.lie?.(request, path, honest)) ?? honest();
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
    this.db.close();
  }
}

/** A JSON answer with some members changed. */
export async function altered(
  response: Response,
  // biome-ignore lint/suspicious/noExplicitAny: lies are about any member
  change: (body: any) => void,
): Promise<Response> {
  const body = await response.json();
  change(body);
  return Response.json(body, { status: response.status });
}

/** An answer with one bit of its bytes flipped. */
export async function flipped(response: Response, at: number): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  bytes[at % bytes.length]! ^= 4;
  return new Response(bytes, { status: response.status, headers: response.headers });
}

/** A body that never ends. */
export function endless(status = 200): Response {
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      await turns(1);
    },
  });
  return new Response(body, { status });
}

/** A body that stands still. */
export function silent(status = 200): Response {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  return new Response(body, { status });
}
