// Details of assets: what a genesis and a proposal may say (reference 60, sections 5.1, 5.3, 5.5 and 11.1).
import { checksumAddress, isEthereumAddress } from "../crypto/secp256k1.ts";
import { NodeError } from "../errors/node-error.ts";
import {
  type AssetDetails,
  type AssetDetailsUpdate,
  type ERC20Update,
  ProposalError,
} from "../wire/generated/vega.ts";
import { identifierBytes } from "../wire/identifiers.ts";
import type { GenesisAsset } from "./genesis.ts";
import { parseDecimal, parseUint } from "./parameter-types.ts";
import { ProposalRefusal } from "./proposal-refusal.ts";

/** Decimals of an asset are kept in a column of 32 bits with a sign. */
const DECIMALS_MAX = 2n ** 31n - 1n;
/** Of an asset of a genesis, which is funded: with more, one unit of it is more than 256 bits hold. */
const FUNDED_DECIMALS_MAX = 77;

/** Details of an asset of a genesis; quantum and limits may be zero there. @throws NodeError */
export function genesisDetails(id: string, asset: GenesisAsset): AssetDetails {
  const { builtin_asset: builtin, erc20 } = asset?.source ?? {};
  if (builtin === undefined && erc20 === undefined) throw invalidAsset(id, "missing asset source");
  if (builtin !== undefined && erc20 !== undefined)
    throw invalidAsset(id, "multiple asset sources specified");
  const { name, symbol, decimals, quantum } = asset;
  if (!isIdentifier(id)) throw invalidAsset(id, "not a valid hex id (or well known exception)");
  if (typeof name !== "string" || name === "") throw invalidAsset(id, "name is required");
  if (typeof symbol !== "string" || symbol === "") throw invalidAsset(id, "symbol is required");
  if (![name, symbol].every((text) => text.isWellFormed()))
    throw invalidAsset(id, "name and symbol must be texts in UTF-8");
  if (!Number.isSafeInteger(decimals) || decimals < 0 || decimals > FUNDED_DECIMALS_MAX)
    throw invalidAsset(id, `decimals must be a whole number from 0 to ${FUNDED_DECIMALS_MAX}`);
  const unit = parseDecimal(String(quantum));
  if (unit === undefined || unit.isNegative()) throw invalidAsset(id, "quantum must be a number, 0 or more");
  const amount = (title: string, text: string) => {
    const value = parseUint(String(text));
    if (value === undefined) throw invalidAsset(id, `${title} must be a whole number, 0 or more`);
    return value.toString();
  };
  if (erc20 !== undefined && !isEthereumAddress(String(erc20.contract_address))) {
    throw invalidAsset(id, "contract_address must be an Ethereum address");
  }
  return {
    name,
    symbol,
    decimals: BigInt(decimals),
    quantum: unit.toString(),
    builtinAsset: builtin && {
      maxFaucetAmountMint: amount("max_faucet_amount_mint", builtin.max_faucet_amount_mint),
    },
    erc20: erc20 && {
      contractAddress: checksumAddress(erc20.contract_address),
      lifetimeLimit: amount("lifetime_limit", erc20.lifetime_limit),
      withdrawThreshold: amount("withdraw_threshold", erc20.withdraw_threshold),
    },
  };
}

function isIdentifier(id: string): boolean {
  try {
    return identifierBytes(id).length > 0;
  } catch {
    return false;
  }
}

export function invalidAsset(id: string, problem: string): NodeError {
  return new NodeError(
    "engine.genesis",
    "genesis_invalid",
    `the genesis document cannot be used: asset '${id}': ${problem}`,
  );
}

