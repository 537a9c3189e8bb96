import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha3HexOf } from "../../src/crypto/sha.ts";
import { ValidatorKeys } from "../../src/devnet/keys.ts";
import { readGenesis } from "../../src/engine/genesis.ts";
import { engineKey, nodeKeyText, validatorKeyText } from "../../src/testnet/engine-keys.ts";
import { genesisPath } from "../../src/testnet/files.ts";
import { type Member, ownMember } from "../../src/testnet/members.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { decodeInputData } from "../../src/wire/generated/commands.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { readTransaction } from "../../src/wire/transaction.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { expectSame } from "./comparison.ts";
import { dialPeers, furtherNode } from "./further-node.ts";
import { heightOf, progress, type RigNetwork, reach, rowsIn, urlOf } from "./network.ts";
import { parties, send, signed, tipOf } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** Shorter ones leave no time for a heartbeat, which comes every 50 seconds. */
const EPOCH_SECONDS = 60;
const EPOCHS_MS = 240_000;
const TOKEN = 10n ** 18n;
const NUMBER = "network.validators.tendermint.number";

export const validatorSet: Trial = {
  number: 8,
  title: "a fifth validator joins as an operator would do it, gets power by its stake, and leaves again",
  network: {
    parameters: {
      "validators.epoch.length": `${EPOCH_SECONDS}s`,
      [NUMBER]: "5",
      "network.validators.multisig.numberOfSigners": "4",
      "governance.proposal.updateNetParam.minProposerBalance": "1",
    },
  },
  isAlone: true,
  async run(network) {
    const { pairs } = network;
    const first = pairs[0]!;
    const member = ownMember("joiner", randomBytes);
    const fifth = await joined(network, member);
    const all = [...pairs, fifth];
    try {
      await progress(all);
      await become(network, fifth, member);
      const added = await changeOf(first, keyOf(member), (power) => power > 0n);
      await progress(all);
      // Its heartbeats went on until it was a validator, and the others' sets are the same.
      const beats = heartbeatsOf(first, member);
      if (beats.length === 0 || beats.some(({ code }) => code !== 0))
        throw new Error(`heartbeats: ${JSON.stringify(beats)}`);
      // Its first power is that of one heartbeat; from the next epoch on its blocks count, and another validator has more stake.
      await delegate(first, parties[0]!, new ValidatorKeys(1).nodeId, 400_000n);
      const changed = await changeOf(first, keyOf(member), (power) => power !== added.power, added.height);
      // Without the newcomer more than two thirds of the power are left.
      await fifth.stop();
      await progress(pairs, 5);
      fifth.start();
      await progress(all);
      await setNumber(first, "4");
      const removed = await changeOf(first, keyOf(member), (power) => power === 0n, changed.height);
      // It follows on, and owes heartbeats again, with the key to which it rotated.
      await rotate(first, member);
      const count = heartbeatsOf(first, member).length;
      await untilBeats(first, member, count + 1);
      await progress(all);
      const heights = [added, changed, removed].map(
        ({ height, power }) => `power ${power} in block ${height}`,
      );
      return `${heights.join(", ")}, each in force two blocks later; ${beats.length} heartbeats; ${await expectSame(all)}`;
    } finally {
      await fifth.stop();
    }
  },
};

const keyOf = ({ identity }: Member) => identity.consensusPublicKey;

/** A node's files as its operator makes them, with the others as its peers; it runs when this returns. */
async function joined(network: RigNetwork, { own, consensusSeed, peerSeed }: Member): Promise<ValidatorPair> {
  const { pairs, folder, testnet, programs } = network;
  const nodes = pairs.map(({ node }) => node);
  const keysFile = join(folder, "node5", "keys.json");
  const node = { ...furtherNode(folder, 5, nodes[0]!), keysFile };
  const config = (name: string) => join(node.consensusHome, "config", name);
  const secret = { mode: 0o600 } as const;
  writeFileSync(config("priv_validator_key.json"), validatorKeyText(engineKey(consensusSeed)), secret);
  writeFileSync(config("node_key.json"), nodeKeyText(engineKey(peerSeed)), secret);
  const { chainId, hash: genesisHash } = readGenesis(readFileSync(genesisPath(node), "utf8"));
  own!.write(keysFile, { chainId, genesisHash });
  dialPeers(node, nodes, programs.cometbft);
  const ethereum = `http://127.0.0.1:${testnet.ethereumPort}`;
  const pair = network.pairWith({ node }, { more: ["--keys", keysFile, "--ethereum", ethereum] });
  pair.start();
  return pair;
}

/** Sends a command, waits for its block. @throws Error when it is refused */
async function command(
  pair: ValidatorPair,
  key: Parameters<typeof signed>[1],
  init: CommandInit,
): Promise<void> {
  const { success, log } = await send(pair, signed(init, key, await tipOf(pair)), "TYPE_COMMIT");
  if (!success) throw new Error(`${init.kind} was refused: ${log}`);
}

/** Announces a node, and gives it stake of its own. */
async function become(network: RigNetwork, pair: ValidatorPair, { own, identity }: Member): Promise<void> {
  const key = { key: own!.vega(1) };
  const announced = await announce(network, pair);
  if (announced.nodeId !== identity.nodeId) throw new Error(`announced: ${JSON.stringify(announced)}`);
  const body = JSON.stringify({ party: identity.vegaPublicKey, amount: (3_000_000n * TOKEN).toString() });
  const answer = await fetch(urlOf(pair, "/devnet/stake"), { method: "POST", body });
  if (!answer.ok) throw new Error(`stake: ${await answer.text()}`);
  // The chain believes in it once the validators have voted.
  const end = performance.now() + EPOCHS_MS;
  for (;;) {
    try {
      return await delegate(pair, key, identity.nodeId, 1_500_000n);
    } catch (error) {
      if (performance.now() > end) throw error;
      await Bun.sleep(1_000);
    }
  }
}

