// Makes data/devnet-genesis.json: what `lyra devnet` starts from unless it is given another genesis. Run it after a
// change here; a test compares. The time in the file is replaced by the time of the first start.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checksumAddress, ethereumAddress } from "../src/crypto/secp256k1.ts";
import { madeUpAddress, madeUpAssetId, ValidatorKeys } from "../src/devnet/keys.ts";
import { hexOf } from "../src/wire/identifiers.ts";

const erc20 = (symbol: string, name: string, decimals: number, limit: string, threshold: string) => ({
  [madeUpAssetId(symbol)]: {
    name,
    symbol,
    decimals,
    quantum: (10n ** BigInt(decimals)).toString(),
    source: {
      erc20: {
        contract_address: checksumAddress(madeUpAddress(`token ${symbol}`)),
        lifetime_limit: limit,
        withdraw_threshold: threshold,
      },
    },
  },
});

const builtin = (symbol: string, name: string, decimals: number, quantum: string, mint: string) => ({
  [madeUpAssetId(symbol)]: {
    name,
    symbol,
    decimals,
    quantum,
    source: { builtin_asset: { max_faucet_amount_mint: mint } },
  },
});

/** Waiting times of a developer are short; protections of the network are on, within reach of the funded parties. */
function parameters(): Record<string, string> {
  const ethereum = {
    network_id: "1337",
    chain_id: "1337",
    confirmations: 1,
    collateral_bridge_contract: { address: checksumAddress(madeUpAddress("collateral bridge")) },
    multisig_control_contract: {
      address: checksumAddress(madeUpAddress("multisig control")),
      deployment_block_height: 1,
    },
    staking_bridge_contract: {
      address: checksumAddress(madeUpAddress("staking bridge")),
      deployment_block_height: 1,
    },
    token_vesting_contract: { address: "", deployment_block_height: 0 },
  };
  const governance = ["market", "updateMarket", "asset", "updateAsset", "updateNetParam", "freeform"].flatMap(
    (kind) =>
      (kind === "freeform" ? ["minClose"] : ["minClose", "minEnact"]).map((suffix) => [
        `governance.proposal.${kind}.${suffix}`,
        "1s",
      ]),
  );
  return {
    "blockchains.ethereumConfig": JSON.stringify(ethereum),
    ...Object.fromEntries(governance),
    "network.checkpoint.timeElapsedBetweenCheckpoints": "1m",
    "network.validators.minimumEthereumEventsForNewValidator": "0",
    "reward.asset": madeUpAssetId("LYRA"),
    // A single validator has all the stake: with the network's five it would count for nothing
    // (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end).
    "reward.staking.delegation.competitionLevel": "1",
    "reward.staking.delegation.minValidators": "1",
    "spam.pow.difficulty": "10",
    "spam.pow.increaseDifficulty": "1",
    "spam.pow.numberOfTxPerBlock": "10",
    "spam.protection.proposal.min.tokens": "1000000000000000000000",
    "spam.protection.voting.min.tokens": "1000000000000000000",
    "spam.protection.minMultisigUpdates": "1000000000000000000",
    "validators.epoch.length": "1m",
  };
}

export function devnetGenesis() {
  const validator = new ValidatorKeys(1);
  return {
    genesis_time: "2026-01-01T00:00:00Z",
    chain_id: "lyra-devnet",
    initial_height: "1",
    app_state: {
      assets: {
        VOTE: {
          name: "VOTE",
          symbol: "VOTE",
          decimals: 5,
          quantum: "1",
          source: { builtin_asset: { max_faucet_amount_mint: "10000" } },
        },
        ...builtin("tUSD", "Test Dollar", 5, "100000", "10000000000"),
        ...builtin("tEUR", "Test Euro", 5, "100000", "10000000000"),
        ...builtin("tBTC", "Test Bitcoin", 8, "1000", "1000000000"),
        ...erc20("LYRA", "Lyra Devnet Token", 18, "100000000000000000000000000", "1000000000000000000000000"),
        ...erc20("dUSD", "Devnet Dollar", 6, "100000000000000", "1000000000000"),
      },
      validators: {
        [validator.tmPubKey]: {
          id: validator.nodeId,
          vega_pub_key: hexOf(validator.vega(1).publicKey),
          vega_pub_key_index: 1,
          ethereum_address: ethereumAddress(validator.ethereum(1)),
          tm_pub_key: validator.tmPubKey,
          info_url: "",
          country: "ZZ",
          name: "lyra-devnet-1",
          avatar_url: "",
        },
      },
      network: { replay_attack_threshold: 30 },
      network_parameters: parameters(),
      network_limits: { propose_market_enabled: true, propose_asset_enabled: true },
    },
  };
}

if (import.meta.main) {
  const path = join(import.meta.dir, "../data/devnet-genesis.json");
  writeFileSync(path, `${JSON.stringify(devnetGenesis(), undefined, 2)}\n`);
}
