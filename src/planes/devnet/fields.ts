// Members of a tool's body, checked by name. Whole numbers may be written as numbers or as texts.

import { type ApiError, badRequest } from "../../http/errors.ts";
import { durationNs, timeNs } from "../../wire/time-text.ts";

const HASH = /^[0-9a-fA-F]{64}$/;
const UINT = /^\d{1,78}$/;
/** As far as a 64-bit number of nanoseconds goes. */
const DURATION_MAX_NS = (1n << 63n) - 1n;
/** A text that shall be a time, right or wrong: `yesterday` is a wrong one, `-5` a wrong number. */
const NOT_A_NUMBER = /^\d{4}-|[A-Za-z]/;
const SHOWN_CHARACTERS = 60;

/** Reads a body member by member; an unknown member is a mistake too. */
export class Fields {
  private readonly left: Set<string>;

  private constructor(private readonly body: Readonly<Record<string, unknown>>) {
    this.left = new Set(Object.keys(body));
  }

  /** @throws ApiError 400 for a body that is not an object */
  static of(value: unknown): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw badRequest("the request body must be a JSON object");
    }
    return new Fields(value as Record<string, unknown>);
  }

  has(name: string): boolean {
    return this.body[name] !== undefined;
  }

  /** @throws ApiError 400 */
  text(name: string): string {
    const value = this.read(name);
    if (typeof value !== "string" || value === "") throw wrong(name, "a text", value);
    return value;
  }

  /** A whole number above zero, at most 256 bits. @throws ApiError 400 */
  amount(name = "amount"): bigint {
    const value = this.wholeNumber(name);
    if (value === 0n) throw wrong(name, "above zero", "0");
    return value;
  }

  /** @throws ApiError 400 */
  wholeNumber(name: string): bigint {
    const value = this.read(name);
    const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text !== "string" || !UINT.test(text) || BigInt(text) >> 256n !== 0n) {
      throw wrong(name, "a whole number, 0 or more", value);
    }
    return BigInt(text);
  }

  /** A small whole number. @throws ApiError 400 */
  count(name: string, fallback: number, most: number): number {
    if (!this.has(name)) return fallback;
    const value = this.read(name);
    const count = typeof value === "string" && UINT.test(value) ? Number(value) : value;
    if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > most)
      throw wrong(name, `a whole number from 1 to ${most}`, value);
    return count;
  }

  /** @throws ApiError 400 */
  flag(name: string, fallback: boolean): boolean {
    if (!this.has(name)) return fallback;
    const value = this.read(name);
    if (typeof value !== "boolean") throw wrong(name, "true or false", value);
    return value;
  }

  /** @throws ApiError 400 */
  object(name: string): object {
    const value = this.read(name);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw wrong(name, "an object", value);
    return value;
  }

  /** A list of hashes, or a text of them with commas between. @throws ApiError 400 */
  hashes(name: string, most: number): readonly string[] {
    const value = this.read(name);
    const list: readonly unknown[] =
      typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
    const isRight = list.length > 0 && list.every((text) => typeof text === "string" && HASH.test(text));
    if (!isRight) throw wrong(name, "transactions' hashes, each of 64 hexadecimal digits", value);
    if (list.length > most) throw wrong(name, `at most ${most} hashes`, value);
    return list.map((text) => String(text).toUpperCase());
  }

  /** Nanoseconds of `1h30m`, `10s`, `500ms`. @throws ApiError 400 */
  duration(name: string): bigint {
    const text = this.text(name);
    let length: bigint;
    try {
      length = durationNs(text);
    } catch {
      throw wrong(name, "a duration such as 1h30m or 500ms", text);
    }
    if (length > DURATION_MAX_NS) throw wrong(name, "at most 2562047h", text);
    return length;
  }

  /** Unix nanoseconds of an RFC 3339 time in UTC, or of a whole number of them. @throws ApiError 400 */
  time(name: string): bigint {
    const value = this.body[name];
    if (typeof value !== "string" || !NOT_A_NUMBER.test(value)) return this.wholeNumber(name);
    this.left.delete(name);
    const time = value.endsWith("Z") ? timeNs(value) : undefined;
    if (time === undefined) throw wrong(name, "a time such as 2030-01-01T00:00:00Z", value);
    return time;
  }

  /** After everything that a tool knows has been read. @throws ApiError 400 for what is left */
  end(): void {
    const [stray] = this.left;
    if (stray !== undefined) throw badRequest(`there is no '${stray.slice(0, SHOWN_CHARACTERS)}' here`);
  }

  private read(name: string): unknown {
    this.left.delete(name);
    const value = this.body[name];
    if (value === undefined) throw badRequest(`'${name}' is required`);
    return value;
  }
}

function wrong(name: string, wanted: string, value: unknown): ApiError {
  const shown =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "an object"
          : `'${String(value).slice(0, SHOWN_CHARACTERS)}'`;
  return badRequest(`'${name}' must be ${wanted}, not ${shown}`);
}
