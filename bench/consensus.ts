/**
 * Blocks of 1,000 transfers behind a consensus engine beside those of a single devnet: the application's part of such a block
 * (prepare, process, finalize, commit; every validator's, with the proposer's part in full) against all that a devnet does for it
 * (checks of the submissions, the block, its commit), in turns, over equal states.
 *
 *   bun bench/consensus.ts [--rounds N]
 *
 * Prints one JSON line. Milliseconds are processor time, messages of the socket read and written included. Each side begins without
 * garbage of what came before it: the senders' work, and of a validator the checks of its mempool, which are not in its part.
 */
import { fullGC } from "bun:jsc";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AbciChain } from "../src/abci/abci-chain.ts";
import { Application } from "../src/abci/application.ts";
import { LocalChain } from "../src/chain/local-chain.ts";
import { Clock } from "../src/devnet/clock.ts";
import { devnetGenesisText, withCheckpoint } from "../src/devnet/genesis.ts";
import { Random } from "../src/devnet/random.ts";
import type { CheckpointText } from "../src/engine/checkpoints.ts";
import { Engine } from "../src/engine/engine.ts";
import { type Genesis, readGenesis } from "../src/engine/genesis.ts";
import { openWriter } from "../src/store/database.ts";
import type { Init } from "../src/wire/codec.ts";
import { decodeRequest, encodeRequest, encodeResponse, type Request } from "../src/wire/generated/abci.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";
import { transferTo } from "./devnet-process.ts";
import { argument, costOf, median } from "./support.ts";
import { DIFFICULTY, SENDERS, sendersTransactions } from "./transfers.ts";

const ROUNDS = Number(argument("--rounds") ?? 30);
const WARM_UP = 5;
const MONEY = 10n ** 15n;

const TEXT = devnetGenesisText({
  parameters: {
    "spam.pow.difficulty": String(DIFFICULTY),
    "spam.pow.numberOfTxPerBlock": "1000",
    "spam.protection.maxUserTransfersPerEpoch": "1000000",
    "validators.epoch.length": "10h",
  },
});
const ASSET = Object.entries(readGenesis(TEXT).appState.assets!).find(
  ([, { symbol }]) => symbol === "tUSD",
)![0];
const folder = mkdtempSync(join(tmpdir(), "lyra-bench-"));
const homeOf = (name: string) => join(folder, name);
/** The senders have money from the beginning. */
const GENESIS = await genesisWithMoney();
const { chainId } = GENESIS;

const round = (value: number) => Number(value.toPrecision(3));
const transfer = (index: number) => transferTo(SENDERS[(index * 7 + 1) % SENDERS.length]!, ASSET);

interface Costs {
  readonly check: number;
  readonly prepare: number;
  readonly process: number;
  readonly finalize: number;
  readonly commit: number;
}

/** A single devnet's chain. */
class Single {
  private readonly db;
  readonly chain: LocalChain;

  constructor(home: string, genesis: Genesis) {
    this.db = openWriter(home);
    this.chain = new LocalChain({
      db: this.db,
      genesis,
      makeEngine: (follower) => new Engine(genesis, follower),
      clock: new Clock(() => genesis.timeNs),
      random: new Random("bench"),
      startedNs: 0n,
      mode: { kind: "manual" },
    });
  }

  async block(): Promise<{ check: number; block: number }> {
    const { chain } = this;
    const txs = sendersTransactions(chain.status, transfer);
    fullGC();
    const check = await costOf(async () => {
      for (const tx of txs) {
        const { code, text } = await chain.submit(tx, "check");
        if (code !== 0) throw new Error(text);
      }
    });
    const block = await costOf(() => chain.mine(1));
    if (chain.status.mempool.count > 0) throw new Error("the block does not have all transactions");
    return { check, block };
  }

  async stop(): Promise<void> {
    await this.chain.stop();
    this.db.close();
  }
}

/** A validator's application, and the calls of an engine. */
class Validator {
  private readonly db;
  private readonly chain: AbciChain;
  private readonly app: Application;
  private readonly consensus = {};
  private readonly mempool = {};
  private hash = "";

  constructor(home: string) {
    this.db = openWriter(home);
    this.chain = new AbciChain({
      db: this.db,
      genesis: GENESIS,
      makeEngine: (follower) => new Engine(GENESIS, follower),
      startedNs: 0n,
      broadcast: () => Promise.reject(new Error("nothing is submitted here")),
    });
    this.app = new Application(this.chain, "bench");
  }

