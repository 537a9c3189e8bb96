// Whatever is asked of banking in whatever order: money is conserved, and what is refused changes nothing.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Decimal } from "../../src/wire/decimal.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { runs } from "../support/seed.ts";
import { ALICE, BOB, COIN, keyOf, RECEIVER, Rig, signatureOf, TOKEN } from "./banking-rig.ts";

const PARTIES = [ALICE, BOB, "cc".repeat(32)];
const MARKETS = ["e1".repeat(32), "e2".repeat(32)];
const party = fc.constantFrom(...PARTIES);
const asset = fc.oneof({ arbitrary: fc.constantFrom(COIN, TOKEN), weight: 8 }, fc.constant("ff".repeat(32)));
const amount = fc
  .oneof({ arbitrary: fc.nat(80), weight: 5 }, { arbitrary: fc.nat(2_000), weight: 5 }, fc.constant(10 ** 9))
  .map(String);
const target = fc.constantFrom(
  AccountType.ACCOUNT_TYPE_GENERAL,
  AccountType.ACCOUNT_TYPE_GLOBAL_REWARD,
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
  AccountType.ACCOUNT_TYPE_INSURANCE,
);
const strategy = { assetForMetric: COIN, metric: 1, markets: MARKETS };

type Step = (rig: Rig) => void;

const command: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ party, asset, amount, nonce: fc.bigInt(0n, 9n) }).map(
    ({ party, asset, amount, nonce }): Step =>
      (rig) =>
        void rig.depositEvent(party, asset, amount, nonce),
  ),
  fc.record({ party, asset, amount, index: fc.bigInt(0n, 9n) }).map(
    ({ party, asset, amount, index }): Step =>
      (rig) =>
        void rig.erc20({
          index,
          deposit: { vegaAssetId: asset, sourceEthereumAddress: RECEIVER, targetPartyId: party, amount },
        }),
  ),
  fc
    .record({
      party: fc.constantFrom(ALICE, BOB),
      asset,
      amount,
      ext: fc.constantFrom(true, true, true, false),
    })
    .map(
      ({ party, asset, amount, ext }): Step =>
        (rig) =>
          void rig.run(party, () =>
            rig.banking.withdraw({
              asset,
              amount,
              ext: ext ? { erc20: { receiverAddress: RECEIVER } } : undefined,
            }),
          ),
    ),
  fc.record({ party, to: party, asset, amount, toAccountType: target, later: fc.nat(3) }).map(
    ({ party, later, ...command }): Step =>
      (rig) => {
        const deliverOn = later === 0 ? 0n : rig.core.nowNs + BigInt(later) * SECOND_NS;
        rig.transfer(party, { ...command, oneOff: { deliverOn } });
      },
  ),
  fc
    .record({
      party,
      to: party,
      asset,
      amount,
      toAccountType: target,
      factor: fc.constantFrom("1", "0.5", "1.7", "0"),
      start: fc.bigInt(0n, 6n),
      isDispatched: fc.boolean(),
    })
    .map(
      ({ party, factor, start, isDispatched, ...command }): Step =>
        (rig) => {
          const recurring = {
            startEpoch: start,
            factor,
            ...(isDispatched && { dispatchStrategy: strategy }),
          };
          rig.transfer(party, { ...command, recurring });
        },
    ),
  fc.record({ party, back: fc.nat(5) }).map(
    ({ party, back }): Step =>
      (rig) => {
        const transferId = (BigInt(`0x${rig.lastId}`) - BigInt(back)).toString(16).padStart(64, "0");
        rig.run(party, () => rig.banking.cancelTransfer({ transferId }));
      },
  ),
  fc.boolean().map(
    (stopped): Step =>
      (rig) =>
        void rig.erc20({
          block: BigInt(rig.core.height),
          ...(stopped ? { bridgeStopped: true } : { bridgeResumed: true }),
        }),
  ),
  fc.constant<Step>((rig) => {
    const seq = BigInt(rig.core.height % 7);
    rig.banking.onEpochEnd({ seq });
    rig.tick();
  }),
);

/** The validator does what it has to, and a block goes by. */
const duties: Step = (rig) => {
  for (const { id } of rig.witness.openResources(rig.node)) rig.vote(id);
  for (const { resource, kind, digest } of rig.notary.owedSignatures(rig.node)) {
    const sig = signatureOf(rig.node, digest);
    rig.run(keyOf(rig.node), () => rig.notary.nodeSignature({ id: resource, kind, sig }));
  }
  rig.tick();
};

const step = fc.oneof({ arbitrary: command, weight: 5 }, { arbitrary: fc.constant(duties), weight: 1 });

function withoutForwarded<E extends { readonly table: string }>(entries: Iterable<E>): E[] {
  return [...entries].filter(({ table }) => table !== "validators.forwarded");
}

/** A rig whose commands are watched: a refused one must leave the state as it was, except for what it says it keeps. */
class WatchedRig extends Rig {
  readonly refusals: string[] = [];

  override run(party: string, command: () => void) {
    const before = [...this.core.state.entries()];
    const balances = this.balances();
    const events = this.core.log.length;
    const error = super.run(party, command);
    if (error === undefined) return undefined;
    this.refusals.push(error.message);
    // Rejections keep their event, and a withdrawal its count and record; they never move money.
    expect(this.balances()).toEqual(balances);
    const isTold = this.core.log.length > events;
    expect(isTold && !error.options.keepChanges).toBe(false);
    // Without an event nothing is kept but that a chain event was forwarded.
    if (!isTold) expect(withoutForwarded(this.core.state.entries())).toEqual(withoutForwarded(before));
    return error;
  }

  private balances() {
    return this.collateral.entries().map(([id, { balance }]) => `${id} ${balance}`);
  }
}

test("given any sequence of commands, then each asset is conserved, refusals move nothing, and a reloaded state goes on alike", () => {
  const scores = MARKETS.map((market) => ({ market, score: Decimal.parse("0.45") }));
  const markets = { marketScores: () => scores, markPaid: () => {} };
  const reached = { refusals: 0, transfers: 0, signatures: 0 };
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40, size: "max" }),
      fc.array(step, { maxLength: 10, size: "max" }),
      (first, second) => {
        const rig = new WatchedRig({ markets });
        for (const id of [COIN, TOKEN]) rig.fund(ALICE, id, 5_000n);
        const run = (list: readonly Step[], on: Rig) => {
          for (const next of list) {
            next(on);
            on.collateral.checkConservation();
          }
        };
        run([...first, duties], rig);
        reached.refusals += rig.refusals.length;
        for (const { transfer, nodeSignature } of rig.events()) {
          if (transfer !== undefined) reached.transfers++;
          if (nodeSignature !== undefined) reached.signatures++;
        }
        const entries = [...rig.core.state.entries()];
        const other = new WatchedRig({ markets });
        other.core.state.load(entries);
        other.core.block = rig.core.block;
        other.assets.records.clear();
        for (const [id, record] of rig.assets.records) other.assets.records.set(id, record);
        other.follow(rig);
        run(second, rig);
        run(second, other);
        expect([...other.core.state.entries()]).toEqual([...rig.core.state.entries()]);
        expect(other.lines()).toEqual(rig.lines());
      },
    ),
    { numRuns: runs(120) },
  );
  // The sequences are not all refused, nor all trivial.
  expect(reached.refusals).toBeGreaterThan(100);
  expect(reached.transfers).toBeGreaterThan(50);
  expect(reached.signatures).toBeGreaterThan(0);
});
