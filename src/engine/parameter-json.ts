/**
 * Network parameters that are JSON (reference 60, sections 10.2 and 10.3). A member that is not known is refused;
 * one that is left out has its empty value.
 */

import { isEthereumAddress } from "../crypto/secp256k1.ts";
import { Decimal } from "../wire/decimal.ts";
import { parseDecimal, problemOf, shortened } from "./parameter-types.ts";

interface Contract {
  readonly address?: string;
  readonly deployment_block_height?: number;
}

/** `blockchains.ethereumConfig` */
export interface EthereumConfig {
  readonly network_id?: string;
  readonly chain_id?: string;
  readonly confirmations?: number;
  readonly collateral_bridge_contract?: Contract;
  readonly multisig_control_contract?: Contract;
  readonly staking_bridge_contract?: Contract;
  readonly token_vesting_contract?: Contract;
}

type Shape = "string" | "number" | "whole" | { readonly [member: string]: Shape } | readonly [Shape];

const CONTRACT = { address: "string", deployment_block_height: "whole" } as const;
const ETHEREUM_CONFIG: Shape = {
  network_id: "string",
  chain_id: "string",
  confirmations: "whole",
  collateral_bridge_contract: CONTRACT,
  multisig_control_contract: CONTRACT,
  staking_bridge_contract: CONTRACT,
  token_vesting_contract: CONTRACT,
};

const SCALING_FACTORS: Shape = {
  search_level: "number",
  initial_margin: "number",
  collateral_release: "number",
};

const PRICE_MONITORING: Shape = {
  triggers: [{ horizon: "whole", probability: "string", auction_extension: "whole" }],
};

export function ethereumConfigProblem(text: string): string | undefined {
  return problemOf(() => {
    const config = read<EthereumConfig>(text, ETHEREUM_CONFIG);
    const bridge = config.collateral_bridge_contract ?? {};
    demand(config.network_id, "missing network ID");
    demand(config.chain_id, "missing chain ID");
    demand(config.confirmations, "confirmations must be greater than 0");
    demand(bridge.address, "missing collateral bridge contract address");
    demand(
      !bridge.deployment_block_height,
      "collateral bridge contract must have no deployment block height",
    );
    demand(config.multisig_control_contract?.address, "missing multisig control contract address");
    demand(
      config.staking_bridge_contract?.address || config.token_vesting_contract?.address,
      "at least one of the staking bridge and token vesting contract addresses is required",
    );
  });
}

/** The address of the collateral bridge, to which signatures are bound; undefined where the configuration has none. */
export function collateralBridge(config: EthereumConfig): string | undefined {
  const address = config.collateral_bridge_contract?.address ?? "";
  return isEthereumAddress(address) ? address : undefined;
}

/** Each factor is 1 to 100, and each is greater than the one before. */
export function scalingFactorsProblem(text: string): string | undefined {
  return problemOf(() => {
    const factors = read<Readonly<Record<string, number | undefined>>>(text, SCALING_FACTORS);
    const values = Object.keys(SCALING_FACTORS).map((name) => [name, factors[name] ?? 0] as const);
    for (const [name, value] of values) {
      demand(value >= 1, `${name}: expect >= 1 got ${value}`);
      demand(value <= 100, `${name}: expect <= 100 got ${value}`);
    }
    const [search, initial, release] = values.map(([, value]) => value) as [number, number, number];
    demand(
      search < initial && initial < release,
      "invalid scaling factors (search_level < initial_margin < collateral_release)",
    );
  });
}

interface Trigger {
  readonly horizon?: number;
  readonly probability?: string;
  readonly auction_extension?: number;
}

const SECONDS_MIN = 5;
const SECONDS_MAX = 720 * 3_600;
const PROBABILITY_MIN = Decimal.parse("0.9");

export function priceMonitoringProblem(text: string): string | undefined {
  return problemOf(() => {
    const { triggers = [] } = read<{ readonly triggers?: readonly Trigger[] }>(text, PRICE_MONITORING);
    for (const { horizon = 0, auction_extension: extension = 0, probability = "" } of triggers) {
      for (const [name, value] of [
        ["horizon", horizon],
        ["auction_extension", extension],
      ] as const) {
        demand(value >= SECONDS_MIN, `${name}: expect >= ${SECONDS_MIN} got ${value}`);
        demand(value <= SECONDS_MAX, `${name}: expect <= ${SECONDS_MAX} got ${value}`);
      }
      const chance = parseDecimal(probability);
      demand(chance, `probability: can't convert ${shortened(probability)} to decimal`);
      demand(!chance!.isLess(PROBABILITY_MIN), `probability: expect >= 0.9 got ${chance}`);
      demand(!Decimal.one.isLess(chance!), `probability: expect <= 1 got ${chance}`);
    }
  });
}

/** Parses and holds against a shape. @throws Error with the first thing that is wrong */
function read<T>(text: string, shape: Shape): T {
  // No event could show a lone surrogate, which a devnet's tool and a genesis can bring.
  if (!text.isWellFormed()) throw new Error("invalid JSON");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("invalid JSON");
  }
  checkShape(value, shape, "value");
  return value as T;
}

function checkShape(value: unknown, shape: Shape, place: string): void {
  if (typeof shape === "string") {
    const fits =
      shape === "whole" ? Number.isSafeInteger(value) && (value as number) >= 0 : typeof value === shape;
    demand(fits, `json: ${place} is no ${shape === "whole" ? "whole number" : shape}`);
  } else if (isList(shape)) {
    demand(Array.isArray(value), `json: ${place} is no list`);
    for (const item of value as unknown[]) checkShape(item, shape[0], place);
  } else {
    demand(
      typeof value === "object" && value !== null && !Array.isArray(value),
      `json: ${place} is no object`,
    );
    for (const [name, member] of Object.entries(value as object)) {
      demand(Object.hasOwn(shape, name), `json: unknown field ${JSON.stringify(shortened(name))}`);
      checkShape(member, shape[name]!, name);
    }
  }
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function demand(holds: unknown, problem: string): void {
  if (!holds) throw new Error(problem);
}
