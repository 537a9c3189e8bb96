// The time of this browser, once a second, for texts such as "5 s ago".
import { signal } from "@preact/signals";

export const nowMs = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") nowMs.value = Date.now();
}, 1_000);
