// Whom a checkpoint is made of, and names that its two directions share.
import { AccountType } from "../../wire/generated/vega.ts";
import type { Assets } from "../assets.ts";
import type { Banking } from "../banking.ts";
import { type Account, accountId, type Collateral, NO_MARKET, SYSTEM_OWNER } from "../collateral.ts";
import type { Core } from "../core.ts";
import type { Delegation } from "../delegation.ts";
import type { Epochs } from "../epochs.ts";
import type { Governance } from "../governance.ts";
import type { Multisig } from "../multisig.ts";
import type { NetworkParameters } from "../parameters.ts";
import type { Staking } from "../staking.ts";
import type { Validators } from "../validators.ts";

export interface CheckpointDomains {
  readonly core: Core;
  readonly validators: Validators;
  readonly assets: Assets;
  readonly collateral: Collateral;
  readonly params: NetworkParameters;
  readonly governance: Governance;
  readonly epochs: Epochs;
  readonly multisig: Multisig;
  readonly staking: Staking;
  readonly delegation: Delegation;
  readonly banking: Banking;
}

const typeNames = new Map<number, string>(Object.entries(AccountType).map(([name, type]) => [type, name]));

/**
 * Who holds a balance: a party, or one of the network's accounts. The treasury is `*`, the others have their type and
 * market behind it. Undefined for what is outside of the chain.
 */
export function holderOf({ type, owner, market }: Account): string | undefined {
  if (type === AccountType.ACCOUNT_TYPE_EXTERNAL) return undefined;
  if (owner !== SYSTEM_OWNER) return owner;
  if (type === AccountType.ACCOUNT_TYPE_GLOBAL_REWARD) return SYSTEM_OWNER;
  const name = `${SYSTEM_OWNER}${typeNames.get(type)!}`;
  return market === NO_MARKET ? name : `${name}/${market}`;
}

/** The account of a holder, made if need be. @throws Error for a name that is none */
export function accountOf(holder: string, asset: string, collateral: Collateral): string {
  if (holder === SYSTEM_OWNER) return accountId(asset, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
  if (!holder.startsWith(SYSTEM_OWNER)) return collateral.ensureGeneral(holder, asset);
  const [name, market] = holder.slice(SYSTEM_OWNER.length).split("/");
  const type = (AccountType as Readonly<Record<string, number>>)[name!];
  if (type === undefined || type === AccountType.ACCOUNT_TYPE_EXTERNAL) {
    throw new Error(`there is no account '${holder.slice(0, 64)}' of the network`);
  }
  return collateral.ensureSystem(asset, type as Account["type"], market);
}
