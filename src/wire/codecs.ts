/**
 * Codecs by full message name, for the services, which know names only at run time. This module imports all generated code:
 * import it only from modules that are loaded lazily.
 */
import { splitName } from "./descriptors.ts";
import * as commands from "./generated/commands.ts";
import * as coreApi from "./generated/core-api.ts";
import * as datanode from "./generated/datanode.ts";
import * as events from "./generated/events.ts";
import * as explorer from "./generated/explorer.ts";
import * as health from "./generated/health.ts";
import * as httpBody from "./generated/http-body.ts";
import * as reflection from "./generated/reflection.ts";
import * as vega from "./generated/vega.ts";

export interface MessageCodec {
  /** @throws WireError */
  decode(bytes: Uint8Array): object;
  /** Canonical bytes; omitted members have their defaults. */
  encode(message: object): Uint8Array;
}

const MODULES: Readonly<Record<string, object>> = {
  "blockexplorer.api.v1": explorer,
  "datanode.api.v2": datanode,
  "google.api": httpBody,
  "grpc.health.v1": health,
  "grpc.reflection.v1": reflection,
  "grpc.reflection.v1alpha": reflection,
  "vega.api.v1": coreApi,
  "vega.commands.v1": commands,
  "vega.events.v1": events,
  vega,
};

/** @throws Error for an unknown name */
export function codecOf(fullName: string): MessageCodec {
  const [packageName, localName] = splitName(fullName);
  const module = MODULES[packageName] as Record<string, unknown> | undefined;
  const name = localName.replaceAll(".", "");
  const [decode, encode] = [module?.[`decode${name}`], module?.[`encode${name}`]];
  if (typeof decode !== "function" || typeof encode !== "function")
    throw new Error(`no codec for ${fullName}`);
  return { decode, encode } as MessageCodec;
}
