// lyra tx block, prove, send: the steps on the machine with a network.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DIFFICULTY_MAX } from "../chain/admission/pow/function.ts";
import { Solver } from "../chain/admission/pow/solver.ts";
import { devnetHomes, devnetNodeUrl } from "../devnet/home.ts";
import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { networksFolder } from "../planes/wallet/start.ts";
import { walletError } from "../wallet/errors.ts";
import { withFolderLock } from "../wallet/keystore/folder-keystore.ts";
import { secureRandom } from "../wallet/random.ts";
import { type LastBlock, PROOF_BITS_MAX, proofTooHard } from "../wallet/sending/blocks.ts";
import { GivenSender, type GivenTransaction, tidOf } from "../wallet/sending/given-sender.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import type { SendingMode } from "../wallet/sending/nodes.ts";
import { NodePool } from "../wallet/sending/nodes.ts";
import { GIVEN_EXTRA_BITS_MAX } from "../wallet/sending/planner.ts";
import { TransactionSender } from "../wallet/sending/sender.ts";
import { FileLedger, PlannerBook } from "../wallet/sending/sent-ledger.ts";
import { chainIdOf, Networks } from "../wallet/service/networks.ts";
import { withProof } from "../wallet/signing/transaction.ts";
import type { ProofOfWork, Transaction } from "../wire/generated/commands.ts";
import { type CommandInit, transactionHash } from "../wire/transaction.ts";
import { checkSignature, examine } from "../wire/transaction-check.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { command, type Flags, option, toggle, type ValuesOf } from "./command/command.ts";
import { usageError, wholeNumber } from "./command/usage-error.ts";
import { NETWORK, NODE_URLS, OUT } from "./flags.ts";
import { dim, onEndSignal, say } from "./terminal.ts";
import {
  type OutputValues,
  sayValidity,
  type Validity,
  validityAt,
  validityOf,
  writeResult,
} from "./tx-output.ts";
import { print } from "./wallet-opening.ts";
import { blockDocument, carriedAssets, readInput, readLastBlock } from "./wallet-tx-input.ts";

/** Nodes to ask, and the way of sending. */
export const NODE_FLAGS = {
  ...NODE_URLS,
  ...NETWORK,
  "chain-id": option("ID", "the only chain to talk to"),
  wait: option("SECONDS", "for room (20)"),
  timeout: option("SECONDS", "for a node's answer", { isMinor: true }),
  threads: option("N", "that make the proof", { isMinor: true }),
  "sole-user": toggle("no other wallet uses the key"),
} as const satisfies Flags;

export const MODES: Readonly<Record<string, SendingMode>> = {
  sync: "TYPE_SYNC",
  async: "TYPE_ASYNC",
  commit: "TYPE_COMMIT",
};

const INPUT = { text: "the signed transaction: a file, - or what the step before printed" };

/** Facts of the chain for the signing machine; with a key, a place on the block is reserved for it. */
export const block = command({
  flags: {
    key: option("KEY", "a place on the block is kept for this key"),
    ...OUT,
    ...NODE_FLAGS,
  },
  json: "as `GET /blockchain/height`: {height, hash, chainId, spamPow...}, with {assets: [{id, name, symbol, decimals}], stakeAsset} of the node",
  async run({ values, typed }) {
    const { key } = values;
    if (key !== undefined && !/^[0-9a-f]{64}$/.test(key)) {
      throw usageError("tx", "--key is a public key: 64 hexadecimal digits");
    }
    return online(values, nodesOf(values, typed), async ({ sender, given }) => {
      const chosen = key === undefined ? await sender.lastBlock() : await given.offer(key);
      const [assets, stakeAsset] = await Promise.all([
        sender.factsOfNode((client) => client.listAssets?.()),
        sender.factsOfNode((client) => client.stakeAsset?.()),
      ]);
      const document = blockDocument({ ...chosen, assets: assets && carriedAssets(assets), stakeAsset });
      if (!values.quiet && !values.json) sayValidity(validityOf(chosen.height, chosen));
      return writeResult(values, document, JSON.stringify(document));
    });
  },
});

