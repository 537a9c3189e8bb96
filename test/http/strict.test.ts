// `strict=true` on every plane: what does not exist is refused with the name that was meant; without it, it is ignored.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(returnDevnet);

type Plane = "dataUrl" | "nodeUrl" | "faucetUrl";
interface Case {
  readonly plane: Plane;
  readonly path: string;
  readonly body?: object;
  /** Part of the refusal. */
  readonly refused?: string;
}

const HASH = "AB".repeat(32);
const CASES: readonly Case[] = [
  {
    plane: "dataUrl",
    path: "/api/v2/trades?marketIDs=aa",
    refused: `parameter "marketIDs": did you mean 'marketIds'?`,
  },
  { plane: "dataUrl", path: "/api/v2/trades?marketIds=&party_ids=&pagination.first=1&pretty" },
  {
    plane: "dataUrl",
    path: "/api/v2/accounts?filter.partyId=aa",
    refused: "did you mean 'filter.partyIds'?",
  },
  {
    plane: "dataUrl",
    path: "/api/v2/accounts?filter.party_ids[]=aa",
    refused: "one or more party id is invalid",
  },
  {
    plane: "dataUrl",
    path: "/api/v2/assets?pagination.frist=1",
    refused: "did you mean 'pagination.first'?",
  },
  {
    plane: "dataUrl",
    path: "/api/v2/accounts?filter.accountTypes=ACCOUNT_TYPE_GENRAL",
    refused: `"ACCOUNT_TYPE_GENRAL" is not a valid value: did you mean 'ACCOUNT_TYPE_GENERAL'?`,
  },
  { plane: "dataUrl", path: "/api/v2/asset/XX?assetId=YY", refused: `parameter "assetId"` },
  { plane: "dataUrl", path: "/api/v2/stream/trades?marketId=", refused: "did you mean 'marketIds'?" },
  { plane: "dataUrl", path: "/api/v2/stream/trades?hieght=true", refused: "did you mean 'height'?" },
  { plane: "dataUrl", path: "/api/v2/stream/event/bus?tpye=1", refused: "did you mean 'type'?" },
  { plane: "dataUrl", path: "/api/v2/networkhistory/export?tabel=1", refused: "did you mean 'table'?" },
  { plane: "dataUrl", path: "/api/v2/ledgerentry/export?partyID=1", refused: "did you mean 'partyId'?" },
  { plane: "dataUrl", path: "/rest/transactions?limt=5", refused: "did you mean 'limit'?" },
  { plane: "dataUrl", path: "/rest/transactions?limit=5&filters[tx.submitter]=aa" },
  { plane: "nodeUrl", path: "/blockchain/height?x=1", refused: `parameter "x"` },
  { plane: "nodeUrl", path: "/assets?aset=1", refused: "did you mean 'asset'?" },
  { plane: "nodeUrl", path: "/assets?asset=" },
  { plane: "nodeUrl", path: "/transaction/raw?detials=true", body: {}, refused: "did you mean 'details'?" },
  {
    plane: "nodeUrl",
    path: "/transaction/raw?details=true",
    body: { txx: "" },
    refused: `no field called "txx"`,
  },
  {
    plane: "nodeUrl",
    path: "/devnet/outcomes",
    body: { hashes: [HASH], wiat: "1ms" },
    refused: "there is no 'wiat' here: did you mean 'wait'?",
  },
  { plane: "nodeUrl", path: "/devnet/outcomes", body: { hashes: [HASH], wait: "0s" } },
  { plane: "nodeUrl", path: "/devnet/status?x=1", refused: `parameter "x"` },
  {
    plane: "faucetUrl",
    path: "/api/v1/mint",
    body: { party: HASH, asset: "x", amount: "1", amout: "2" },
    refused: "did you mean 'amount'?",
  },
];

async function ask({ plane, path, body }: Case, strict: boolean): Promise<{ status: number; text: string }> {
  const leaving = new AbortController();
  const flag = strict ? `${path.includes("?") ? "&" : "?"}strict=true` : "";
  const answer = await fetch(devnet[plane] + path + flag, {
    signal: leaving.signal,
    ...(body && {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  // A stream that was opened does not end.
  const isStream = path.includes("/stream/") && answer.ok;
  const text = isStream ? "" : await answer.text();
  leaving.abort();
  return { status: answer.status, text };
}

describe("strict=true", () => {
  test.each(CASES)("%j", async (one) => {
    const strict = await ask(one, true);
    const lenient = await ask(one, false);
    const shown = JSON.stringify(JSON.parse(strict.text || "{}"));
    if (one.refused === undefined) expect(strict.status).toBe(200);
    else {
      expect(strict.status).toBe(400);
      expect(shown).toContain(JSON.stringify(one.refused).slice(1, -1));
    }
    // A tool refuses members that do not exist in any case.
    if (!one.path.includes("/devnet/")) expect(lenient.text).not.toContain("did you mean");
  });

  test("another value than true or false is refused", async () => {
    const answer = await fetch(`${devnet.dataUrl}/api/v2/assets?strict=maybe`);
    expect(answer.status).toBe(400);
  });
});
