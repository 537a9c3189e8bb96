// lyra validator announce: a node that wants to become a validator.
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { dispatch } from "../../src/cli/command/dispatch.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { NodeError } from "../../src/errors/node-error.ts";
import { ownMember } from "../../src/testnet/members.ts";
import { Scratch } from "../rig/homes.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

const scratch = new Scratch("validator-announce");
const PROFILE = ["--name", "kyiv", "--info-url", "https://kyiv.example", "--country", "UA"];
const bytes = (first: number) => (length: number) => new Uint8Array(length).fill(first++);
let devnet: Devnet;

beforeAll(async () => {
  devnet = await borrowDevnet({ "spam.pow.difficulty": "1" });
});

afterAll(async () => {
  await returnDevnet();
  scratch.remove();
});

interface Outcome {
  readonly exitCode: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function announce(...words: readonly string[]): Promise<Outcome> {
  const texts: string[] = [];
  const output = spyOn(process.stdout, "write").mockImplementation((text) => texts.push(String(text)) > 0);
  const logFailure = (error: unknown) => {
    throw error;
  };
  try {
    const argv = ["validator", "announce", "--node-url", devnet.nodeUrl, "--json", ...words];
    const exitCode = await dispatch(COMMANDS, argv, { asJson: true, logFailure });
    return { exitCode, body: JSON.parse(texts.join("")) };
  } catch (error) {
    const { exitCode, code, message, hint } = error as NodeError;
    return { exitCode, body: { code, message, hint } };
  } finally {
    output.mockRestore();
  }
}

/** A node's file of keys. */
function keysFile(first: number, chainId = devnet.chain.status.chainId) {
  const { own, identity } = ownMember("kyiv", bytes(first));
  const path = scratch.path();
  own!.write(path, { chainId, genesisHash: "ab".repeat(32) });
  return { path, ...identity };
}

describe("validator announce", () => {
  test("the chain has the node, with the keys of its file, and takes it once", async () => {
    await devnet.chain.endEpoch();
    const { path, nodeId, vegaPublicKey, ethereumAddress, consensusPublicKey } = keysFile(1);
    const { exitCode, body } = await announce("--keys", path, ...PROFILE);
    expect(body).toMatchObject({ nodeId, vegaPublicKey, chainId: devnet.chain.status.chainId });
    expect(exitCode).toBe(0);
    expect(Number(body.height)).toBeGreaterThan(0);
    const answer = await fetch(`${devnet.dataUrl}/api/v2/node/${nodeId}`);
    expect((await answer.json()).node).toMatchObject({
      ...{ id: nodeId, pubKey: vegaPublicKey, tmPubKey: consensusPublicKey, name: "kyiv" },
      ...{ infoUrl: "https://kyiv.example", avatarUrl: "https://kyiv.example", location: "UA" },
      ethereumAddress: expect.stringMatching(new RegExp(`^${ethereumAddress}$`, "i")),
    });
    expect(body.fromEpoch).toBe(String(devnet.chain.status.epoch.seq));
    // A party may announce one in an epoch.
    expect((await announce("--keys", path, ...PROFILE)).body.code).toBe("maximum_reached");
    await devnet.chain.endEpoch();
    const again = await announce("--keys", path, ...PROFILE);
    expect(again).toMatchObject({
      exitCode: 1,
      body: {
        code: "transaction_refused",
        message: expect.stringContaining("a vega node is already registered"),
        hint: expect.stringContaining("lyra explain"),
      },
    });
  });

  test("keys of another chain sign nothing", async () => {
    const { path } = keysFile(40, "another-chain");
    expect(await announce("--keys", path, ...PROFILE)).toMatchObject({
      body: { code: "keys_differ", message: expect.stringContaining("another-chain") },
    });
  });

  test.each([
    ["no keys", ["--name", "kyiv"], "--keys"],
    ["no name", ["--keys", "f", "--info-url", "https://a.example"], "--name"],
    ["an empty name", ["--keys", "f", "--name", " ", "--info-url", "https://a.example"], "--name"],
    [
      "a page that is not an address",
      ["--keys", "f", "--name", "a", "--info-url", "javascript:1"],
      "--info-url",
    ],
    ["a country in words", ["--keys", "f", ...PROFILE, "--country", "Norway"], "--country"],
    ["epoch 0", ["--keys", "f", ...PROFILE, "--from-epoch", "0"], "--from-epoch"],
  ])("given %s, then it names the flag", async (_, words, flag) => {
    expect(await announce(...words)).toMatchObject({
      exitCode: 2,
      body: { code: "usage", message: expect.stringContaining(flag) },
    });
  });
});
