// Random histories of a whole chain as signed transactions: markets, governance, stake and epochs, the bridge, key rotations,
// announcements, and what nobody should send. They follow a running chain's last block, so that proofs are real ones.
import { leadingZeroBits, proofHash } from "../../src/chain/admission/pow/function.ts";
import type { Ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { ethereumAddress, secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { sha3HexOf, sha256HexOf } from "../../src/crypto/sha.ts";
import { devnetGenesisText, rewardAsset } from "../../src/devnet/genesis.ts";
import { devnetParties, ValidatorKeys } from "../../src/devnet/keys.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { nodeSignatures } from "../../src/ethereum/node-signatures.ts";
import { configurationOf, type RigMarket, updateOf } from "../../src/testing/market-config.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { Chance } from "../simulation/generator.ts";
import { announcementOf } from "../support/announcement.ts";
import { buildTransaction } from "../support/transactions.ts";

const GENERAL = 4;
const DIFFICULTY = 2;
/** Of the genesis; others announce themselves. */
const GENESIS_NODES = [1, 2, 3].map((number) => new ValidatorKeys(number));
const NEWCOMERS = [4, 5, 6].map((number) => new ValidatorKeys(number));
const NODES = [...GENESIS_NODES, ...NEWCOMERS];
export const PARTIES = devnetParties().slice(0, 6);
/** Of even place: they have stake, the others stand for validators. */
const STAKERS = [0, 2, 4];
const RECEIVER = `0x${"5e1f".repeat(10)}`;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const QUICK = {
  "spam.pow.difficulty": String(DIFFICULTY),
  "spam.pow.numberOfTxPerBlock": "4",
  "spam.pow.increaseDifficulty": "1",
  "spam.pow.numberOfPastBlocks": "8",
  "spam.protection.max.votes": "4",
  "spam.protection.max.proposals": "4",
  "spam.protection.max.delegations": "6",
  "spam.protection.maxUserTransfersPerEpoch": "8",
  "spam.protection.proposal.min.tokens": "1",
  "spam.protection.voting.min.tokens": "1",
  "spam.protection.delegation.min.tokens": "1",
  "spam.protection.minMultisigUpdates": "1",
  "reward.staking.delegation.minimumValidatorStake": "0",
  "network.validators.tendermint.number": "3",
  "network.validators.multisig.numberOfSigners": "1",
  "network.transactions.maxgasperblock": "1000",
  "transfer.minTransferQuantumMultiple": "0",
  "validators.epoch.length": "12s",
  "market.auction.minimumDuration": "1s",
  "network.markPriceUpdateMaximumFrequency": "1s",
  "governance.proposal.market.minProposerBalance": "1",
  "governance.proposal.updateMarket.minProposerEquityLikeShare": "0",
};

/** Values that proposals give to parameters, those of admission and of blocks among them. */
const CHANGES: readonly (readonly [string, string])[] = [
  ["spam.pow.difficulty", "1"],
  ["spam.pow.difficulty", "3"],
  ["spam.pow.numberOfTxPerBlock", "2"],
  ["spam.pow.numberOfTxPerBlock", "6"],
  ["spam.pow.increaseDifficulty", "0"],
  ["spam.pow.numberOfPastBlocks", "5"],
  ["spam.protection.max.votes", "2"],
  ["spam.protection.maxUserTransfersPerEpoch", "3"],
  ["network.transactions.maxgasperblock", "100"],
  ["network.transactions.maxgasperblock", "2000"],
  ["validators.epoch.length", "8s"],
  ["network.validators.tendermint.number", "1"],
  ["network.validators.tendermint.number", "2"],
  ["network.validators.tendermint.number", "5"],
  ["transfer.fee.factor", "0.01"],
  ["market.margin.scalingFactors", '{"search_level":1.2,"initial_margin":1.3,"collateral_release":1.6}'],
];

/** The shipped genesis with three validators, short votes and narrow limits. */
export function historyGenesis(parameters: Readonly<Record<string, string>> = {}): Genesis {
  const document = JSON.parse(devnetGenesisText({ parameters: { ...QUICK, ...parameters } }));
  document.app_state.validators = Object.fromEntries(
    GENESIS_NODES.map((keys) => [
      keys.tmPubKey,
      {
        id: keys.nodeId,
        vega_pub_key: hex(keys.vega(1).publicKey),
        vega_pub_key_index: 1,
        ethereum_address: ethereumAddress(keys.ethereum(1)),
        tm_pub_key: keys.tmPubKey,
        country: "ZZ",
        name: `validator ${keys.number}`,
      },
    ]),
  );
  return readGenesis(JSON.stringify(document));
}

/** A place in the chain that transactions are built on. */
interface Tip {
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
  readonly timeNs: bigint;
}

type Make = (history: History, tip: Tip) => Uint8Array | readonly Uint8Array[] | undefined;

export class History {
  readonly chance: Chance;
  /** Numbers of commands that were sent, by kind. */
  readonly kinds = new Map<string, number>();
  private readonly proposals: string[] = [];
  /** Proposals of the last block. */
  private readonly open: string[] = [];
  private readonly markets: string[] = [];
  private readonly orders: { readonly market: string; readonly id: string; readonly party: number }[] = [];
  private readonly sent: Uint8Array[] = [];
  private nonce = 0n;
  private events = 0n;
  private readonly asset: string;
  private readonly token: string;

  constructor(
    private readonly genesis: Genesis,
    private readonly engine: () => Engine,
    seed: number,
    private readonly makers = MAKERS,
  ) {
    this.chance = new Chance(seed);
    this.asset = Object.entries(genesis.appState.assets!).find(([, { symbol }]) => symbol === "tUSD")![0];
    this.token = rewardAsset(genesis);
  }

  /** Money and stake for everybody: the validators vote for them in the blocks after it. */
  funding(tip: Tip): Uint8Array[] {
    return PARTIES.flatMap((_, at) => [this.deposit(tip, at), this.stake(tip, at)]);
  }

  /** Transactions that come before the block after the tip. */
  next(tip: Tip, most: number): Uint8Array[] {
    const txs = [...this.duties(tip), ...this.agreement(tip)];
    for (let left = this.chance.below(most + 1); left > 0; left--) {
      const [kind, make] = this.chance.weighted(this.makers);
      const bytes = make(this, tip);
      if (bytes === undefined) continue;
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
      const list = bytes instanceof Uint8Array ? [bytes] : bytes;
      txs.push(...list);
      this.sent.push(...list);
    }
    return txs;
  }

  /** Duties of the validators; some are late. */
  private duties(tip: Tip): Uint8Array[] {
    const engine = this.engine();
    return NODES.flatMap((keys) => {
      const node = engine.domains.validators.node(keys.nodeId);
      if (node === undefined) return [];
      const key = keys.vega(node.vegaPubKeyIndex);
      return engine.duties(keys.nodeId).flatMap((duty) => {
        if (this.chance.once(6)) return [];
        if (duty.kind === "vote") {
          const { reference, type } = duty;
          return [this.sign(key, tip, { kind: "nodeVote", payload: { reference, type } })];
        }
        if (duty.kind === "sign") {
          const sig = secp256k1Sign(Buffer.from(duty.digest, "hex"), keys.ethereum(1));
          const payload = { id: duty.resource, sig, kind: duty.signatureKind };
          return [this.sign(key, tip, { kind: "nodeSignature", payload })];
        }
        const payload = {
          nodeId: keys.nodeId,
          message: duty.message,
          ...nodeSignatures(duty.message, key, keys.ethereum(1)),
        };
        return [this.sign(key, tip, { kind: "validatorHeartbeat", payload })];
      });
    });
  }

  /** Those with stake are for most of what was proposed before. */
  private agreement(tip: Tip): Uint8Array[] {
    return this.open
      .splice(0)
      .flatMap((proposalId) =>
        this.chance.once(5)
          ? []
          : STAKERS.map((party) =>
              this.send(party, tip, { kind: "voteSubmission", payload: { proposalId, value: 2 } }),
            ),
      );
  }

  sign(key: Ed25519KeyPair, tip: Tip, command: CommandInit, proof: "good" | "random" = "good"): Uint8Array {
    this.nonce += 1n;
    const tid = sha256HexOf(Buffer.from(`history ${this.nonce}`));
    let nonce = 0n;
    const isProven = () => leadingZeroBits(proofHash({ blockHash: tip.hash, tid, nonce })) >= DIFFICULTY;
    while (proof === "good" && !isProven()) nonce++;
    const { chainId } = this.genesis;
    const options = { chainId, key, nonce: this.nonce, blockHeight: BigInt(tip.height), pow: { tid, nonce } };
    return buildTransaction(command, options);
  }

  send(party: number, tip: Tip, command: CommandInit): Uint8Array {
    return this.sign(PARTIES[party]!.key, tip, command);
  }

  event(tip: Tip, payload: object): Uint8Array {
    this.events += 1n;
    const txId = `0x${this.events.toString(16).padStart(64, "0")}`;
    const node = this.engine().domains.validators.node(GENESIS_NODES[0]!.nodeId);
    const key = GENESIS_NODES[0]!.vega(node?.vegaPubKeyIndex ?? 1);
    return this.sign(key, tip, { kind: "chainEvent", payload: { txId, nonce: this.events, ...payload } });
  }

  deposit(tip: Tip, to: number): Uint8Array {
    const deposit = { vegaAssetId: this.asset, partyId: PARTIES[to]!.publicKey, amount: `${10n ** 12n}` };
    return this.event(tip, { txId: "", builtin: { deposit } });
  }

  stake(tip: Tip, to: number, link = true): Uint8Array {
    const own = GENESIS_NODES[to % 3]!;
    const vegaPublicKey = to % 2 === 0 ? PARTIES[to]!.publicKey : hex(own.vega(1).publicKey);
    const change = {
      ethereumAddress: RECEIVER,
      vegaPublicKey,
      amount: `${10n ** 21n * BigInt(to + 1)}`,
      blockTime: 1n,
    };
    const stakingEvent = {
      index: 0n,
      block: this.events + 1n,
      ...(link ? { stakeDeposited: change } : { stakeRemoved: change }),
    };
    return this.event(tip, { stakingEvent });
  }

  transfer(tip: Tip): Uint8Array {
    const { chance } = this;
    const to = PARTIES[chance.below(PARTIES.length)]!.publicKey;
    const amount = chance.of(1n, 5_000n, 10n ** 9n, 10n ** 14n).toString();
    const epoch = this.engine().epoch.seq;
    const how = chance.once(3)
      ? { recurring: { startEpoch: epoch + 1n, endEpoch: epoch + 3n, factor: "0.5" } }
      : { oneOff: { deliverOn: chance.once(2) ? 0n : tip.timeNs + 3n * SECOND_NS } };
    const base = { fromAccountType: GENERAL, toAccountType: GENERAL, asset: this.asset, reference: "h" };
    return this.send(chance.below(PARTIES.length), tip, {
      kind: "transfer",
      payload: { ...base, to, amount, ...how },
    });
  }

  propose(tip: Tip, change: object, party = this.chance.below(PARTIES.length)): Uint8Array {
    const now = tip.timeNs / SECOND_NS;
    const closingTimestamp = now + BigInt(this.chance.of(3, 5, 9));
    const terms = { closingTimestamp, enactmentTimestamp: closingTimestamp + 2n, ...change };
    const rationale = { title: "title", description: "description" };
    const bytes = this.send(party, tip, {
      kind: "proposalSubmission",
      payload: { reference: "", rationale, terms },
    });
    const id = this.idOf(bytes);
    this.proposals.push(id);
    this.open.push(id);
    return bytes;
  }

  proposeMarket(tip: Tip): Uint8Array {
    const bytes = this.propose(tip, {
      newMarket: { changes: configurationOf(this.config(), this.asset, "M") },
    });
    this.markets.push(this.idOf(bytes));
    return bytes;
  }

  updateMarket(tip: Tip): Uint8Array | undefined {
    const marketId = this.market();
    if (marketId === undefined) return undefined;
    return this.propose(tip, {
      updateMarket: { marketId, changes: updateOf(this.config(), this.asset, "M") },
    });
  }

  order(tip: Tip): Uint8Array | undefined {
    const market = this.market();
    if (market === undefined) return undefined;
    const party = this.chance.below(PARTIES.length);
    const bytes = this.send(party, tip, { kind: "orderSubmission", payload: this.submission(market) });
    this.orders.push({ market, id: this.idOf(bytes), party });
    return bytes;
  }

  amend(tip: Tip): Uint8Array | undefined {
    const order = this.someOrder();
    if (order === undefined) return undefined;
    const payload = {
      orderId: order.id,
      marketId: order.market,
      price: this.price(),
      sizeDelta: BigInt(this.chance.of(-1, 0, 2)),
    };
    return this.send(order.party, tip, { kind: "orderAmendment", payload });
  }

  cancel(tip: Tip): Uint8Array | undefined {
    const order = this.someOrder();
    if (order === undefined) return undefined;
    const payload = { orderId: this.chance.once(4) ? "" : order.id, marketId: order.market };
    return this.send(order.party, tip, { kind: "orderCancellation", payload });
  }

  batch(tip: Tip): Uint8Array | undefined {
    const [market, order] = [this.market(), this.someOrder()];
    if (market === undefined || order === undefined) return undefined;
    const submissions = [this.submission(market), this.submission(market)];
    const cancellations = [{ orderId: order.id, marketId: order.market }];
    return this.send(order.party, tip, {
      kind: "batchMarketInstructions",
      payload: { cancellations, submissions },
    });
  }

  provide(tip: Tip): Uint8Array | undefined {
    const marketId = this.market();
    if (marketId === undefined) return undefined;
    const shape = (reference: number) => [{ reference, offset: "3", proportion: 1 }];
    const payload = {
      marketId,
      commitmentAmount: `${10n ** 9n}`,
      fee: "0.001",
      buys: shape(2),
      sells: shape(3),
    };
    const party = this.chance.below(PARTIES.length);
    if (this.chance.once(4))
      return this.send(party, tip, { kind: "liquidityProvisionCancellation", payload: { marketId } });
    return this.send(party, tip, { kind: "liquidityProvisionSubmission", payload });
  }

  delegate(tip: Tip): Uint8Array {
    const nodeId = this.chance.of(...GENESIS_NODES, ...NODES).nodeId;
    const amount = `${10n ** 20n * BigInt(1 + this.chance.below(5))}`;
    const party = this.chance.below(PARTIES.length);
    if (this.chance.once(3))
      return this.send(party, tip, {
        kind: "undelegateSubmission",
        payload: { nodeId, amount, method: this.chance.of(1, 2) },
      });
    return this.send(party, tip, { kind: "delegateSubmission", payload: { nodeId, amount } });
  }

  vote(tip: Tip): Uint8Array | undefined {
    const proposalId = this.proposals.at(-1 - this.chance.below(4));
    if (proposalId === undefined) return undefined;
    const value = this.chance.once(5) ? 1 : 2;
    return this.send(this.chance.below(PARTIES.length), tip, {
      kind: "voteSubmission",
      payload: { proposalId, value },
    });
  }

  withdraw(tip: Tip): Uint8Array {
    const ext = { erc20: { receiverAddress: RECEIVER } };
    const payload = { amount: "7000000", asset: this.chance.of(this.asset, this.token), ext };
    return this.send(this.chance.below(PARTIES.length), tip, { kind: "withdrawSubmission", payload });
  }

  /** A newcomer, now and then with the consensus key of another node, or with bytes that are not a key. */
  announce(tip: Tip): Uint8Array {
    const keys = this.chance.of(...NEWCOMERS);
    const other = this.chance.of(...NODES).tmPubKey;
    const chainPubKey = this.chance.of(keys.tmPubKey, keys.tmPubKey, other, other.replace("=", ""), "AAAA");
    return this.sign(keys.vega(1), tip, { kind: "announceNode", payload: announcementOf(keys, chainPubKey) });
  }

  rotate(tip: Tip): Uint8Array | undefined {
    const keys = this.chance.of(...GENESIS_NODES.slice(1));
    const node = this.engine().domains.validators.node(keys.nodeId);
    if (node === undefined || node.vegaPubKeyIndex > 3) return undefined;
    const newPubKeyIndex = node.vegaPubKeyIndex + 1;
    const payload = {
      targetBlock: BigInt(tip.height + 1 + this.chance.below(4)),
      newPubKey: hex(keys.vega(newPubKeyIndex).publicKey),
      newPubKeyIndex,
      currentPubKeyHash: sha3HexOf(Buffer.from(node.vegaPubKey, "hex")),
    };
    return this.sign(keys.master, tip, { kind: "keyRotateSubmission", payload });
  }

  /** A transaction that was sent before; bytes that are no transaction; a proof that is not one. */
  nonsense(tip: Tip): Uint8Array | undefined {
    const { chance } = this;
    if (chance.once(3)) return Uint8Array.from({ length: chance.below(9) }, () => chance.below(256));
    if (chance.once(2)) return this.sent.at(-1 - chance.below(20));
    const vote = { kind: "voteSubmission", payload: { proposalId: "ab".repeat(32), value: 2 } } as const;
    return this.sign(PARTIES[0]!.key, tip, vote, "random");
  }

  /** Many at once of one party: more than the quota of a block. */
  flood(tip: Tip): Uint8Array {
    return this.send(5, tip, {
      kind: "transfer",
      payload: {
        ...{
          fromAccountType: GENERAL,
          toAccountType: GENERAL,
          asset: this.asset,
          amount: "5000",
          reference: "",
        },
        ...{ to: PARTIES[0]!.publicKey, oneOff: { deliverOn: 0n } },
      },
    });
  }

  end(tip: Tip): Uint8Array {
    const price = `${900 + this.chance.below(200)}`;
    const data = this.chance.once(4) ? { "trading.terminated": "true" } : { "prices.settlement": price };
    const payload = { source: 2, payload: Buffer.from(JSON.stringify(data)) };
    return this.send(0, tip, { kind: "oracleDataSubmission", payload });
  }

  private config(): RigMarket {
    const { chance } = this;
    return {
      asset: "tUSD",
      oracle: PARTIES[0]!.publicKey,
      decimals: 2,
      positionDecimals: chance.of(0, 1),
      linearSlippage: "0.1",
      quadraticSlippage: "0.1",
      openingSeconds: 2,
      targetStake: { scaling: 1 },
      ...(chance.once(2)
        ? { simple: { long: 0.1, short: 0.1 } }
        : {
            logNormal: { lambda: 0.001, tau: 0.001, sigma: 1.2 },
            triggers: [{ horizon: 60, probability: 0.95, extension: 2 }],
          }),
    };
  }

  private price(): string {
    return `${990 + this.chance.below(20)}`;
  }

  private submission(marketId: string) {
    const { chance } = this;
    const isMarket = chance.once(8);
    const isPegged = !isMarket && chance.once(8);
    const side = chance.of(1, 2);
    return {
      ...{
        marketId,
        side,
        size: BigInt(1 + chance.below(5)),
        price: isMarket || isPegged ? "" : this.price(),
      },
      ...{ type: isMarket ? 2 : 1, timeInForce: isMarket ? 3 : isPegged ? 1 : chance.of(1, 1, 3, 5, 6) },
      ...(isPegged && { peggedOrder: { reference: side === 1 ? 2 : 3, offset: "2" } }),
    };
  }

  /** Most often one that there is. */
  private market(): string | undefined {
    const enacted = this.markets.filter((id) => this.engine().domains.markets.get(id) !== undefined);
    const some = enacted.length > 0 && !this.chance.once(12) ? enacted : this.markets;
    return some.at(-1 - this.chance.below(Math.min(2, some.length)));
  }

  private someOrder() {
    return this.orders.at(-1 - this.chance.below(10));
  }

  private idOf(bytes: Uint8Array): string {
    const verdict = checkTransaction(bytes, this.genesis.chainId);
    if (!verdict.ok) throw new Error(verdict.refusal.text);
    return verdict.transaction.id;
  }
}

/** Commands by their weights. */
export type Makers = readonly (readonly [weight: number, readonly [kind: string, Make]])[];

const MAKERS: Makers = [
  [10, ["order", (h, tip) => h.order(tip)]],
  [3, ["amendment", (h, tip) => h.amend(tip)]],
  [3, ["cancellation", (h, tip) => h.cancel(tip)]],
  [2, ["batch", (h, tip) => h.batch(tip)]],
  [2, ["provision", (h, tip) => h.provide(tip)]],
  [1, ["market", (h, tip) => h.proposeMarket(tip)]],
  [1, ["market update", (h, tip) => h.updateMarket(tip)]],
  [
    2,
    [
      "parameter",
      (h, tip) => {
        const [key, value] = h.chance.of(...CHANGES);
        return h.propose(tip, { updateNetworkParameter: { changes: { key, value } } });
      },
    ],
  ],
  [1, ["freeform", (h, tip) => h.propose(tip, { enactmentTimestamp: 0n, newFreeform: {} })]],
  [8, ["vote", (h, tip) => h.vote(tip)]],
  [5, ["transfer", (h, tip) => h.transfer(tip)]],
  [3, ["delegation", (h, tip) => h.delegate(tip)]],
  [1, ["withdrawal", (h, tip) => h.withdraw(tip)]],
  [1, ["deposit", (h, tip) => h.deposit(tip, h.chance.below(6))]],
  [1, ["stake", (h, tip) => h.stake(tip, h.chance.below(6), !h.chance.once(4))]],
  [1, ["announcement", (h, tip) => h.announce(tip)]],
  [1, ["rotation", (h, tip) => h.rotate(tip)]],
  [1, ["oracle data", (h, tip) => h.end(tip)]],
  [3, ["nonsense", (h, tip) => h.nonsense(tip)]],
  [1, ["flood", (h, tip) => h.flood(tip)]],
];

const OF_VALIDATORS = ["delegation", "stake", "announcement", "rotation", "parameter", "vote", "nonsense"];

/** Commands that make and unmake validators, far more often than in `MAKERS`. */
export const VALIDATOR_MAKERS: Makers = MAKERS.flatMap(([, maker]) => {
  const [kind] = maker;
  return OF_VALIDATORS.includes(kind)
    ? [[kind === "delegation" || kind === "announcement" ? 4 : 1, maker] as const]
    : [];
});
