/** Proposals of new assets and of changes to assets (reference 30, section 4.6). */
import type {
  AssetDetails,
  AssetDetailsUpdate,
  BuiltinAsset,
  ERC20,
  ERC20Update,
  NewAsset,
  UpdateAsset,
} from "../generated/vega.ts";
import { all, type Check, first, part } from "./check.ts";
import { identifier, needed, positiveInteger, positiveNumber, present, required } from "./fields.ts";

const CHANGE = "proposal_submission.terms.change";

function quantum<T>(property: string, of: (details: T) => string): Check<T> {
  return first(required(property, of), positiveNumber(property, of));
}

/** The two limits of a bridged asset, new or changed. */
function bridgeLimits<T extends ERC20Update>(source: string): Check<T> {
  return all(
    positiveInteger(`${source}.lifetime_limit`, (erc20) => erc20.lifetimeLimit),
    positiveInteger(`${source}.withdraw_threshold`, (erc20) => erc20.withdrawThreshold),
  );
}

const NEW = `${CHANGE}.new_asset.changes`;
const newDetails: Check<AssetDetails> = all(
  required(`${NEW}.name`, (details) => details.name),
  required(`${NEW}.symbol`, (details) => details.symbol),
  quantum(`${NEW}.quantum`, (details) => details.quantum),
  present(`${NEW}.source`, (details) => details.builtinAsset ?? details.erc20),
  part(
    (details) => details.builtinAsset,
    positiveInteger(
      `${NEW}.source.builtin_asset.max_faucet_amount_mint`,
      (asset: BuiltinAsset) => asset.maxFaucetAmountMint,
    ),
  ),
  part(
    (details) => details.erc20,
    // Whether it is an address is found out when validators look at the contract.
    required(`${NEW}.source.erc20.contract_address`, (erc20: ERC20) => erc20.contractAddress),
    bridgeLimits<ERC20>(`${NEW}.source.erc20`),
  ),
);

export const newAsset: Check<NewAsset> = needed(NEW, (change) => change.changes, newDetails);

const UPDATE = `${CHANGE}.update_asset`;
const updateDetails: Check<AssetDetailsUpdate> = all(
  quantum(`${UPDATE}.changes.quantum`, (details) => details.quantum),
  needed(
    `${UPDATE}.changes.source`,
    (details) => details.erc20,
    bridgeLimits<ERC20Update>(`${UPDATE}.changes.source.erc20`),
  ),
);

export const updateAsset: Check<UpdateAsset> = all(
  identifier(`${UPDATE}.asset_id`, (change) => change.assetId),
  needed(`${UPDATE}.changes`, (change) => change.changes, updateDetails),
);
