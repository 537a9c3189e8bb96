/**
 * Methods of the language that Bun has and older releases of Node do not (hexadecimal and base64 came with Node 25, the rest
 * with 20 to 22), put where they are missing. Only what this package's own code calls, in the form in which it calls it.
 */

function put(target: object, methods: Readonly<Record<string, (...args: never[]) => unknown>>): void {
  for (const [name, value] of Object.entries(methods)) {
    if (name in target) continue;
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

put(Uint8Array.prototype, {
  toHex(this: Uint8Array) {
    return bufferOf(this).toString("hex");
  },
  toBase64(this: Uint8Array) {
    return bufferOf(this).toString("base64");
  },
});
put(Object.getPrototypeOf(Uint8Array.prototype) as object, {
  with(this: Uint8Array, at: number, value: number) {
    const copy = this.slice();
    copy[at] = value;
    return copy;
  },
});
put(Uint8Array, {
  fromHex(text: string) {
    if (text.length % 2 !== 0 || /[^0-9a-f]/i.test(text)) throw new SyntaxError("not hexadecimal");
    return new Uint8Array(Buffer.from(text, "hex"));
  },
  fromBase64(text: string) {
    if (!BASE64.test(text)) throw new SyntaxError("not base64");
    return new Uint8Array(Buffer.from(text, "base64"));
  },
});
put(Array.prototype, {
  toReversed(this: unknown[]) {
    return [...this].reverse();
  },
  toSorted(this: unknown[], compare?: (a: unknown, b: unknown) => number) {
    return [...this].sort(compare);
  },
});
put(String.prototype, {
  isWellFormed(this: string) {
    // Of a pair of surrogates this finds neither.
    return !/[\uD800-\uDFFF]/u.test(String(this));
  },
  toWellFormed(this: string) {
    return String(this).replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
  },
});
put(Map, {
  groupBy(entries: Iterable<unknown>, keyOf: (entry: unknown) => unknown) {
    const groups = new Map<unknown, unknown[]>();
    for (const entry of entries) {
      const key = keyOf(entry);
      const group = groups.get(key);
      if (group) group.push(entry);
      else groups.set(key, [entry]);
    }
    return groups;
  },
});
