// Texts of commands that are refused by their own rules: code 70 (docs/protocol/30-node-api-commands.md#4-commands;
// docs/protocol/60-*.md).
import type { MessageEntry } from "./explanation.ts";
import { MARKET_TEXTS } from "./market-texts.ts";
import { CAUSES, FIXES } from "./shared.ts";

const CORRECT = "Correct it.";
const NOT_A_VALIDATOR = "The sender is not a validator.";
const BELOW_MINIMUM = "The amount is below the minimum.";
const ADDRESS_FORM = "It must be `0x` and 40 hexadecimal digits.";
const KEY_IN_USE = "A key stands for one node.";
const REPORTED_TWICE = "It was reported twice.";
const REPORTED_BEFORE = "Another validator reported it before.";
const FROM_GENERAL = "A party sends from its general account.";
const SET_GENERAL = "Set fromAccountType to ACCOUNT_TYPE_GENERAL.";
const VALIDATOR_KEY = "Sign with the validator's key.";
const OTHER_KEY_OR_CONTENT = "It was made with another key, or over other content.";
const ERC20_ONLY = "Only such assets are on the bridge.";
const DEPOSIT = "Deposit first.";
const OWN_KEY = "Take a key of its own.";

export const EXECUTION = {
  ...MARKET_TEXTS,
  "not enough funds to transfer": {
    meaning: "The account holds less than the transfer and its fee.",
    cause: "A fee (`transfer.fee.factor`) is taken on top of the amount.",
    fix: `Send less, or deposit first. ${FIXES.showBalance}`,
  },
  "could not pay the fee for transfer: not enough funds to transfer": {
    meaning: "The amount is there, but not the fee on top of it.",
    cause: "The fee is the amount times `transfer.fee.factor`.",
    fix: `Send less. ${FIXES.showBalance}`,
  },
  "internal error: the command was not executed": {
    meaning: "The command failed because of a fault in this program, not because of a rule.",
    cause: CAUSES.handlerFault,
    fix: "The node's log says more (code command_fault). Report it with the transaction.",
  },
  "could not transfer funds, asset does not exist": {
    meaning: "There is no such asset.",
    cause: "The identifier is wrong, or the asset is not enabled yet.",
    fix: "GET /api/v2/assets lists them.",
  },
  "asset does not exist": {
    meaning: "There is no such asset, or it is not enabled yet.",
    cause: "The identifier is wrong, or the asset is still proposed or pending listing.",
    fix: "GET /api/v2/assets lists them with their status.",
  },
  "could not transfer funds, less than minimal amount requested to transfer": {
    meaning: BELOW_MINIMUM,
    cause: "The minimum is the asset's quantum times `transfer.minTransferQuantumMultiple`.",
    fix: "Send more.",
  },
  "invalid from account": {
    meaning: "The transfer does not come from a usable account.",
    cause: FROM_GENERAL,
    fix: SET_GENERAL,
  },
  "invalid to account": {
    meaning: "The transfer names no usable account to go to.",
    cause: "The owner does not go with the type.",
    fix: "For a reward pool, `to` is 64 zeros.",
  },
  "account does not exist: <account>": {
    meaning: "The sender has no such account.",
    cause: "It has never held this asset.",
    fix: DEPOSIT,
  },
  "invalid transfer amount": {
    meaning: "The amount is not a whole number.",
    cause: "Amounts have at most 256 bits.",
    fix: FIXES.correctAmount,
  },
  "cannot transfer zero funds": {
    meaning: "The amount is 0.",
    cause: "Nothing would be moved.",
    fix: "Give an amount above 0.",
  },
  "unsupported from account type": {
    meaning: "Transfers from this type of account are not possible.",
    cause: FROM_GENERAL,
    fix: SET_GENERAL,
  },
  "unsupported to account type": {
    meaning: "Transfers to this type of account are not possible.",
    cause: "They go to general accounts and reward accounts.",
    fix: "Choose one of those.",
  },
  "to party is invalid for reward account type": {
    meaning: "A reward pool belongs to nobody.",
    cause: "`to` is a party.",
    fix: "Set `to` to 64 zeros.",
  },
  "cannot submit duplicate recurring transfer with same from and to": {
    meaning: "There is such a recurring transfer already.",
    cause: "A party has one recurring transfer to a target at a time.",
    fix: "Cancel the running one first.",
  },
  "start epoch in the past": {
    meaning: "The first epoch is over already.",
    cause: "A recurring transfer begins in this epoch or later.",
    fix: "`epochSeq` in GET /statistics is the current one.",
  },
  "end epoch is zero": {
    meaning: "The last epoch is 0.",
    cause: "Left out, the transfer goes on; 0 is not an epoch.",
    fix: "Leave `endEpoch` out, or give a later epoch.",
  },
  "start epoch is zero": {
    meaning: "The first epoch is 0.",
    cause: "Epochs of recurring transfers count from 1.",
    fix: "Give the current epoch or a later one.",
  },
  "start epoch after end epoch": {
    meaning: "The end lies before the start.",
    cause: "Both are numbers of epochs.",
    fix: "Exchange them.",
  },
  "invalid factor": {
    meaning: "The factor is not above 0.",
    cause: "Each epoch pays the factor times what the one before paid.",
    fix: "Give a factor such as 1.",
  },
  "recurring transfer does not exists": {
    meaning: "There is no such recurring transfer.",
    cause: "It has ended, or was never one: one-off transfers cannot be cancelled.",
    fix: "GET /api/v2/transfers lists them.",
  },
  "cannot cancel other parties recurring transfers": {
    meaning: "The transfer is somebody else's.",
    cause: "Only its sender cancels it.",
    fix: "Sign with the sender's key.",
  },
  "missing withdraw submission erc20 ext": {
    meaning: "The withdrawal does not say to which address.",
    cause: "An ERC20 asset goes to an Ethereum address.",
    fix: "Give ext.erc20.receiverAddress.",
  },
  "invalid withdrawal, amount under minimum required": {
    meaning: BELOW_MINIMUM,
    cause: "The minimum is the asset's quantum times `spam.protection.minimumWithdrawalQuantumMultiple`.",
    fix: "Withdraw more.",
  },
  "not enough funds to withdraw": {
    meaning: "The account holds less than that.",
    cause: "Only the general account counts.",
    fix: FIXES.showBalance,
  },
  "amount overflows 256 bits": {
    meaning: "There would be more of the asset than an amount can say.",
    cause: "Amounts have 256 bits, and the whole of an asset must fit.",
    fix: "Use a smaller amount.",
  },
  "withdrawal issuance is disabled when the erc20 is stopped": {
    meaning: "The bridge is stopped.",
    cause: "Its operators have paused it on Ethereum.",
    fix: "Wait until it is resumed.",
  },
  "invalid node ID": {
    meaning: "There is no such validator.",
    cause: "The identifier is wrong, or the node has left.",
    fix: "GET /api/v2/nodes lists them by `id`.",
  },
  "cannot find staking account for the party": {
    meaning: "This key has no stake.",
    cause: "Delegating takes staked governance tokens.",
    fix: "Stake first. On a devnet: lyra devnet stake.",
  },
  "insufficient balance for delegation": {
    meaning: "Not so much stake is free.",
    cause: "The rest is delegated already, this epoch or the next.",
    fix: "Delegate less, or undelegate elsewhere.",
  },
  "incorrect token amount for undelegation": {
    meaning: "Less than that is delegated to this node.",
    cause: "The amount is above the delegation.",
    fix: "Give less, or `0` for all of it.",
  },
  "delegation amount is lower than the minimum amount for delegation for a validator": {
    meaning: BELOW_MINIMUM,
    cause: "`validators.delegation.minAmount` sets it.",
    fix: "Delegate more.",
  },
  "amount is not a valid base 10 number": {
    meaning: "The amount is not a whole number.",
    cause: "It is empty or has other characters.",
    fix: "Give digits; `0` undelegates everything.",
  },
  "proposal does not exist": {
    meaning: "There is no such proposal.",
    cause: "The identifier is wrong, or the proposal was refused.",
    fix: "GET /api/v2/governances lists them.",
  },
  "proposal is not open for votes": {
    meaning: "The vote is over, or has not begun.",
    cause: "Votes count while the state is STATE_OPEN.",
    fix: "GET /api/v2/governance?proposalId=ID shows the state.",
  },
  "no balance for party": {
    meaning: "This key has no stake to vote with.",
    cause: "A vote weighs what is staked.",
    fix: "Stake first.",
  },
  "vote requires more tokens than the party has": {
    meaning: "Too little is staked for a vote.",
    cause: "`governance.proposal.<kind>.minVoterBalance` sets the minimum.",
    fix: FIXES.stakeMore,
  },
  "proposal with given ID already exists": {
    meaning: "This proposal is there already.",
    cause: "Its transaction was sent twice.",
    fix: "Look at the first one.",
  },
  "unknown key": {
    meaning: "There is no network parameter of this name.",
    cause: "The key is misspelt.",
    fix: "GET /api/v2/network/parameters lists them.",
  },
  "network parameter update disabled for <key>": {
    meaning: "This parameter cannot be changed by a proposal.",
    cause: "It names the bridge's contracts.",
    fix: "Nothing: it is set at genesis.",
  },
  "node signature not sent by validator": {
    meaning: "Only validators send this command.",
    cause: "The sender's key is not a validator's.",
    fix: VALIDATOR_KEY,
  },
  "node signature not signed with validator master key": {
    meaning: "Only the master key does this.",
    cause: "The sender's key is not the node's identifier.",
    fix: "Sign with the master key.",
  },
  "there are no pending signatures for the given nodeID": {
    meaning: "There is nothing to sign for this node.",
    cause: "No signer change waits for it.",
    fix: "GET /api/v2/erc20/multisigcontrol/signer/added/bundles shows what there is.",
  },
  "node already has a pending key rotation": {
    meaning: "A rotation of this node waits for its block already.",
    cause: "Only one can wait at a time.",
    fix: "Wait for its target block.",
  },
  "target block height must be greater then current block": {
    meaning: "The target block is made already.",
    cause: "The height is in the past.",
    fix: "Give a later height.",
  },
  "current public key hash does not match": {
    meaning: "The hash of the present key is wrong.",
    cause: "It is not that of the key the node has now.",
    fix: "Hash the node's current key.",
  },
  "only tendermint validator can propose a protocol upgrade": {
    meaning: "The sender is not in the consensus.",
    cause: "Only such validators propose upgrades.",
    fix: "Sign with such a validator's key.",
  },
  "upgrade block earlier than current block height": {
    meaning: "The block of the upgrade is made already.",
    cause: "The height is in the past.",
    fix: "Give a later height.",
  },
  "upgrade version is too old": {
    meaning: "The version is not newer than the one that runs.",
    cause: "An upgrade goes forward.",
    fix: "Name a newer release.",
  },
} as const satisfies Readonly<Record<string, MessageEntry>>;