/** Adds the proof of work, with the difficulty that a node or a file gives. */
export const prove = command({
  words: { INPUT },
  usage: [
    "INPUT --node-url URL [--block FILE]",
    "INPUT (--block FILE | --block-hash HASH --difficulty N) [flags]",
  ],
  flags: {
    block: option("FILE", "the block, as lyra tx block wrote it"),
    "block-hash": option("HASH", "without a node: the block"),
    difficulty: option("N", "without a node: its zero bits"),
    tid: option("TID", "without a node: the proof's identifier"),
    ...OUT,
    ...NODE_FLAGS,
  },
  json: "{transaction, hash, blockHeight, chainId?, pow: {tid, nonce}, validUntilHeight?, validForBlocks?, block?}",
  async run({ words: { INPUT: source }, values, typed }) {
    const signed = signedIn(source, values.block);
    if (!hasNodes(values)) return proveAlone(signed, values);
    for (const flag of ["block-hash", "difficulty", "tid"] as const) {
      if (values[flag] !== undefined)
        throw usageError("tx", `--${flag} does not go with a node, which says it`);
    }
    return online(values, nodesOf(values, typed), async ({ sender, given, signal }) => {
      const chainId = await checkedChain(signed, sender);
      const { pow, lastHeight, head } = await given.prove(givenOf(signed), signal);
      return writeProven(values, { ...signed, chainId }, pow, validityAt(lastHeight, head));
    });
  },
});

/** Sends a transaction once, with a new proof if it has none. */
export const send = command({
  words: { INPUT },
  flags: {
    block: option("FILE", "the block, as lyra tx block wrote it"),
    type: option("TYPE", "sync (default), async or commit"),
    ...NODE_FLAGS,
  },
  notes: `  A transaction without a proof gets one; one that would get its key banned is
  not sent. Exit code 1: the network refused it; 3: nothing was sent, or the
  outcome is unknown: send it again as it is.`,
  json: "{transactionHash, height, node: {host}, validUntilHeight?, validForBlocks?}",
  async run({ words: { INPUT: source }, values, typed }) {
    const mode = Object.hasOwn(MODES, values.type ?? "sync") ? MODES[values.type ?? "sync"]! : undefined;
    if (mode === undefined) throw usageError("tx", "--type is sync, async or commit");
    const signed = signedIn(source, values.block);
    return online(values, nodesOf(values, typed), async ({ sender, given, signal }) => {
      await checkedChain(signed, sender);
      const isLoud = !values.quiet && !values.json;
      if (isLoud) await sayRunningRelease(signed, sender);
      if (COMMANDS[signed.command.kind].isValidatorCommand) {
        return printSent(values, await sender.sendRaw(signed.bytes, mode));
      }
      if (isLoud && signed.transaction.pow !== undefined) {
        say(dim(`sending ${transactionHash(signed.bytes).toUpperCase()}`));
      }
      const { lastHeight, head, ...sent } = await given.send(givenOf(signed), mode, signal);
      const validity = validityAt(lastHeight, head);
      if (isLoud && sent.height === 0n) sayValidity(validity);
      return printSent(values, sent, validity);
    });
  },
});

/** A proposal of the running release is valid, and proposes nothing. */
async function sayRunningRelease({ command: { kind, payload } }: Signed, sender: TransactionSender) {
  if (kind !== "protocolUpgradeProposal") return;
  const running = await sender.factsOfNode((client) => client.chainRelease?.());
  const { vegaReleaseTag: tag = "" } = payload;
  if (running === undefined || tag.replace(/^v/, "") !== running.replace(/^v/, "")) return;
  say(`the chain runs ${running}: this proposes no upgrade, and takes back what the validator has proposed`);
}

interface Signed {
  readonly transaction: Transaction;
  readonly bytes: Uint8Array;
  readonly command: CommandInit;
  readonly height: bigint;
  readonly chainId: string | undefined;
  readonly block: GivenTransaction["block"];
}

/** @throws NodeError for unsigned bytes, or a transaction that the network must refuse: it could only cost the sender */
function signedIn(source: string, blockFile: string | undefined): Signed {
  const input = readInput(source);
  if (input.kind !== "transaction") throw usageError("tx", "this takes a signed transaction: lyra tx sign");
  const { transaction, bytes, chainId } = input;
  const content = examine(transaction);
  if (content instanceof PropertyErrors) throw walletError("command_broken", content.toString());
  const { kind, input: data } = content;
  const height = data.blockHeight;
  const block = blockFile === undefined ? input.block : readLastBlock(blockFile);
  if (block !== undefined && block.height !== height) {
    throw walletError(
      "block_mismatch",
      `the transaction names block ${height}, and the file is of block ${block.height}`,
      "take the file that it was built with, or say --block-hash and --difficulty",
    );
  }
  return {
    transaction,
    bytes,
    command: { kind, payload: data[kind] } as CommandInit,
    height,
    chainId,
    block,
  };
}

