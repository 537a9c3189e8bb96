// A further node of a network, with the files of a validator as its pattern.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CometClient } from "../../src/comet/client.ts";
import { statesyncSettings } from "../../src/testnet/engine-settings.ts";
import { changeSettings, placeOf, placeSettings, type TestnetNode } from "../../src/testnet/files.ts";

/** Keys of an engine, which makes those that are missing. */
const ENGINE_KEYS = ["node_key.json", "priv_validator_key.json"];

/** @param folder of the network @param without files of the engine's configuration that it does not get */
export function furtherNode(
  folder: string,
  number: number,
  pattern: TestnetNode,
  without: readonly string[] = ENGINE_KEYS,
): TestnetNode {
  const node = placeOf(folder, number, "free");
  const config = join(node.consensusHome, "config");
  mkdirSync(node.home, { recursive: true });
  mkdirSync(join(node.consensusHome, "data"), { recursive: true });
  cpSync(join(pattern.consensusHome, "config"), config, { recursive: true });
  for (const name of [...without, "addrbook.json"]) rmSync(join(config, name), { force: true });
  changeSettings(node, placeSettings(node));
  return node;
}

/** Lets it dial these validators. */
export function dialPeers(node: TestnetNode, peers: readonly TestnetNode[], cometbft: string): void {
  const addresses = peers.map(({ consensusHome, peerPort }) => {
    const { stdout } = Bun.spawnSync([cometbft, "show-node-id", "--home", consensusHome]);
    return `${stdout.toString().trim()}@127.0.0.1:${peerPort}`;
  });
  changeSettings(node, { p2p: { persistent_peers: JSON.stringify(addresses.join(",")) } });
}

/** Lets it take the state from a snapshot of the first two, checked by a block of theirs. */
export async function takeSnapshot(
  node: TestnetNode,
  [first, second]: readonly TestnetNode[],
  height: number,
): Promise<void> {
  const urls = [first!, second!].map(({ rpcPort }) => `http://127.0.0.1:${rpcPort}`);
  const { hash } = await new CometClient(urls[0]!).block(height);
  changeSettings(node, statesyncSettings(urls, { height, hash }));
}
