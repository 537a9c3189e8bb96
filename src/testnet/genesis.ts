// The genesis that all validators of a network share: the consensus engine's document with the chain's state in it.
import { consensusAddress } from "../crypto/consensus-address.ts";
import { type DevnetConfig, ofFreshChain } from "../devnet/devnet.ts";
import { devnetGenesisText, withCheckpoint } from "../devnet/genesis.ts";
import type { CheckpointText } from "../engine/checkpoints.ts";
import type { AgentKeys } from "../ethereum/validator-agent.ts";
import type { ValidatorIdentity } from "../validator/key-file.ts";
import { MILLISECOND_NS } from "../wire/time-text.ts";
import { keyOf } from "./engine-keys.ts";

export interface GenesisMember {
  readonly name: string;
  readonly identity: ValidatorIdentity;
  readonly keys: AgentKeys;
}

interface NetworkGenesisOptions {
  readonly chainId: string;
  readonly members: readonly GenesisMember[];
  /** Whether the devnet's parties have balances and stake. */
  readonly isFunded: boolean;
  readonly nowNs: bigint;
  /** Network parameters that differ. */
  readonly parameters?: Readonly<Record<string, string>>;
}

const POWER = "10";
/** As `application.ts` answers: any other ends in a chain that cannot be rolled back. */
const APP_VERSION = "1";

/** As the devnet's tools set them before they make a market: here only votes do. */
const MARKET_PARAMETERS = {
  "market.auction.minimumDuration": "1s",
  "network.markPriceUpdateMaximumFrequency": "1s",
};
const VALIDATORS_PARAMETER = "network.validators.tendermint.number";
/** Its default: more validators of a genesis would lose their status at the end of the first epoch. */
const VALIDATORS_USUAL = 30;

export async function networkGenesis(options: NetworkGenesisOptions): Promise<string> {
  const { chainId, members, isFunded, nowNs, parameters } = options;
  const shipped = JSON.parse(
    devnetGenesisText({
      chainId,
      timeNs: wholeMilliseconds(nowNs),
      parameters: {
        ...MARKET_PARAMETERS,
        ...(members.length > VALIDATORS_USUAL && { [VALIDATORS_PARAMETER]: String(members.length) }),
        ...parameters,
      },
    }),
  ) as { app_state: object };
  const withValidators = {
    ...shipped,
    app_state: { ...shipped.app_state, validators: Object.fromEntries(members.map(validatorEntry)) },
  };
  const bare = JSON.stringify(withValidators);
  const text = isFunded ? withCheckpoint(bare, await fundedCheckpoint(bare, members)) : bare;
  const document = {
    ...(JSON.parse(text) as object),
    consensus_params: {
      block: { max_bytes: "22020096", max_gas: "-1" },
      evidence: { max_age_num_blocks: "100000", max_age_duration: "172800000000000", max_bytes: "1048576" },
      validator: { pub_key_types: ["ed25519"] },
      version: { app: APP_VERSION },
      abci: { vote_extensions_enable_height: "0" },
    },
    validators: members.map(({ name, identity }) => {
      const publicKey = Buffer.from(identity.consensusPublicKey, "base64");
      const address = consensusAddress(publicKey).toUpperCase();
      return { address, pub_key: keyOf("PubKey", publicKey), power: POWER, name };
    }),
    app_hash: "",
  };
  return JSON.stringify(document, undefined, 1);
}

const wholeMilliseconds = (ns: bigint) => (ns / MILLISECOND_NS) * MILLISECOND_NS;

function validatorEntry({ name, identity }: GenesisMember) {
  const { nodeId, vegaPublicKey, ethereumAddress, consensusPublicKey } = identity;
  return [
    consensusPublicKey,
    {
      ...{
        id: nodeId,
        vega_pub_key: vegaPublicKey,
        vega_pub_key_index: 1,
        ethereum_address: ethereumAddress,
      },
      ...{ tm_pub_key: consensusPublicKey, info_url: "", country: "ZZ", name, avatar_url: "" },
    },
  ] as const;
}

/** A devnet of the same genesis funds parties and validators, and ends: the network begins with its checkpoint. */
async function fundedCheckpoint(genesis: string, members: readonly GenesisMember[]): Promise<CheckpointText> {
  const start: DevnetConfig = {
    ...{ kind: "devnet", genesis, mode: { kind: "manual" }, dataPort: 0, nodePort: 0, faucetPort: 0 },
    validatorKeys: members.map(({ keys }) => keys),
  };
  return JSON.parse(await ofFreshChain(start, (chain) => chain.checkpoint())) as CheckpointText;
}