async function checkedChain(
  { transaction, chainId }: Signed,
  sender: { chainId(): Promise<string> },
): Promise<string> {
  const nodeChainId = await sender.chainId();
  if (chainId !== undefined && chainId !== nodeChainId) {
    throw walletError(
      "wrong_chain",
      `it is signed for the chain ${chainId}, and the node is of ${nodeChainId}`,
    );
  }
  const signature = checkSignature(transaction, nodeChainId);
  if (signature instanceof PropertyErrors) {
    const hint = `it has to be signed for the chain ${nodeChainId}`;
    throw walletError("command_broken", signature.toString(), hint);
  }
  return nodeChainId;
}

function givenOf({ transaction, command, height, block }: Signed): GivenTransaction {
  return {
    publicKey: transaction.pubKey!,
    command,
    signature: signatureOf(transaction),
    height,
    // A file without the rules of its block adds nothing to a node's answer.
    block: block !== undefined && block.pastBlocks > 0n && block.hashFunction !== "" ? block : undefined,
    pow: transaction.pow,
    bytesWith: (pow) => withProof(transaction, pow),
  };
}

function signatureOf({ signature }: Transaction): Uint8Array {
  return new Uint8Array(Buffer.from(signature?.value ?? "", "hex"));
}

interface AloneValues extends OutputValues {
  readonly "block-hash"?: string | undefined;
  readonly difficulty?: string | undefined;
  readonly tid?: string | undefined;
  readonly threads?: string | undefined;
}

/** Without a node the key's other transactions are unknown, so the difficulty is the given one. */
async function proveAlone(signed: Signed, values: AloneValues): Promise<number> {
  const { transaction, block } = signed;
  const blockHash = values["block-hash"] ?? block?.hash;
  const difficulty = values.difficulty ?? block?.difficulty.toString();
  if (blockHash === undefined || difficulty === undefined) {
    throw usageError("tx", "say --node-url URL, --block FILE, or --block-hash HASH and --difficulty N");
  }
  const tid = values.tid ?? tidOf(signatureOf(transaction));
  const threads =
    values.threads === undefined ? {} : { threads: wholeNumber("tx", "--threads", values.threads, 256) };
  const bits = wholeNumber("tx", "--difficulty", difficulty, DIFFICULTY_MAX);
  const allowed = block === undefined ? PROOF_BITS_MAX : hardestOn(block);
  if (bits > Math.min(allowed, PROOF_BITS_MAX)) throw proofTooHard(bits, allowed);
  const solver = new Solver({ nowMs: () => performance.now(), ...threads });
  const interrupt = new AbortController();
  const forget = onEndSignal(() => interrupt.abort());
  try {
    const task = { blockHash, tid, difficulty: bits };
    const hashFunction = block?.hashFunction ? { hashFunction: block.hashFunction } : {};
    const { nonce } = await solver.solve({ ...task, ...hashFunction }, interrupt.signal);
    return writeProven(values, signed, { tid, nonce }, validityOf(signed.height, block));
  } finally {
    forget();
    solver.close();
  }
}

/** Bits that the rules of a block can ask for, as far as a wallet follows them. */
function hardestOn({ difficulty, increasingDifficulty }: LastBlock): number {
  return difficulty + (increasingDifficulty ? GIVEN_EXTRA_BITS_MAX : 0);
}

function writeProven(
  values: OutputValues,
  { transaction, height, chainId, block }: Signed,
  pow: ProofOfWork,
  validity: Validity,
): number {
  const bytes = withProof(transaction, pow);
  const document = {
    transaction: bytes.toBase64(),
    hash: transactionHash(bytes),
    blockHeight: height.toString(),
    ...(chainId === undefined ? {} : { chainId }),
    pow: { tid: pow.tid, nonce: pow.nonce.toString() },
    ...validity,
    ...(block === undefined ? {} : { block: blockDocument(block) }),
  };
  if (!values.quiet && !values.json) sayValidity(validity);
  return writeResult(values, document, document.transaction);
}

function printSent(
  values: OutputValues,
  { hash, height, host }: { readonly hash: string; readonly height: bigint; readonly host: string },
  validity: Validity = {},
): number {
  if (values.json) {
    print({ transactionHash: hash, height: height.toString(), node: { host }, ...validity });
  } else process.stdout.write(`${hash}\n`);
  return ExitCode.done;
}

