// The genesis that an operator gives beside a home that has one.
import type { Genesis } from "../engine/genesis.ts";
import { NodeError } from "../errors/node-error.ts";

/** A file of another network is a mistake, though the home would go on without it. @throws NodeError `genesis_differs` */
export function checkGivenGenesis(home: string, given: Genesis, own: Genesis): void {
  if (given.chainId === own.chainId && given.hash === own.hash) return;
  throw new NodeError(
    "validator.genesis",
    "genesis_differs",
    given.chainId === own.chainId
      ? `the chain in ${home} began with another genesis of ${own.chainId} than the one that is given`
      : `the chain in ${home} is ${own.chainId}, and the genesis that is given is of ${given.chainId}`,
    "give the genesis of its network, or another --home",
  );
}
