/**
 * The answers below `/lyra/v1` about the chain and its node, declared for the node that gives them, for the page that shows
 * them, and for the document.
 */
import { choice, flag, json, list, nullable, object, text, type ValueOf, whole } from "./declaration.ts";

const TIME = "RFC 3339 in UTC";
const HASH = "64 hexadecimal digits";

export const NODE_KINDS = ["devnet", "sidecar", "validator", "data node"] as const;
const PORT_NAMES = ["data", "node", "faucet", "grpcData", "grpcNode", "comet", "events"] as const;

export const ADDRESSES_BODY = object({
  kind: choice("The mode of this node.", NODE_KINDS),
  version: text("Version of Lyra."),
  commit: text("Commit that it was built from; `source` where it runs from its sources."),
  commandLine: text(
    "The words in place of `lyra` on its machine, such as `npm run lyra --`; the path of an executable of a devnet alone, and only to pages and programs of its machine.",
  ),
  "home?": text(
    "Its home, for `--home` of commands that read one; of a devnet, where it is not the default, to pages and programs of its machine.",
  ),
  listening: list(
    "Its ports.",
    object({
      name: choice("The listening program.", PORT_NAMES),
      title: text("The same in words."),
      scheme: choice("Its protocol.", ["http", "grpc", "tcp", "unix"]),
      host: text(
        "Address that it listens on; the path of a socket of this machine, which stands here for its pages and programs alone.",
      ),
      port: whole("The port; 0 of a path."),
      path: text("Where to begin; empty where there is no such path."),
    }),
  ),
});

export const STATE_BODY = object({
  height: whole("The last block: the state is the one after it."),
  appHash: text(`Application hash of the last block, ${HASH}.`),
  digest: text(`Digest of this part of the state, ${HASH}: equal for equal entries.`),
  entries: whole("Entries in this part."),
  "tables?": list(
    "Tables that have entries, by name; without `table`.",
    object({ table: text("Name."), entries: whole("Entries."), digest: text(`Digest, ${HASH}.`) }),
  ),
  "children?": list(
    "Digests by the next hexadecimal digit of `prefix`, 16 of them.",
    text("Digest; empty where there is nothing."),
  ),
  "leaf?": list(
    "The entries, where the table does not branch further.",
    object({ key: text("Key in the table."), value: text("Value, as it is stored.") }),
  ),
});

export const BLOCKS_BODY = object({
  blocks: list(
    "Newest first.",
    object({
      height: whole("Its height."),
      hash: text(`Its hash, ${HASH}.`),
      time: text(`Its time, ${TIME}.`),
      transactions: whole("Transactions in it."),
    }),
  ),
});

const TRANSACTION = {
  hash: text(`Hash of its bytes, ${HASH} in upper case.`),
  height: whole("Its block."),
  index: whole("Its place in the block."),
  time: text(`Time of the block, ${TIME}.`),
  submitter: text("Public key of the sender."),
  type: text("The kind of command, such as `Transfer Funds`."),
  title: text("The command in words."),
  code: whole("0 where it was executed; else the code of the refusal."),
  error: text("Text of the refusal; empty where it was executed."),
  impersonated: flag("Whether a devnet's tool made it, without a signature."),
  ofValidators: flag("Whether it is a command that validators send as part of their work."),
} as const;

export const ACTIVITY_BODY = object({
  transactions: list(
    "Newest first.",
    object({ ...TRANSACTION, cursor: text("Its place, for `before` and `after`.") }),
  ),
});

const ACCOUNT = {
  party: text("Owner; empty for the network's own accounts."),
  asset: text("Identifier of the asset."),
  market: text("Identifier of the market; empty where the account belongs to none."),
  type: text("Account type, such as `ACCOUNT_TYPE_GENERAL`."),
} as const;

