// Texts that try to run, to break out of their place, to hide, or to push everything else away.

const RUNNING = [
  "<script>window.__ran=N</script>",
  "<img src=x onerror=window.__ran=N>",
  '"><svg/onload=window.__ran=N>',
  "'-window.__ran=N-'",
  "javascript:window.__ran=N",
  "</title><script>window.__ran=N</script>",
  "</textarea><iframe srcdoc='<script>parent.__ran=N</script>'>",
  "$" + "{window.__ran=N}",
  "{{constructor.constructor('window.__ran=N')()}}",
  '<a href="javascript:window.__ran=N">N</a>',
  "<style>*{display:none}</style>N",
  "<link rel=stylesheet href=http://127.0.0.1:9/N.css>",
  "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/N'>",
  "<base href=http://127.0.0.1:9/N>",
  "<form action=http://127.0.0.1:9/N><input name=a></form>",
  "&lt;script&gt;window.__ran=N&lt;/script&gt;",
  "\u2028window.__ran=N\u2029",
] as const;
const SHAPES = [
  "\u202eN txet siht snrut",
  "\u2066\u202bN\u2069",
  "N\u200b\u200c\u200d\u2060\ufeff",
  `N${"\u0301\u0302\u0303\u0304".repeat(60)}`,
  `N${"W".repeat(3_000)}`,
  `N ${"مرحبا ".repeat(40)}`,
  `N${"\n".repeat(200)}end`,
  `N${"\t".repeat(100)}`,
  "\ud800N\udfff",
  `N${"👩‍👩‍👧‍👦".repeat(80)}`,
  "\u0000\u0007\u001b[31mN",
  "__proto__",
  "N%00%0d%0aSet-Cookie:a=b",
  "constructor",
] as const;

export const HOSTILE: readonly string[] = Array.from({ length: 2_000 }, (_, n) => {
  const all = [...RUNNING, ...SHAPES];
  return all[n % all.length]!.replaceAll("N", String(n));
});

/** Members whose values are not free texts: identifiers, numbers, names of enumerations, times, places. */
const FIXED =
  /^(?:-?\d+(?:\.\d+)?|[0-9a-fA-F]{40,}|0x[0-9a-fA-F]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\d{4}-\d\d-\d\dT[\d:.]+Z|)$/;
const KEPT = new Set(["cursor", "startCursor", "endCursor", "kind", "scheme", "host", "path", "chainId"]);

/** The same answer with every free text replaced by the next hostile one. */
export class Poison {
  constructor(public used = 0) {}

  of(value: unknown, name = ""): unknown {
    if (typeof value === "string") return FIXED.test(value) || KEPT.has(name) ? value : this.next();
    if (Array.isArray(value)) return value.map((each) => this.of(each, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.of(each, key)]));
  }

  private next(): string {
    return HOSTILE[this.used++ % HOSTILE.length]!;
  }
}
