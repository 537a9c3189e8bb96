// The sum of a stream's messages, beside the data API's answers.
import { expect } from "bun:test";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

export const nodesOf = (connection: Json): Json[] => (connection?.edges ?? []).map(({ node }: Json) => node);

export const resultsOf = (messages: readonly Json[]): Json[] =>
  messages.flatMap(({ result }) => result ?? []);

/** Pages and updates as one list. */
export function rowsOf(messages: readonly Json[], member: string): Json[] {
  return resultsOf(messages).flatMap(({ snapshot, updates }) => (snapshot ?? updates)[member] ?? []);
}

/** The newest row of each key, as sorted text. */
export function newestOf(rows: readonly Json[], key: (row: Json) => string): string[] {
  return [...new Map(rows.map((row) => [key(row), JSON.stringify(row)])).values()].sort();
}

export const textsOf = (rows: readonly Json[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

export const accountKey = ({ owner, asset, marketId, type }: Json): string =>
  `${owner} ${asset} ${marketId} ${type}`;

export const positionKey = ({ partyId, marketId }: Json): string => `${partyId} ${marketId}`;

/** Events without a gap: those of a block are numbered from 1, and each block has some. */
export function expectWithoutGap(events: readonly Json[]): void {
  const ids: [number, number][] = events.map(({ id }) => id.split("-").map(Number));
  const expected = ids.map(([height, seq], n): [number, number] => {
    const [heightBefore, seqBefore] = ids[n - 1] ?? [height - 1, seq];
    return height === heightBefore ? [height, seqBefore + 1] : [heightBefore + 1, 1];
  });
  expect(ids).toEqual(expected);
}
