// An assembler for as much of WebAssembly as the kernel of the proof of work needs (core specification 2.0, section 5,
// "Binary Format"): instructions written as words become bytes.

/** Unsigned LEB128 (binary format, section 5.2.2). */
export function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128; the constants of this module are small. */
function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = rest === (low & 0x40 ? -1 : 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}

type Immediate = "unsigned" | "signed" | "byte" | "offset64" | "offset128" | "bytes";
const vectorOp = (opcode: number, ...immediates: Immediate[]) =>
  [[0xfd, ...unsigned(opcode)], ...immediates] as const;

/** The instructions used here, as (opcode, kinds of immediate). Blocks have no result. */
const INSTRUCTIONS: Readonly<Record<string, readonly [readonly number[], ...Immediate[]]>> = {
  loop: [[0x03, 0x40]],
  if: [[0x04, 0x40]],
  end: [[0x0b]],
  br_if: [[0x0d], "unsigned"],
  return: [[0x0f]],
  "local.get": [[0x20], "unsigned"],
  "local.set": [[0x21], "unsigned"],
  "local.tee": [[0x22], "unsigned"],
  "i64.load": [[0x29], "offset64"],
  "i32.const": [[0x41], "signed"],
  "i64.const": [[0x42], "signed"],
  "i32.lt_u": [[0x49]],
  "i64.eqz": [[0x50]],
  "i32.add": [[0x6a]],
  "i32.sub": [[0x6b]],
  "i64.add": [[0x7c]],
  "i64.and": [[0x83]],
  "i64.or": [[0x84]],
  "i64.xor": [[0x85]],
  "i64.rotl": [[0x89]],
  "i64.extend_i32_u": [[0xad]],
  "v128.load": vectorOp(0x00, "offset128"),
  "v128.store": vectorOp(0x0b, "offset128"),
  "v128.const": vectorOp(0x0c, "bytes"),
  "i8x16.shuffle": vectorOp(0x0d, "bytes"),
  "i64x2.splat": vectorOp(0x12),
  "i64x2.extract_lane": vectorOp(0x1d, "byte"),
  "v128.and": vectorOp(0x4e),
  "v128.andnot": vectorOp(0x4f),
  "v128.or": vectorOp(0x50),
  "v128.xor": vectorOp(0x51),
  "v128.any_true": vectorOp(0x53),
  "i64x2.shl": vectorOp(0xcb),
  "i64x2.shr_u": vectorOp(0xcd),
  "i64x2.add": vectorOp(0xce),
  "i64x2.sub": vectorOp(0xd1),
  "i64x2.eq": vectorOp(0xd6),
  "i64x2.lt_s": vectorOp(0xd8),
};

/** The bytes of instructions written as words. */
export function assemble(text: string): number[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const out: number[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at++]!;
    const [opcode, ...immediates] = INSTRUCTIONS[word] ?? fail(`no instruction is called ${word}`);
    out.push(...opcode);
    for (const kind of immediates) {
      const value = words[at++]!;
      if (kind === "bytes") out.push(...value.split(",").map(Number));
      else if (kind === "offset64")
        out.push(3, ...unsigned(Number(value))); // aligned to 2^3 bytes
      else if (kind === "offset128") out.push(4, ...unsigned(Number(value)));
      else if (kind === "byte") out.push(Number(value));
      else out.push(...(kind === "signed" ? signed : unsigned)(Number(value)));
    }
  }
  return out;
}

export function fail(reason: string): never {
  throw new Error(reason);
}

/** Types of values (section 5.3). */
export const Type = { i32: 0x7f, i64: 0x7e, v128: 0x7b, function: 0x60 } as const;
/** A vector of encoded items (section 5.1.3). */
export const list = (...items: readonly (readonly number[])[]) => [
  ...unsigned(items.length),
  ...items.flat(),
];
/** Bytes with their number in front. */
export const sized = (content: readonly number[]) => [...unsigned(content.length), ...content];
/** A name (section 5.2.4). */
export const name = (text: string) => sized([...Buffer.from(text, "latin1")]);
