// The answer of `/status`, declared for the node that gives it and for the document.
import {
  choice,
  counts,
  decimal,
  flag,
  list,
  nullable,
  object,
  text,
  type ValueOf,
  whole,
} from "./declaration.ts";

const TIME = "RFC 3339 in UTC";

export const SOURCE_KINDS = ["events", "file", "comet", "core", "sidecar"] as const;
export const SOURCE_STATES = ["waiting", "connected", "receiving", "paused", "stopped"] as const;

const DISK = object(
  {
    usedBytes: whole("Bytes of the home."),
    storeBytes: whole("Of these the store."),
    freeInStoreBytes: whole("Of the store's file: pages that are used before it grows."),
    logBytes: whole("The store's log."),
    segmentBytes: whole("History segments."),
    otherBytes: whole("Everything else."),
    budgetBytes: nullable(whole("Bytes that the home may have; null without a budget.")),
    retention: text("Whether older rows are kept or removed."),
    growthBytesPerDay: nullable(decimal("By the time of the chain.")),
    fullInDays: nullable(decimal("Days until the budget or the disk is full.")),
    historyFrom: counts(
      "Height from which on a table has every row, of tables whose older rows were removed.",
    ),
    text: text("The same in a sentence."),
  },
  "The home's share of the disk, with a forecast.",
);

/** The member of `/status`; `lyra doctor` prints the same. */
export type DiskBody = ValueOf<typeof DISK>;

export const STATUS_BODY = object({
  chainId: nullable(text("Identifier of the chain; null before the first block.")),
  height: nullable(whole("Last block.")),
  firstHeight: nullable(whole("First block of the store.")),
  time: nullable(text(`Time of the last block, ${TIME}.`)),
  ready: flag("Whether `/readyz` answers 200."),
  reason: text("Why it does not; empty where it does."),
  "haltedMarkets?": list(
    "Markets that a fault of this program has stopped.",
    object({
      market: text("Identifier of the market."),
      height: whole("The block at whose step it stopped."),
      step: text("The step that was taken back."),
    }),
  ),
  "release?": object(
    {
      chain: text(
        "The release that the chain runs, such as `v0.71.6`: proposals of an upgrade are judged by it.",
      ),
      program: text("The latest release that this program runs chains of; that of `lyra version`."),
    },
    "Releases of the network, on a chain that is executed here.",
  ),
  "followedHeight?": nullable(whole("Height of the followed node.")),
  "lag?": object(
    {
      blocks: whole("Blocks that the followed node is ahead."),
      seconds: nullable({ type: "number", description: "Seconds behind it; null before the first block." }),
    },
    "Lag of this node behind the followed one.",
  ),
  "clockSkewSeconds?": nullable({
    type: "number",
    description: "Lead of this machine's clock over the chain's.",
  }),
  "consensus?": object(
    {
      connected: flag("Whether the consensus engine is connected."),
      since: text(`Begin of that, ${TIME}.`),
      version: nullable(text("Version of the engine; null before its first answer.")),
      catchingUp: flag("Whether it still fetches blocks that others have."),
      peers: whole("Nodes that it is connected with."),
      validators: whole("Validators with a vote."),
      blockAgeSeconds: { type: "number", description: "Time since the last block came." },
      doubleSigned: whole("Reports in blocks, since the start, that a validator signed twice."),
      "ownDoubleSigned?": text("The last one that this validator's own key is in."),
    },
    "Of a validator: its consensus engine, and the others.",
  ),
  "sources?": list(
    "Where blocks and events come from.",
    object({
      kind: choice("Kind of the source.", SOURCE_KINDS),
      state: choice("State of the source.", SOURCE_STATES),
      "code?": text("Error code of a source that stopped."),
      text: text("The state in words."),
      height: nullable(whole("Height of the node behind it, or the last one that came.")),
      since: text(`Begin of the state, ${TIME}.`),
    }),
  ),
  segments: whole("History segments in the store."),
  store: object(
    {
      bytes: whole("Size of the store with its log, segments apart."),
      logBytes: whole("Size of the log beside it."),
      checked: nullable(text(`End of the last whole check in the background, ${TIME}.`)),
    },
    "The store on disk.",
  ),
  "disk?": DISK,
});

/** A sidecar adds members of its own, such as `events` and `follower`. */
export type StatusBody = ValueOf<typeof STATUS_BODY>;
