// The log drops no change of a state, and counts what is said again.
import { describe, expect, test } from "bun:test";
import { LogRepeats } from "../../src/errors/log-repeats.ts";

function log() {
  const lines: string[] = [];
  const minutes: (() => void)[] = [];
  const repeats = new LogRepeats({
    after(_, run) {
      minutes.push(run);
      return () => minutes.splice(minutes.indexOf(run), 1);
    },
  });
  const say = (text: string, part = "sidecar.core") =>
    repeats.noteLine(part, text, (again) => lines.push(again === 0 ? text : `${text} (again, ${again})`));
  const minuteEnds = () => {
    for (const run of [...minutes]) run();
  };
  return { lines, say, minuteEnds, repeats };
}

describe("the log", () => {
  test("has every change, also back to what was said a moment ago", () => {
    const { lines, say } = log();
    for (const text of ["reached", "lost", "reached", "lost"]) say(text);
    expect(lines).toEqual(["reached", "lost", "reached", "lost"]);
  });

  test("counts the same line again, and tells it before the next change", () => {
    const { lines, say } = log();
    say("lost");
    for (let n = 0; n < 41; n++) say("lost");
    expect(lines).toEqual(["lost"]);
    say("reached");
    expect(lines).toEqual(["lost", "lost (again, 41)", "reached"]);
  });

  test("tells the count at the end of the minute, and at the end of the process", () => {
    const { lines, say, minuteEnds, repeats } = log();
    for (let n = 0; n < 3; n++) say("lost");
    minuteEnds();
    expect(lines).toEqual(["lost", "lost (again, 2)"]);
    for (let n = 0; n < 2; n++) say("lost");
    repeats.flush();
    expect(lines).toEqual(["lost", "lost (again, 2)", "lost", "lost (again, 1)"]);
  });

  test("keeps the parts of the program apart", () => {
    const { lines, say } = log();
    say("lost", "sidecar.core");
    say("lost", "sidecar.comet");
    say("lost", "sidecar.core");
    expect(lines).toEqual(["lost", "lost"]);
  });

  test("is bounded for a part that changes all the time, and ends with its last state", () => {
    const { lines, say, minuteEnds } = log();
    for (let n = 0; n < 1_000; n++) say(n % 2 === 0 ? "reached" : "lost");
    expect(lines).toHaveLength(200);
    minuteEnds();
    expect(lines.slice(200)).toEqual(["reached (again, 399)", "lost (again, 400)"]);
  });
});
