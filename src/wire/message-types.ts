// The generated types by the full names of their messages, for the compiler alone.
import type * as coreApi from "./generated/core-api.ts";
import type * as datanode from "./generated/datanode.ts";

interface Packages {
  readonly "datanode.api.v2": typeof datanode;
  readonly "vega.api.v1": typeof coreApi;
}

/** Names of a package's messages; each has a function that makes an empty one. */
type LocalName<Package> = keyof Package extends infer Name
  ? Name extends `empty${infer Local}`
    ? Local
    : never
  : never;

/** Full name of a message of the services: `datanode.api.v2.GetAssetRequest`. */
export type MessageName = {
  [Name in keyof Packages]: `${Name}.${LocalName<Packages[Name]>}`;
}[keyof Packages];

type Emptied<Package, Local extends string> = Package extends {
  readonly [Name in `empty${Local}`]: () => infer Message;
}
  ? Message
  : never;

export type MessageOf<Name extends MessageName> = Name extends `datanode.api.v2.${infer Local}`
  ? Emptied<typeof datanode, Local>
  : Name extends `vega.api.v1.${infer Local}`
    ? Emptied<typeof coreApi, Local>
    : never;
