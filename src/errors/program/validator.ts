// Codes of a validator: the application behind a consensus engine.
import type { ProgramEntry } from "../explanation.ts";

export const VALIDATOR_CODES = {
  abci_invalid: {
    meaning: "The client at the address of --abci does not speak the protocol of CometBFT 0.38.",
    cause: "Another program, or another release of the engine; or its bytes were changed on the way.",
    fix: "Look which process dials it. Connections of the engine are taken all the same.",
  },
  abci_failed: {
    meaning: "A request of the consensus engine could not be answered.",
    cause: "A fault of this program, or a store that cannot be written; the text says which.",
    fix: "The engine ends itself with exit code 0: start it again once the reason is gone. Blocks that were not committed are executed again.",
  },
  abci_order: {
    meaning: "The consensus engine asked for something out of its order.",
    cause: "It lost its place: it was restored from a backup, or speaks another release's protocol.",
    fix: "Start it again: it begins with a handshake that brings both to the same block.",
  },
  validator_differs: {
    meaning: "This validator stands still while the others go on.",
    cause:
      "Its state differs from theirs, so its consensus engine agrees to no further block; or the engine has failed.",
    fix: "Look at the engine's log. For `wrong Block.Header.AppHash`: stop both, run cometbft rollback, move the home away, and start both: the chain is executed again. Else end the engine, with SIGKILL where SIGTERM does not, and start it again.",
  },
  engine_hangs: {
    meaning: "The consensus engine answers, and has not dialled this validator again.",
    cause:
      "It lost the application in the moment before a commit, and neither ends nor dials again (CometBFT 0.38.26).",
    fix: "Kill the engine with SIGKILL, which SIGTERM does not end, and start it again. A supervisor should end it with the chain.",
  },
  engine_away: {
    meaning: "The consensus engine is not connected with this validator, or its RPC does not answer.",
    cause:
      "Its process does not run, ends again and again (a full disk, a missing file, another release), or has another `proxy_app` than the address of --abci.",
    fix: "Look at the last lines of the engine's log. Reads go on with the last block; once it is connected this validator goes on by itself.",
  },
  chain_stands: {
    meaning: "No block comes: the validators that run have no two thirds of the voting power.",
    cause: "A third of the power or more is away, runs another release, or cannot be reached from here.",
    fix: "Look which validators are down. Blocks go on by themselves.",
  },
  validator_behind: {
    meaning: "This validator follows the others, and is many blocks behind them.",
    cause: "Blocks come faster than this machine executes them, or than its connections bring them.",
    fix: "Look at the load of the machine, and at its engine's peers.",
  },
  signed_twice: {
    meaning: "A block has evidence that a validator signed two different votes for one height.",
    cause:
      "Two machines have one priv_validator_key.json, or a validator was rebuilt while the former one still ran.",
    fix: "Stop one of the two at once. The chain punishes no validator for it, and where such keys have a third of the power it can split.",
  },
  chain_ahead: {
    meaning: "The chain in this home is ahead of the consensus engine's.",
    cause: "The engine's data were removed, or restored from an older backup, and the home was not.",
    fix: "Restore both from the same time; or give an empty --home, which is filled from the engine's blocks.",
  },
  genesis_differs: {
    meaning:
      "The home, and the consensus engine or the file of --genesis, do not begin with the same genesis.",
    cause:
      "One of the two files was changed, or is of another network. How they are written does not matter.",
    fix: "Put the network's genesis.json into both places, before either has begun.",
    exit: "usage",
  },
  keys_exposed: {
    meaning: "Other users may read or write the file with a validator's keys.",
    cause: "It was copied without its mode, or into a shared folder.",
    fix: "chmod 600 on the file, owned by the validator's user. If it may have been read, rotate the keys.",
    exit: "usage",
  },
  keys_unreadable: {
    meaning: "The file with a validator's keys is missing, or damaged.",
    cause:
      "It is another file, was edited, or its disk is damaged; the text says which, and never what stands in it.",
    fix: "Restore it from its backup.",
    exit: "usage",
  },
  keys_differ: {
    meaning:
      "The keys are not those that this chain's genesis has for the validator, or its consensus engine has the key of another. Nothing was signed with them.",
    cause: "The file is of another validator or network, or the genesis was made again.",
    fix: "Give the file that was written with the network's genesis, and the engine's priv_validator_key.json beside it: lyra testnet files writes all.",
    exit: "usage",
  },
  cometbft_missing: {
    meaning: "The consensus engine's program is not on this machine, or not where it was said to be.",
    cause: "It is a program of its own, CometBFT 0.38, and nothing of it is part of this one.",
    fix: "Build it with Go: go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.26; then put it into the path, or name it with --cometbft.",
    exit: "usage",
  },
  cometbft_release: {
    meaning: "The consensus engine is of another release than this program speaks with.",
    fix: "Take CometBFT 0.38: go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.26",
    exit: "usage",
  },
  cometbft_failed: {
    meaning: "The consensus engine could not write its settings.",
    cause: "The text has its own words: the folder cannot be written, or it is not CometBFT.",
    fix: "Make room, or name another program with --cometbft.",
  },
  testnet_unreadable: {
    meaning: "The folder of a test network has a file testnet.json that cannot be read.",
    cause: "It was changed, or is of another program.",
    fix: "Give another --dir, or remove the folder.",
  },
  testnet_silent: {
    meaning: "A validator of the test network has no block in time.",
    cause:
      "A process of it does not run, or more than a third of the validators are away; its logs say which.",
    fix: "Look at lyra.log and consensus.log in the validator's folder.",
  },
  testnet_exists: {
    meaning: "The folder for a network's files has some already.",
    cause: "They hold keys, which are not written over.",
    fix: "Give another --out, or move the folder away.",
    exit: "usage",
  },
  testnet_files_unreadable: {
    meaning: "The folder does not describe a network.",
    cause: "network.json or genesis.json is missing or damaged; the text says which.",
    fix: "Give the folder that lyra testnet files wrote, or a validator's folder.",
    exit: "usage",
  },
  trust_unavailable: {
    meaning: "No block could be taken as the trusted one that a state from other validators is checked by.",
    cause: "The consensus engines' RPC does not answer from here, or two of them differ.",
    fix: "Name two RPC addresses with --rpc, or leave the state to be executed from the first block: --from-genesis.",
  },
  ethereum_away: {
    meaning: "The simulated Ethereum of the network does not answer.",
    cause: "Its process does not run, or listens at another address.",
    fix: "Start it with lyra ethereum, or correct --ethereum. Validators go on without it; deposits and the like wait.",
  },
  ethereum_behind: {
    meaning: "The simulated Ethereum of the network has lost events that the chain has seen.",
    cause: "Its file was lost, or restored from an older backup, and no validator runs that followed it.",
    fix: "Stop it, restore its file ethereum.json from the latest backup, and start it again. Until then deposits and the like are refused; the chain goes on. A validator that followed it gives the state back by itself.",
  },
  ethereum_invalid: {
    meaning: "The state of the simulated Ethereum is not one that this validator can load.",
    cause:
      "Another release of Lyra runs it, its file was changed, or another program answers at its address.",
    fix: "Run one release everywhere, or restore its file ethereum.json from the backup. Until then deposits and the like are refused here; the chain goes on.",
  },
  ethereum_file_unreadable: {
    meaning: "The file does not have the state of a simulated Ethereum.",
    cause: "It was changed or cut, is of another program, or this user may not read it.",
    fix: "Restore ethereum.json from the backup. Without one move the file away, and start while a validator runs that has followed it: that gives the state back.",
  },
  ethereum_busy: {
    meaning: "Too many callers wait for the simulated Ethereum.",
    fix: "Try again: each call takes a block.",
  },
  ethereum_turn_over: {
    meaning: "A call on the simulated Ethereum took too long, and its turn is over.",
    cause: "Its event came into no block in time.",
    fix: "Look whether the chain makes blocks, then try again.",
  },
  genesis_needed: {
    meaning: "A validator's home is empty, and no genesis says which chain begins there.",
    fix: "Give the network's genesis.json with --genesis.",
    exit: "usage",
  },
  not_with_consensus: {
    meaning: "The tool would change the chain without a transaction.",
    cause:
      "It is one for a devnet of one's own. Behind a consensus engine all validators agree on blocks and their times.",
    fix: "Send a signed transaction, or try it on lyra devnet.",
  },
  proposal_refused: {
    meaning: "A validator proposed a block that no honest one proposes.",
    cause:
      "The text names the transaction. The proposer runs another release, was changed, or is not honest.",
    fix: "Nothing: the next validator proposes. If it goes on, ask the proposer's operator for its release.",
  },
  upgrade_due: {
    meaning: "The network has agreed to go on with another release.",
    cause: "The last block of this release is made.",
    fix: "Start the agreed release over the same home.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