/** As its operator does it. @returns what the command prints */
async function announce({ programs }: RigNetwork, { node }: ValidatorPair): Promise<{ nodeId: string }> {
  const words = ["--keys", node.keysFile!, "--name", "joiner", "--info-url", "https://joiner.example"];
  const url = `http://127.0.0.1:${node.nodePort}`;
  const child = Bun.spawn(
    [...programs.lyra, "validator", "announce", ...words, "--node-url", url, "--json"],
    { stdout: "pipe", stderr: "pipe" },
  );
  const [text, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`the announcement: ${said}`);
  return JSON.parse(text) as { nodeId: string };
}

function delegate(pair: ValidatorPair, key: Parameters<typeof signed>[1], nodeId: string, tokens: bigint) {
  const payload = { nodeId, amount: (tokens * TOKEN).toString() };
  return command(pair, key, { kind: "delegateSubmission", payload });
}

/** Changes how many validators there can be, by a vote. */
async function setNumber(pair: ValidatorPair, value: string): Promise<void> {
  const now = BigInt(Math.floor(Date.now() / 1_000));
  const terms = {
    closingTimestamp: now + 12n,
    enactmentTimestamp: now + 14n,
    updateNetworkParameter: { changes: { key: NUMBER, value } },
  };
  const rationale = { title: "title", description: "description" };
  const bytes = signed(
    { kind: "proposalSubmission", payload: { reference: "", rationale, terms } },
    parties[0]!,
    await tipOf(pair),
  );
  const { success, log } = await send(pair, bytes, "TYPE_COMMIT");
  if (!success) throw new Error(`the proposal was refused: ${log}`);
  const proposalId = idOf(bytes, (await tipOf(pair)).chainId);
  for (const party of parties.slice(0, 5))
    await command(pair, party, { kind: "voteSubmission", payload: { proposalId, value: 2 } });
}

async function rotate(pair: ValidatorPair, { own, identity }: Member): Promise<void> {
  const payload = {
    targetBlock: BigInt((await heightOf(pair)) + 10),
    newPubKey: hexOf(own!.vega(2).publicKey),
    newPubKeyIndex: 2,
    currentPubKeyHash: sha3HexOf(Buffer.from(identity.vegaPublicKey, "hex")),
  };
  await command(pair, { key: own!.master }, { kind: "keyRotateSubmission", payload });
}

interface Change {
  readonly height: number;
  readonly power: bigint;
}

async function rpc<T>({ node }: ValidatorPair, path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${node.rpcPort}/${path}`);
  return ((await answer.json()) as { result: T }).result;
}

/** Waits for a change of a member's power; the set of the block after it is the former one, the one after that has it. */
async function changeOf(
  pair: ValidatorPair,
  key: string,
  isWanted: (power: bigint) => boolean,
  after = 1,
): Promise<Change> {
  const end = performance.now() + EPOCHS_MS;
  for (let height = after + 1; ; ) {
    if (height > (await heightOf(pair))) {
      if (performance.now() > end) throw new Error(`no change of the power until block ${height - 1}`);
      await Bun.sleep(100);
      continue;
    }
    const power = await updateIn(pair, height, key);
    if (power === undefined || !isWanted(power)) {
      height++;
      continue;
    }
    await reach([pair], height + 3);
    const [before, then] = [await powerIn(pair, height + 1, key), await powerIn(pair, height + 2, key)];
    if (before === power || then !== power)
      throw new Error(`power ${power} of block ${height}: ${before} and ${then} in the sets after it`);
    return { height, power };
  }
}

async function updateIn(pair: ValidatorPair, height: number, key: string): Promise<bigint | undefined> {
  const { validator_updates: updates } = await rpc<{
    validator_updates: { pub_key: { Sum: { value: { ed25519: string } } }; power?: string }[] | null;
  }>(pair, `block_results?height=${height}`);
  const update = updates?.find(({ pub_key }) => pub_key.Sum.value.ed25519 === key);
  return update && BigInt(update.power ?? 0);
}

/** 0 where it is not a member. */
async function powerIn(pair: ValidatorPair, height: number, key: string): Promise<bigint> {
  const { validators } = await rpc<{ validators: { pub_key: { value: string }; voting_power: string }[] }>(
    pair,
    `validators?height=${height}&per_page=100`,
  );
  return BigInt(validators.find(({ pub_key }) => pub_key.value === key)?.voting_power ?? 0);
}

function idOf(bytes: Uint8Array, chainId: string): string {
  const verdict = checkTransaction(bytes, chainId);
  if (!verdict.ok) throw new Error(verdict.refusal.text);
  return verdict.transaction.id;
}

async function untilBeats(pair: ValidatorPair, member: Member, count: number): Promise<void> {
  const end = performance.now() + EPOCHS_MS;
  while (heartbeatsOf(pair, member).length < count) {
    if (performance.now() > end) throw new Error(`no ${count} heartbeats of the former validator`);
    await Bun.sleep(500);
  }
}

/** The heartbeats of a node in a validator's rows. */
function heartbeatsOf(pair: ValidatorPair, { identity }: Member): { height: number; code: number }[] {
  using db = rowsIn(pair);
  const rows = db.query("SELECT height, code, bytes FROM chain_txs ORDER BY height, n").all() as {
    height: bigint;
    code: bigint;
    bytes: Uint8Array;
  }[];
  return rows.flatMap(({ height, code, bytes }) => {
    const { validatorHeartbeat } = decodeInputData(readTransaction(bytes).inputData);
    return validatorHeartbeat?.nodeId === identity.nodeId
      ? [{ height: Number(height), code: Number(code) }]
      : [];
  });
}
