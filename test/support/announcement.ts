// The announcement of a node that wants to become a validator, with any consensus key.
import type { AgentKeys } from "../../src/ethereum/validator-agent.ts";
import { announcementOf as announcement } from "../../src/validator/announcement.ts";

const PROFILE = {
  ...{ name: "a further node", country: "ZZ" },
  ...{ infoUrl: "https://node.example", avatarUrl: "https://node.example/a" },
};

/** @param chainPubKey its consensus key, base64 */
export const announcementOf = (keys: Omit<AgentKeys, "master">, chainPubKey: string, fromEpoch = 1n) =>
  announcement(keys, chainPubKey, PROFILE, fromEpoch);
