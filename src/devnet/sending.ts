// The events of a devnet or a validator on their way to a data node: loaded only where there is one.
import type { Database } from "bun:sqlite";
import type { LocalChain } from "../chain/local-chain.ts";
import { Outbox } from "../chain/outbox.ts";
import { NodeError } from "../errors/node-error.ts";
import { EventSender, parseEventTarget } from "./event-sender.ts";
import { SentFile } from "./sent-file.ts";

interface SendingOptions {
  readonly eventsTo?: string;
  readonly eventsLossy?: boolean;
  readonly onEventsLine?: (text: string) => void;
}

/** The outbox of a chain that is about to be opened. @throws NodeError for an invalid address */
export function openOutbox(db: Database, home: string, address: string): Outbox {
  checkedTarget(address);
  return new Outbox(db, new SentFile(home));
}

/** A validator keeps as much for a data node that is away, and then drops it: blocks are made by others, too. */
const KEPT_BYTES_MAX = 1024 * 1024 * 1024;

/** Starts to send events. @param chain whose blocks can wait for the data node; undefined for one whose blocks cannot */
export function startSending(
  chain: Pick<LocalChain, "hold"> | undefined,
  outbox: Outbox,
  options: SendingOptions,
): EventSender {
  const { eventsTo: name = "", eventsLossy: lossy = false, onEventsLine } = options;
  const onLine = (text: string) => onEventsLine?.(text);
  if (outbox.missingUpTo !== undefined) {
    onLine(
      `blocks up to ${outbox.missingUpTo} were made without --events-to and are not sent: only a data node that has them can follow`,
    );
  }
  const sender = new EventSender({
    name,
    target: checkedTarget(name),
    outbox,
    lossy,
    ...(chain === undefined && { unsentBytesMax: KEPT_BYTES_MAX }),
    ...(chain && { onHold: (isHeld: boolean, reason?: string) => chain.hold(isHeld, reason) }),
    onLine,
  });
  sender.start();
  return sender;
}

function checkedTarget(address: string) {
  const target = parseEventTarget(address);
  if (target !== undefined) return target;
  throw new NodeError(
    "devnet.events",
    "events_address_invalid",
    `the events cannot go to '${address.slice(0, 200)}'`,
    "give tcp://HOST:PORT, or unix:PATH with at most 107 bytes",
  );
}
