// The standard health service (grpc.health.v1): serving while `/readyz` says that the node is ready.
import { Grpc } from "../../errors/statuses.ts";
import { ApiError } from "../../http/errors.ts";
import { codecOf } from "../../wire/codecs.ts";
import {
  encodeHealthCheckResponse,
  encodeHealthListResponse,
  type HealthCheckRequest,
  HealthCheckResponseServingStatus as Serving,
} from "../../wire/generated/health.ts";
import type { StreamMethod } from "./calls.ts";
import { Places } from "./clients.ts";
import type { GrpcPlanes } from "./services.ts";
import { decodeRequest, type UnaryMethod } from "./unary.ts";

const SERVICE = "/grpc.health.v1.Health";
/** A client watches once on a connection. */
const WATCHERS_MAX = 1_000;
/** Interval at which a watched state is looked at. */
const LOOK_MS = 500;

interface HealthMethods {
  readonly unary: readonly (readonly [path: string, method: UnaryMethod])[];
  readonly stream: readonly (readonly [path: string, method: StreamMethod])[];
}

/** @param services that can be asked about; the empty name stands for the whole port */
export function healthMethods({ status }: GrpcPlanes, services: readonly string[]): HealthMethods {
  const names = new Set(["", ...services]);
  const now = () => (status.readiness().ready ? Serving.SERVING : Serving.NOT_SERVING);
  const request = codecOf("grpc.health.v1.HealthCheckRequest");
  const serviceOf = (bytes: Uint8Array) => (decodeRequest(request, bytes) as HealthCheckRequest).service;
  const check: UnaryMethod = {
    kind: "other",
    needs: "nothing",
    run(bytes) {
      if (!names.has(serviceOf(bytes))) throw new ApiError(Grpc.notFound, "unknown service");
      status.askers.note("grpc", "");
      return { body: encodeHealthCheckResponse({ status: now() }) };
    },
  };
  const list: UnaryMethod = {
    kind: "other",
    needs: "nothing",
    run() {
      const statuses = new Map([...names].map((name) => [name, { status: now() }]));
      return { body: encodeHealthListResponse({ statuses }) };
    },
  };
  const places = new Places(WATCHERS_MAX);
  const watch: StreamMethod = {
    kind: "other",
    needs: "nothing",
    open(bytes, { signal }) {
      places.enter(signal);
      const isKnown = names.has(serviceOf(bytes));
      return { messages: changes(() => (isKnown ? now() : Serving.SERVICE_UNKNOWN), signal) };
    },
  };
  return {
    unary: [
      [`${SERVICE}/Check`, check],
      [`${SERVICE}/List`, list],
    ],
    stream: [[`${SERVICE}/Watch`, watch]],
  };
}

/** The state now, and again whenever it has changed. */
async function* changes(now: () => number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let last = -1; !signal.aborted; await rest(signal)) {
    const status = now();
    if (status !== last) yield encodeHealthCheckResponse({ status });
    last = status;
  }
}

function rest(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    const timer = setTimeout(settle, LOOK_MS);
    signal.addEventListener("abort", settle, { once: true });
  });
}
