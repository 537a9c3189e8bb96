// Validators, epochs and delegations; keys and signatures for the bridge.
import { ApiError } from "../../../http/errors.ts";
import { FieldError, wrappedText } from "../errors.ts";
import { READERS, type Resolve } from "../members.ts";
import type { CallArguments, Message } from "../reads.ts";
import { answered, called, type Resolvers } from "./fields.ts";

/** Delegations of the source. */
export function delegationsOf(narrowed: (args: Message, source: Message) => CallArguments): Resolve {
  return (source, args, reads) => {
    try {
      return reads.call("ListDelegations", { ...narrowed(args, source), pagination: args.pagination })
        .delegations;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new FieldError(wrappedText("could not retrieve requested delegations", error));
    }
  };
}

const NUMBER = /^\d{1,20}$/;
const UINT64_MAX = 2n ** 64n - 1n;

/** @throws FieldError with the text of the original's parser */
function epochNumber(text: string): bigint {
  const shown = JSON.stringify(text.slice(0, 200));
  if (!/^\d+$/.test(text)) throw new FieldError(`strconv.ParseUint: parsing ${shown}: invalid syntax`);
  if (!NUMBER.test(text) || BigInt(text) > UINT64_MAX)
    throw new FieldError(`strconv.ParseUint: parsing ${shown}: value out of range`);
  return BigInt(text);
}

/** Validators of a kind; null for an empty set. */
const nodeSet =
  (member: string): Resolve =>
  (data) =>
    data[member]?.total ? data[member] : null;

/** A bundle's list is never null. */
const bundles: Readonly<Record<string, Resolve>> = {
  edges: ({ edges }, _, reads) => reads.rows(edges ?? []),
};

export const validators: Resolvers = {
  Query: {
    epoch: called("GetEpoch", "epoch", ({ id }) => ({
      id: typeof id === "string" ? epochNumber(id) : undefined,
    })),
    node: (_, { id }, reads) => READERS.Node!(id, reads),
    nodeData: called("GetNetworkData", "nodeData"),
    nodesConnection: called("ListNodes", "nodes"),
    nodeSignaturesConnection(_, { resourceId, pagination }, reads) {
      if (resourceId === "") throw new FieldError("missing id or reference");
      return reads.call("ListNodeSignatures", { id: resourceId, pagination }).signatures;
    },
    keyRotationsConnection: called("ListKeyRotations", "rotations", ({ id, ...args }) => ({
      ...args,
      nodeId: id,
    })),
    ethereumKeyRotations: called("ListEthereumKeyRotations", "keyRotations"),
    erc20MultiSigSignerAddedBundles: called("ListERC20MultiSigSignerAddedBundles", "bundles"),
    erc20MultiSigSignerRemovedBundles: called("ListERC20MultiSigSignerRemovedBundles", "bundles"),
    erc20WithdrawalApproval: answered("GetERC20WithdrawalApproval"),
  },
  Epoch: {
    validatorsConnection: called("ListNodes", "nodes", ({ pagination }, epoch) => ({
      epochSeq: epoch.seq ?? 0n,
      pagination,
    })),
    delegationsConnection: delegationsOf(({ partyId, nodeId }, epoch) => ({
      partyId,
      nodeId,
      epochId: String(epoch.seq ?? 0n),
    })),
  },
  EpochTimestamps: { lastBlock: ({ lastBlock }) => (lastBlock ? String(lastBlock) : null) },
  Node: { delegationsConnection: delegationsOf(({ partyId }, node) => ({ partyId, nodeId: node.id })) },
  NodeData: { ersatzNodes: nodeSet("ersatzNodes"), pendingNodes: nodeSet("pendingNodes") },
  ERC20MultiSigSignerAddedConnection: bundles,
  ERC20MultiSigSignerRemovedConnection: bundles,
};
