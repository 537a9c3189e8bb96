/** Where a future's settlement price and its end come from (reference 30, section 4.6; reference 70, 1.6). */

import { isEthereumAddress } from "../../crypto/secp256k1.ts";
import * as say from "../../errors/validation.ts";
import type { Condition, Filter, PropertyKey, Signer } from "../generated/data.ts";
import type {
  DataSourceDefinition,
  DataSourceDefinitionExternal,
  DataSourceDefinitionInternal,
  DataSourceSpecConfiguration,
  DataSourceSpecConfigurationTime,
  DataSourceSpecToFutureBinding,
} from "../generated/vega.ts";
import { isHex64 } from "../identifiers.ts";
import { all, type Check, each, first, part, rule } from "./check.ts";
import { choice, needed, present, required } from "./fields.ts";

/** The property that an internal source of time has. */
export const BUILTIN_TIMESTAMP = "vegaprotocol.builtin.timestamp";

/** `path` of the conditions ends in `#`. */
function condition(path: string): Check<Condition> {
  return all(
    required(`${path}.value`, (item) => item.value),
    choice(`${path}.operator`, (item) => item.operator, "vega.data.v1.Condition.Operator"),
  );
}

function filter(path: string): Check<Filter> {
  return all(
    rule(`${path}.key`, say.IS_NOT_VALID, (item) => item.key === undefined),
    part(
      (item) => item.key,
      required(`${path}.key.name`, (key: PropertyKey) => key.name),
      choice(`${path}.key.type`, (key: PropertyKey) => key.type, "vega.data.v1.PropertyKey.Type"),
    ),
    each((item) => item.conditions, condition(`${path}.conditions.#`)),
  );
}

function signer(path: string): Check<Signer> {
  return first(
    rule(
      path,
      say.IS_NOT_VALID,
      ({ pubKey, ethAddress }) => (pubKey?.key ?? ethAddress?.address ?? "") === "",
    ),
    rule(path, say.NOT_A_PUBLIC_KEY, ({ pubKey }) => pubKey !== undefined && !isHex64(pubKey.key)),
    rule(
      path,
      say.NOT_AN_ETHEREUM_ADDRESS,
      ({ ethAddress }) => ethAddress !== undefined && !isEthereumAddress(ethAddress.address),
    ),
  );
}

function oracle(path: string): Check<DataSourceSpecConfiguration> {
  return all(
    required(`${path}.signers`, (spec) => spec.signers),
    each((spec) => spec.signers, signer(`${path}.signers.#`)),
    required(`${path}.filters`, (spec) => spec.filters),
    each((spec) => spec.filters, filter(`${path}.filters.#`)),
  );
}

/** The original crashes on an external source without an oracle (section 13, surprise 18); here it is required. */
function external(path: string): Check<DataSourceDefinitionExternal> {
  return needed(`${path}.external.oracle`, (source) => source.oracle, oracle(`${path}.external.oracle`));
}

function internal(path: string): Check<DataSourceDefinitionInternal> {
  return needed(
    `${path}.internal`,
    (source) => source.time,
    required(`${path}.internal.time.conditions`, (time: DataSourceSpecConfigurationTime) => time.conditions),
    each(
      (time: DataSourceSpecConfigurationTime) => time.conditions,
      condition(`${path}.internal.time.conditions.#`),
    ),
  );
}

type Source = DataSourceDefinition | undefined;

/** The source that says when trading ends: signed data, or the chain's own time. */
export function terminationSource<T>(path: string, of: (future: T) => Source): Check<T> {
  return needed(
    path,
    of,
    present(`${path}.source_type`, (source: DataSourceDefinition) => source.external ?? source.internal),
    part((source: DataSourceDefinition) => source.external, external(path)),
    part((source: DataSourceDefinition) => source.internal, internal(path)),
  );
}

/** The source of the price: signed data only, for the chain's time is no price. */
export function settlementSource<T>(path: string, of: (future: T) => Source): Check<T> {
  return needed(
    path,
    of,
    present(`${path}.source_type`, (source: DataSourceDefinition) => source.external ?? source.internal),
    part((source: DataSourceDefinition) => source.external, external(path)),
    rule(path, say.IS_NOT_VALID, (source: DataSourceDefinition) => source.internal !== undefined),
  );
}

function provides(source: Source, property: string): boolean {
  const time = source?.internal?.time;
  if (time !== undefined) return time.conditions.length > 0 && property === BUILTIN_TIMESTAMP;
  return source?.external?.oracle?.filters.some((item) => item.key?.name === property) ?? false;
}

interface Bound {
  readonly dataSourceSpecForSettlementData: Source;
  readonly dataSourceSpecForTradingTermination: Source;
  readonly dataSourceSpecBinding: DataSourceSpecToFutureBinding | undefined;
}

/**
 * Which property of the sources is meant. In a new market an internal source has its end bound to it under any
 * name; a market's update must name the property that it has. So it is in the original.
 */
export function binding<T extends Bound>(path: string, anyInternal: boolean): Check<T> {
  const settlement = (future: T) => future.dataSourceSpecBinding!.settlementDataProperty;
  const termination = (future: T) => future.dataSourceSpecBinding!.tradingTerminationProperty;
  return first(
    present(path, (future) => future.dataSourceSpecBinding),
    all(
      first(
        required(`${path}.settlement_data_property`, settlement),
        rule(
          `${path}.settlement_data_property`,
          say.IS_MISMATCHING,
          (future) => !provides(future.dataSourceSpecForSettlementData, settlement(future)),
        ),
      ),
      first(
        required(`${path}.trading_termination_property`, termination),
        rule(`${path}.trading_termination_property`, say.IS_MISMATCHING, (future) => {
          const source = future.dataSourceSpecForTradingTermination;
          if (anyInternal && source !== undefined && source.external === undefined) return false;
          return !provides(source, termination(future));
        }),
      ),
    ),
  );
}
