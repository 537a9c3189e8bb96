// Texts of commands that are refused by their own rules: code 70 (docs/protocol/30-node-api-commands.md#4-commands;
// docs/protocol/60-*.md).
import type { MessageRow } from "./explanation.ts";
import { MARKET_TEXTS } from "./market-texts.ts";

const BALANCE = "GET /api/v2/accounts?filter.partyIds=YOUR_KEY shows what there is.";

export const EXECUTION = {
  ...MARKET_TEXTS,
  "not enough funds to transfer": [
    "The account holds less than the transfer and its fee.",
    "A fee (`transfer.fee.factor`) is taken on top of the amount.",
    `Send less, or deposit first. ${BALANCE}`,
  ],
  "could not pay the fee for transfer: not enough funds to transfer": [
    "The amount is there, but not the fee on top of it.",
    "The fee is the amount times `transfer.fee.factor`.",
    `Send less. ${BALANCE}`,
  ],
  "internal error: the command was not executed": [
    "The command failed because of a fault in this program, not because of a rule.",
    "Its handler met something that it was not written for; what it had changed was taken back.",
    "The node's log says more (code command_fault). Report it with the transaction.",
  ],
  "could not transfer funds, asset does not exist": [
    "There is no such asset.",
    "The identifier is wrong, or the asset is not enabled yet.",
    "GET /api/v2/assets lists them.",
  ],
  "asset does not exist": [
    "There is no such asset, or it is not enabled yet.",
    "The identifier is wrong, or the asset is still proposed or pending listing.",
    "GET /api/v2/assets lists them with their status.",
  ],
  "could not transfer funds, less than minimal amount requested to transfer": [
    "The amount is below the minimum.",
    "The minimum is the asset's quantum times `transfer.minTransferQuantumMultiple`.",
    "Send more.",
  ],
  "invalid from account": [
    "The transfer does not come from a usable account.",
    "A party sends from its general account.",
    "Set fromAccountType to ACCOUNT_TYPE_GENERAL.",
  ],
  "invalid to account": [
    "The transfer names no usable account to go to.",
    "The owner does not go with the type.",
    "For a reward pool, `to` is 64 zeros.",
  ],
  "account does not exist: <account>": [
    "The sender has no such account.",
    "It has never held this asset.",
    "Deposit first.",
  ],
  "invalid transfer amount": [
    "The amount is not a whole number.",
    "Amounts have at most 256 bits.",
    "Correct the amount.",
  ],
  "cannot transfer zero funds": ["The amount is 0.", "Nothing would be moved.", "Give an amount above 0."],
  "unsupported from account type": [
    "Transfers from this type of account are not possible.",
    "A party sends from its general account.",
    "Set fromAccountType to ACCOUNT_TYPE_GENERAL.",
  ],
  "unsupported to account type": [
    "Transfers to this type of account are not possible.",
    "They go to general accounts and reward accounts.",
    "Choose one of those.",
  ],
  "to party is invalid for reward account type": [
    "A reward pool belongs to nobody.",
    "`to` is a party.",
    "Set `to` to 64 zeros.",
  ],
  "cannot submit duplicate recurring transfer with same from and to": [
    "There is such a recurring transfer already.",
    "One party has one recurring transfer to a target at a time.",
    "Cancel the running one first.",
  ],
  "start epoch in the past": [
    "The first epoch is over already.",
    "A recurring transfer begins in this epoch or later.",
    "`epochSeq` in GET /statistics is the current one.",
  ],
  "end epoch is zero": [
    "The last epoch is 0.",
    "Left out, the transfer goes on; 0 is not an epoch.",
    "Leave `endEpoch` out, or give a later epoch.",
  ],
  "start epoch is zero": [
    "The first epoch is 0.",
    "Epochs of recurring transfers count from 1.",
    "Give the current epoch or a later one.",
  ],
  "start epoch after end epoch": [
    "The end lies before the start.",
    "Both are numbers of epochs.",
    "Exchange them.",
  ],
  "invalid factor": [
    "The factor is not above 0.",
    "Each epoch pays the factor times what the one before paid.",
    "Give a factor such as 1.",
  ],
  "recurring transfer does not exists": [
    "There is no such recurring transfer.",
    "It has ended, or was never one: one-off transfers cannot be cancelled.",
    "GET /api/v2/transfers lists them.",
  ],
  "cannot cancel other parties recurring transfers": [
    "The transfer is somebody else's.",
    "Only its sender cancels it.",
    "Sign with the sender's key.",
  ],
  "missing withdraw submission erc20 ext": [
    "The withdrawal does not say to which address.",
    "An ERC20 asset goes to an Ethereum address.",
    "Give ext.erc20.receiverAddress.",
  ],
  "invalid withdrawal, amount under minimum required": [
    "The amount is below the minimum.",
    "The minimum is the asset's quantum times `spam.protection.minimumWithdrawalQuantumMultiple`.",
    "Withdraw more.",
  ],
  "not enough funds to withdraw": [
    "The account holds less than that.",
    "Only the general account counts.",
    BALANCE,
  ],
  "amount overflows 256 bits": [
    "There would be more of the asset than an amount can say.",
    "Amounts have 256 bits, and the whole of an asset must fit.",
    "Use a smaller amount.",
  ],
  "withdrawal issuance is disabled when the erc20 is stopped": [
    "The bridge is stopped.",
    "Its operators have paused it on Ethereum.",
    "Wait until it is resumed.",
  ],
  "invalid node ID": [
    "There is no such validator.",
    "The identifier is wrong, or the node has left.",
    "GET /api/v2/nodes lists them by `id`.",
  ],
  "cannot find staking account for the party": [
    "This key has no stake.",
    "Delegating takes staked governance tokens.",
    "Stake first. On a devnet: lyra devnet stake.",
  ],
  "insufficient balance for delegation": [
    "Not so much stake is free.",
    "The rest is delegated already, this epoch or the next.",
    "Delegate less, or undelegate elsewhere.",
  ],
  "incorrect token amount for undelegation": [
    "Less than that is delegated to this node.",
    "The amount is above the delegation.",
    "Give less, or `0` for all of it.",
  ],
  "delegation amount is lower than the minimum amount for delegation for a validator": [
    "The amount is below the minimum.",
    "`validators.delegation.minAmount` sets it.",
    "Delegate more.",
  ],
  "amount is not a valid base 10 number": [
    "The amount is not a whole number.",
    "It is empty or has other characters.",
    "Give digits; `0` undelegates everything.",
  ],
  "proposal does not exist": [
    "There is no such proposal.",
    "The identifier is wrong, or the proposal was refused.",
    "GET /api/v2/governances lists them.",
  ],
  "proposal is not open for votes": [
    "The vote is over, or has not begun.",
    "Votes count while the state is STATE_OPEN.",
    "GET /api/v2/governance?proposalId=ID shows the state.",
  ],
  "no balance for party": [
    "This key has no stake to vote with.",
    "A vote weighs what is staked.",
    "Stake first.",
  ],
  "vote requires more tokens than the party has": [
    "Too little is staked for a vote.",
    "`governance.proposal.<kind>.minVoterBalance` sets the minimum.",
    "Stake more.",
  ],
  "proposal with given ID already exists": [
    "This proposal is there already.",
    "Its transaction was sent twice.",
    "Look at the first one.",
  ],
  "unknown key": [
    "There is no network parameter of this name.",
    "The key is misspelt.",
    "GET /api/v2/network/parameters lists them.",
  ],
  "network parameter update disabled for <key>": [
    "This parameter cannot be changed by a proposal.",
    "It names the bridge's contracts.",
    "Nothing: it is set at genesis.",
  ],
  "node signature not sent by validator": [
    "Only validators send this command.",
    "The sender's key is not a validator's.",
    "Sign with the validator's key.",
  ],
  "node signature not signed with validator master key": [
    "Only the master key does this.",
    "The sender's key is not the node's identifier.",
    "Sign with the master key.",
  ],
  "there are no pending signatures for the given nodeID": [
    "There is nothing to sign for this node.",
    "No signer change waits for it.",
    "GET /api/v2/erc20/multisigcontrol/signer/added/bundles shows what there is.",
  ],
  "node already has a pending key rotation": [
    "One rotation of this node waits for its block already.",
    "Only one can wait at a time.",
    "Wait for its target block.",
  ],
  "target block height must be greater then current block": [
    "The target block is made already.",
    "The height is in the past.",
    "Give a later height.",
  ],
  "current public key hash does not match": [
    "The hash of the present key is wrong.",
    "It is not that of the key the node has now.",
    "Hash the node's current key.",
  ],
  "only tendermint validator can propose a protocol upgrade": [
    "The sender is not in the consensus.",
    "Only such validators propose upgrades.",
    "Sign with such a validator's key.",
  ],
  "upgrade block earlier than current block height": [
    "The block of the upgrade is made already.",
    "The height is in the past.",
    "Give a later height.",
  ],
  "upgrade version is too old": [
    "The version is not newer than the one that runs.",
    "An upgrade goes forward.",
    "Name a newer release.",
  ],
} as const satisfies Readonly<Record<string, MessageRow>>;

