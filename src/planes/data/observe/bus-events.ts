// Bus events as streams tell them: decoded and rendered once, and what filters ask of them
// (docs/protocol/30-node-api-events.md#11-observeeventbus).
import { EnvelopeReader } from "../../../wire/bus-event.ts";
import { messageDescriptor } from "../../../wire/descriptors.ts";
import { type BusEvent, BusEventType, decodeBusEvent } from "../../../wire/generated/events.ts";
import { type JsonMode, renderJson } from "../../../wire/json.ts";

const FULL_NAME = "vega.events.v1.BusEvent";
const envelope = new EnvelopeReader();

type Payload = Readonly<Record<string, unknown>>;
const MEMBERS = messageDescriptor(FULL_NAME).fields.filter(({ oneof }) => oneof !== "");

/** An event of a block, the same object for every subscriber. */
export class StreamedEvent {
  /** `vega.events.v1.BusEventType` */
  readonly type: number;
  private decoded: BusEvent | undefined;
  private readonly texts = new Map<JsonMode, string>();
  private named: { readonly parties: readonly string[]; readonly markets: readonly string[] } | undefined;

  /** @param encoded the serialized event */
  constructor(readonly encoded: Uint8Array) {
    envelope.read(encoded, 0, encoded.length);
    this.type = envelope.type;
  }

  get message(): BusEvent {
    this.decoded ??= decodeBusEvent(this.encoded);
    return this.decoded;
  }

  text(mode: JsonMode): string {
    let text = this.texts.get(mode);
    if (text === undefined) this.texts.set(mode, (text = renderJson(FULL_NAME, this.message, mode)));
    return text;
  }

  /** Whether it carries the party, in lower-case hex or as a well-known word. */
  hasParty(party: string): boolean {
    return this.names.parties.includes(party);
  }

  hasMarket(market: string): boolean {
    return this.names.markets.includes(market);
  }

  private get names() {
    this.named ??= namesOf(this.message);
    return this.named;
  }
}

/** Members that name a party or a market, in whatever payload they stand. */
const PARTY = new Set(
  "party partyId owner buyer seller from to parties distressedParties safeParties submitter".split(" "),
);
const MARKET = new Set("market marketId".split(" "));
/** Payloads that are a market, whose own id is meant. */
const MARKETS = new Set(["marketCreated", "marketUpdated", "marketTick"]);
const PARTIES = new Set(["party"]);

/** Parties and markets that the payload names, those of its parts (ledger entries, a command) among them. */
function namesOf(event: BusEvent): { parties: string[]; markets: string[] } {
  const parties = new Set<string>();
  const markets = new Set<string>();
  const walk = (message: Payload) => {
    for (const [name, value] of Object.entries(message)) {
      if (typeof value === "string") {
        if (value !== "" && PARTY.has(name)) parties.add(value.toLowerCase());
        if (value !== "" && MARKET.has(name)) markets.add(value.toLowerCase());
      } else if (Array.isArray(value)) {
        for (const each of value) {
          if (typeof each === "string" && PARTY.has(name)) parties.add(each.toLowerCase());
          else if (typeof each === "object" && each !== null) walk(each as Payload);
        }
      } else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array))
        walk(value as Payload);
    }
  };
  for (const { jsonName } of MEMBERS) {
    const payload = (event as unknown as Payload)[jsonName] as Payload | undefined;
    if (payload === undefined) continue;
    // A result is that of its sender, whatever its command names.
    if (jsonName === "transactionResult") walk({ partyId: payload.partyId });
    else walk(payload);
    const { id } = payload;
    if (typeof id === "string" && MARKETS.has(jsonName)) markets.add(id.toLowerCase());
    if (typeof id === "string" && PARTIES.has(jsonName)) parties.add(id.toLowerCase());
  }
  return { parties: [...parties], markets: [...markets] };
}

const { BUS_EVENT_TYPE_ALL: ALL, BUS_EVENT_TYPE_MARKET: MARKET_EVENTS } = BusEventType;
/** `BUS_EVENT_TYPE_MARKET` stands for position resolution, market created, market updated, market tick and auction. */
const OF_MARKETS = [
  BusEventType.BUS_EVENT_TYPE_POSITION_RESOLUTION,
  BusEventType.BUS_EVENT_TYPE_MARKET_CREATED,
  BusEventType.BUS_EVENT_TYPE_MARKET_UPDATED,
  BusEventType.BUS_EVENT_TYPE_MARKET_TICK,
  BusEventType.BUS_EVENT_TYPE_AUCTION,
];
const NEVER_SENT: readonly number[] = [
  BusEventType.BUS_EVENT_TYPE_UNSPECIFIED,
  BusEventType.BUS_EVENT_TYPE_STREAM_START,
];
const KNOWN: ReadonlySet<number> = new Set(
  Object.values(BusEventType).filter((type) => typeof type === "number"),
);

/** The types asked for; undefined for every one, and "invalid" where one of them is never sent. */
export function typesOf(numbers: readonly number[]): ReadonlySet<number> | undefined | "invalid" {
  if (numbers.some((type) => NEVER_SENT.includes(type) || !KNOWN.has(type))) return "invalid";
  if (numbers.length === 0 || numbers.includes(ALL)) return undefined;
  return new Set(numbers.flatMap((type) => (type === MARKET_EVENTS ? OF_MARKETS : [type])));
}
