// Texts of commands that are refused by their own rules: code 70 (reference 30, section 4; reference 60).
import type { MessageRow } from "./explanation.ts";

const BALANCE = "GET /api/v2/accounts?filter.partyIds=YOUR_KEY shows what there is.";

export const EXECUTION = {
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
