// Assets: their source, and the accounts that rewards and fees of one are paid from.
import { AccountType } from "../../../wire/generated/vega.ts";
import { FieldError } from "../errors.ts";
import { READERS, type Resolve } from "../members.ts";
import type { Message } from "../reads.ts";
import { answered, as, called, type Resolvers } from "./fields.ts";

function sourceOf(details: Message | undefined): object {
  if (details?.erc20) return as("ERC20", details.erc20);
  if (details?.builtinAsset) return as("BuiltinAsset", details.builtinAsset);
  throw new FieldError("unimplemented asset source");
}

/** The first account of a type. */
function account(type: number): Resolve {
  return (asset, _, reads) => {
    const { accounts } = reads.call("ListAccounts", { filter: { assetId: asset.id, accountTypes: [type] } });
    return accounts.edges[0]?.node ?? null;
  };
}

export const assets: Resolvers = {
  Query: {
    asset: (_, { id }, reads) => READERS.Asset!(id, reads),
    assetsConnection: called("ListAssets", "assets", ({ id, ...args }) => ({ ...args, assetId: id })),
    erc20ListAssetBundle: answered("GetERC20ListAssetBundle"),
    erc20SetAssetLimitsBundle: answered("GetERC20SetAssetLimitsBundle"),
  },
  Asset: {
    source: (asset) => sourceOf(asset.details),
    infrastructureFeeAccount: account(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE),
    globalRewardPoolAccount: account(AccountType.ACCOUNT_TYPE_GLOBAL_REWARD),
    takerFeeRewardAccount: account(AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES),
    makerFeeRewardAccount: account(AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES),
    lpFeeRewardAccount: account(AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES),
    marketProposerRewardAccount: account(AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS),
  },
  NewAsset: { source: ({ changes }) => sourceOf(changes) },
  UpdateAsset: {
    source({ changes }) {
      if (changes?.erc20) return as("UpdateERC20", changes.erc20);
      throw new FieldError("unimplemented asset source");
    },
  },
};
