// The plugins by which a port reports on its node: health for supervisors and balancers; metrics and status for operators.
import { Elysia } from "elysia";
import { Grpc } from "../errors/statuses.ts";
import { refuse } from "./answers.ts";
import { encodedResponse } from "./compression.ts";
import { ApiError } from "./errors.ts";
import { originOf } from "./origin.ts";
import { RAW } from "./plugin.ts";
import type { ServerStatus } from "./status.ts";

const TEXT = { "content-type": "text/plain; charset=utf-8", vary: "Origin" };
const METRICS = { "content-type": "text/plain; version=0.0.4", vary: "Origin, Accept-Encoding" };
const STATUS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  vary: "Origin, Accept-Encoding",
};

const ok = () => new Response("ok", { headers: TEXT });

/**
 * `/health` as the original has it, `/healthz` and `/readyz`.
 * @param port its name, by which the clients that poll it are told apart
 * @param notReady the reason; undefined when the port is ready
 */
export function healthRoutes(port: string, status: ServerStatus, notReady: () => string | undefined) {
  return new Elysia({ name: "health", seed: port })
    .all("/health", ok, RAW)
    .get("/healthz", ok)
    .get("/readyz", ({ request, server }) => {
      status.askers.note(port, server?.requestIP(originOf(request))?.address ?? null);
      const reason = notReady();
      if (reason === undefined) return ok();
      return refuse(request, new ApiError(Grpc.unavailable, reason), "normal");
    });
}

/** `/metrics` and `/status`. */
export function statusRoutes(status: ServerStatus) {
  return new Elysia({ name: "status" })
    .get("/metrics", ({ request }) => encodedResponse(status.metrics(), { headers: METRICS }, request))
    .get("/status", ({ request }) => encodedResponse(status.statusText(), { headers: STATUS }, request));
}
