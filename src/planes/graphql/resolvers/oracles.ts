// Data sources: signers, filters, and received data.
import type { Message } from "../reads.ts";
import { as, called, type Resolvers } from "./fields.ts";

const conditions = { conditions: ({ conditions: list = [] }: Message) => list };

export const oracles: Resolvers = {
  Query: {
    oracleSpec: called("GetOracleSpec", "oracleSpec"),
    oracleSpecsConnection: called("ListOracleSpecs", "oracleSpecs"),
    oracleDataConnection: called("ListOracleData", "oracleData"),
    oracleDataBySpecConnection: called("ListOracleData", "oracleData"),
  },
  OracleSpec: {
    dataConnection: called("ListOracleData", "oracleData", ({ pagination }, { externalDataSourceSpec }) => ({
      oracleSpecId: externalDataSourceSpec?.spec?.id,
      pagination,
    })),
    dataSourceSpec: ({ externalDataSourceSpec }) => externalDataSourceSpec ?? {},
  },
  ExternalDataSourceSpec: { spec: ({ spec }) => spec ?? {} },
  DataSourceSpec: {
    data: ({ data }) => data ?? {},
    // The schema has no name for a source without a status.
    status: ({ status }) => ["", "STATUS_ACTIVE", "STATUS_DEACTIVATED"][status ?? 0],
  },
  DataSourceDefinition: {
    sourceType({ internal, external }) {
      if (internal) return as("DataSourceDefinitionInternal", internal);
      return as("DataSourceDefinitionExternal", external ?? {});
    },
  },
  DataSourceDefinitionExternal: {
    sourceType: ({ oracle }) => as("DataSourceSpecConfiguration", oracle ?? {}),
  },
  DataSourceDefinitionInternal: {
    sourceType: ({ time }) => as("DataSourceSpecConfigurationTime", time ?? {}),
  },
  DataSourceSpecConfigurationTime: conditions,
  Signer: {
    signer({ pubKey, ethAddress }) {
      if (ethAddress) return as("ETHAddress", ethAddress);
      return as("PubKey", pubKey ?? {});
    },
  },
};
