// Codes of this program's own errors: running a chain.
import type { ProgramEntry } from "../explanation.ts";
import { CAUSES, FIXES } from "../shared.ts";

const NOT_READABLE = "It is not there, or not for you to read.";

export const CHAIN_CODES = {
  genesis_invalid: {
    meaning: "The genesis cannot begin a chain.",
    cause: "A member is missing or has a form that it cannot have; the text names it.",
    fix: "Correct the file.",
  },
  checkpoint_invalid: {
    meaning: "The checkpoint that a chain should begin from cannot be used.",
    cause:
      "It is damaged, has another hash than the genesis asks for, or holds what this chain does not know; the text says which.",
    fix: "Take one with: lyra devnet checkpoint, or begin without.",
  },
  checkpoint_unreadable: {
    meaning: "The file that --checkpoint names cannot be read.",
    cause: NOT_READABLE,
    fix: "Check the path.",
    exit: "usage",
  },
  transaction_unknown: {
    meaning: "The devnet knows no transaction of this hash.",
    cause:
      "It never came, it was refused long ago, or its block was reverted. Only the newest 500,000 transactions are looked through.",
    fix: "Take the hash that the submission answered with, of the chain that runs now.",
  },
  events_address_invalid: {
    meaning: "The address of a data node's event socket, given with --events-to, cannot be read.",
    cause:
      "It is neither tcp://HOST:PORT nor unix:PATH, or the path has more than the 107 bytes of a socket's.",
    fix: "Correct it: tcp://127.0.0.1:3005 is a data node's own default.",
    exit: "usage",
  },
  tools_token_invalid: {
    text: "the token of the tools must be 16 to 200 characters without blanks",
    meaning: "The token with which other machines use the devnet's tools cannot be used.",
    cause: "LYRA_TOOLS_TOKEN, or the file tools-token in the home, holds another text.",
    fix: "Correct it, or remove both: a new token is made.",
    exit: "usage",
  },
  command_fault: {
    meaning: "A command failed because of a fault in this program, not because of a rule.",
    cause: CAUSES.handlerFault,
    fix: "The chain goes on. Report it with the transaction and the line of the log.",
  },
  market_halted: {
    meaning:
      "A fault in this program has stopped a market: a step of it that no command asks for has failed.",
    cause:
      "The step was taken back, the market is suspended and named in /status, and its orders, positions and money stay as they were.",
    fix: "The chain and the other markets go on. Report it with the line of the log; an enacted update of the market lets it go on.",
  },
  command_refused: {
    meaning: "A tool of the devnet asked the engine for what its rules do not allow.",
    cause: "The text says which rule; nothing has changed.",
    fix: "Correct what was asked for. The text itself may be explained, too.",
  },
  duty_failed: {
    meaning: "The chain refused what a validator of the devnet owed it: a vote, a signature, a heartbeat.",
    cause: "The keys were rotated, or the command is not allowed any more; the text says which.",
    fix: "Nothing, where it came once: the duty is asked for again after a later block.",
  },
  not_a_chain: {
    meaning: "The home holds a loaded recording, not a chain that goes on.",
    cause: "Its blocks came from elsewhere, without the state behind them.",
    fix: "Choose another --home for the devnet.",
  },
  own_chain: {
    meaning: "The home holds a chain that goes on by itself, such as a devnet's.",
    cause:
      "Blocks of a recording come without the state behind them, and the chain could not go on after them.",
    fix: "Choose another --home for the recording.",
  },
  state_mismatch: {
    meaning: "The chain's state is not the one its blocks led to.",
    cause: "The store was changed by hand, or made by another version.",
    fix: "Go on with the version that made it, or use another --home.",
  },
  heights_differ: {
    meaning: "The states of two nodes were not compared: they are at different blocks.",
    cause: "One of them stands still or is behind, or blocks come faster than both can be asked.",
    fix: "Wait until both have the same blocks, then try again.",
  },
  state_moved: {
    meaning: "The states of two nodes differed, and do not any more.",
    cause: "Blocks came between the questions.",
    fix: "Try again.",
  },
  state_unreachable: {
    meaning: "A node does not give its state.",
    cause:
      "It does not answer, it is not a devnet or a validator of Lyra, or the home holds no chain; the text says which.",
    fix: "Correct the address: it is that of the node API.",
  },
  snapshot_failed: {
    meaning: "A snapshot of the state for other nodes could not be written or restored.",
    cause: "A file could not be written or read; the text says why.",
    fix: "Make room, or see to the disk; the next snapshot comes by itself.",
  },
  snapshot_too_large: {
    meaning: "The state is too large for a snapshot that other nodes could restore.",
    cause:
      "A single entry, or all of them together, is larger than the messages of the consensus engine allow.",
    fix: "New nodes must replay the blocks. Report it.",
  },
  snapshot_invalid: {
    meaning: "A snapshot of the state that another node offered was not restored.",
    cause:
      "It is damaged, of another chain, or its content does not have the application hash of its height.",
    fix: "Nothing: the consensus engine asks another node.",
  },
  state_version: {
    meaning: "The state was saved in a form that is not read any more.",
    cause: "Another version of Lyra wrote it.",
    fix: "Use that version.",
  },
  invalid_parameter: {
    meaning: "A network parameter has no such form.",
    cause: "A number or a duration such as 1h30m is wanted.",
    fix: "Correct the genesis or the call.",
  },
  invalid_transaction: {
    meaning: "A stored transaction cannot be read.",
    cause: "Its bytes were changed since it was accepted.",
    fix: "lyra doctor --home DIR.",
  },
  dump_invalid: {
    meaning: "The dump cannot be loaded.",
    cause: "It is not a dump of a devnet, is damaged, or is of another version.",
    fix: "Make it again: lyra devnet dump.",
  },
  dump_unreadable: {
    meaning: "The file that a dump should be loaded from cannot be read.",
    cause: NOT_READABLE,
    fix: "Check the path, or make one: lyra devnet dump > FILE.",
    exit: "usage",
  },
  snapshot_unknown: {
    meaning: "There is no snapshot of this id.",
    cause: "Reverting to an earlier one removed it, or it never was.",
    fix: "Make one, and keep the id it answers.",
  },
  too_many_snapshots: {
    meaning: "There is no room for another snapshot.",
    cause: "Only so many are kept at a time.",
    fix: "Revert to an earlier one: those after it are gone then.",
  },
  record_unusable: {
    meaning: "The run cannot be recorded to this file.",
    cause: "It cannot be written, holds another run, or lacks blocks that the chain has.",
    fix: "Give the file of this chain; a new chain takes a new file.",
  },
  funding_failed: {
    meaning: "The devnet's parties could not be given their funds.",
    cause: "The genesis forbids it, or has other assets.",
    fix: "Start with --no-funding.",
  },
  key_unknown: {
    text: ["the public key does not exist", "the devnet does not hold the <key> of its validator <id>"],
    meaning: "There is no such key.",
    cause: "It is not in this wallet, or not one the devnet holds.",
    fix: "lyra wallet key list shows the keys of a wallet.",
  },
  invalid_argument: {
    meaning: "A tool of the devnet was given what it cannot use.",
    cause: "The text says what is wrong.",
    fix: "lyra devnet help lists the tools, lyra devnet help VERB its words.",
    exit: "usage",
  },
  planes_failed: {
    meaning: "The thread that answers HTTP has stopped.",
    cause: "An error ended it, or its ports could not be opened; the text says which.",
    fix: "Correct what the text says, and start again.",
  },
  not_a_devnet: {
    meaning: "The home holds something else than a devnet.",
    cause: "Only a devnet starts over on request; a loaded recording is not thrown away.",
    fix: FIXES.otherHome,
    exit: "usage",
  },
  genesis_missing: {
    meaning: "The chain of this home has lost its genesis.",
    cause: "An older Lyra kept it in genesis.json alone, and that file is gone.",
    fix: "Put the file back, or start over: lyra devnet --reset.",
  },
  genesis_unreadable: {
    text: "the genesis <file> cannot be read (<reason>)",
    meaning: "The file of the genesis cannot be read.",
    cause: "It is not there, may not be read, or is not JSON.",
    fix: FIXES.checkPath,
    exit: "usage",
  },
  refused: {
    text: ["the devnet refused it", "the demo's <command> was refused: <reason>"],
    meaning: "A tool of the devnet did not do it.",
    cause: "The node is not a devnet, or the tool's own reason follows.",
    fix: "Start a devnet, and look up the reason here.",
  },
  epoch_stays: {
    text: "epoch <n> did not end within <n> blocks",
    meaning: "The epoch did not end.",
    cause: "The clock does not move it on, whatever blocks are made.",
    fix: "Let the clock go on: lyra devnet time forward.",
  },
  devnet_unknown: {
    text: "no running devnet was found",
    meaning: "There is no devnet to talk to.",
    cause:
      "None runs on the home that was named, or where it is looked for: .lyra/devnet, and the home that lyra devnet takes by itself.",
    fix: "Start one, or name it with --node-url or --home.",
    exit: "notReady",
  },
  devnet_unreachable: {
    text: "<url> does not answer",
    meaning: "The devnet does not answer.",
    cause: "It has stopped, or listens elsewhere.",
    fix: "Start it again, or name it with --node-url.",
    exit: "notReady",
  },
  no_devnet: {
    text: "this node is not a devnet: <reason>",
    meaning: "The server at that address is not a devnet.",
    cause: "The address is that of another service.",
    fix: "Look at what lyra devnet printed, and name it with --node-url.",
  },
  answer_lost: {
    text: "the answer of <url> did not come whole: <reason>",
    meaning: "Whether the devnet did what was asked is not known.",
    cause: "It ended, or the connection did, before all of the answer was there.",
    fix: "See what it has: lyra devnet status.",
    exit: "notReady",
  },
  address_unreadable: {
    text: "<path> cannot be read: <reason>",
    meaning: "The file that says where the devnet listens is damaged.",
    cause: "Something wrote over it.",
    fix: "Start the devnet again, or name it with --node-url.",
    exit: "notReady",
  },
  node_unknown: {
    meaning: "The chain has no such validator.",
    cause: "The node id is wrong.",
    fix: "GET /validators lists them.",
  },
  validator_unknown: {
    meaning: "The devnet holds no validator's keys for this genesis.",
    cause: "Somebody else's validators are in it.",
    fix: "Use the shipped genesis, or its validator's keys.",
  },
  not_refused: {
    text: "the chain took a <command> that is wrong",
    meaning: "The demo sends some wrong commands, and one was not refused.",
    cause: "A mistake in Lyra, or a chain with other parameters.",
    fix: "Play the demo on a new devnet; if it stays, report it.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
