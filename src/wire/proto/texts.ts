// The files as texts by path, for `lyra proto`. Those of google.protobuf and of gRPC come with every
// compiler and library; those of the consensus engine are no interface of this program.
import explorer from "./blockexplorer/api/v1/blockexplorer.proto" with { type: "text" };
import datanode from "./data-node/api/v2/trading_data.proto" with { type: "text" };
import httpBody from "./google/api/httpbody.proto" with { type: "text" };
import status from "./google/rpc/status.proto" with { type: "text" };
import coreApi from "./vega/api/v1/core.proto" with { type: "text" };
import checkpoint from "./vega/checkpoint/v1/checkpoint.proto" with { type: "text" };
import commands from "./vega/commands/v1/commands.proto" with { type: "text" };
import data from "./vega/data/v1/data.proto" with { type: "text" };
import events from "./vega/events/v1/events.proto" with { type: "text" };
import vega from "./vega/vega.proto" with { type: "text" };
import wallet from "./vega/wallet/v1/wallet.proto" with { type: "text" };

export const PROTO_TEXTS: ReadonlyMap<string, string> = new Map([
  ["blockexplorer/api/v1/blockexplorer.proto", explorer],
  ["data-node/api/v2/trading_data.proto", datanode],
  ["google/api/httpbody.proto", httpBody],
  ["google/rpc/status.proto", status],
  ["vega/api/v1/core.proto", coreApi],
  ["vega/checkpoint/v1/checkpoint.proto", checkpoint],
  ["vega/commands/v1/commands.proto", commands],
  ["vega/data/v1/data.proto", data],
  ["vega/events/v1/events.proto", events],
  ["vega/vega.proto", vega],
  ["vega/wallet/v1/wallet.proto", wallet],
]);
