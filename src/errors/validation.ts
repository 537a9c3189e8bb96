// Messages of the stateless checks, word for word (docs/protocol/30-node-api-transactions.md#33-message-catalogue and
// docs/protocol/30-node-api-commands.md#4-commands): the words in parentheses behind a property, code 60. Clients
// compare them.
import { type Explanation, explanationOf } from "./explanation.ts";

const FIX = "Correct the property in front of the parentheses, sign again, and make a new proof.";

const defined: Explanation[] = [];
/** A message as `lyra explain` has it too. */
function define<Text extends string>(text: Text, meaning: string, cause: string, fix = FIX): Text {
  defined.push(explanationOf("message", text, { text, meaning, cause, fix }));
  return text;
}

export const IS_REQUIRED = define(
  "is required",
  "A property that must be there is missing, empty or zero.",
  "An amount of 0 and an enum left UNSPECIFIED count as missing too.",
);
export const MUST_BE_POSITIVE = define(
  "must be positive",
  "A number must be above 0.",
  "It is 0 or negative.",
);
export const MUST_BE_POSITIVE_OR_ZERO = define(
  "must be positive or zero",
  "A number must not be negative.",
  "It is negative.",
);
export const MUST_BE_NEGATIVE_OR_ZERO = define(
  "must be negative or zero",
  "A number must not be above 0.",
  "It is positive.",
);
export const MUST_BE_LESS_THAN_150 = define(
  "must be less than 150",
  "A number is too large.",
  "The network takes at most 149 here.",
);
export const MUST_BE_AT_MOST_1M = define(
  "must be at most 1000000",
  "A number is too large.",
  "The network takes at most 1,000,000 here.",
);
export const MUST_BE_AT_MOST_100 = define(
  "must be at most 100",
  "A number is too large.",
  "The network takes at most 100 here.",
);
export const MUST_BE_BETWEEN_7 = define(
  "must be between -7 and 7",
  "A number of decimal places is out of range.",
  "It may be -7 to 7.",
);
export const MUST_BE_BETWEEN_0_AND_1 = define(
  "should be between 0 (inclusive) and 1 (inclusive)",
  "A factor is out of range.",
  "It is a part of a whole: 0 to 1.",
);
export const IS_NOT_VALID = define(
  "is not a valid value",
  "The value is not among those that are allowed here.",
  "An enum number is unknown, or the value does not go with another one, such as a reward account with a party to pay to.",
);
export const IS_NOT_A_NUMBER = define(
  "is not a valid number",
  "The text is not a number.",
  "It has other characters than digits and a point.",
);
export const IS_NOT_SUPPORTED = define(
  "is not supported",
  "The value is known, but not for this kind of command.",
  "A transaction version other than 2 and 3, or a time that such a proposal does not have.",
);
export const IS_UNAUTHORISED = define(
  "is unauthorised",
  "The sender may not do this.",
  "The command belongs to somebody else.",
  "Sign with the owner's key.",
);
export const IS_MISMATCHING = define(
  "is mismatching",
  "Two values contradict each other.",
  "One side of a pair does not fit the other.",
);
export const REFERENCE_TOO_LONG = define(
  "reference is too long",
  "The reference is too long.",
  "It has more than 100 bytes; letters beyond ASCII have two or more.",
);
export const NOT_AN_INTEGER = define(
  "not a valid integer",
  "The text is not a whole number.",
  "Amounts are whole numbers of the asset's smallest unit, without a point.",
);
export const NOT_A_FLOAT = define(
  "not a valid float",
  "The text is not a number.",
  "A factor such as `0.5` is wanted.",
);
export const RATIO_NOT_PARSED = define(
  "error parsing triggering ratio value: can't convert <text> to decimal<reason>",
  "The ratio is not a decimal number.",
  "It must be from 0 to 1, such as `0.7`.",
);
export const LESS_THAN_100_CHARACTERS = define(
  "must be less than 100 characters",
  "The text is too long.",
  "It has more than 100 bytes.",
);
export const AT_MOST_20000_CHARACTERS = define(
  "must not exceed 20000 characters",
  "The description is too long.",
  "It has more than 20,000 bytes.",
);
export const SHOULD_BE_HEX = define(
  "should be hex encoded",
  "The text is not hexadecimal.",
  "It has an odd number of digits, or other characters than 0-9 and a-f.",
);
export const SIGNATURE_NOT_VERIFIABLE = define(
  "signature is not verifiable",
  "The signature cannot be checked.",
  "Key or signature have the wrong form.",
);
export const INVALID_SIGNATURE = define(
  "invalid signature",
  "The signature is not this key's over these bytes.",
  "Most often: another chain id, a version that does not match what was signed, or input data that were serialised again after signing.",
  "Sign SHA3-256 of the chain id, a zero byte and the input data (version 3), and send exactly these input data. The chain id is in GET /blockchain/height.",
);
export const UNSUPPORTED_ALGORITHM = define(
  "unsupported algorithm",
  "Only one kind of signature is taken.",
  "The pair must be `vega/ed25519` and version 1.",
);
export const EMPTY_BATCH = define(
  "empty batch market instructions",
  "The batch holds no instruction.",
  "It must have at least one.",
);
export const NOT_A_PUBLIC_KEY = define(
  "is not a valid vega public key",
  "The text is not a public key.",
  "It must have exactly 64 hexadecimal digits.",
);
export const NOT_AN_ETHEREUM_ADDRESS = define(
  "is not a valid ethereum address",
  "The text is not an Ethereum address.",
  "It must be `0x` and 40 hexadecimal digits.",
);
export const SHOULD_BE_A_PUBLIC_KEY = define(
  "should be a valid vega public key",
  "The text is not a public key.",
  "It must have exactly 64 hexadecimal digits.",
);
export const SHOULD_BE_AN_ID = define(
  "should be a valid vega ID",
  "The text is not an identifier.",
  "It must have exactly 64 hexadecimal digits.",
);
export const MUST_BE_AFTER_START = define(
  "must be after start_epoch",
  "The end lies before the start.",
  "`end_epoch` is smaller than `start_epoch`.",
);
export const UNKNOWN_ASSET = define(
  "unknown asset",
  "The asset for the metric is missing.",
  "A transfer to such a reward account names the asset that is measured.",
);
export const CANNOT_AMEND_TO_GFA = define(
  "cannot amend to time in force GFA",
  "An order cannot be amended to this time in force.",
  "GFA orders live in auctions alone.",
);
export const CANNOT_AMEND_TO_GFN = define(
  "cannot amend to time in force GFN",
  "An order cannot be amended to this time in force.",
  "GFN orders live outside auctions alone.",
);
export const EXPIRY_WITHOUT_GTT = define(
  "non GTT order with expiry",
  "Only GTT orders expire.",
  "The order has an expiry and another time in force.",
);
export const GTT_WITHOUT_EXPIRY = define(
  "GTT order without expiry",
  "A GTT order needs an expiry.",
  "`expires_at` is 0.",
);
export const UNSUPPORTED_WITHDRAW_EXT = define(
  "unsupported withdraw extended details",
  "The withdrawal does not say to where.",
  "`ext` is there but empty.",
);
export const NOT_FOR_ONE_OFF = define(
  "account type is not valid for one off transfer",
  "A one-off transfer cannot go to this kind of account.",
  "It goes to general accounts and the global reward account.",
);
export const METRIC_NEEDS_RECURRING = define(
  "transfers to metric-based reward accounts must be recurring transfers that specify a distribution metric",
  "Such a reward account is filled by recurring transfers alone.",
  "It is paid out by a metric, epoch after epoch.",
  "Send a recurring transfer with a dispatch strategy.",
);
export const NOT_BEFORE_CLOSING = define(
  "cannot be after or equal to closing time",
  "The validation would end after the vote.",
  "`validation_timestamp` must be before `closing_timestamp`; both are Unix seconds.",
);
export const AFTER_ENACTMENT = define(
  "cannot be after enactment time",
  "The vote would end after the enactment.",
  "`closing_timestamp` must not be after `enactment_timestamp`; both are Unix seconds.",
);
export const AFTER_CLOSING = define(
  "cannot be after closing time",
  "The validation would end after the vote.",
  "`validation_timestamp` must not be after `closing_timestamp`; both are Unix seconds.",
);

/** All of them, for `lyra explain`. */
export const VALIDATION: readonly Explanation[] = defined;
