// Codes of this program's own errors: running a chain.
import { table } from "../explanation.ts";

export const CHAIN_CODES = table("program code", {
  genesis_invalid: [
    "",
    "The genesis cannot begin a chain.",
    "A member is missing or has a form that it cannot have; the text names it.",
    "Correct the file.",
  ],
  checkpoint_unsupported: [
    "",
    "The genesis holds a checkpoint of a kind that is not read.",
    "It was made by another version.",
    "Begin without the checkpoint.",
  ],
  not_a_chain: [
    "",
    "The home holds a loaded recording, not a chain that goes on.",
    "Its blocks came from elsewhere, without the state behind them.",
    "Choose another --home for the devnet.",
  ],
  state_mismatch: [
    "",
    "The chain's state is not the one its blocks led to.",
    "The store was changed by hand, or made by another version.",
    "Go on with the version that made it, or use another --home.",
  ],
  state_version: [
    "",
    "The state was saved in a form that is not read any more.",
    "Another version of Lyra wrote it.",
    "Use that version.",
  ],
  invalid_parameter: [
    "",
    "A network parameter has no such form.",
    "A number or a duration such as 1h30m is wanted.",
    "Correct the genesis or the call.",
  ],
  invalid_transaction: [
    "",
    "A stored transaction cannot be read.",
    "Its bytes were changed since it was accepted.",
    "lyra doctor --home DIR.",
  ],
  dump_invalid: [
    "",
    "The dump cannot be loaded.",
    "It is no dump of a devnet, or of another version.",
    "Make it again: lyra devnet dump.",
  ],
  snapshot_unknown: [
    "",
    "There is no snapshot of this id.",
    "Reverting to an earlier one removed it, or it never was.",
    "Make one, and keep the id it answers.",
  ],
  too_many_snapshots: [
    "",
    "There is no room for another snapshot.",
    "Only so many are kept at a time.",
    "Revert to an earlier one, or drop one.",
  ],
  record_unusable: [
    "",
    "The run cannot be recorded to this file.",
    "It cannot be written, or holds another run.",
    "Give another file.",
  ],
  funding_failed: [
    "",
    "The devnet's parties could not be given their funds.",
    "The genesis forbids it, or has other assets.",
    "Start with --no-funding.",
  ],
  key_unknown: [
    "the public key does not exist",
    "There is no such key.",
    "It is not in this wallet, or not one the devnet holds.",
    "lyra wallet key list shows the keys of a wallet.",
  ],
  invalid_argument: [
    "",
    "A tool of the devnet was given what it cannot use.",
    "The text says what is wrong.",
    "lyra devnet --help lists the tools and their words.",
  ],
  planes_failed: [
    "",
    "The thread that answers HTTP has stopped.",
    "An error ended it, or its ports could not be opened; the text says which.",
    "Correct what the text says, and start again.",
  ],
  not_a_devnet: [
    "",
    "The home holds something else than a devnet.",
    "Only a devnet is begun anew on request; a loaded recording is not thrown away.",
    "Choose another --home.",
  ],
  genesis_unreadable: [
    "the genesis <file> cannot be read (<reason>)",
    "The file of the genesis cannot be read.",
    "It is not there, may not be read, or is no JSON.",
    "Check its path and rights.",
  ],
  refused: [
    "the devnet refused it",
    "A tool of the devnet did not do it.",
    "The node is no devnet, or the tool's own reason follows.",
    "Start a devnet, and look up the reason here.",
  ],
  epoch_stays: [
    "epoch <n> did not end within <n> blocks",
    "The epoch did not end.",
    "The clock does not move it on, whatever blocks are made.",
    "Let the clock go on: lyra devnet time forward.",
  ],
  devnet_unknown: [
    "no running devnet was found",
    "There is no devnet to talk to.",
    "None runs on this home.",
    "Start one, or name it with --node-url or --home.",
  ],
  devnet_unreachable: [
    "<url> does not answer",
    "The devnet does not answer.",
    "It has stopped, or listens elsewhere.",
    "Start it again, or name it with --node-url.",
  ],
  node_unknown: [
    "",
    "The chain has no such validator.",
    "The node id is wrong.",
    "GET /validators lists them.",
  ],
  validator_unknown: [
    "",
    "The devnet holds no validator's keys for this genesis.",
    "Somebody else's validators are in it.",
    "Use the shipped genesis, or its validator's keys.",
  ],
  not_refused: [
    "the chain took a <command> that is wrong",
    "The demo sends some wrong commands, and one was not refused.",
    "A mistake in Lyra, or a chain with other parameters.",
    "Play the demo on a new devnet; if it stays, report it.",
  ],
});
