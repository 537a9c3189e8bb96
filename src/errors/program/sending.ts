// Codes of this program's own errors: making and sending transactions.
import type { ProgramEntry } from "../explanation.ts";
import { FIXES } from "../shared.ts";

const PROOF_FORM = "The block hash has 64 characters, and a tid at least one.";
const PROOF_HASH = "Take the hash as GET /blockchain/height shows it.";
const PROOF_INPUT = ["incorrect block hash", "transaction ID cannot be empty"] as const;

export const SENDING_CODES = {
  no_nonce: {
    text: "no nonce reaches this difficulty",
    meaning: "There is no proof for this task.",
    cause: "Every nonce was tried.",
    fix: "Take another tid.",
  },
  hash_function: {
    text: "unknown hash function",
    meaning: "Only one hash function is known.",
    cause: "The network names `sha3_24_rounds`.",
    fix: FIXES.leaveOut,
    exit: "usage",
  },
  difficulty: {
    text: "invalid difficulty",
    meaning: "The difficulty is out of range.",
    cause: "It is 0 to 256 leading zero bits.",
    fix: "Take it from GET /blockchain/height.",
    exit: "usage",
  },
  proof_input: {
    text: PROOF_INPUT,
    meaning: "A proof cannot be made for this.",
    cause: PROOF_FORM,
    fix: PROOF_HASH,
    exit: "usage",
  },
  proof_invalid: {
    text: PROOF_INPUT,
    meaning: "A proof for this cannot be valid.",
    cause: PROOF_FORM,
    fix: PROOF_HASH,
    exit: "verificationFailed",
  },
  party_banned: {
    text: "party is banned from submitting <what> until <time>",
    meaning: "The network has banned this key; nothing is sent.",
    cause: "See the rules ending in `_banned`.",
    fix: "Wait for the time in the text.",
  },
  maximum_reached: {
    text: "party has already submitted the maximum number of transactions of this type per epoch (<n>)",
    meaning: "The quota of this epoch is used up; nothing is sent.",
    cause: "Sending on would ban the key.",
    fix: "Wait for the next epoch.",
  },
  block_too_historic: {
    text: [
      "the block height is too historic",
      "the block height is too historic: it names block <n>, and the chain is at <n>",
    ],
    meaning: "The block is too old to build on.",
    cause: "Newer ones were used, further ahead than the window.",
    fix: "Take the last block.",
  },
  quota_reached: {
    text: [
      "the transaction per block limit has been reached",
      "the transaction per block limit has been reached: <quota>; <when>",
    ],
    meaning: "This block takes no more from this key.",
    cause: "Another one on it would be refused, and the key banned.",
    fix: "Wait for the next block and build on it.",
    exit: "notReady",
  },
  block_mismatch: {
    meaning: "The file is of another block than the transaction.",
    cause: "The proof is for the block that the transaction names.",
    fix: "Take the file that it was built with.",
  },
  block_unreadable: {
    meaning: "The file of the block cannot be used.",
    cause: "It must be what `lyra tx block` wrote, or the answer of GET /blockchain/height.",
    fix: "lyra tx block --node-url URL --out FILE",
    exit: "usage",
  },
  input_unreadable: {
    meaning: "The transaction cannot be read.",
    cause: "The file is neither a command, nor signed, nor base64 of one.",
    fix: "lyra tx --help shows the forms.",
  },
  proof_weak: {
    meaning: "The proof of work is too easy for what the key has sent.",
    cause:
      "Others of its transactions name the same block, so that the next one costs more; as it is, it would ban the key.",
    fix: "lyra tx prove",
  },
  block_unknown: {
    meaning: "The block that the transaction names is not known.",
    cause: "The node is behind, or of another chain; or nothing says the block's hash.",
    fix: "Ask another node, or give the file that it was signed with: --block FILE",
  },
  already_sent: {
    text: "the network has this transaction already",
    meaning: "It was executed, or refused, in a block before.",
    cause: "It was sent before, perhaps by somebody else.",
    fix: "Look for its hash.",
  },
  qr_too_large: {
    meaning: "The QR code cannot be shown.",
    cause: "It would be larger than the terminal, or than any code.",
    fix: "Carry a file: --out FILE",
  },
  transaction_refused: {
    meaning: "The node refused the transaction.",
    cause: "The text has its reason and code.",
    fix: FIXES.lookUpCode,
  },
  transaction_unreadable: {
    meaning: "These bytes are no transaction.",
    cause: "They were broken off or changed.",
    fix: "Build it again.",
  },
  command_invalid: {
    text: "the transaction does not use a valid Vega command: <reason>",
    meaning: "The JSON is not a command.",
    cause: "A name or a type is wrong; the text says which.",
    fix: "Member names are those of `InputData`.",
  },
  command_broken: {
    meaning: "The network would refuse the command.",
    cause: "A property breaks a rule.",
    fix: FIXES.lookUpWords,
  },
  node_unreachable: {
    meaning: "The node does not answer.",
    cause: "It does not run, or the address is wrong.",
    fix: "See whether it runs, then send again.",
    exit: "notReady",
  },
  node_redirects: {
    meaning: "The address leads somewhere else.",
    cause: "The node answers with a redirection, and transactions do not follow one.",
    fix: "Give the address itself.",
  },
  node_busy: {
    meaning: "The node has no time for the request.",
    cause: "It answers too much at once, or a proxy in front of it finds nobody there.",
    fix: "Send again later, or name another node as well. Nothing was sent.",
    exit: "notReady",
  },
  node_refused: {
    meaning: "The node did not take the request.",
    cause: "Its own words follow.",
    fix: FIXES.lookUpThem,
  },
  outcome_unknown: {
    meaning: "It is not known whether the node took the transaction.",
    cause: "The connection broke off after it was sent.",
    fix: "Look for its hash before sending again. Sent twice, it is carried out once.",
    exit: "notReady",
  },
  chain_id_unusable: {
    meaning: "The chain's name cannot be signed for.",
    cause:
      "It has control characters, or could be read as a part of a command: the signature would be good for something else.",
    fix: "See where the name comes from: the node, the network's settings, or a document from another machine.",
  },
  chain_id_unknown: {
    text: "could not get the chain ID from the node",
    meaning: "The wallet does not know which chain it signs for.",
    cause: "The node has not told, and the network's settings do not say.",
    fix: "Wait until the node is ready, or set the chain id of the network.",
  },
  hash_function_unknown: {
    meaning: "The node asks for a proof of work that the wallet cannot make.",
    cause: "Its hash function is another one than sha3_24_rounds.",
    fix: "Check the node: the network knows only that function.",
  },
  interrupted: {
    meaning: "The sending was broken off.",
    cause: "The service was stopped, or the caller went away.",
    fix: "Look for the transaction before sending it again.",
  },
  last_block_unknown: {
    text: "could not get information about the last block on the network",
    meaning: "The wallet knows no block to make a proof of work for.",
    cause: "The node has no block yet, or does not answer.",
    fix: "Wait until the node has a block.",
  },
  network_exists: {
    text: "a network with the same name already exists",
    meaning: "There is a network of this name already.",
    cause: "Names are unique.",
    fix: "Choose another name, or remove the other network first.",
  },
  network_name_invalid: {
    text: "the network's name is not valid",
    meaning: "A network cannot have this name.",
    cause: "It is empty, too long, or holds characters that no file name may have.",
    fix: "Use letters, digits, dashes and dots.",
  },
  network_unknown: {
    text: "the network does not exist",
    meaning: "There is no network of this name.",
    cause: "It was removed, or never added.",
    fix: "lyra wallet network list shows those that there are.",
  },
  no_healthy_node: {
    meaning: "None of the network's nodes can be used.",
    cause: "They do not answer, or stand still.",
    fix: "Check the nodes' addresses, and that one of them makes blocks.",
    exit: "notReady",
  },
  proof_late: {
    meaning: "The proof of work came too late.",
    cause:
      "The block it was made for has left the window meanwhile, or the network asks for more bits than can be found.",
    fix: "Send again: it gets a newer block.",
    exit: "notReady",
  },
  proof_too_hard: {
    meaning: "The proof of work would need more bits than anyone can find in time.",
    cause: "A node, or a file of a block, asks for far more than the network does: it is wrong, or lies.",
    fix: "Ask another node.",
  },
  ledger_damaged: {
    meaning: "The wallet's record of its transactions cannot be read.",
    cause: "Its file was damaged, and to begin with nothing could get the key banned.",
    fix: "Remove the file when the last transaction is some minutes old: a new one is made.",
  },
  chain_unconfirmed: {
    meaning: "Nobody has confirmed the chain that the node names.",
    cause:
      "A signature is good on one chain, and the node says which. A policy or a program's token signs only for a chain that the settings name or that the owner has approved once.",
    fix: "Serve with --chain-id, or approve a first transaction of a page, which shows the chain.",
  },
  wrong_chain: {
    meaning: "The node belongs to another chain.",
    cause: "Its chain id is not the one the wallet was told.",
    fix: "Check the node's address and the network's settings.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
