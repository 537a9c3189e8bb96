/**
 * The wallet service of a devnet: the wallet of the public recovery phrase, in this process, beside the chain. Its keys
 * protect nothing, so it is kept in memory and approves everything; the banner says so.
 */
import { ChainNode } from "../planes/wallet/chain-node.ts";
import { type RunningWalletService, startWalletService } from "../planes/wallet/start.ts";
import { ApproveAll } from "../wallet/approvals/approver.ts";
import { MemoryKeystore } from "../wallet/keystore/keystore.ts";
import { WalletStore } from "../wallet/wallet-store.ts";
import type { Devnet } from "./devnet.ts";

export const DEVNET_WALLET_NAME = "devnet";
/** The file is never written: a costly derivation would protect nothing. */
const NO_COST = { log2N: 1, r: 1, p: 1 };

/** @param port 0 picks a free one @throws NodeError `port_in_use` */
export async function serveDevnetWallet(devnet: Devnet, port: number): Promise<RunningWalletService> {
  const store = new WalletStore({ keystore: new MemoryKeystore(), cost: NO_COST, allowWeakKdf: true });
  const passphrase = new TextEncoder().encode("public");
  const { recoveryPhrase } = devnet;
  const wallet = await store.import({ name: DEVNET_WALLET_NAME, passphrase, recoveryPhrase });
  while (wallet.keys.length < devnet.parties.length) await wallet.generateKey();
  const { parties } = devnet;
  for (const { publicKey, name } of parties)
    await wallet.annotateKey(publicKey, [{ key: "name", value: name }]);
  return startWalletService({
    store,
    nodes: [new ChainNode(devnet.chain, { host: devnet.nodeUrl, asset: async (id) => devnet.asset(id) })],
    approver: new ApproveAll({ isDevnet: true }),
    unlocked: [wallet],
    isSoleUser: true,
    isOwnChain: true,
    port,
  });
}
