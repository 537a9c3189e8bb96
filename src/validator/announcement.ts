// The announcement of a node that wants to become a validator (docs/protocol/60-state-engine-staking.md#93-announce-node).
import { ethereumAddress } from "../crypto/secp256k1.ts";
import { announcementText } from "../engine/nodes.ts";
import { nodeSignatures } from "../ethereum/node-signatures.ts";
import type { AgentKeys } from "../ethereum/validator-agent.ts";
import { type AnnounceNode, emptyAnnounceNode } from "../wire/generated/commands.ts";
import { hexOf } from "../wire/identifiers.ts";

/** A node in its own words; the chain takes no empty text. */
interface NodeProfile {
  readonly name: string;
  readonly infoUrl: string;
  readonly avatarUrl: string;
  /** ISO 3166, such as NO. */
  readonly country: string;
}

/**
 * Signed by both keys of the node, the first of each kind.
 * @param chainPubKey its consensus key, base64 @param fromEpoch from which on it sends heartbeats, 1 at least
 */
export function announcementOf(
  keys: Omit<AgentKeys, "master">,
  chainPubKey: string,
  profile: NodeProfile,
  fromEpoch: bigint,
): AnnounceNode {
  const payload = {
    ...{ ...emptyAnnounceNode(), ...profile, id: keys.nodeId, chainPubKey, fromEpoch },
    ...{ vegaPubKey: hexOf(keys.vega(1).publicKey), vegaPubKeyIndex: 1 },
    ethereumAddress: ethereumAddress(keys.ethereum(1)),
  };
  return { ...payload, ...nodeSignatures(announcementText(payload), keys.vega(1), keys.ethereum(1)) };
}
