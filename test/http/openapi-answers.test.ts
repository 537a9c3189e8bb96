// The answers that the original gave over this project's recordings are what the OpenAPI document says.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ServerStatus } from "../../src/http/status.ts";
import { DATA_ROUTES } from "../../src/planes/data/app.ts";
import { openApiParts } from "../../src/planes/data/openapi.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { type OpenApiDocument, SchemaValidator } from "../support/schema-validator.ts";

/** In the clone, or beside it. */
const FOLDERS = [join(import.meta.dir, "../golden"), join(import.meta.dir, "../../../shared/vectors")];
const FILES = ["sample-answers.json.gz", "devnet-answers.json.gz"];

interface Recorded {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const pathOf = (url: string) => url.replace(/\?.*$/s, "");

/** The documented path of a plain answer; undefined for streams, forms and unknown paths. */
function documentedPath({ method, path, headers, requestHeaders, body }: Recorded): string | undefined {
  const type = headers["content-type"] ?? "";
  const isJson = typeof body === "object" && type.startsWith("application/json") && !type.includes("stream");
  if (method !== "GET" || !isJson || requestHeaders?.accept?.includes("stream")) return undefined;
  const route = DATA_ROUTES.findLast((one) => expressionOf(one.path).test(pathOf(path)));
  return route && Object.keys(document.paths).find((template) => nameless(template) === nameless(route.path));
}

function expressionOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]*)")}$`);
}

/** Documents name parameters in camelCase. */
function nameless(path: string): string {
  return path.replace(/\{\w+\}/g, "{}");
}

const document = openApiParts() as unknown as OpenApiDocument;
const validator = new SchemaValidator(document);

test("/status is what the document says, of a node without sources and of one with all that is declared", () => {
  const status = new ServerStatus();
  const check = () => validator.check("get", "/status", "200", JSON.parse(status.statusText() as string));
  expect(check()).toEqual([]);
  status.source = {
    head: () => ({ chainId: "c", height: 5, firstHeight: 1, timeUs: 1_000_000, timeNs: SECOND_NS }),
    notReady: () => "behind",
    segments: () => 1,
    storeBytes: () => 2,
    logBytes: () => 3,
    disk: () => ({
      ...{ usedBytes: 1, storeBytes: 1, freeInStoreBytes: 0, logBytes: 0, segmentBytes: 0, otherBytes: 0 },
      ...{ budgetBytes: null, retention: "archive", growthBytesPerDay: -1.5, fullInDays: 0.5 },
      ...{ historyFrom: { ORDERS: 3 }, text: "1 kB" },
    }),
    scrubbedUs: () => 1_000_000,
    haltedMarkets: () => [{ market: "ab", height: 4, step: "tick" }],
    live: {
      sources: () => [
        {
          kind: "comet",
          state: "stopped",
          text: "it is gone",
          code: "comet_lost",
          height: undefined,
          sinceUs: 1,
        },
      ],
      lag: () => ({ followedHeight: 7, blocks: 2, seconds: 1.5, clockSkewSeconds: -0.25 }),
      parts: () => ({}),
    },
  } as unknown as typeof status.source;
  expect(check()).toEqual([]);
  // The check can fail.
  expect(validator.check("get", "/status", "200", { ready: "yes" })).not.toEqual([]);
});

for (const file of FILES) {
  const archive = FOLDERS.map((folder) => join(folder, file)).find((path) => existsSync(path));
  if (archive === undefined) console.log(`skipped: ${file} against the document (it is not here)`);
  describe.skipIf(archive === undefined)(file, () => {
    test("every answer fits the document", () => {
      const text = new TextDecoder().decode(Bun.gunzipSync(readFileSync(archive!)));
      const faults: string[] = [];
      let checked = 0;
      for (const answer of JSON.parse(text) as Recorded[]) {
        const path = documentedPath(answer);
        if (path === undefined) continue;
        checked++;
        const wrong = validator.check("get", path, String(answer.status), answer.body);
        if (wrong.length > 0) faults.push(`${answer.name}: ${wrong[0]}`);
      }
      expect(checked).toBeGreaterThan(800);
      expect(faults).toEqual([]);
    });
  });
}
