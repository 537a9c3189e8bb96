/**
 * The codec of a message by its full name, for what learns names at run time: the services. It reaches all of the generated
 * code, so it is for modules that are loaded when they are needed.
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
  /** Canonical bytes; what is left out of the message has its default. */
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

/** An unknown name is a fault of the caller. */
export function codecOf(fullName: string): MessageCodec {
  const [packageName, localName] = splitName(fullName);
  const module = MODULES[packageName] as Record<string, unknown> | undefined;
  const name = localName.replaceAll(".", "");
  const [decode, encode] = [module?.[`decode${name}`], module?.[`encode${name}`]];
  if (typeof decode !== "function" || typeof encode !== "function")
    throw new Error(`no codec for ${fullName}`);
  return { decode, encode } as MessageCodec;
}
