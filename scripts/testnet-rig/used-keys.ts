import { randomBytes } from "node:crypto";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { ownMember } from "../../src/testnet/members.ts";
import { announcementOf } from "../../test/support/announcement.ts";
import { engineOf, progress } from "./network.ts";
import { send, signed, tipOf } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** A party may announce one node in an epoch, whatever its keys. */
const sender = () => ed25519KeyPair(new Uint8Array(randomBytes(32)));

export const usedKeys: Trial = {
  number: 9,
  title: "announcements with consensus keys that would stop the engines are refused, and the chain goes on",
  async run(network) {
    const { pairs } = network;
    const status = await fetch(`http://127.0.0.1:${pairs[1]!.node.rpcPort}/status`);
    const { result } = (await status.json()) as {
      result: { validator_info: { pub_key: { value: string } } };
    };
    const used = result.validator_info.pub_key.value;
    const [one, two] = [ownMember("one", randomBytes), ownMember("two", randomBytes)];
    const announced: readonly (readonly [typeof one, string, string])[] = [
      [one, used, "blockchain public key is already used by a node"],
      [one, used.replace("=", ""), "invalid blockchain public key"],
      [one, "AAAA", "invalid blockchain public key"],
      [one, one.identity.consensusPublicKey, ""],
      [one, two.identity.consensusPublicKey, "a vega node is already registered with the blockchain node"],
      [two, one.identity.consensusPublicKey, "blockchain public key is already used by a node"],
    ];
    for (const [{ own }, key, text] of announced) {
      const pair = pairs[network.moment(pairs.length)]!;
      const command = { kind: "announceNode", payload: announcementOf(own!, key) } as const;
      const answer = await send(pair, signed(command, { key: sender() }, await tipOf(pair)), "TYPE_COMMIT");
      if (answer.success !== (text === "") || !answer.log.includes(text))
        throw new Error(`announced with ${key}: ${JSON.stringify(answer)}, not '${text}'`);
      await progress(pairs, 2);
    }
    const last = (await engineOf(pairs[0]!).status()).height;
    return `${announced.length} announcements until block ${last}`;
  },
};