  private async call(bytes: Uint8Array, connection: object = this.consensus) {
    const answer = await this.app.answer(decodeRequest(bytes), connection);
    encodeResponse(answer);
    return answer;
  }

  async begin(): Promise<void> {
    const appState = JSON.stringify(JSON.parse(GENESIS.document).app_state);
    await this.call(
      encodeRequest({
        initChain: { chainId, appStateBytes: Buffer.from(appState, "utf8"), initialHeight: 1n },
      }),
    );
    await this.call(this.finalizeRequest([]));
    await this.call(encodeRequest({ commit: {} }));
  }

  private finalizeRequest(txs: readonly Uint8Array[]): Uint8Array {
    const height = this.chain.committed.height + 1;
    const timeNs = GENESIS.timeNs + BigInt(height - 1) * SECOND_NS;
    this.hash = Bun.SHA256.hash(`${height}`, "hex");
    const request: Init<Request> = {
      finalizeBlock: {
        height: BigInt(height),
        time: { seconds: timeNs / SECOND_NS, nanos: Number(timeNs % SECOND_NS) },
        hash: Uint8Array.fromHex(this.hash),
        proposerAddress: new Uint8Array(20),
        txs,
      },
    };
    return encodeRequest(request);
  }

  async block(): Promise<Costs> {
    const { height, hash } = this.chain.committed;
    const txs = sendersTransactions({ chainId, height, hash }, transfer);
    const checks = txs.map((tx) => encodeRequest({ checkTx: { tx } }));
    const check = await costOf(async () => {
      for (const request of checks) {
        const { checkTx } = await this.call(request, this.mempool);
        if (checkTx!.code !== 0) throw new Error(checkTx!.log);
      }
    });
    fullGC();
    const preparation = encodeRequest({ prepareProposal: { txs, maxTxBytes: 20_000_000n } });
    const prepare = await costOf(() => this.call(preparation));
    const proposal = encodeRequest({ processProposal: { txs, height: 0n } });
    const process = await costOf(() => this.call(proposal));
    const decided = this.finalizeRequest(txs);
    const finalize = await costOf(async () => {
      const { finalizeBlock } = await this.call(decided);
      const failed = finalizeBlock!.txResults!.find(({ code }) => code !== 0);
      if (failed) throw new Error(failed.log);
    });
    const commit = await costOf(() => this.call(encodeRequest({ commit: {} })));
    return { check, prepare, process, finalize, commit };
  }

  async stop(): Promise<void> {
    await this.chain.stop();
    this.db.close();
  }
}

async function genesisWithMoney(): Promise<Genesis> {
  const before = new Single(homeOf("before"), readGenesis(TEXT));
  try {
    await before.chain.setBalances(SENDERS.map((party) => ({ party, asset: ASSET, balance: MONEY })));
    const checkpoint = JSON.parse(await before.chain.checkpoint()) as CheckpointText;
    return readGenesis(withCheckpoint(TEXT, checkpoint));
  } finally {
    await before.stop();
  }
}

const middle = <T extends object>(all: readonly T[], name: keyof T) =>
  round(median(all.map((each) => each[name] as number)));

try {
  const [single, validator] = [new Single(homeOf("single"), GENESIS), new Validator(homeOf("validator"))];
  await single.chain.mine(1);
  await validator.begin();
  const singles: { check: number; block: number; all: number }[] = [];
  const validators: (Costs & { part: number })[] = [];
  const measureSingle = async () => {
    const { check, block } = await single.block();
    singles.push({ check, block, all: check + block });
  };
  const measureValidator = async () => {
    const costs = await validator.block();
    const part = costs.prepare + costs.process + costs.finalize + costs.commit;
    validators.push({ ...costs, part });
  };
  for (let n = -WARM_UP; n < ROUNDS; n++) {
    const turns = [measureSingle, measureValidator];
    for (const measure of n % 2 === 0 ? turns : turns.toReversed()) await measure();
    if (n < 0) {
      singles.pop();
      validators.pop();
    }
  }
  const ratios = validators.map(({ part }, n) => ({ ratio: part / singles[n]!.all }));
  console.log(
    JSON.stringify(
      {
        transfers: SENDERS.length,
        singleMs: Object.fromEntries(
          (["check", "block", "all"] as const).map((name) => [name, middle(singles, name)]),
        ),
        validatorMs: Object.fromEntries(
          (["check", "prepare", "process", "finalize", "commit", "part"] as const).map((name) => [
            name,
            middle(validators, name),
          ]),
        ),
        partOfSingle: middle(ratios, "ratio"),
      },
      undefined,
      1,
    ),
  );
  await single.stop();
  await validator.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
