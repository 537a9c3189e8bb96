// Texts of commands that only validators send, and of events that they report from the bridge: code 70 (reference 60).
import type { MessageRow } from "./explanation.ts";

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