// Texts of commands that only validators send, and of events that they report from the bridge: code 70
// (docs/protocol/60-*.md).

const OPERATOR = "For whoever runs the validator: look at the node's keys and its log.";
const BRIDGE =
  "The event is passed over. For whoever runs the validator: compare it with the contract's log.";

export const VALIDATOR_TEXTS = {
  "missing required announce node fields": [
    "The announcement is not complete.",
    "A key, an address or the epoch is missing.",
    "Complete it.",
  ],
  "invalid ethereum address": [
    "The text is not an Ethereum address.",
    "It must be `0x` and 40 hexadecimal digits.",
    "Correct it.",
  ],
  "invalid blockchain public key": [
    "The key for the consensus is not valid.",
    "It is 32 bytes in base64.",
    "Correct it.",
  ],
  "invalid vega signature": [
    "The node's own signature does not verify.",
    "It was made with another key, or over other content.",
    OPERATOR,
  ],
  "invalid ethereum signature": [
    "The node's Ethereum signature does not verify.",
    "It was made with another key, or over other content.",
    OPERATOR,
  ],
  "unsupported algorithm of the vega signature": [
    "The signature is of an unknown kind.",
    "`vega/ed25519`, version 1, is known.",
    OPERATOR,
  ],
  "a vega node is already registered with the blockchain node": [
    "A node with this consensus key is there already.",
    "A key stands for one node.",
    "Use the node's own key.",
  ],
  "vega public key is already used by a node": [
    "Another node has this key.",
    "A key stands for one node.",
    "Take a key of its own.",
  ],
  "new vega public key is already used by a node": [
    "Another node has the new key.",
    "A key stands for one node.",
    "Take a key of its own.",
  ],
  "new vega public key is not a valid public key": [
    "The new key is not a public key.",
    "It has 64 hexadecimal digits.",
    "Correct it.",
  ],
  "a new vega public key index must be greather then current public key index": [
    "The new key's index is not above the present one.",
    "Keys are used in the order of their indexes.",
    "Give the next index.",
  ],
  "ethereum key rotation is not from a validator": [
    "The sender is not a validator.",
    "Only validators have such keys.",
    "Sign with the validator's key.",
  ],
  "current Ethereum address does not match": [
    "The present address is another one.",
    "It is not that of the node.",
    "GET /validators shows it.",
  ],
  "new Ethereum address cannot be the same as the previous Ethereum address": [
    "The new address is the old one.",
    "A rotation needs another key.",
    "Give the new key's address.",
  ],
  "ethereum keys from a previous rotation have not been resolved on the multisig control contract": [
    "The last rotation is not finished.",
    "The contract still lists the old signer.",
    "Finish it on the contract first.",
  ],
  "received an heartbeat from a non-validator node: <node>": [
    "The sender is not a validator.",
    "Only validators send heartbeats.",
    OPERATOR,
  ],
  "heartbeat received after expiry": [
    "The heartbeat came too late.",
    "It answers a call of some blocks before.",
    OPERATOR,
  ],
  "vote is not from a validator": [
    "The sender is not a validator.",
    "Only validators say what they saw.",
    OPERATOR,
  ],
  "not a validator signature": [
    "The sender is not a validator.",
    "Only validators sign for the bridge.",
    OPERATOR,
  ],
  "unknown resource ID": [
    "There is nothing of this identifier to sign.",
    "It is signed already, or never was there.",
    OPERATOR,
  ],
  "invalid resource ID": [
    "There is nothing of this identifier to vote on.",
    "It is decided already, or never was there.",
    OPERATOR,
  ],
  "resource is already being verified": [
    "The validators look at it already.",
    "It was reported twice.",
    "Nothing.",
  ],
  "unexpected node-signature kind": [
    "Signatures of this kind are not issued on request.",
    "A signer is added or removed.",
    "Give one of the two kinds.",
  ],
  "invalid ethereum address of the submitter": [
    "The submitter is not an Ethereum address.",
    "It must be `0x` and 40 hexadecimal digits.",
    "Correct it.",
  ],
  "invalid ethereum address of the signer": [
    "The signer is not an Ethereum address.",
    "It must be `0x` and 40 hexadecimal digits.",
    BRIDGE,
  ],
  "upgrade block out of range": [
    "The block of the upgrade is not a height.",
    "It is beyond what a height can be.",
    "Give another height.",
  ],
  "invalid protocol version for upgrade received: version (<tag>), <reason>": [
    "The release is not a version.",
    "It is like v0.72.0.",
    "Correct it.",
  ],
  "chain event emitted from a non-validator node": [
    "The sender is not a validator.",
    "Only validators report from the bridge.",
    OPERATOR,
  ],
  "ERC20.AssetDelist not implemented": [
    "Assets are not taken off the list.",
    "The network has no such step.",
    "Nothing.",
  ],
  "asset already being listed": [
    "The asset's listing is known already.",
    "It was reported twice.",
    "Nothing.",
  ],
  "asset is not pending listing": [
    "The asset does not wait to be listed.",
    "It is listed already, or was not voted for.",
    BRIDGE,
  ],
  "asset already enabled": ["The asset is enabled already.", "It was listed twice.", "Nothing."],
  "asset has no update to apply": [
    "No change of this asset waits.",
    "It was applied already, or never voted for.",
    BRIDGE,
  ],
  "expected an ERC20 asset but was not": [
    "The asset is not an ERC20 token.",
    "Only such assets are on the bridge.",
    BRIDGE,
  ],
  "chain event for erc20 asset list received with missing node signatures": [
    "The asset was listed without the validators.",
    "Too few of them have signed its bundle.",
    BRIDGE,
  ],
  "non builtin asset used for builtin asset chain event": [
    "The asset is not built in.",
    "The faucet gives built-in assets alone.",
    "Use a built-in asset.",
  ],
  "non ERC20 for ERC20 chain event": [
    "The asset is not an ERC20 token.",
    "Only such assets are on the bridge.",
    BRIDGE,
  ],
  "no collateral bridge is configured": [
    "The network has no bridge.",
    "`blockchains.ethereumConfig` names no contract.",
    "It is set at genesis.",
  ],
  "account does not exists": [
    "There is no such account.",
    "Nothing was ever deposited for it.",
    "Deposit first.",
  ],
  "invalid party": ["The party is not a public key.", "It must have 64 hexadecimal digits.", "Correct it."],
  "invalid amount": [
    "The amount is not a positive whole number of 256 bits.",
    "It is empty, 0, negative or too large.",
    "Correct it.",
  ],
  "invalid reference for withdrawal chain event": [
    "There is no such withdrawal.",
    "Its nonce is not one the network gave.",
    BRIDGE,
  ],
  "invalid withdrawal state": ["The withdrawal is not open.", "It was claimed or rejected before.", BRIDGE],
  "withdrawal not ready": [
    "The withdrawal was claimed before it was signed.",
    "Too few validators have signed it.",
    BRIDGE,
  ],
  "invalid withdrawal reference nonce": [
    "The withdrawal's nonce is not a number.",
    "The event is damaged.",
    BRIDGE,
  ],
  "unsupported staking event": [
    "The staking event is of an unknown kind.",
    "Deposits, removals and the supply are known.",
    BRIDGE,
  ],
  "invalid stake event: the amount must be above 0": [
    "The event stakes nothing.",
    "Its amount is 0.",
    BRIDGE,
  ],
  "invalid stake event: the amount is no base-10 number of at most 256 bits": [
    "The event's amount cannot be counted.",
    "It is not a whole number in base 10, or larger than the network counts.",
    BRIDGE,
  ],
  "invalid stake event: the block time must be above 0": [
    "The event has no time.",
    "Its block's time is 0.",
    BRIDGE,
  ],
  "stake total supply already processed": [
    "The supply of the token is known already.",
    "It is reported once.",
    "Nothing.",
  ],
  "stake total supply being processed": [
    "The validators look at the supply already.",
    "It was reported twice.",
    "Nothing.",
  ],
  "invalid stake total supply event": [
    "The event of the supply is not valid.",
    "The amount is not a number.",
    BRIDGE,
  ],
  "invalid threshold": ["The threshold is not valid.", "It is 1 to 1,000, in thousandths.", BRIDGE],
  "unsupported erc20 multisig event": [
    "The signer event is of an unknown kind.",
    "Signers added or removed and the threshold are known.",
    BRIDGE,
  ],
  "unsupported transfer kind": [
    "The transfer is neither one-off nor recurring.",
    "One of the two must be set.",
    "Set `oneOff` or `recurring`.",
  ],
  unimplemented: [
    "This way of undelegating is not there.",
    "METHOD_NOW and METHOD_AT_END_OF_EPOCH are.",
    "Choose one of them.",
  ],
  "unable to update <key>: <reason>": [
    "The network parameter cannot have this value.",
    "It is out of range, or has another form.",
    "Give a value in range.",
  ],
  "invalid lifetime limit": [
    "The asset's new lifetime limit is not an amount.",
    "It is not a whole number.",
    BRIDGE,
  ],
  "invalid withdraw threshold": [
    "The asset's new withdrawal threshold is not an amount.",
    "It is not a whole number.",
    BRIDGE,
  ],
  "duplicated threshold event": [
    "The change of the signers' threshold is known already.",
    "Another validator reported it before.",
    BRIDGE,
  ],
  "duplicated signer event": [
    "The change of the signers is known already.",
    "Another validator reported it before.",
    BRIDGE,
  ],
  "unsupported event action": [
    "The event holds nothing that the chain knows.",
    "It is empty, or of a kind that this version does not have.",
    BRIDGE,
  ],
  "duplicated stake deposited event": [
    "The stake of this event is linked already.",
    "Another validator reported it before.",
    BRIDGE,
  ],
  "invalid signature": [
    "The signature for the bridge is not the node's.",
    "Its Ethereum key has not signed what was asked for.",
    OPERATOR,
  ],
} as const satisfies Readonly<Record<string, MessageRow>>;
