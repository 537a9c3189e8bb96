/** The generated functions of any message by its full name, for tests that go over all of them. */
import { splitName } from "../../src/wire/descriptors.ts";
import * as abci from "../../src/wire/generated/abci.ts";
import * as checkpoint from "../../src/wire/generated/checkpoint.ts";
import * as commands from "../../src/wire/generated/commands.ts";
import * as consensus from "../../src/wire/generated/consensus.ts";
import * as consensusCrypto from "../../src/wire/generated/consensus-crypto.ts";
import * as coreApi from "../../src/wire/generated/core-api.ts";
import * as data from "../../src/wire/generated/data.ts";
import * as datanode from "../../src/wire/generated/datanode.ts";
import * as events from "../../src/wire/generated/events.ts";
import * as explorer from "../../src/wire/generated/explorer.ts";
import * as health from "../../src/wire/generated/health.ts";
import * as httpBody from "../../src/wire/generated/http-body.ts";
import * as protobuf from "../../src/wire/generated/protobuf.ts";
import * as reflection from "../../src/wire/generated/reflection.ts";
import * as reflectionAlpha from "../../src/wire/generated/reflection-alpha.ts";
import * as rpc from "../../src/wire/generated/rpc.ts";
import * as vega from "../../src/wire/generated/vega.ts";
import * as wallet from "../../src/wire/generated/wallet.ts";

export type AnyMessage = Record<string, unknown>;

export interface Codec {
  decode(bytes: Uint8Array): AnyMessage;
  readAt(bytes: Uint8Array, start: number, end: number): AnyMessage;
  encode(message: object): Uint8Array;
  empty(): AnyMessage;
}

type Module = Readonly<Record<string, unknown>>;
const modules: Readonly<Record<string, Module>> = {
  "blockexplorer.api.v1": explorer,
  "datanode.api.v2": datanode,
  "google.api": httpBody,
  "google.protobuf": protobuf,
  "google.rpc": rpc,
  "grpc.health.v1": health,
  "grpc.reflection.v1": reflection,
  "grpc.reflection.v1alpha": reflectionAlpha,
  "tendermint.abci": abci,
  "tendermint.crypto": consensusCrypto,
  "tendermint.types": consensus,
  vega,
  "vega.api.v1": coreApi,
  "vega.checkpoint.v1": checkpoint,
  "vega.commands.v1": commands,
  "vega.data.v1": data,
  "vega.events.v1": events,
  "vega.wallet.v1": wallet,
};

export function codecOf(fullName: string): Codec {
  const [packageName, localName] = splitName(fullName);
  const module = modules[packageName]!;
  const name = localName.replaceAll(".", "");
  return {
    decode: module[`decode${name}`] as Codec["decode"],
    readAt: module[`read${name}At`] as Codec["readAt"],
    encode: module[`encode${name}`] as Codec["encode"],
    empty: module[`empty${name}`] as Codec["empty"],
  };
}
