// `lyra/testing`: the engine's markets without a node, under Node as under Bun.
import "./standard-methods.ts";

export * from "../testing/market-rig.ts";
