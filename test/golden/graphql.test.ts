// GraphQL against the original's answers over recordings: each is equal, or stands with its reason in
// docs/compatibility.md.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { ServerStatus } from "../../src/http/status.ts";
import { BUILD } from "../../src/node/build.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { graphqlRoutes } from "../../src/planes/graphql/routes.ts";
import { openReader } from "../../src/store/database.ts";
import { hasRecording, RECORDING } from "../rig/homes.ts";
import { type RecordedHome, recordedHome } from "../support/recorded-home.ts";
import { GraphqlAnswers } from "./graphql-vectors.ts";
import { DEVNET_DEMO, SAMPLE } from "./vectors.ts";

const TEST_NETWORK = join(import.meta.dir, "../../../shared/vectors/smoketest-graphql.json.gz");
const hasTestNetwork = hasRecording && existsSync(TEST_NETWORK);
if (!hasTestNetwork) test.skip("GraphQL answers over the test network: ../shared is not here", () => {});

const SETS = [
  { answers: new GraphqlAnswers("sample"), recording: SAMPLE.recording, count: 499 },
  { answers: new GraphqlAnswers("devnet"), recording: DEVNET_DEMO.recording, count: 343 },
  ...(hasTestNetwork
    ? [{ answers: new GraphqlAnswers("smoketest", TEST_NETWORK), recording: RECORDING, count: 442 }]
    : []),
];

describe.each(SETS)("GraphQL over $recording", ({ answers, recording, count }) => {
  let home: RecordedHome;
  let context: DataContext;
  let app: ReturnType<typeof dataApp>;

  beforeAll(async () => {
    home = await recordedHome(recording);
    context = new DataContext(openReader(home.path), {
      limits: { ...DEFAULT_LIMITS, queryMs: 10_000 },
      build: BUILD,
      home: home.path,
    });
    const plane = new DataPlane(context);
    const status = new ServerStatus();
    app = dataApp(plane, status, undefined, graphqlRoutes(plane, status));
  });
  afterAll(() => {
    context.db.close();
    home.remove();
  });

  test("every difference in docs/compatibility.md is that of an entry", () => {
    expect(answers.vectors).toHaveLength(count);
    expect(answers.unknown).toEqual([]);
  });

  test.each(answers.entries)("%s", (_, vector) =>
    answers.check(async (request) => app.handle(request), vector),
  );
});
