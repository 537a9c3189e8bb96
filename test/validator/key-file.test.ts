// A validator's own keys: what the file holds, and which keys are refused.
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { devnetGenesisText } from "../../src/devnet/genesis.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { networkGenesis } from "../../src/testnet/genesis.ts";
import { type Member, ownMember } from "../../src/testnet/members.ts";
import { readKeys } from "../../src/validator/key-file.ts";
import { nodeRefusal } from "../support/node-refusal.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bytes that follow from a number: a network that is the same in each run. */
function bytesFrom(first: number) {
  let next = first;
  return (length: number) => new Uint8Array(length).fill(next++);
}

async function genesisOf(members: readonly Member[]): Promise<Genesis> {
  const options = { chainId: "keys-test", members, isFunded: false, nowNs: 1_700_000_000_000_000_000n };
  return readGenesis(await networkGenesis(options));
}

const members = [ownMember("one", bytesFrom(1)), ownMember("two", bytesFrom(101))];
const genesis = await genesisOf(members);

let files = 0;

function written(member: Member, to: Genesis = genesis): string {
  const path = join(folder, `${files++}.json`);
  member.own!.write(path, { chainId: to.chainId, genesisHash: to.hash });
  return path;
}

describe("a validator's own keys", () => {
  test("are those of the genesis, and readable for their user alone", () => {
    const path = written(members[0]!);
    const keys = readKeys(path, genesis);
    expect(keys.identity).toEqual(members[0]!.identity);
    const validators = Object.values(genesis.appState.validators!);
    expect(validators.map(({ id }) => id)).toContain(keys.nodeId);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("follow from the source of bytes, and differ for each validator in every key", () => {
    expect(ownMember("one", bytesFrom(1)).identity).toEqual(members[0]!.identity);
    const [one, two] = members.map(({ identity }) => Object.values(identity));
    expect(one!.filter((value) => two!.includes(value))).toEqual([]);
    const { own } = members[0]!;
    const secrets = [1, 2].map((index) => Buffer.from(own!.ethereum(index)).toString("hex"));
    expect(secrets[0]).not.toBe(secrets[1]);
  });

  test("nothing secret is in the genesis", async () => {
    const text = JSON.stringify(genesis.appState);
    const { recoveryPhrase } = JSON.parse(readFileSync(written(members[0]!), "utf8"));
    expect(recoveryPhrase.split(" ")).toHaveLength(24);
    expect(text).not.toContain(recoveryPhrase);
    expect(text).not.toContain(Buffer.from(members[0]!.consensusSeed).toString("base64").slice(0, 40));
  });

  test("that others may read are refused", () => {
    const path = written(members[0]!);
    chmodSync(path, 0o640);
    expect(nodeRefusal(() => readKeys(path, genesis))).toMatchObject({ code: "keys_exposed" });
    const link = `${path}.link`;
    symlinkSync(path, link);
    expect(nodeRefusal(() => readKeys(link, genesis))).toMatchObject({ code: "keys_exposed" });
  });

  test("of another network with the same name are refused", async () => {
    const other = await genesisOf([members[1]!]);
    expect(nodeRefusal(() => readKeys(written(members[0]!, other), genesis))).toMatchObject({
      code: "keys_differ",
      message: expect.stringContaining("its genesis differs"),
    });
    const devnet = readGenesis(devnetGenesisText());
    expect(nodeRefusal(() => readKeys(written(members[0]!, devnet), genesis)).message).toContain(
      devnet.chainId,
    );
  });

  test("of which the genesis has others for this validator, or which another has, are refused", async () => {
    // The consensus key was made again: the genesis has the former one for the same node.
    const [one, two] = members as [Member, Member];
    const renewed = {
      ...one,
      identity: { ...one.identity, consensusPublicKey: two.identity.consensusPublicKey },
    };
    const changed = await genesisOf([renewed]);
    expect(nodeRefusal(() => readKeys(written(one, changed), changed)).message).toContain(
      "another consensus key",
    );
    expect(nodeRefusal(() => readKeys(written(two, changed), changed)).message).toContain(
      "consensus key is that of another validator",
    );
  });

  test("of a node that joins later are taken", () => {
    const newcomer = ownMember("late", bytesFrom(50));
    expect(readKeys(written(newcomer), genesis).nodeId).toBe(newcomer.identity.nodeId);
  });

  test("of the consensus engine, and other files, are refused as what they are", () => {
    const path = written(members[0]!);
    const refusalOf = (document: object) => {
      writeFileSync(path, JSON.stringify(document), { mode: 0o600 });
      return nodeRefusal(() => readKeys(path, genesis)).message;
    };
    expect(refusalOf({ priv_key: { value: "AAAA" } })).toContain("it is a key of the consensus engine");
    expect(refusalOf({ chain_id: "x" })).toContain("it is not a file of a validator's keys");
  });

  test("that are damaged are refused in words that hold nothing of the file", () => {
    const path = written(members[0]!);
    const text = readFileSync(path, "utf8");
    const { recoveryPhrase } = JSON.parse(text);
    const words: string[] = recoveryPhrase.split(" ");
    const cases = [
      text.slice(0, -40),
      text.replace(recoveryPhrase, [...words.slice(1), words[0]].join(" ")),
      text.replace('"version": 1', '"version": 2'),
      text.replace("recoveryPhrase", "phrase"),
      "[]",
      "",
      words.join(" "),
    ];
    for (const damaged of cases) {
      writeFileSync(path, damaged, { mode: 0o600 });
      const error = nodeRefusal(() => readKeys(path, genesis));
      expect(error.code).toBe("keys_unreadable");
      for (const word of words) expect(` ${error.message} ${error.hint} `).not.toContain(` ${word} `);
    }
    rmSync(path);
    expect(nodeRefusal(() => readKeys(path, genesis)).code).toBe("keys_unreadable");
  });
});
