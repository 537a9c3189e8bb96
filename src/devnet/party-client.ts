// A party that sends transactions to a chain in the same process: proof of work, signature, submission. It sends as
// a wallet does, with a wallet's planner, for tests, tutorials and the demo; its keys are public anyway.
import { Solver } from "../chain/admission/pow/solver.ts";
import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { sha3HexOf } from "../crypto/sha.ts";
import type { TxOutcome } from "../engine/chain-port.ts";
import { NodeError } from "../errors/node-error.ts";
import type { Slot } from "../wallet/sending/blocks.ts";
import { hexOf } from "../wire/identifiers.ts";
import {
  type CommandInit,
  encodeCommand,
  rootId,
  serializeTransaction,
  signTransaction,
} from "../wire/transaction.ts";
import { COMMAND_KINDS } from "../wire/transaction-commands.ts";
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
  async send(command: CommandInit, options: SendOptions = {}): Promise<SentTransaction> {
    const { wait = "commit", allowRefusal = false } = options;
    checkCommand(command);
    let id = "";
    const submitted = await this.lane.submit(async (slot) => {
      const built = await this.buildOn(slot, command);
      id = built.id;
      return built;
    });
    let { outcome } = submitted;
    if (outcome.code === 0 && wait === "commit") outcome = await this.waiters.wait(outcome.hash);
    if (outcome.code === 0 || allowRefusal) return { outcome, id };
    const { rule = "", sentence = outcome.text } = outcome.details ?? {};
    const hint = `the rule is ${rule || outcome.code}; to get refusals as answers, send with { allowRefusal: true }`;
    throw new NodeError(
      "party.send",
      "transaction_refused",
      `the ${command.kind} was refused: ${sentence}`,
      hint,
    );
  }

  /** The bytes of a transaction that is ready to be submitted. */
  async build(command: CommandInit): Promise<{ readonly bytes: Uint8Array; readonly id: string }> {
    let id = "";
    const bytes = await this.lane.build(async (slot) => {
      const built = await this.buildOn(slot, command);
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

const FORM =
  "give { kind, payload }: 64-bit numbers as bigint, enumerations as numbers, prices and amounts as texts";

/** @throws NodeError `usage` for a command that cannot be encoded: names the member with the wrong type */
function checkCommand(command: CommandInit): void {
  const wrong = (message: string) => new NodeError("party.send", "usage", message, FORM);
  const { kind, payload } = command as { readonly kind: CommandInit["kind"]; readonly payload: unknown };
  if (!COMMAND_KINDS.includes(kind)) throw wrong(`there is no command '${String(kind).slice(0, 60)}'`);
  if (typeof payload !== "object" || payload === null) throw wrong(`the ${kind} has no payload`);
  if (isEncoded(kind, payload)) return;
  const member = Object.entries(payload).find(([name, value]) => !isEncoded(kind, { [name]: value }));
  throw wrong(`the ${kind} cannot be encoded${member ? `: '${member[0]}' has another type` : ""}`);
}

function isEncoded(kind: CommandInit["kind"], payload: object): boolean {
  try {
    encodeCommand({ kind, payload } as CommandInit, 1n, 1n);
    return true;
  } catch {
    return false;
  }
}