/** What a proposed asset must have (section 5.3), its contract's uniqueness aside. @throws ProposalRefusal */
export function checkNewAsset(details: AssetDetails): void {
  const { name, symbol, decimals, quantum, builtinAsset: builtin, erc20 } = details;
  if (name === "" || symbol === "") refuse("INVALID_ASSET_DETAILS", "asset name and symbol are required");
  if (!isPositive(quantum)) refuse("INVALID_ASSET_DETAILS", "asset quantum must be positive");
  if (decimals > DECIMALS_MAX) refuse("INVALID_ASSET_DETAILS", "asset decimals must not exceed 31 bits");
  if (builtin !== undefined && !isPositiveUint(builtin.maxFaucetAmountMint)) {
    refuse("MISSING_BUILTIN_ASSET_FIELD", "missing builtin asset field");
  }
  if (builtin !== undefined) return;
  if (erc20 === undefined) refuse("INVALID_ASSET_DETAILS", "missing asset source");
  if (erc20.contractAddress === "")
    refuse("MISSING_ERC20_CONTRACT_ADDRESS", "missing erc20 contract address");
  if (!isEthereumAddress(erc20.contractAddress)) {
    refuse("INVALID_ASSET_DETAILS", "invalid erc20 contract address");
  }
  if (!isPositiveUint(erc20.lifetimeLimit) || !isPositiveUint(erc20.withdrawThreshold)) {
    refuse("INVALID_ASSET_DETAILS", "asset limits must be positive numbers of at most 256 bits");
  }
}

/** What an update of an asset must have (section 5.5). @throws ProposalRefusal */
export function checkAssetUpdate(changes: AssetDetailsUpdate): void {
  if (!isPositive(changes.quantum)) refuse("INVALID_ASSET_DETAILS", "asset quantum must be positive");
  const { erc20 } = changes;
  if (
    erc20 === undefined ||
    !isPositiveUint(erc20.lifetimeLimit) ||
    !isPositiveUint(erc20.withdrawThreshold)
  ) {
    refuse("INVALID_ASSET_DETAILS", "asset limits must be positive numbers of at most 256 bits");
  }
}

/** As the state keeps a proposed asset: numbers in their plain form, the contract with its checksum. */
export function normalDetails(details: AssetDetails): AssetDetails {
  const { name, symbol, decimals, quantum, builtinAsset: builtin, erc20 } = details;
  return {
    name,
    symbol,
    decimals,
    quantum: parseDecimal(quantum)!.toString(),
    builtinAsset: builtin && { maxFaucetAmountMint: plain(builtin.maxFaucetAmountMint) },
    erc20: erc20 && { contractAddress: checksumAddress(erc20.contractAddress), ...plainLimits(erc20) },
  };
}

/** Quantum and limits are new, everything else stays. */
export function updated(details: AssetDetails, { quantum, erc20 }: AssetDetailsUpdate): AssetDetails {
  return {
    ...details,
    quantum: parseDecimal(quantum)!.toString(),
    erc20: { contractAddress: details.erc20!.contractAddress, ...plainLimits(erc20!) },
  };
}

function plainLimits({ lifetimeLimit, withdrawThreshold }: ERC20Update): ERC20Update {
  return { lifetimeLimit: plain(lifetimeLimit), withdrawThreshold: plain(withdrawThreshold) };
}

function plain(text: string): string {
  return BigInt(text).toString();
}

/** An identifier as the contracts' nonce: its digits as a number. */
export function idAsNumber(id: string): bigint {
  return BigInt(`0x${id}`);
}

function isPositive(text: string): boolean {
  return parseDecimal(text)?.isPositive() ?? false;
}

function isPositiveUint(text: string): boolean {
  return (parseUint(text.replace(/^\+/, "")) ?? 0n) > 0n;
}

type Refusal = "INVALID_ASSET_DETAILS" | "MISSING_BUILTIN_ASSET_FIELD" | "MISSING_ERC20_CONTRACT_ADDRESS";

function refuse(reason: Refusal, text: string): never {
  throw new ProposalRefusal(ProposalError[`PROPOSAL_ERROR_${reason}`], text);
}
