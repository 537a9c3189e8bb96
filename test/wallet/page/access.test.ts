// The wallet's page: its one-time link, its session, and what a press has to be.
import { describe, expect, test } from "bun:test";
import { PageAccess } from "../../../src/wallet/page/access.ts";
import { Presence } from "../../../src/wallet/page/presence.ts";
import { secureRandom } from "../../../src/wallet/random.ts";

const MINUTE_MS = 60_000;
const FIREFOX = "Firefox";

function clocked() {
  const clock = { nowMs: 0 };
  return { clock, access: new PageAccess({ random: secureRandom, nowMs: () => clock.nowMs }) };
}

describe("a link", () => {
  test("opens one session, once", () => {
    const { access } = clocked();
    const link = access.newLink();
    expect(access.open("x".repeat(64), FIREFOX)).toBeUndefined();
    const secrets = access.open(link, FIREFOX)!;
    expect(access.check({ ...secrets, browser: FIREFOX }, true)).toBe(true);
    expect(access.open(link, FIREFOX)).toBeUndefined();
    expect(access.check({ ...secrets, browser: FIREFOX }, true)).toBe(true);
  });

  test("ends after ten minutes, and with the next one", () => {
    const { access, clock } = clocked();
    const late = access.newLink();
    clock.nowMs += 10 * MINUTE_MS + 1;
    expect(access.open(late, FIREFOX)).toBeUndefined();
    const [first, second] = [access.newLink(), access.newLink()];
    expect([access.open(first, FIREFOX), access.open(second, FIREFOX) === undefined]).toEqual([
      undefined,
      false,
    ]);
  });
});

describe("a session", () => {
  test("needs both secrets and the same browser", () => {
    const { access } = clocked();
    const { cookie, secret } = access.open(access.newLink(), FIREFOX)!;
    const claims = { cookie, secret, browser: FIREFOX };
    for (const wrong of [
      { ...claims, cookie: undefined },
      { ...claims, secret: undefined },
      { ...claims, cookie: secret, secret: cookie },
      { ...claims, browser: "another" },
    ])
      expect(access.check(wrong, true)).toBe(false);
    expect(access.check(claims, false)).toBe(true);
  });

  test("ends without use, after half a day, and when a new link is opened", () => {
    const { access, clock } = clocked();
    const idle = { ...access.open(access.newLink(), FIREFOX)!, browser: FIREFOX };
    clock.nowMs += 29 * MINUTE_MS;
    // Looking is no use.
    expect(access.check(idle, false)).toBe(true);
    clock.nowMs += 2 * MINUTE_MS;
    expect(access.check(idle, false)).toBe(false);

    const long = { ...access.open(access.newLink(), FIREFOX)!, browser: FIREFOX };
    for (let hours = 0; hours < 12; hours += 0.25) {
      clock.nowMs += 15 * MINUTE_MS;
      expect(access.check(long, true)).toBe(true);
    }
    clock.nowMs += MINUTE_MS;
    expect(access.check(long, true)).toBe(false);

    const first = { ...access.open(access.newLink(), FIREFOX)!, browser: FIREFOX };
    access.open(access.newLink(), FIREFOX);
    expect(access.check(first, true)).toBe(false);
  });
});

describe("a press", () => {
  function shown() {
    const clock = { nowMs: 0 };
    const presence = new Presence(secureRandom, () => clock.nowMs);
    return { clock, presence, nonce: presence.show("a") };
  }

  test("of half a second, after a second on the screen, approves once", () => {
    const { clock, presence, nonce } = shown();
    clock.nowMs += 1_000;
    const press = presence.press("a", nonce);
    clock.nowMs += 500;
    expect([presence.release("a", nonce, press), presence.release("a", nonce, press)]).toEqual([
      undefined,
      "not_held",
    ]);
  });

  test("is refused too early, too short, too long, of another request, and on a hidden page", () => {
    const { clock, presence, nonce } = shown();
    clock.nowMs += 999;
    expect(presence.press("a", nonce)).toBe("shown_too_briefly");
    clock.nowMs += 1;
    expect([presence.press("b", nonce), presence.press("a", "x".repeat(64))]).toEqual([
      "not_shown",
      "not_shown",
    ]);
    const short = presence.press("a", nonce);
    clock.nowMs += 499;
    expect(presence.release("a", nonce, short)).toBe("held_too_briefly");
    const long = presence.press("a", nonce);
    clock.nowMs += 10_001;
    expect(presence.release("a", nonce, long)).toBe("not_held");
    expect(presence.release("a", nonce, "x".repeat(64))).toBe("not_held");
    const hidden = presence.press("a", nonce);
    clock.nowMs += 500;
    presence.hide();
    expect(presence.release("a", nonce, hidden)).toBe("not_shown");
    // Shown again, it begins again.
    const again = presence.show("a");
    expect(presence.press("a", again)).toBe("shown_too_briefly");
    expect(presence.press("a", nonce)).toBe("not_shown");
  });
});
