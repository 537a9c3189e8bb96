// A node with the real admission engine behind it, and faults on request.
import { Admission, spamStatistics } from "../../../src/chain/admission/admission.ts";
import { NodeError } from "../../../src/errors/node-error.ts";
import type { LastBlock } from "../../../src/wallet/sending/blocks.ts";
import type {
  AssetFacts,
  CheckResult,
  NodeClient,
  SendingMode,
  SubmissionResult,
} from "../../../src/wallet/sending/nodes.ts";
import { decodeInputData } from "../../../src/wire/generated/commands.ts";
import type { GetSpamStatisticsResponse } from "../../../src/wire/generated/core-api.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { readTransaction, transactionHash } from "../../../src/wire/transaction.ts";
import { commandKindOf } from "../../../src/wire/transaction-commands.ts";

/** A fault of the next call. */
export type Fault = "unreachable" | "lost" | "answer lost";

export class FakeNode implements NodeClient {
  readonly host: string;
  admission: Admission;
  height = 0n;
  hash = "";
  /** Transactions in the mempool, by hash. */
  readonly mempool = new Map<string, Uint8Array>();
  readonly executed: string[] = [];
  readonly refusedInBlocks: string[] = [];
  submissions = 0;
  readonly faults: Fault[] = [];
  /** The verdict of the next submissions and checks, in place of admission's. */
  verdict: { code: number; reason: string } | undefined;
  readonly assets = new Map<string, AssetFacts>([["a55e7", { symbol: "VEGA", decimals: 18 }]]);
  balances?: NonNullable<NodeClient["balances"]>;
  parameter?: NonNullable<NodeClient["parameter"]>;
  inclusion?: NonNullable<NodeClient["inclusion"]>;
  listAssets?: NonNullable<NodeClient["listAssets"]>;
  isDown = false;
  /** Questions while it was down. */
  unanswered = 0;
  private readonly known = new Set<string>();

  constructor(
    readonly chainId = "test-chain",
    parameters: Readonly<Record<string, string>> = {},
    private readonly label = "fake",
  ) {
    this.host = `http://${label}.test`;
    this.admission = this.newAdmission(parameters);
    this.block();
  }

  private newAdmission(parameters: Readonly<Record<string, string>>): Admission {
    const admission = new Admission(this.chainId);
    const defaults = {
      "spam.pow.hashFunction": "sha3_24_rounds",
      "spam.pow.numberOfPastBlocks": "100",
      "spam.pow.difficulty": "2",
      "spam.pow.numberOfTxPerBlock": "4",
      "spam.pow.increaseDifficulty": "0",
      "validators.epoch.length": "1h",
      "spam.protection.voting.min.tokens": "0",
    };
    for (const [name, value] of Object.entries({ ...defaults, ...parameters }))
      admission.setParameter(name, value);
    return admission;
  }

  /** Makes a block of the whole mempool. */
  block(): void {
    this.height += 1n;
    this.hash = new Bun.CryptoHasher("sha256").update(`${this.label} ${this.height}`).digest("hex");
    this.admission.beginBlock(this.height, this.hash, this.height * SECOND_NS);
    for (const [hash, bytes] of this.mempool) {
      const verdict = this.admission.deliver(this.formOf(bytes));
      if (verdict.accepted) this.executed.push(hash);
      else this.refusedInBlocks.push(verdict.text);
    }
    this.mempool.clear();
    this.admission.endBlock();
    this.admission.commit();
  }

  /** The chain begins again. */
  restart(): void {
    this.admission = this.newAdmission({});
    this.height = 0n;
    this.mempool.clear();
    this.known.clear();
    this.block();
  }

  isBanned(party: string): boolean {
    return this.admission.pow.bannedUntil(party) !== undefined;
  }

  async lastBlock(): Promise<LastBlock> {
    this.mustBeUp();
    const { pastBlocks, difficulty, hashFunction, txPerBlock, increasingDifficulty } =
      this.admission.pow.parameters!;
    const { chainId, height, hash } = this;
    return { chainId, height, hash, pastBlocks, difficulty, hashFunction, txPerBlock, increasingDifficulty };
  }

  async spamStatistics(party: string): Promise<GetSpamStatisticsResponse> {
    this.mustBeUp();
    const { chainId, admission } = this;
    return spamStatistics({ chainId, pow: admission.pow, spam: admission.spam, rules: "default" }, party);
  }

  async submit(bytes: Uint8Array, mode: SendingMode): Promise<SubmissionResult> {
    this.submissions++;
    this.mustBeUp();
    const fault = this.faults.shift();
    if (fault === "unreachable") throw new NodeError("tx.send", "node_unreachable", "nothing was sent");
    if (fault === "lost")
      throw new NodeError("tx.send", "outcome_unknown", "no answer; it may have been sent");
    const result = this.take(bytes);
    if (fault === "answer lost")
      throw new NodeError("tx.send", "outcome_unknown", "no answer; it may have been sent");
    if (mode === "TYPE_COMMIT" && result.code === 0) {
      this.block();
      return { ...result, height: this.height };
    }
    return result;
  }

  async check(bytes: Uint8Array): Promise<CheckResult> {
    this.mustBeUp();
    if (this.verdict !== undefined) return this.verdict;
    const verdict = this.admission.check(this.formOf(bytes), 0n);
    return verdict.accepted ? { code: 0, reason: "" } : { code: 89, reason: verdict.text };
  }

  async asset(id: string): Promise<AssetFacts | undefined> {
    this.mustBeUp();
    return this.assets.get(id);
  }

  private take(bytes: Uint8Array): SubmissionResult {
    const hash = transactionHash(bytes).toUpperCase();
    if (this.verdict !== undefined) return { txHash: hash, ...this.verdict, height: 0n };
    if (this.known.has(hash))
      throw new NodeError("tx.send", "node_refused", "the node answered 500: tx already exists in cache");
    const verdict = this.admission.check(this.formOf(bytes), 0n);
    if (!verdict.accepted) return { txHash: hash, code: 89, reason: verdict.text, height: 0n };
    this.known.add(hash);
    this.mempool.set(hash, bytes);
    return { txHash: hash, code: 0, reason: "", height: 0n };
  }

  private formOf(bytes: Uint8Array) {
    const transaction = readTransaction(bytes);
    const input = decodeInputData(transaction.inputData);
    return {
      party: transaction.pubKey ?? "",
      hash: transactionHash(bytes),
      blockHeight: input.blockHeight,
      tid: transaction.pow?.tid ?? "",
      nonce: transaction.pow?.nonce ?? 0n,
      command: commandKindOf(input)!,
      proposal: input.voteSubmission?.proposalId ?? "",
    };
  }

  private mustBeUp(): void {
    if (this.isDown) this.unanswered++;
    if (this.isDown)
      throw new NodeError("tx.send", "node_unreachable", `the node ${this.host} does not answer`);
  }
}
