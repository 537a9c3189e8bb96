// Every member, enum value and parameter of the documents is described, and no description is left over.

import { describe, expect, test } from "bun:test";
import { memberTexts, valueTexts } from "../../src/http/openapi/texts/describe.ts";
import { parseTexts } from "../../src/http/openapi/texts/notation.ts";
import { SHARED } from "../../src/http/openapi/texts/shared.ts";
import { PARAMETERS, REQUIRED, SPECIAL } from "../../src/http/openapi/texts.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { Streams } from "../../src/planes/data/observe/streams.ts";
import { openApiParts } from "../../src/planes/data/openapi.ts";
import { CHAIN_ENDPOINTS, VIEW_ENDPOINTS } from "../../src/planes/node/endpoints.ts";
import { nodeOpenApiParts } from "../../src/planes/node/openapi.ts";
import { enumDescriptor, messageDescriptor } from "../../src/wire/schema/index.ts";

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
        .filter((member) => !memberTexts().get(message)?.has(member) && SHARED[member] === undefined)
        .map((member) => `${message}.${member}`),
    );
    expect(bare).toEqual([]);
  });

  test("each is of a member that is shown", () => {
    const stale = [...memberTexts()].flatMap(([message, texts]) =>
      [...texts.keys()]
        .filter((member) => !shown.has(message) || !members(message).includes(member))
        .map((member) => `${message}.${member}`),
    );
    expect(stale).toEqual([]);
    const used = new Set(
      [...shown].flatMap((message) =>
        members(message).filter((member) => !memberTexts().get(message)?.has(member)),
      ),
    );
    expect(Object.keys(SHARED).filter((member) => !used.has(member))).toEqual([]);
  });

  test("none says no more than the name", () => {
    const words = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
    const empty: string[] = [];
    for (const [message, texts] of memberTexts())
      for (const [member, text] of texts)
        if (words(text) === words(member)) empty.push(`${message}.${member}`);
    expect(empty).toEqual([]);
  });

  test("what the documents show is described, all the way down", () => {
    for (const [name, document] of Object.entries(DOCUMENTS)) {
      const bare: string[] = [];
      for (const [schema, { properties }] of Object.entries(document.components.schemas))
        for (const [member, { description }] of Object.entries(properties ?? {}))
          if (!description) bare.push(`${schema}.${member}`);
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
        .map(({ jsonName }) => `${message}.${jsonName}: ${memberTexts().get(message)?.get(jsonName)}`)
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
    const found = [...memberTexts()].flatMap(([message, texts]) =>
      [...texts]
        .filter(([, text]) => text.includes("Unix seconds"))
        .map(([member]) => `${message}.${member}`),
    );
    expect(found.filter((name) => !name.startsWith("vega.DataSourceSpec")).sort()).toEqual(inSeconds.sort());
  });
});

describe("descriptions of enum values", () => {
  test("there is one for each, and none is left over", () => {
    const wanted = [...enums].flatMap((name) =>
      [...enumDescriptor(name).numberOf.keys()].map((each) => `${name}.${each}`),
    );
    const written = [...valueTexts()].flatMap(([name, texts]) =>
      [...texts.keys()].map((each) => `${name}.${each}`),
    );
    expect(written.sort()).toEqual(wanted.sort());
  });
});

describe("descriptions of parameters", () => {
  test("none is left over", () => {
    const names = new Set(["pretty", "manifest"]);
    const special = new Set<string>();
    const streams = [
      ...Streams.kinds.map(({ request }) => request),
      "datanode.api.v2.ObserveEventBusRequest",
    ];
    for (const request of [...requests, ...streams]) parameters(request, request, "", names, special);
    expect(Object.keys(PARAMETERS).filter((name) => !names.has(name))).toEqual([]);
    expect([...Object.keys(SPECIAL), ...REQUIRED].filter((name) => !special.has(name))).toEqual([]);
  });
});

function parameters(
  request: string,
  message: string,
  prefix: string,
  names: Set<string>,
  special: Set<string>,
): void {
  for (const { kind, typeName, jsonName, name } of messageDescriptor(message).fields) {
    if (kind === "message") {
      parameters(request, typeName, `${prefix}${jsonName}.`, names, special);
      continue;
    }
    for (const each of [prefix + jsonName, jsonName, name]) {
      names.add(each);
      special.add(`${request.slice(request.lastIndexOf(".") + 1)}.${each}`);
    }
  }
}

test("a line that describes nothing, and a name that stands twice, are faults", () => {
  expect(() => parseTexts("vega.Party\n  id")).toThrow("not a description");
  expect(() => parseTexts("  id: Its key.")).toThrow("not a description");
  expect(() => parseTexts("vega.Party\n  id: A.\n  id: B.")).toThrow("second of its name");
  expect(() => parseTexts("vega.Party\nvega.Party")).toThrow("second of its name");
});