// Texts of commands that only validators send, and of events that they report from the bridge: code 70
// (docs/protocol/60-*.md).

const OPERATOR = "For the validator's operator: look at the node's keys and its log.";
const BRIDGE = "The event is passed over. For the validator's operator: compare it with the contract's log.";

export const VALIDATOR_TEXTS = {
  "missing required announce node fields": {
    meaning: "The announcement is not complete.",
    cause: "A key, an address or the epoch is missing.",
    fix: "Complete it.",
  },
  "invalid ethereum address": {
    meaning: "The text is not an Ethereum address.",
    cause: ADDRESS_FORM,
    fix: CORRECT,
  },
  "invalid blockchain public key": {
    meaning: "The key for the consensus is not valid.",
    cause: "It is 32 bytes in base64.",
    fix: CORRECT,
  },
  "invalid vega signature": {
    meaning: "The node's own signature does not verify.",
    cause: OTHER_KEY_OR_CONTENT,
    fix: OPERATOR,
  },
  "invalid ethereum signature": {
    meaning: "The node's Ethereum signature does not verify.",
    cause: OTHER_KEY_OR_CONTENT,
    fix: OPERATOR,
  },
  "unsupported algorithm of the vega signature": {
    meaning: "The signature is of an unknown kind.",
    cause: "`vega/ed25519`, version 1, is known.",
    fix: OPERATOR,
  },
  "a vega node is already registered with the blockchain node": {
    meaning: "A node with this consensus key is there already.",
    cause: KEY_IN_USE,
    fix: "Use the node's own key.",
  },
  "blockchain public key is already used by a node": {
    meaning: "Another node has this consensus key.",
    cause: KEY_IN_USE,
    fix: OWN_KEY,
  },
  "vega public key is already used by a node": {
    meaning: "Another node has this key.",
    cause: KEY_IN_USE,
    fix: OWN_KEY,
  },
  "new vega public key is already used by a node": {
    meaning: "Another node has the new key.",
    cause: KEY_IN_USE,
    fix: OWN_KEY,
  },
  "new vega public key is not a valid public key": {
    meaning: "The new key is not a public key.",
    cause: "It has 64 hexadecimal digits.",
    fix: CORRECT,
  },
  "a new vega public key index must be greather then current public key index": {
    meaning: "The new key's index is not above the present one.",
    cause: "Keys are used in the order of their indexes.",
    fix: "Give the next index.",
  },
  "ethereum key rotation is not from a validator": {
    meaning: NOT_A_VALIDATOR,
    cause: "Only validators have such keys.",
    fix: VALIDATOR_KEY,
  },
  "current Ethereum address does not match": {
    meaning: "The present address is another one.",
    cause: "It is not that of the node.",
    fix: "GET /validators shows it.",
  },
  "new Ethereum address cannot be the same as the previous Ethereum address": {
    meaning: "The new address is the old one.",
    cause: "A rotation needs another key.",
    fix: "Give the new key's address.",
  },
  "ethereum keys from a previous rotation have not been resolved on the multisig control contract": {
    meaning: "The last rotation is not finished.",
    cause: "The contract still lists the old signer.",
    fix: "Finish it on the contract first.",
  },
  "received an heartbeat from a non-validator node: <node>": {
    meaning: NOT_A_VALIDATOR,
    cause: "Only validators send heartbeats.",
    fix: OPERATOR,
  },
  "heartbeat received after expiry": {
    meaning: "The heartbeat came too late.",
    cause: "It answers a call of some blocks before.",
    fix: OPERATOR,
  },
  "vote is not from a validator": {
    meaning: NOT_A_VALIDATOR,
    cause: "Only validators say what they saw.",
    fix: OPERATOR,
  },
  "not a validator signature": {
    meaning: NOT_A_VALIDATOR,
    cause: "Only validators sign for the bridge.",
    fix: OPERATOR,
  },
  "unknown resource ID": {
    meaning: "There is nothing of this identifier to sign.",
    cause: "It is signed already, or never was there.",
    fix: OPERATOR,
  },
  "invalid resource ID": {
    meaning: "There is nothing of this identifier to vote on.",
    cause: "It is decided already, or never was there.",
    fix: OPERATOR,
  },
  "resource is already being verified": {
    meaning: "The validators look at it already.",
    cause: REPORTED_TWICE,
    fix: FIXES.none,
  },
  "unexpected node-signature kind": {
    meaning: "Signatures of this kind are not issued on request.",
    cause: "A signer is added or removed.",
    fix: "Give one of the two kinds.",
  },
  "invalid ethereum address of the submitter": {
    meaning: "The submitter is not an Ethereum address.",
    cause: ADDRESS_FORM,
    fix: CORRECT,
  },
  "invalid ethereum address of the signer": {
    meaning: "The signer is not an Ethereum address.",
    cause: ADDRESS_FORM,
    fix: BRIDGE,
  },
  "upgrade block out of range": {
    meaning: "The block of the upgrade is not a height.",
    cause: "It is beyond what a height can be.",
    fix: "Give another height.",
  },
  "invalid protocol version for upgrade received: version (<tag>), <reason>": {
    meaning: "The release is not a version.",
    cause: "It is like v0.72.0.",
    fix: CORRECT,
  },
  "chain event emitted from a non-validator node": {
    meaning: NOT_A_VALIDATOR,
    cause: "Only validators report from the bridge.",
    fix: OPERATOR,
  },
  "ERC20.AssetDelist not implemented": {
    meaning: "Assets are not taken off the list.",
    cause: "The network has no such step.",
    fix: FIXES.none,
  },
  "asset already being listed": {
    meaning: "The asset's listing is known already.",
    cause: REPORTED_TWICE,
    fix: FIXES.none,
  },
  "asset is not pending listing": {
    meaning: "The asset does not wait to be listed.",
    cause: "It is listed already, or was not voted for.",
    fix: BRIDGE,
  },
  "asset already enabled": {
    meaning: "The asset is enabled already.",
    cause: "It was listed twice.",
    fix: FIXES.none,
  },
  "asset has no update to apply": {
    meaning: "No change of this asset waits.",
    cause: "It was applied already, or never voted for.",
    fix: BRIDGE,
  },
  "expected an ERC20 asset but was not": {
    meaning: "The asset is not an ERC20 token.",
    cause: ERC20_ONLY,
    fix: BRIDGE,
  },
  "chain event for erc20 asset list received with missing node signatures": {
    meaning: "The asset was listed without the validators.",
    cause: "Too few of them have signed its bundle.",
    fix: BRIDGE,
  },
  "non builtin asset used for builtin asset chain event": {
    meaning: "The asset is not built in.",
    cause: "The faucet gives built-in assets alone.",
    fix: "Use a built-in asset.",
  },
  "non ERC20 for ERC20 chain event": {
    meaning: "The asset is not an ERC20 token.",
    cause: ERC20_ONLY,
    fix: BRIDGE,
  },
  "no collateral bridge is configured": {
    meaning: "The network has no bridge.",
    cause: "`blockchains.ethereumConfig` names no contract.",
    fix: "It is set at genesis.",
  },
  "account does not exists": {
    meaning: "There is no such account.",
    cause: "Nothing was ever deposited for it.",
    fix: DEPOSIT,
  },
  "invalid party": {
    meaning: "The party is not a public key.",
    cause: "It must have 64 hexadecimal digits.",
    fix: CORRECT,
  },
  "invalid amount": {
    meaning: "The amount is not a positive whole number of 256 bits.",
    cause: "It is empty, 0, negative or too large.",
    fix: CORRECT,
  },
  "invalid reference for withdrawal chain event": {
    meaning: "There is no such withdrawal.",
    cause: "Its nonce is not one the network gave.",
    fix: BRIDGE,
  },
  "invalid withdrawal state": {
    meaning: "The withdrawal is not open.",
    cause: "It was claimed or rejected before.",
    fix: BRIDGE,
  },
  "withdrawal not ready": {
    meaning: "The withdrawal was claimed before it was signed.",
    cause: "Too few validators have signed it.",
    fix: BRIDGE,
  },
  "invalid withdrawal reference nonce": {
    meaning: "The withdrawal's nonce is not a number.",
    cause: "The event is damaged.",
    fix: BRIDGE,
  },
  "unsupported staking event": {
    meaning: "The staking event is of an unknown kind.",
    cause: "Deposits, removals and the supply are known.",
    fix: BRIDGE,
  },
  "invalid stake event: the amount must be above 0": {
    meaning: "The event stakes nothing.",
    cause: "Its amount is 0.",
    fix: BRIDGE,
  },
  "invalid stake event: the amount is no base-10 number of at most 256 bits": {
    meaning: "The event's amount cannot be counted.",
    cause: "It is not a whole number in base 10, or larger than the network counts.",
    fix: BRIDGE,
  },
  "invalid stake event: the block time must be above 0": {
    meaning: "The event has no time.",
    cause: "Its block's time is 0.",
    fix: BRIDGE,
  },
  "stake total supply already processed": {
    meaning: "The supply of the token is known already.",
    cause: "It is reported once.",
    fix: FIXES.none,
  },
  "stake total supply being processed": {
    meaning: "The validators look at the supply already.",
    cause: REPORTED_TWICE,
    fix: FIXES.none,
  },
  "invalid stake total supply event": {
    meaning: "The event of the supply is not valid.",
    cause: "The amount is not a number.",
    fix: BRIDGE,
  },
  "invalid threshold": {
    meaning: "The threshold is not valid.",
    cause: "It is 1 to 1,000, in thousandths.",
    fix: BRIDGE,
  },
  "unsupported erc20 multisig event": {
    meaning: "The signer event is of an unknown kind.",
    cause: "Signers added or removed and the threshold are known.",
    fix: BRIDGE,
  },
  "unsupported transfer kind": {
    meaning: "The transfer is neither one-off nor recurring.",
    cause: "One of the two must be set.",
    fix: "Set `oneOff` or `recurring`.",
  },
  unimplemented: {
    meaning: "This way of undelegating is not there.",
    cause: "METHOD_NOW and METHOD_AT_END_OF_EPOCH are.",
    fix: "Choose one of them.",
  },
  "unable to update <key>: <reason>": {
    meaning: "The network parameter cannot have this value.",
    cause: "It is out of range, or has another form.",
    fix: "Give a value in range.",
  },
  "invalid lifetime limit": {
    meaning: "The asset's new lifetime limit is not an amount.",
    cause: "It is not a whole number.",
    fix: BRIDGE,
  },
  "invalid withdraw threshold": {
    meaning: "The asset's new withdrawal threshold is not an amount.",
    cause: "It is not a whole number.",
    fix: BRIDGE,
  },
  "duplicated threshold event": {
    meaning: "The change of the signers' threshold is known already.",
    cause: REPORTED_BEFORE,
    fix: BRIDGE,
  },
  "duplicated signer event": {
    meaning: "The change of the signers is known already.",
    cause: REPORTED_BEFORE,
    fix: BRIDGE,
  },
  "unsupported event action": {
    meaning: "The event holds nothing that the chain knows.",
    cause: "It is empty, or of a kind that this version does not have.",
    fix: BRIDGE,
  },
  "duplicated stake deposited event": {
    meaning: "The stake of this event is linked already.",
    cause: REPORTED_BEFORE,
    fix: BRIDGE,
  },
  "invalid signature": {
    meaning: "The signature for the bridge is not the node's.",
    cause: "Its Ethereum key has not signed what was asked for.",
    fix: OPERATOR,
  },
} as const satisfies Readonly<Record<string, MessageEntry>>;