export const TRANSACTION_BODY = object({
  ...TRANSACTION,
  lines: list(
    "The command's members in words.",
    object({ label: text("Name of the member."), text: text("Its value.") }),
  ),
  warnings: list("Advice before signing such a command.", text("A sentence.")),
  command: json("The command as JSON, with nonce and height where the bytes are known."),
  checks: object(
    {
      signature: choice(
        "Verdict on the signature; `none` where it has none, `unknown` where this node has only the result.",
        ["valid", "invalid", "none", "unknown"],
      ),
      proofOfWork: choice(
        "Verdict on the proof of work, against the difficulty of the network parameters as they are now; `none` where the transaction has none, `unknown` where its bytes or its block are not in this store.",
        ["valid", "too weak", "invalid", "none", "unknown"],
      ),
      difficulty: nullable(whole("Leading zero bits of the proof.")),
      required: nullable(whole("Leading zero bits that the network asks for at least.")),
      proofHeight: nullable(whole("The block that the proof is for.")),
      bytes: nullable(whole("Size of the transaction.")),
      algorithm: text("Algorithm of the signature; empty where it is unknown."),
      signatureValue: text("The signature, hexadecimal; empty where it is unknown."),
    },
    "Signature and proof of work, verified again.",
  ),
  sentence: text(
    "The refusal with the sender's numbers, such as the margin that an order takes and the balances that it has; empty where this node does not remember it.",
  ),
  explanations: list(
    "Of a refusal: what `lyra explain` answers.",
    object({
      code: text("Number or name."),
      means: text("The meaning."),
      why: text("Why it happens; may be empty."),
      fix: text("The way out."),
    }),
  ),
  movements: list(
    "Money that it moved.",
    object({
      from: object(ACCOUNT),
      to: object(ACCOUNT),
      amount: text("In the asset's smallest unit."),
      type: text("Transfer type, such as `TRANSFER_TYPE_TRANSFER_FUNDS_SEND`."),
    }),
  ),
  balances: list(
    "Balances that it changed, as they are after its block.",
    object({ ...ACCOUNT, balance: text("In the asset's smallest unit.") }),
  ),
  events: list(
    "Rows of the store that it wrote, by table; of some tables with their content.",
    object({
      table: text("Name of the table."),
      rows: whole("Number of rows."),
      "data?": list("Their messages.", json("The message.")),
    }),
  ),
});

export const PARAMETERS_BODY = object({
  parameters: list(
    "By name.",
    object({
      key: text("Name of the parameter."),
      value: text("Its value now."),
      default: nullable(text("Its default; null for a parameter that this version does not have.")),
      changed: flag("Whether value and default differ."),
    }),
  ),
  total: whole("Number of parameters that the filter `changed` leaves, those outside of this answer too."),
});

export const SEGMENTS_BODY = object({
  segments: list(
    "Newest first.",
    object({
      id: text("SHA-256 of its record, hexadecimal; names its file."),
      from: whole("Its first block."),
      to: whole("Its last block."),
      chainId: text("Chain of its blocks."),
      bytes: whole("Size of its file."),
    }),
  ),
  total: whole("Segments in the store."),
  stretches: list(
    "Blocks that segments hold without a gap, the oldest first; of very many the newest.",
    object({ from: whole("First block."), to: whole("Last block.") }),
  ),
});

export const AUCTIONS_BODY = object({
  auctions: list(
    "Newest first.",
    object({
      start: text(`Time at which it began, ${TIME}.`),
      end: nullable(text(`Time from which it could end, as last announced, ${TIME}; null where none was.`)),
      left: nullable(text(`Time of the first block after it, ${TIME}; null while it runs.`)),
      mode: text("`TRADING_MODE_...`, as the data API names it."),
      trigger: text("Reason of it: `AUCTION_TRIGGER_...`."),
      extension: text("Reason of its extension; `AUCTION_TRIGGER_UNSPECIFIED` without one."),
    }),
  ),
  since: nullable(text(`Auctions before this time are left out, ${TIME}; null where none is.`)),
});

const MATCH_KINDS = [
  "block",
  "transaction",
  "party",
  "asset",
  "market",
  "proposal",
  "validator",
  "order",
  "deposit",
  "withdrawal",
  "epoch",
] as const;

export const MATCHES_BODY = object({
  matches: list(
    "The closest first.",
    object({
      kind: choice("Kind of the result.", MATCH_KINDS),
      id: text("Its identifier, hash, height or number."),
      title: text("Its name, or what is known of it in words."),
    }),
  ),
});

export type Addresses = ValueOf<typeof ADDRESSES_BODY>;
export type Blocks = ValueOf<typeof BLOCKS_BODY>;
export type Activity = ValueOf<typeof ACTIVITY_BODY>;
export type TransactionStory = ValueOf<typeof TRANSACTION_BODY>;
export type Parameters = ValueOf<typeof PARAMETERS_BODY>;
export type Segments = ValueOf<typeof SEGMENTS_BODY>;
export type Auctions = ValueOf<typeof AUCTIONS_BODY>;
export type Matches = ValueOf<typeof MATCHES_BODY>;
