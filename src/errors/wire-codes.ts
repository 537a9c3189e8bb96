// Codes of bytes, JSON values and values to be written that are not a message of the interface (`wire/errors.ts`).
import type { CodeEntry } from "./explanation.ts";

const NOT_A_CORE = "The sender is not a core of this release, or the bytes were changed.";
const RECORD_AGAIN = "Record the events again, or fetch history instead.";
const BYTES_WHY = "They are not a message of that kind, or were cut off or changed on the way.";
const BYTES_FIX =
  "Read them again from where they came; check that their encoding (base64, hex) was taken off first.";

export const WIRE_CODES = {
  truncated: { meaning: "The bytes end inside of a field.", cause: BYTES_WHY, fix: BYTES_FIX },
  length_beyond_end: {
    meaning: "A field says that it is longer than the bytes that are left.",
    cause: BYTES_WHY,
    fix: BYTES_FIX,
  },
  varint_overlong: {
    meaning: "A number has more than ten bytes, or more than 64 bits.",
    cause: BYTES_WHY,
    fix: BYTES_FIX,
  },
  invalid_utf8: { meaning: "A text field holds bytes that are not UTF-8.", cause: BYTES_WHY, fix: BYTES_FIX },
  field_number_invalid: {
    meaning: "A field has a number that no message can have.",
    cause: BYTES_WHY,
    fix: BYTES_FIX,
  },
  wire_type_invalid: {
    meaning: "A field has a wire type that does not exist.",
    cause: BYTES_WHY,
    fix: BYTES_FIX,
  },
  wire_type_mismatch: {
    meaning: "A known field has another wire type than its definition.",
    cause: "The message is of another kind, or of another release.",
    fix: "Check which message was meant; its fields are those of release 0.71.",
  },
  group_unbalanced: {
    meaning: "A group has no end, no start, or another one's end.",
    cause: BYTES_WHY,
    fix: BYTES_FIX,
  },
  too_deep: {
    meaning: "More messages or groups are nested than are read.",
    cause: "Nothing of this interface is nested so deeply: the bytes were made to use up the stack.",
    fix: "Send the message without the nesting.",
  },
  too_large: {
    meaning: "The message has more bytes than are read.",
    cause: "A transaction has 1,048,576 bytes at the most; other messages have limits of their own.",
    fix: "Split it: a batch can become several.",
  },
  range_invalid: {
    meaning: "The part of a buffer that is to be read does not lie in it.",
    cause: "A caller of the package gave a start or an end outside of the bytes.",
    fix: "Give 0 <= start <= end <= length.",
  },
  event_id_invalid: {
    meaning: "An event's id is not a height and a sequence number.",
    cause: NOT_A_CORE,
    fix: RECORD_AGAIN,
  },
  payload_repeated: {
    meaning: "An event holds its payload twice.",
    cause: NOT_A_CORE,
    fix: RECORD_AGAIN,
  },
  value_invalid: {
    meaning: "A value does not fit into its field.",
    cause: "A number is not whole or out of range, or a text has half a character.",
    fix: "Give integers within their bits (as bigint, or as text in JSON), and whole characters.",
  },
  json_invalid: {
    meaning: "A JSON value is not one of its field.",
    cause: "A member is unknown, or has another type than the definition.",
    fix: "The text names the member; lyra tx build writes commands in the right form.",
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
