/**
 * Transactions that were signed elsewhere, perhaps on a machine without a network: they get their proof of work and are
 * sent by the same planner as all others, only that their block is named already.
 *
 * The proof's identifier follows from the signature. So whatever is proven or sent again, by whomever: the network
 * takes one signature once.
 */
import { verifyProof } from "../../chain/admission/pow/function.ts";
import { sha3HexOf } from "../../crypto/sha.ts";
import { NodeError } from "../../errors/node-error.ts";
import type { ProofOfWork } from "../../wire/generated/commands.ts";
import { type CommandInit, transactionHash } from "../../wire/transaction.ts";
import type { GivenPlace, LastBlock } from "./blocks.ts";
import type { Delivered } from "./nodes.ts";
import { NetworkRefusal, type SendingMode, sendError } from "./nodes.ts";
import { OFFERED, type ProofPlanner } from "./planner.ts";
import type { Place, SendQueue } from "./send-queue.ts";
import { isOutOfEveryBlock, type TransactionSender } from "./sender.ts";

export interface GivenTransaction {
  readonly publicKey: string;
  readonly command: CommandInit;
  readonly signature: Uint8Array;
  /** The block that it names. */
  readonly height: bigint;
  /** The same block as it was written down when it was signed. */
  readonly block?: LastBlock | undefined;
  readonly pow?: ProofOfWork | undefined;
  bytesWith(pow: ProofOfWork): Uint8Array;
}

export interface Validity {
  /** The last block that it can be in. */
  readonly lastHeight: bigint;
  /** The newest block. */
  readonly head: bigint;
}

interface ProvenTransaction extends Validity {
  readonly pow: ProofOfWork;
  readonly bytes: Uint8Array;
}

interface TaggedPlace extends Place {
  /** Whether nothing was proven or sent for it before: that may arrive yet, whatever becomes of this attempt. */
  readonly isNew: boolean;
}

/** Words of a chain that has executed it before. */
const EXECUTED = /transaction hash already used|proof of work tid already used/;

export class GivenSender {
  constructor(
    private readonly sender: TransactionSender,
    private readonly nowMs: () => number,
  ) {}

  /** Keeps a place for whatever the key signs next. @returns the block to sign for */
  async offer(publicKey: string): Promise<LastBlock> {
    const queue = await this.sender.queueOf(publicKey);
    const { slot } = await queue.enqueue({
      choose: (planner) => planner.plan(OFFERED),
    });
    const newest = await this.sender.lastBlock();
    return { ...newest, height: slot.height, hash: slot.hash, difficulty: slot.difficulty };
  }

  /** The proof that the network asks for, and no more. @throws NodeError why there is no place for it */
  async prove(given: GivenTransaction, signal?: AbortSignal): Promise<ProvenTransaction> {
    const queue = await this.queueOf(given);
    const tid = tidOf(given.signature);
    const place = await this.placeOf(queue, given, { height: given.height, tag: tid }, signal);
    if (place.slot.hash === "") {
      if (place.isNew) place.giveBack();
      const text = `nobody said which block ${given.height} is`;
      throw sendError("block_unknown", text, "give the file that it was signed with: --block FILE");
    }
    const pow = await this.sender.prove(queue, place, {
      tid,
      isTimely: (slot) => queue.planner.isInTime(slot),
      signal,
    });
    // Its place is kept: the same signature can be proven again.
    queue.remember();
    if (pow === undefined) throw sendError("block_too_historic", "the block height is too historic");
    return { pow, bytes: given.bytesWith(pow), ...validityOf(queue, given.height) };
  }

  /**
   * Sends it once; what has no proof gets one.
   * @throws NetworkRefusal, NodeError `outcome_unknown`, and why it was not sent
   */
  async send(
    given: GivenTransaction,
    mode: SendingMode,
    signal?: AbortSignal,
  ): Promise<Delivered & Validity> {
    const { height, pow } = given;
    if (pow === undefined) {
      const { bytes } = await this.prove(given, signal);
      const queue = await this.sender.queueOf(given.publicKey);
      return { ...(await this.deliver(queue, height, bytes, mode)), ...validityOf(queue, height) };
    }
    const queue = await this.queueOf(given);
    const place = await this.placeOf(
      queue,
      given,
      { height, tag: pow.tid, ...shownBy(queue, given) },
      signal,
    );
    try {
      const delivered = await this.deliver(queue, height, given.bytesWith(pow), mode);
      return { ...delivered, ...validityOf(queue, height) };
    } catch (error) {
      if (place.isNew && isOutOfEveryBlock(error) && !isElsewhere(error)) {
        place.giveBack();
        queue.remember();
      }
      throw error;
    }
  }

  private async queueOf({ publicKey, block }: GivenTransaction): Promise<SendQueue> {
    const queue = await this.sender.queueOf(publicKey);
    if (
      block !== undefined &&
      (block.chainId !== queue.chainId || !queue.planner.learn(block, this.nowMs()))
    ) {
      const text = `block ${block.height} of ${queue.chainId} is another one than the file says`;
      throw sendError("block_mismatch", text, "did the chain start over, or is the file of another one?");
    }
    return queue;
  }

  private async placeOf(
    queue: SendQueue,
    { command }: GivenTransaction,
    chosen: GivenPlace,
    signal?: AbortSignal,
  ): Promise<TaggedPlace> {
    const { tag } = chosen;
    let isNew = true;
    const choose = (planner: ProofPlanner) => {
      isNew = !planner.hasPlace(chosen);
      return planner.planOn(chosen);
    };
    const place = await queue.enqueue({ command, tag, signal, choose });
    return { ...place, isNew };
  }

  private async deliver(
    { planner }: SendQueue,
    height: bigint,
    bytes: Uint8Array,
    mode: SendingMode,
  ): Promise<Delivered> {
    let delivered: Delivered;
    try {
      delivered = await this.sender.sendRaw(bytes, mode);
    } catch (error) {
      if (!(error instanceof NetworkRefusal) || !EXECUTED.test(error.reason)) throw error;
      throw alreadySent(bytes);
    }
    // A node remembers what waits and what was executed alike; the key's statistics count what was executed.
    if (delivered.wasThere && planner.seenOn(height) > 0n) throw alreadySent(bytes);
    return delivered;
  }
}

function alreadySent(bytes: Uint8Array): NodeError {
  const hash = transactionHash(bytes).toUpperCase();
  return sendError("already_sent", "the network has this transaction already", `look for its hash, ${hash}`);
}

/** Words of a node that knows the signature, be it of another machine's: that one may get into a block. */
function isElsewhere(error: unknown): boolean {
  if (error instanceof NetworkRefusal) return /proof of work tid already seen/.test(error.reason);
  return error instanceof NodeError && error.code === "already_sent";
}

export function tidOf(signature: Uint8Array): string {
  return sha3HexOf(signature);
}

function validityOf({ planner }: SendQueue, height: bigint): Validity {
  return { lastHeight: planner.lastHeightFor(height), head: planner.headHeight };
}

/** The bits that the proof shows; nothing where the block is not known, and the node has to look. */
function shownBy({ planner }: SendQueue, { height, pow }: GivenTransaction): { bits?: number } {
  const blockHash = planner.hashAt(height);
  if (blockHash === undefined || pow === undefined) return {};
  return { bits: verifyProof({ blockHash, tid: pow.tid, nonce: pow.nonce }, 0) ?? 0 };
}
