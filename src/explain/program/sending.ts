// Codes of this program's own errors: making and sending transactions.
import { table } from "../explanation.ts";

export const SENDING_CODES = table("program code", {
  no_nonce: [
    "no nonce reaches this difficulty",
    "There is no proof for this task.",
    "Every nonce was tried.",
    "Take another tid.",
  ],
  hash_function: [
    "unknown hash function",
    "Only one hash function is known.",
    "The network names `sha3_24_rounds`.",
    "Leave it out.",
  ],
  difficulty: [
    "invalid difficulty",
    "The difficulty is out of range.",
    "It is 0 to 256 leading zero bits.",
    "Take it from GET /blockchain/height.",
  ],
  proof_input: [
    ["incorrect block hash", "transaction ID cannot be empty"],
    "A proof cannot be made or checked for this.",
    "The block hash has 64 characters, and a tid at least one.",
    "Take the hash as GET /blockchain/height shows it.",
  ],
  party_banned: [
    "party is banned from submitting <what> until <time>",
    "The network has banned this key; nothing is sent.",
    "See the rules ending in `_banned`.",
    "Wait for the time in the text.",
  ],
  maximum_reached: [
    "party has already submitted the maximum number of transactions of this type per epoch (<n>)",
    "The quota of this epoch is used up; nothing is sent.",
    "Sending on would ban the key.",
    "Wait for the next epoch.",
  ],
  block_too_historic: [
    "the block height is too historic",
    "The block is too old to build on.",
    "Newer ones were used, further ahead than the window.",
    "Take the last block.",
  ],
  quota_reached: [
    "the transaction per block limit has been reached",
    "This block takes no more from this key.",
    "Another one on it would be refused, and the key banned.",
    "Wait for the next block and build on it.",
  ],
  block_mismatch: [
    "",
    "The file is of another block than the transaction.",
    "The proof is for the block that the transaction names.",
    "Take the file that it was built with.",
  ],
  block_unreadable: [
    "",
    "The file of the block cannot be used.",
    "It must be the answer of GET /blockchain/height.",
    "curl NODE/blockchain/height > FILE",
  ],
  input_unreadable: [
    "",
    "The transaction cannot be read.",
    "The file is neither a command, nor signed, nor base64 of one.",
    "lyra tx --help shows the forms.",
  ],
  proof_missing: [
    "the transaction has no proof of work",
    "It would be refused.",
    "Only validators' own commands go without.",
    "lyra tx prove",
  ],
  transaction_refused: [
    "",
    "The node refused the transaction.",
    "The text has its reason and code.",
    "Look up that code here.",
  ],
  transaction_unreadable: [
    "",
    "These bytes are no transaction.",
    "They were broken off or changed.",
    "Build it again.",
  ],
  command_invalid: [
    "the transaction does not use a valid Vega command: <reason>",
    "The JSON is no command.",
    "A name or a type is wrong; the text says which.",
    "Member names are those of `InputData`.",
  ],
  command_broken: [
    "",
    "The network would refuse the command.",
    "A property breaks a rule.",
    "Look up the words in parentheses here.",
  ],
  node_unreachable: [
    "",
    "The node does not answer.",
    "It does not run, or the address is wrong.",
    "See whether it runs, then send again.",
  ],
  node_redirects: [
    "",
    "The address leads somewhere else.",
    "The node answers with a redirection, and transactions do not follow one.",
    "Give the address itself.",
  ],
  node_refused: ["", "The node did not take the request.", "Its own words follow.", "Look them up here."],
  outcome_unknown: [
    "",
    "It is not known whether the node took the transaction.",
    "The connection broke off after it was sent.",
    "Look for its hash before sending again. Sent twice, it is carried out once.",
  ],
});
