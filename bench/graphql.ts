// GraphQL against REST over the same store: a page of orders with their markets and parties, kept until the next block and
// made again; and the longest that queries of the allowed cost take over millions of rows. The two take turns within a round.
// bun bench/graphql.ts [--rows N] [--rounds N] [--binary PATH]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayFiles } from "../src/ingest/replay.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openWriter } from "../src/store/database.ts";
import { makeBalanceStore } from "./balance-store.ts";
import { loadInChild } from "./load.ts";
import { argument, defaultRecording, median, residentMb, startLyra } from "./support.ts";

const CONNECTIONS = 4;
const MEASURE_MS = 1_500;
/** Addresses that differ, so that no answer is kept. */
const DIFFERENT = 40_000;
const ORDER = `id price timeInForce side size remaining createdAt expiresAt status reference type rejectionReason version
  updatedAt peggedOrder{reference offset} postOnly reduceOnly`;
const NESTED = `market{id state tradableInstrument{instrument{code name}}} party{id}`;

const home = mkdtempSync(join(tmpdir(), "lyra-bench-graphql-"));
try {
  const rounds = Number(argument("--rounds") ?? 5);
  const pages = await againstRest(join(home, "recording"), rounds);
  const large = await overManyRows(join(home, "rows"), Number(argument("--rows") ?? 10_000_000));
  console.log(JSON.stringify({ bench: "graphql", ...pages, ...large }));
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function againstRest(folder: string, rounds: number) {
  const db = openWriter(folder);
  const writer = new BlockWriter(db);
  await replayFiles(writer, db, [defaultRecording()]);
  writer.checkpoint();
  db.close();
  const lyra = await startLyra(folder, argument("--binary"));
  const url = `http://127.0.0.1:${lyra.port}`;
  const market = await busiestMarket(url);
  const rest = `/api/v2/orders?filter.marketIds=${market}&pagination.first=100`;
  const query = `{market(id:"${market}"){ordersConnection(pagination:{first:100}){edges{cursor node{${ORDER} ${NESTED}}}}}}`;
  const graphql = `/graphql?query=${encodeURIComponent(query)}`;
  const idleMb = residentMb(lyra.pid);
  const measure = async (paths: readonly string[]) => {
    const { perSecond, errors } = await loadInChild({
      port: lyra.port,
      paths,
      connections: CONNECTIONS,
      durationMs: MEASURE_MS,
    });
    if (errors > 0) throw new Error(`${errors} answers of ${paths[0]} are errors`);
    return perSecond;
  };
  let turn = 0;
  const different = (path: string) => {
    turn++;
    return Array.from({ length: DIFFERENT }, (_, n) => `${path}&turn=${turn}-${n}`);
  };
  const rates: Record<"rest" | "graphql" | "restMade" | "graphqlMade", number[]> = {
    rest: [],
    graphql: [],
    restMade: [],
    graphqlMade: [],
  };
  for (let round = 0; round < rounds; round++) {
    rates.rest.push(await measure([rest]));
    rates.graphql.push(await measure([graphql]));
    rates.restMade.push(await measure(different(rest)));
    rates.graphqlMade.push(await measure(different(graphql)));
  }
  const usedMb = residentMb(lyra.pid);
  await lyra.stop();
  const ratio = (a: readonly number[], b: readonly number[]) => median(a.map((each, n) => each / b[n]!));
  return {
    restPerSecond: median(rates.rest),
    queriesPerSecond: median(rates.graphql),
    ratio: ratio(rates.graphql, rates.rest),
    madeQueriesPerSecond: median(rates.graphqlMade),
    madeRatio: ratio(rates.graphqlMade, rates.restMade),
    idleMb,
    usedMb,
  };
}

async function busiestMarket(url: string): Promise<string> {
  const read = async (path: string) => (await fetch(`${url}${path}`)).json();
  const { markets } = (await read("/api/v2/markets")) as { markets: { edges: { node: { id: string } }[] } };
  const counted = await Promise.all(
    markets.edges.map(async ({ node: { id } }) => {
      const { orders } = (await read(`/api/v2/orders?filter.marketIds=${id}`)) as {
        orders: { edges: object[] };
      };
      return { id, count: orders.edges.length };
    }),
  );
  return counted.toSorted((a, b) => b.count - a.count)[0]!.id;
}

/** Queries of the allowed cost, over as many rows as the largest network has. */
async function overManyRows(folder: string, rows: number) {
  const { busyParty, rareParty, unknownParty } = makeBalanceStore(folder, rows);
  const changes = (rest: string) =>
    `balanceChanges(${rest}){edges{cursor node{timestamp balance partyId assetId marketId accountType}}}`;
  const many = (count: number, text: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => text(n)).join(" ");
  const queries = [
    `{${changes("pagination:{first:10000}")}}`,
    `{${changes(`filter:{partyIds:["${busyParty}"]},pagination:{first:10000}`)}}`,
    `{${changes(`filter:{partyIds:["${rareParty}","${unknownParty}"]}`)}}`,
    `{${changes("filter:{accountTypes:[ACCOUNT_TYPE_BOND]}")}}`,
    `{${many(300, (n) => `a${n}:${changes(`pagination:{first:${1_000 + n}}`)}`)}}`,
    `{${many(20, (n) => `a${n}:${changes(`filter:{accountTypes:[ACCOUNT_TYPE_BOND]},pagination:{first:${n + 1}}`)}`)}}`,
    "{partiesConnection(pagination:{first:10000}){edges{node{id accountsConnection{edges{node{balance type asset{id} party{id}}}}}}}}",
    `{partiesConnection{edges{node{${many(100, (n) => `a${n}:accountsConnection(pagination:{first:${n + 1}}){edges{node{balance}}}`)}}}}}`,
    "{partiesConnection{edges{node{ordersConnection{edges{node{id}}} tradesConnection{edges{node{id}}} depositsConnection{edges{node{id}}}}}}}",
    `{entities(txHash:"${"ab".repeat(32)}"){balanceChanges{balance}}}`,
  ];
  const lyra = await startLyra(folder, argument("--binary"));
  const times: number[] = [];
  // The first query loads the library and the schema.
  for (const query of ["{__typename}", ...queries]) {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${lyra.port}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    await response.arrayBuffer();
    times.push(performance.now() - began);
    if (process.argv.includes("--verbose")) console.error(query.slice(0, 80), times.at(-1)!.toFixed(0), "ms");
  }
  const largeMb = residentMb(lyra.pid);
  await lyra.stop();
  const [firstMs, ...others] = times;
  return { rows, firstMs, longestMs: Math.max(...others), largeMb };
}
