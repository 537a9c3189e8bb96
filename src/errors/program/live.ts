// Codes of live sources: a core's event socket, a consensus engine's RPC.
import type { ProgramEntry } from "../explanation.ts";

export const LIVE_CODES = {
  events_lost: {
    meaning: "Events of a block did not come.",
    cause: "A message that is under way when a connection breaks is lost: a core does not send it again.",
    fix: "Restart the core at the height that the text names, from a snapshot of that height or below; or fill the home with lyra history fetch.",
  },
  event_invalid: {
    meaning: "The sender's bytes are not events of this version.",
    cause: "Another program or another release sends to the port; or the bytes were changed on the way.",
    fix: "Check which process dials the port. The node takes the next connection by itself.",
  },
  events_gone: {
    meaning: "The followed sidecar does not hold the next events any more.",
    cause: "It keeps as many as its event log has room for; this node is further behind.",
    fix: "Stop this node, fill its home with lyra history fetch --from URL, and start it again.",
  },
  event_log_full: {
    meaning: "Events come faster than they are stored, and the log that holds them is full.",
    cause: "The disk is slow, or the writer waits for it; the sender waits meanwhile and nothing is lost.",
    fix: "Look at the load of the machine and its disk; --event-log SIZE makes a longer log.",
  },
  comet_invalid: {
    meaning: "The answers at --comet are not those of a CometBFT RPC.",
    cause: "Another program listens there, or a proxy changes its answers.",
    fix: "Give the address of a CometBFT RPC, such as http://127.0.0.1:26657. The node looks again by itself.",
  },
  comet_height_gone: {
    meaning: "The followed node does not have a block that this one needs.",
    cause: "It has removed old blocks, or began from a snapshot after this node stopped.",
    fix: "Nothing: this node starts again at the oldest block there is, and says from which height its figures are complete.",
  },
  comet_chain_differs: {
    meaning: "The RPC at --comet is one of another chain.",
    cause: "The address is wrong, or the home belongs to another network.",
    fix: "Correct --comet, or choose another --home.",
  },
  comet_contradiction: {
    meaning: "The RPC at --comet contradicts the blocks or events that this node knows.",
    cause:
      "A block does not follow the one before it, has another hash than its events name, or lacks results: the node behind it is on a fork, or broken; or the events were not sent by a core of the chain.",
    fix: "Compare the block's hash with a third node; then look at that node, or at who sends the events. Nothing of the RPC is used meanwhile; the node looks again by itself.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
