// lyra tx build transfer, withdraw, delegate, vote: commands in the units that people say.

import { isEthereumAddress } from "../crypto/secp256k1.ts";
import { partiesOf } from "../wallet/sending/devnet-parties.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import { amountInUnits, assetOf, type NamedAsset, recipientOf, transferOf } from "../wallet/units.ts";
import { VoteValue } from "../wire/generated/vega.ts";
import { command, type Flags, option, type ValuesOf } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NETWORK, NODE_URLS, OUT } from "./flags.ts";
import { DRAFT_FLAGS, writeDraft } from "./tx.ts";
import { hostsOf } from "./tx-online.ts";
import { type CarriedBlock, readLastBlock } from "./wallet-tx-input.ts";

const FLAGS = { ...NODE_URLS, ...NETWORK, ...DRAFT_FLAGS, ...OUT } as const satisfies Flags;

type Values = ValuesOf<typeof FLAGS>;
interface Given {
  readonly values: Values;
  /** Flags without their variables. */
  readonly typed: Values;
}

export const AMOUNT = { text: "such as 5 or 0.25, as people write it" } as const;
export const ASSET = { text: "its symbol, its name, or its identifier" } as const;
const ID = /^[0-9a-f]{64}$/i;
const NOTES = `  Assets come from the file of --block, else from a node.
  Prints what lyra tx sign takes.`;

export const buildTransfer = command({
  words: { AMOUNT, ASSET, TO: { text: "the key that gets it, or a party of the devnet by its name" } },
  flags: { reference: option("TEXT", "a note for the transfer"), ...FLAGS },
  notes: NOTES,
  json: "as `tx build`",
  async run({ words: { AMOUNT: amount, ASSET: name, TO }, values, typed }) {
    const wrong = wrongOf("tx build transfer");
    const { asset, units, block, host } = await amountOf(amount, name, { values, typed }, wrong);
    const { publicKey } = recipientOf(TO, host === undefined ? [] : await partiesOf(host), wrong);
    const transfer = transferOf({
      asset: asset.id,
      amount: units,
      to: publicKey,
      reference: values.reference,
    });
    return writeDraft({ kind: "command", command: transfer, block }, values);
  },
});

export const buildWithdraw = command({
  words: { AMOUNT, ASSET, ADDRESS: { text: "the Ethereum address that gets it" } },
  flags: FLAGS,
  notes: NOTES,
  json: "as `tx build`",
  async run({ words: { AMOUNT: amount, ASSET: name, ADDRESS: receiverAddress }, values, typed }) {
    const wrong = wrongOf("tx build withdraw");
    if (!isEthereumAddress(receiverAddress))
      throw wrong("ADDRESS is an Ethereum address: 0x and 40 hexadecimal digits");
    const { asset, units, block } = await amountOf(amount, name, { values, typed }, wrong);
    const payload = { asset: asset.id, amount: units, ext: { erc20: { receiverAddress } } };
    return writeDraft({ kind: "command", command: { kind: "withdrawSubmission", payload }, block }, values);
  },
});

export const buildDelegate = command({
  words: { AMOUNT, VALIDATOR: { text: "its identifier: 64 hexadecimal digits" } },
  flags: FLAGS,
  notes: NOTES,
  json: "as `tx build`",
  async run({ words: { AMOUNT: amount, VALIDATOR }, values, typed }) {
    const wrong = wrongOf("tx build delegate");
    if (!ID.test(VALIDATOR)) throw wrong("VALIDATOR is 64 hexadecimal digits");
    const { assets, stakeAsset, block } = await chainOf({ values, typed }, wrong);
    const asset = assets.find(({ id }) => id === stakeAsset);
    if (asset === undefined) throw wrong("which asset is staked is not known: ask another node");
    const payload = { nodeId: VALIDATOR.toLowerCase(), amount: amountInUnits(amount, asset, wrong) };
    return writeDraft({ kind: "command", command: { kind: "delegateSubmission", payload }, block }, values);
  },
});

const VOTES: Readonly<Record<string, number>> = { yes: VoteValue.VALUE_YES, no: VoteValue.VALUE_NO };

export const buildVote = command({
  words: {
    PROPOSAL: { text: "its identifier: 64 hexadecimal digits" },
    VOTE: { text: "yes or no", choices: ["yes", "no"] },
  },
  flags: FLAGS,
  notes: "  Prints what lyra tx sign takes.",
  json: "as `tx build`",
  async run({ words: { PROPOSAL, VOTE }, values, typed }) {
    const wrong = wrongOf("tx build vote");
    const value = Object.hasOwn(VOTES, VOTE) ? VOTES[VOTE]! : undefined;
    if (value === undefined) throw wrong("a vote is yes or no");
    if (!ID.test(PROPOSAL)) throw wrong("PROPOSAL is 64 hexadecimal digits");
    const needsNode = values.block === undefined && values.height === undefined;
    const block = needsNode ? await new HttpNode(hostsOf(values, typed)[0]!).lastBlock() : undefined;
    const payload = { proposalId: PROPOSAL.toLowerCase(), value };
    return writeDraft({ kind: "command", command: { kind: "voteSubmission", payload }, block }, values);
  },
});

type Wrong = (message: string) => ReturnType<typeof usageError>;

const wrongOf =
  (name: string): Wrong =>
  (message) =>
    usageError(name, message);

interface ChainFacts {
  readonly assets: readonly NamedAsset[];
  readonly stakeAsset: string | undefined;
  /** Of the node that was asked; the file of `--block` is read by what makes the draft. */
  readonly block: CarriedBlock | undefined;
  readonly host: string | undefined;
}

/** Assets and the last block: of the file of `--block`, else of a node. */
async function chainOf({ values, typed }: Given, wrong: Wrong): Promise<ChainFacts> {
  if (values.block !== undefined) {
    const { assets, stakeAsset } = readLastBlock(values.block);
    if (assets === undefined)
      throw wrong(`${values.block} names no assets: make it again with lyra tx block, or say their node`);
    return { assets, stakeAsset, block: undefined, host: undefined };
  }
  const node = new HttpNode(hostsOf(values, typed)[0]!);
  const [assets, stakeAsset, last] = await Promise.all([
    node.listAssets(),
    node.stakeAsset(),
    values.height === undefined ? node.lastBlock() : undefined,
  ]);
  const block = last && { ...last, assets, stakeAsset };
  return { assets, stakeAsset, block, host: node.host };
}

async function amountOf(amount: string, name: string, given: Given, wrong: Wrong) {
  const chain = await chainOf(given, wrong);
  const asset = assetOf(name, chain.assets, wrong);
  return { ...chain, asset, units: amountInUnits(amount, asset, wrong) };
}
