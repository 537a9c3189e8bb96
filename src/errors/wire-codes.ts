// Codes of bytes, JSON values and values to be written that are not a message of the interface (`wire/errors.ts`).
import type { Row } from "./explanation.ts";

const BYTES_WHY = "They are not a message of that kind, or were cut off or changed on the way.";
const BYTES_FIX =
  "Read them again from where they came; check that their encoding (base64, hex) was taken off first.";

export const WIRE_CODES = {
  truncated: ["", "The bytes end inside of a field.", BYTES_WHY, BYTES_FIX],
  length_beyond_end: [
    "",
    "A field says that it is longer than the bytes that are left.",
    BYTES_WHY,
    BYTES_FIX,
  ],
  varint_overlong: ["", "A number has more than ten bytes, or more than 64 bits.", BYTES_WHY, BYTES_FIX],
  invalid_utf8: ["", "A text field holds bytes that are not UTF-8.", BYTES_WHY, BYTES_FIX],
  field_number_invalid: ["", "A field has a number that no message can have.", BYTES_WHY, BYTES_FIX],
  wire_type_invalid: ["", "A field has a wire type that does not exist.", BYTES_WHY, BYTES_FIX],
  wire_type_mismatch: [
    "",
    "A known field has another wire type than its definition.",
    "The message is of another kind, or of another release.",
    "Check which message was meant; its fields are those of release 0.71.",
  ],
  group_unbalanced: ["", "A group has no end, no start, or another one's end.", BYTES_WHY, BYTES_FIX],
  too_deep: [
    "",
    "More messages or groups are nested than are read.",
    "Nothing of this interface is nested so deeply: the bytes were made to use up the stack.",
    "Send the message without the nesting.",
  ],
  too_large: [
    "",
    "The message has more bytes than are read.",
    "A transaction has 1,048,576 bytes at the most; other messages have limits of their own.",
    "Split it: a batch can become several.",
  ],
  range_invalid: [
    "",
    "The part of a buffer that is to be read does not lie in it.",
    "A caller of the package gave a start or an end outside of the bytes.",
    "Give 0 <= start <= end <= length.",
  ],
  event_id_invalid: [
    "",
    "An event's id is not a height and a sequence number.",
    "The sender is not a core of this release, or the bytes were changed.",
    "Record the events again, or fetch history instead.",
  ],
  payload_repeated: [
    "",
    "An event holds its payload twice.",
    "The sender is not a core of this release, or the bytes were changed.",
    "Record the events again, or fetch history instead.",
  ],
  value_invalid: [
    "",
    "A value does not fit into its field.",
    "A number is not whole or out of range, or a text has half a character.",
    "Give integers within their bits (as bigint, or as text in JSON), and whole characters.",
  ],
  json_invalid: [
    "",
    "A JSON value is not one of its field.",
    "A member is unknown, or has another type than the definition.",
    "The text names the member; lyra tx build writes commands in the right form.",
  ],
} as const satisfies Readonly<Record<string, Row>>;
