// The services of gRPC, as the files in `proto/` declare them.
import { SERVICES } from "./generated/services.ts";

export interface MethodDescriptor {
  readonly name: string;
  /** On the wire: `/vega.api.v1.CoreService/Statistics`. */
  readonly path: string;
  /** Full names of the messages. */
  readonly request: string;
  readonly response: string;
  readonly isRequestStream: boolean;
  readonly isResponseStream: boolean;
}

export interface ServiceDescriptor {
  /** Such as `vega.api.v1.CoreService`. */
  readonly fullName: string;
  readonly packageName: string;
  /** In declaration order. */
  readonly methods: readonly MethodDescriptor[];
}

/** @throws Error for a name that no service has: a fault of the caller */
export function serviceNamed(fullName: string): ServiceDescriptor {
  const service = SERVICES.find((candidate) => candidate.fullName === fullName);
  if (service === undefined) throw new Error(`no service is called ${fullName}`);
  return service;
}
