// A party that sends transactions to a chain in the same process: proof of work, signature, submission. What a wallet
// does, for tests, tutorials and the demo; its keys are public anyway.
import { ProofCounter } from "../admission/client/proof-counter.ts";
import { Solver } from "../admission/pow/solver.ts";
import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { sha3HexOf } from "../crypto/sha3.ts";
import type { ChainPort, TxOutcome } from "../engine/chain-port.ts";
import { hexOf } from "../wire/identifiers.ts";
import { rootId } from "../wire/transaction.ts";
import {
  type CommandInit,
  encodeCommand,
  serializeTransaction,
  signTransaction,
} from "../wire/transaction-build.ts";

export interface SentTransaction {
  readonly outcome: TxOutcome;
  /** The first identifier of what it creates. */
  readonly id: string;
}

export class PartyClient {
  readonly party: string;
  private readonly counter = new ProofCounter();
  /** On this thread: a devnet's proofs are found sooner than another one wakes. */
  private readonly solver = new Solver({ nowMs: () => performance.now(), threads: 0 });
  private sent = 0n;

  /** @param salt tells clients of one party apart, that no two of their transactions are equal */
  constructor(
    private readonly chain: ChainPort,
    private readonly key: Ed25519KeyPair,
    private readonly salt = hexOf(crypto.getRandomValues(new Uint8Array(8))),
  ) {
    this.party = hexOf(key.publicKey);
  }

  /** Builds on the last block, and waits as told. @throws ChainCallError, NodeError of the proof */
  async send(command: CommandInit, wait: "check" | "commit" = "commit"): Promise<SentTransaction> {
    const { bytes, id } = await this.build(command);
    return { outcome: await this.chain.submit(bytes, wait), id };
  }

  /** The bytes of a transaction that is ready to be submitted. */
  async build(command: CommandInit): Promise<{ readonly bytes: Uint8Array; readonly id: string }> {
    const { chainId, height, hash: blockHash, pow } = this.chain.status;
    this.sent += 1n;
    const unique = sha3HexOf(Buffer.from(`${this.party} ${this.salt} ${this.sent}`, "utf8"));
    const difficulty = this.counter.next({
      chainId,
      party: this.party,
      block: {
        blockHeight: BigInt(height),
        transactionsSeen: 0n,
        difficulty: BigInt(pow.difficulty),
        txPerBlock: BigInt(pow.txPerBlock),
        increasingDifficulty: pow.increasingDifficulty,
      },
      pastBlocks: BigInt(pow.pastBlocks),
    });
    const { nonce } = await this.solver.solve({ blockHash, tid: unique, difficulty: Number(difficulty) });
    const inputData = encodeCommand(command, BigInt(`0x${unique.slice(0, 16)}`) | 1n, BigInt(height));
    const transaction = signTransaction(inputData, this.key, { chainId, pow: { tid: unique, nonce } });
    const signature = Buffer.from(transaction.signature!.value!, "hex");
    return { bytes: serializeTransaction(transaction), id: rootId(signature) };
  }
}
