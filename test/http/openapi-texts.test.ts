// Every member, enum value and parameter of the documents is described: by the comments in src/wire/proto.

import { describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { openApiParts } from "../../src/planes/data/openapi.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "../../src/planes/node/endpoints.ts";
import { nodeOpenApiParts } from "../../src/planes/node/openapi.ts";
import { descriptionOf } from "../../src/wire/descriptions.ts";
import { enumDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";
import { messageNames } from "../support/message-names.ts";

const DOCUMENTS = { data: openApiParts(), node: nodeOpenApiParts() };
/** Streams, which are no endpoints. */
const STREAMED = ["ExportNetworkHistoryRequest", "ExportLedgerEntriesRequest"].map(
  (name) => `datanode.api.v2.${name}`,
);

/** Messages inside answers and posted bodies, enums inside those and inside requests, and the requests. */
const shown = new Set<string>();
const enums = new Set<string>();
const requests = new Set<string>(
  [...DATA_ENDPOINTS, ...CHAIN_ENDPOINTS, ...VIEW_ENDPOINTS].map((each) => each.request),
);
for (const name of STREAMED) requests.add(name);
for (const { response } of [...DATA_ENDPOINTS, ...CHAIN_ENDPOINTS, ...VIEW_ENDPOINTS])
  collect(response, shown);
for (const { method, request } of CHAIN_ENDPOINTS) if (method === "POST") collect(request, shown);
for (const request of requests) collect(request, new Set());

function collect(message: string, into: Set<string>): void {
  if (into.has(message)) return;
  into.add(message);
  for (const { kind, typeName } of messageDescriptor(message).fields) {
    if (kind === "enum") enums.add(typeName);
    else if (kind === "message" || kind === "map") collect(typeName, into);
  }
}

const members = (message: string) => messageDescriptor(message).fields.map(({ jsonName }) => jsonName);

describe("descriptions of members", () => {
  test("there is one for each", () => {
    const bare = [...shown].flatMap((message) =>
      members(message)
        .filter((member) => descriptionOf(message, member) === undefined)
        .map((member) => `${message}.${member}`),
    );
    expect(bare).toEqual([]);
  });

  test("none says no more than the name", () => {
    const words = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
    const empty = messageNames().flatMap((message) =>
      members(message)
        .filter((member) => words(descriptionOf(message, member) ?? "") === words(member))
        .map((member) => `${message}.${member}`),
    );
    expect(empty).toEqual([]);
  });

  test("everything in the documents is described, all the way down", () => {
    for (const [name, document] of Object.entries(DOCUMENTS)) {
      const bare: string[] = [];
      for (const [schema, { properties }] of Object.entries(document.components.schemas))
        for (const [member, { description }] of Object.entries(properties ?? {}))
          if (!description) bare.push(`${schema}.${member}`);
      for (const [path, { get }] of Object.entries(document.paths))
        for (const parameter of get?.parameters ?? [])
          if ("name" in parameter && !parameter.description) bare.push(`${path}?${parameter.name}`);
      expect({ name, bare }).toEqual({ name, bare: [] });
    }
  });
});

describe("descriptions of times", () => {
  test("each names its unit", () => {
    const TIME =
      /[tT]ime(stamp)?$|At$|^deliverOn$|^ts$|^creation$|^auction(Start|End)$|EnabledFrom$|Timestamp$/;
    const unclear = [...shown].flatMap((message) =>
      messageDescriptor(message)
        .fields.filter(({ kind, jsonName }) => kind === "int64" && TIME.test(jsonName))
        .map(({ jsonName }) => `${message}.${jsonName}: ${descriptionOf(message, jsonName)}`)
        .filter((text) => !/Unix (nano)?seconds/.test(text)),
    );
    expect(unclear).toEqual([]);
  });

  test("those that the network keeps in seconds say so", () => {
    const inSeconds = [
      "vega.ProposalTerms.closingTimestamp",
      "vega.ProposalTerms.enactmentTimestamp",
      "vega.ProposalTerms.validationTimestamp",
      "vega.events.v1.StakeLinking.ts",
      "vega.events.v1.StakeLinking.blockTime",
      "datanode.api.v2.GetERC20WithdrawalApprovalResponse.creation",
    ];
    const described = messageNames().flatMap((message) =>
      members(message)
        .filter((member) => descriptionOf(message, member)?.includes("Unix seconds"))
        .map((member) => `${message}.${member}`),
    );
    expect(described.filter((name) => !name.startsWith("vega.DataSourceSpec")).sort()).toEqual(
      inSeconds.sort(),
    );
  });
});

test("every enum value has a description", () => {
  const bare = [...enums].flatMap((name) =>
    [...enumDescriptor(name).numberOf.keys()]
      .filter((value) => descriptionOf(name, value) === undefined)
      .map((value) => `${name}.${value}`),
  );
  expect(bare).toEqual([]);
});

describe("descriptions of parameters", () => {
  test("those of pages and of lists name the limits that hold", () => {
    const { pageRowsDefault, pageRowsMax, filterValuesMax } = DEFAULT_LIMITS;
    const pagination = (name: string) => descriptionOf("datanode.api.v2.Pagination", name);
    expect(pagination("first")).toContain(`${pageRowsDefault} without it, ${pageRowsMax} at the most`);
    expect(pagination("last")).toContain(`${pageRowsMax} at the most`);
    const described = messageNames().flatMap((message) =>
      members(message).flatMap((member) => {
        const limit = /repeat it for several, at most (\d+)/.exec(descriptionOf(message, member) ?? "")?.[1];
        return limit === undefined ? [] : [Number(limit)];
      }),
    );
    expect(described.length).toBeGreaterThan(10);
    expect(new Set(described)).toEqual(new Set([filterValuesMax]));
  });

  test("those without which a request is refused are marked", () => {
    const required = Object.values(DOCUMENTS.data.paths)
      .flatMap(({ get }) => get?.parameters ?? [])
      .filter((parameter) => "in" in parameter && parameter.in === "query" && parameter.required);
    expect(required).toHaveLength(18);
  });
});
