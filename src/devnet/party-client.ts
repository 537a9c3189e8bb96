// A party that sends transactions to a chain in the same process: proof of work, signature, submission. It sends as
// a wallet does, with a wallet's planner, for tests, tutorials and the demo; its keys are public anyway.
import { Solver } from "../chain/admission/pow/solver.ts";
import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { sha3HexOf, sha256HexOf } from "../crypto/sha.ts";
import type { TxOutcome } from "../engine/chain-port.ts";
import { NodeError } from "../errors/node-error.ts";
import { type OptionNames, unknownOption } from "../errors/options.ts";
import type { Slot } from "../wallet/sending/blocks.ts";
import { CommandFault, type CommandJson, readCommand } from "../wire/command-input.ts";
import { hexOf } from "../wire/identifiers.ts";
import {
  type CommandInit,
  encodeCommand,
  rootId,
  serializeTransaction,
  signTransaction,
} from "../wire/transaction.ts";
import { CommitWaiters, type PartyChain, PartyLane } from "./party-lane.ts";

export interface SentTransaction {
  readonly outcome: TxOutcome;
  /** The first identifier of what it creates. */
  readonly id: string;
}

export interface SendOptions {
  /** For the verdict of the mempool, or until it is in a block; default: `commit`. */
  readonly wait?: "check" | "commit";
  /** A refusal is an answer, not an error; default: false. */
  readonly allowRefusal?: boolean;
}

const SEND_OPTIONS: OptionNames<SendOptions> = { wait: true, allowRefusal: true };

/** @throws NodeError `usage` */
function checkSendOptions(options: SendOptions): void {
  const wrong = unknownOption(options, Object.keys(SEND_OPTIONS));
  if (wrong) throw new NodeError("devnet.send", "usage", wrong.message, wrong.hint);
  const { wait = "commit" } = options;
  if (wait !== "check" && wait !== "commit")
    throw new NodeError("devnet.send", "usage", `'wait' must be 'check' or 'commit'`, "default: 'commit'");
}

/** Shared by all clients of a chain: several of one party plan together. */
interface ChainSends {
  readonly waiters: CommitWaiters;
  readonly lanes: Map<string, PartyLane>;
}

const sendsOf = new WeakMap<object, ChainSends>();

export class PartyClient {
  readonly party: string;
  private readonly lane: PartyLane;
  private readonly waiters: CommitWaiters;
  /** On this thread: a devnet's proofs are found sooner than another thread wakes. */
  private readonly solver = new Solver({ nowMs: () => performance.now(), threads: 0 });
  private sent = 0n;

  /**
   * @param salt distinguishes the clients of one party, so that no two of their transactions are equal; default: drawn from the
   * chain's seed, or random for a chain of another process
   */
  constructor(
    private readonly chain: PartyChain,
    private readonly key: Ed25519KeyPair,
    private readonly salt = chain.drawSalt?.() ?? hexOf(crypto.getRandomValues(new Uint8Array(8))),
  ) {
    this.party = hexOf(key.publicKey);
    const sends = sendsOf.get(chain) ?? { waiters: new CommitWaiters(chain), lanes: new Map() };
    sendsOf.set(chain, sends);
    this.waiters = sends.waiters;
    this.lane = sends.lanes.get(this.party) ?? new PartyLane(chain, this.party);
    sends.lanes.set(this.party, this.lane);
  }

  /**
   * Builds on the newest block with room, sends, and waits for its block. Any number can be sent at once: they are handed
   * on in the order of the calls, and where no block has room for more, the rest waits for the next one.
   * @throws NodeError `transaction_refused` with the chain's reason, `usage` for what has no bytes, and of the proof; ChainCallError
   */
  async send(command: CommandInit | CommandJson, options: SendOptions = {}): Promise<SentTransaction> {
    checkSendOptions(options);
    const { wait = "commit", allowRefusal = false } = options;
    const init = commandOf(command);
    let id = "";
    let hash: string | undefined;
    try {
      const submitted = await this.lane.submit(async (slot) => {
        const built = await this.buildOn(slot, init);
        id = built.id;
        hash = sha256HexOf(built.bytes).toUpperCase();
        return built;
      });
      let { outcome } = submitted;
      if (outcome.code === 0 && wait === "commit") outcome = await this.waiters.wait(outcome.hash);
      if (outcome.code === 0 || allowRefusal) return { outcome, id };
      throw refusalOf(init.kind, outcome);
    } catch (error) {
      // Whatever became of it: by its hash it can be asked for.
      if (error instanceof NodeError && error.hash === undefined) throw withHash(error, hash);
      throw error;
    }
  }

  /** The bytes of a transaction that is ready to be submitted. */
  async build(
    command: CommandInit | CommandJson,
  ): Promise<{ readonly bytes: Uint8Array; readonly id: string }> {
    const init = commandOf(command);
    let id = "";
    const bytes = await this.lane.build(async (slot) => {
      const built = await this.buildOn(slot, init);
      id = built.id;
      return built;
    });
    return { bytes, id };
  }

  private async buildOn(slot: Slot, command: CommandInit) {
    this.sent += 1n;
    const unique = sha3HexOf(Buffer.from(`${this.party} ${this.salt} ${this.sent}`, "utf8"));
    const { hash: blockHash, difficulty, height } = slot;
    const solution = await this.solver.solve({ blockHash, tid: unique, difficulty });
    const inputData = encodeCommand(command, BigInt(`0x${unique.slice(0, 16)}`) | 1n, height);
    const { chainId } = this.chain.status;
    const pow = { tid: unique, nonce: solution.nonce };
    const transaction = signTransaction(inputData, this.key, { chainId, pow });
    const signature = Buffer.from(transaction.signature!.value!, "hex");
    return { bytes: serializeTransaction(transaction), id: rootId(signature), bits: solution.difficulty };
  }
}

function refusalOf(kind: string, outcome: TxOutcome): NodeError {
  const { rule, numbers, sentence = outcome.text } = outcome.details ?? {};
  const hint = `the rule is ${rule || outcome.code}; to get refusals as answers, send with { allowRefusal: true }`;
  const text = `the ${kind} was refused: ${sentence}`;
  const details = [{ code: outcome.code, message: outcome.text, inner: sentence }];
  return new NodeError("party.send", "transaction_refused", text, hint, { details, rule, numbers, outcome });
}

/** The same error of a transaction. */
function withHash(error: NodeError, hash: string | undefined): NodeError {
  const { attempt, code, message, hint, details, status, cause } = error;
  return new NodeError(attempt, code, message, hint, { details, status, hash, cause });
}

const FORM =
  "give { transfer: { ... } } with enumerations by name, or { kind, payload } with 64-bit numbers as bigint; prices and amounts are texts";

/** @throws NodeError `usage` for a command that cannot be encoded: names the member */
function commandOf(command: CommandInit | CommandJson): CommandInit {
  try {
    return readCommand(command);
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error;
    throw new NodeError("party.send", "usage", error.message, FORM);
  }
}
