// Every resolver by type and field.
import { assets } from "./assets.ts";
import { estimates } from "./estimates.ts";
import type { Resolvers } from "./fields.ts";
import { governance } from "./governance.ts";
import { markets } from "./markets.ts";
import { network } from "./network.ts";
import { oracles } from "./oracles.ts";
import { orders } from "./orders.ts";
import { parties } from "./parties.ts";
import { validators } from "./validators.ts";

const DOMAINS: readonly Resolvers[] = [
  assets,
  markets,
  orders,
  parties,
  validators,
  governance,
  oracles,
  network,
  estimates,
];

export const RESOLVERS: Resolvers = DOMAINS.reduce<Record<string, Resolvers[string]>>((all, domain) => {
  for (const [type, fields] of Object.entries(domain)) all[type] = { ...all[type], ...fields };
  return all;
}, {});