// The online half of lyra tx: nodes, and a ledger of pending transactions of this home's keys.

/**
 * Addresses of nodes: of the flags, else of this user's running devnet.
 * @param typed flags without their variables
 * @throws NodeError
 */
export function hostsOf(values: AddressValues, typed: AddressValues): readonly string[] {
  const devnet = hasNodes(values) ? undefined : devnetNodeUrl(devnetHomes());
  return devnet === undefined ? nodesOf(values, typed).hosts : [devnet];
}

/** Nodes and their chain: of the flags, else this user's running devnet. @throws NodeError */
export function onlineAddresses(values: NodeValues, typed: NodeValues): Addresses {
  const hosts = hostsOf(values, typed);
  return hasNodes(values) ? nodesOf(values, typed) : { hosts, chainId: values["chain-id"] };
}

interface Addresses {
  readonly hosts: readonly string[];
  readonly chainId: string | undefined;
}

type NodeValues = ValuesOf<typeof NODE_FLAGS>;
type AddressValues = Pick<NodeValues, "home" | "node-url" | "network" | "chain-id">;

interface Online {
  readonly sender: TransactionSender;
  readonly given: GivenSender;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Separate from the wallet service's folder: to this command a service of the same home is another wallet. */
const FOLDER = "tx";
/** As long as a command may wait for its block. */
const LOCK_MS = 120_000;
const WAIT_S_MAX = 3_600;
const TIMEOUT_S_MAX = 120;

function hasNodes(values: AddressValues): boolean {
  return values["node-url"] !== undefined || values.network !== undefined;
}

/** Commands of a home run one at a time: two would use the same place on a block. */
export function online<T>(
  values: NodeValues,
  { hosts, chainId }: Addresses,
  action: (online: Online) => Promise<T>,
): Promise<T> {
  const home = values.home ?? defaultHome();
  const timeout =
    values.timeout === undefined
      ? {}
      : { submitTimeoutMs: seconds("--timeout", values.timeout, TIMEOUT_S_MAX) };
  const clients = hosts.map((host) => new HttpNode(host, timeout));
  const wait = values.wait === undefined ? {} : { waitMs: seconds("--wait", values.wait, WAIT_S_MAX) };
  const threads =
    values.threads === undefined ? {} : { threads: wholeNumber("tx", "--threads", values.threads, 256) };
  const folder = join(home, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const run = async () => {
    const nowMs = () => performance.now();
    const solver = new Solver({ nowMs, ...threads });
    const isSoleUser = values["sole-user"] === true;
    const book = new PlannerBook({ ledger: new FileLedger(join(folder, "sent.db")), isSoleUser });
    const nodes = new NodePool(clients, { nowMs, ...(chainId !== undefined && { chainId }) });
    const sender = new TransactionSender({
      ...{ nodes, solver, random: secureRandom, nowMs, wallMs: Date.now, book, watchMs: 0 },
      ...wait,
    });
    const interrupt = new AbortController();
    const forget = onEndSignal(() => interrupt.abort());
    try {
      return await action({ sender, given: new GivenSender(sender, nowMs), signal: interrupt.signal });
    } finally {
      forget();
      sender.close();
      solver.close();
      book.close();
    }
  };
  return withFolderLock(folder, run, LOCK_MS);
}

function nodesOf(values: AddressValues, typed: AddressValues): Addresses {
  const { network: name, "chain-id": chainId } = values;
  // A flag wins over a variable: LYRA_NODE_URL does not count beside --network.
  const hosts = name === undefined ? values["node-url"] : typed["node-url"];
  if (hosts !== undefined && name !== undefined) throw usageError("tx", "say --node-url or --network");
  if (hosts !== undefined) return { hosts, chainId };
  if (name === undefined) throw usageError("tx", "say where to: --node-url URL or --network NAME");
  const network = new Networks(networksFolder(values.home ?? defaultHome())).get(name);
  if (network.api.rest.hosts.length === 0) {
    throw usageError("tx", `the network ${name} names no REST host: lyra wallet network describe`);
  }
  return { hosts: network.api.rest.hosts, chainId: chainId ?? chainIdOf(network) };
}

function seconds(flag: string, text: string, most: number): number {
  return wholeNumber("tx", flag, text, most) * 1_000;
}
