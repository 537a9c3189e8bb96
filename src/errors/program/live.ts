// Codes of live sources: a core's event socket.
import type { ProgramRow } from "../explanation.ts";

export const LIVE_CODES = {
  memory_low: [
    "",
    "The process may not use enough memory.",
    "A control group (a unit's MemoryMax, a container's --memory) or the machine has less than a sidecar needs to load and serve.",
    "Raise the limit to 384 MiB or more; 1 GiB is comfortable.",
  ],
  events_lost: [
    "",
    "Events of a block did not come.",
    "A message that is under way when a connection breaks is lost: a core does not send it again.",
    "Restart the core at the height that the text names, from a snapshot of that height or below; or fill the home with lyra history fetch.",
  ],
  event_invalid: [
    "",
    "The sender's bytes are not events of this version.",
    "Another program or another release sends to the port; or the bytes were changed on the way.",
    "Check which process dials the port. The node takes the next connection by itself.",
  ],
  events_gone: [
    "",
    "The followed sidecar does not hold the next events any more.",
    "It keeps as many as its event log has room for; this node is further behind.",
    "Stop this node, fill its home with lyra history fetch --from URL, and start it again.",
  ],
  event_log_full: [
    "",
    "Events come faster than they are stored, and the log that holds them is full.",
    "The disk is slow, or the writer waits for it; the sender waits meanwhile and nothing is lost.",
    "Look at the load of the machine and its disk; --event-log SIZE makes a longer log.",
  ],
} as const satisfies Readonly<Record<string, ProgramRow>>;
