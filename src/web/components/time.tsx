import { duration, localTime, timeMs, utcTime } from "../format.ts";
import { nowMs } from "../shell/clock.ts";

/** A moment: local, and in UTC on hover. @param at RFC 3339, or Unix nanoseconds */
export function Time({ at, isAge = false }: { readonly at: string | undefined; readonly isAge?: boolean }) {
  const ms = timeMs(at);
  if (ms === undefined) return <span class="muted">–</span>;
  const both = `${localTime(ms, 0)} here\n${utcTime(ms)}`;
  return (
    <time class="number" dateTime={new Date(ms).toISOString()} title={both}>
      {isAge ? `${duration(nowMs.value - ms)} ago` : localTime(ms)}
    </time>
  );
}

/** Both forms, where there is room. */
export function FullTime({ at }: { readonly at: string | undefined }) {
  const ms = timeMs(at);
  if (ms === undefined) return <span class="muted">–</span>;
  return (
    <time class="number" dateTime={new Date(ms).toISOString()}>
      {new Date(ms).getTimezoneOffset() === 0 ? (
        utcTime(ms)
      ) : (
        <>
          {localTime(ms, 0)} <span class="muted">· {utcTime(ms)}</span>
        </>
      )}
    </time>
  );
}
