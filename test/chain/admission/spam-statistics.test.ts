// The answer of GET /statistics/spam/{partyId}, and admission as a whole
// (docs/protocol/00-interface.md#2-resources-and-their-fields; docs/protocol/40-pow-spam.md#5-spam-statistics).
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  Admission,
  type AdmissionTransaction,
  spamStatistics,
} from "../../../src/chain/admission/admission.ts";
import { PARAMETERS as KNOWN } from "../../../src/engine/parameter-definitions.ts";
import { renderJson } from "../../../src/wire/json.ts";
import { durationNs, rfc3339Nano, SECOND_NS } from "../../../src/wire/time-text.ts";
import { runs } from "../../support/seed.ts";
import { hashOf, mine, textOf } from "./pow-fixture.ts";

const GENESIS_NS = BigInt(Date.UTC(2023, 0, 1)) * 1_000_000n;

const PARAMETERS: Readonly<Record<string, string>> = {
  "spam.pow.numberOfPastBlocks": "100",
  "spam.pow.difficulty": "4",
  "spam.pow.hashFunction": "sha3_24_rounds",
  "spam.pow.numberOfTxPerBlock": "2",
  "spam.pow.increaseDifficulty": "0",
  "validators.epoch.length": "24h0m0s",
  "spam.protection.max.votes": "3",
  "spam.protection.voting.min.tokens": "100000000000000000000",
  "spam.protection.max.proposals": "3",
  "spam.protection.proposal.min.tokens": "100000000000000000000000",
  "spam.protection.max.delegations": "390",
  "spam.protection.delegation.min.tokens": "1000000000000000000.9",
  "spam.protection.maxUserTransfersPerEpoch": "20",
  "reward.staking.delegation.minimumValidatorStake": "0",
  "spam.protection.minMultisigUpdates": "100000000000000000000",
};

class Chain {
  readonly admission: Admission;
  height = 0n;
  private serial = 0;

  constructor(changes: Readonly<Record<string, string>> = {}, rules: "default" | "0.71.6" = "default") {
    this.admission = new Admission("vega-devnet-0001", rules);
    for (const [key, value] of Object.entries({ ...PARAMETERS, ...changes })) {
      this.admission.setParameter(key, value);
    }
    this.next();
  }

  next(): void {
    if (this.height > 0n) {
      this.admission.endBlock();
      this.admission.commit();
    }
    this.height += 1n;
    this.admission.beginBlock(this.height, hashOf(this.height), GENESIS_NS + this.height * SECOND_NS);
  }

  /** Delivers commands, each proven on the height before the current one. */
  deliver(
    command: AdmissionTransaction["command"],
    times = 1,
    proposal?: string,
    height = this.height - 1n,
  ): string[] {
    return Array.from({ length: times }, () => {
      const tid = `proof ${++this.serial}`;
      const nonce = mine(hashOf(height), tid, 4);
      const tx = { party: "party", hash: `hash ${this.serial}`, blockHeight: height, tid, nonce, command };
      return textOf(this.admission.deliver(proposal === undefined ? tx : { ...tx, proposal }));
    });
  }

  get answer(): string {
    const message = spamStatistics(this.admission, "party");
    return renderJson("vega.api.v1.GetSpamStatisticsResponse", message, "node");
  }
}

test("a party that never sent anything: every member of the interface, in its order", () => {
  expect(new Chain().answer).toBe(`{
  "chainId": "vega-devnet-0001",
  "statistics": {
    "proposals": {
      "countForEpoch": "0",
      "maxForEpoch": "3",
      "minTokensRequired": "100000000000000000000000"
    },
    "delegations": {
      "countForEpoch": "0",
      "maxForEpoch": "390",
      "minTokensRequired": "1000000000000000000"
    },
    "transfers": {
      "countForEpoch": "0",
      "maxForEpoch": "20",
      "minTokensRequired": "0"
    },
    "nodeAnnouncements": {
      "countForEpoch": "0",
      "maxForEpoch": "1",
      "minTokensRequired": "0"
    },
    "votes": {
      "statistics": [],
      "maxForEpoch": "3"
    },
    "pow": {
      "blockStates": [
        {
          "blockHeight": "1",
          "blockHash": "${hashOf(1n)}",
          "transactionsSeen": "0",
          "expectedDifficulty": "4",
          "hashFunction": "sha3_24_rounds",
          "difficulty": "4",
          "txPerBlock": "2",
          "increasingDifficulty": false
        }
      ],
      "numberOfPastBlocks": "100"
    },
    "issueSignatures": {
      "countForEpoch": "0",
      "maxForEpoch": "1",
      "minTokensRequired": "100000000000000000000"
    },
    "epochSeq": "0"
  }
}`);
});

describe("a party that sends", () => {
  test("counts of finished blocks, live heights in ascending order, and bans with their times", () => {
    const chain = new Chain({ "spam.pow.numberOfTxPerBlock": "3" });
    for (let height = 2; height <= 5; height++) chain.next();
    expect(chain.deliver("transfer", 1, undefined, 4n)).toEqual(["accepted"]);
    expect(chain.deliver("announceNode", 2, undefined, 2n)).toEqual([
      "accepted",
      "party has already submitted the maximum number of validatorJoin requests per epoch",
    ]);
    const before = JSON.parse(chain.answer).statistics;
    expect([before.transfers.countForEpoch, before.nodeAnnouncements.countForEpoch]).toEqual(["0", "0"]);
    chain.next();
    const { statistics } = JSON.parse(chain.answer);
    expect([statistics.transfers.countForEpoch, statistics.nodeAnnouncements.countForEpoch]).toEqual([
      "1",
      "1",
    ]);
    // Block 5 is at second 5, and a day's epoch bans for 1799.999999999 s.
    expect(statistics.nodeAnnouncements.bannedUntil).toBe("2023-01-01T00:30:04.999999999Z");
    expect("bannedUntil" in statistics.transfers).toBeFalse();
    const states = statistics.pow.blockStates.map((state: Record<string, unknown>) => [
      state.blockHeight,
      state.transactionsSeen,
    ]);
    // A transaction refused by a spam policy has used its proof all the same (docs/protocol/40-pow-spam.md#8-easily-missed, 23).
    expect(states).toEqual([
      ["2", "2"],
      ["4", "1"],
      ["6", "0"],
    ]);
    chain.deliver("orderSubmission", 2, undefined, 2n);
    const banned = JSON.parse(chain.answer).statistics.pow;
    expect(banned.bannedUntil).toBe("2023-01-01T00:30:05.999999999Z");
    expect("expectedDifficulty" in banned.blockStates[0]).toBeFalse();
  });

  test.each([
    ["default", "200000000000000000000"],
    ["0.71.6", "100000000000000000000"],
  ] as const)("votes by proposal; rules %s say what a vote takes: %s", (rules, minTokensRequired) => {
    const chain = new Chain({ "spam.pow.numberOfTxPerBlock": "9" }, rules);
    chain.next();
    chain.deliver("voteSubmission", 5, "b2");
    chain.deliver("voteSubmission", 1, "a1");
    chain.next();
    expect(JSON.parse(chain.answer).statistics.votes).toEqual({
      statistics: [
        { proposal: "a1", countForEpoch: "1", minTokensRequired },
        { proposal: "b2", countForEpoch: "3", minTokensRequired },
      ],
      maxForEpoch: "3",
    });
  });
});

test("the mempool hears of the proof first, then of the policy", () => {
  const chain = new Chain();
  chain.next();
  const tx = { party: "party", hash: "h", blockHeight: 1n, tid: "t", nonce: mine(hashOf(1n), "t", 4) };
  expect(textOf(chain.admission.check({ ...tx, command: "proposalSubmission" }, 0n))).toBe(
    "party has insufficient associated governance tokens in their staking account to submit proposal request",
  );
  chain.admission.reserve({ ...tx, command: "transfer" });
  expect(textOf(chain.admission.check({ ...tx, command: "proposalSubmission" }, 0n))).toBe(
    "proof of work tid already seen",
  );
});

describe("network parameters", () => {
  test("all of admission's are taken, others are left", () => {
    const accepted = [...KNOWN.keys()].filter((key) => {
      try {
        return new Admission("c").setParameter(key, PARAMETERS[key] ?? "1");
      } catch {
        return true;
      }
    });
    expect(accepted.toSorted()).toEqual(Object.keys(PARAMETERS).toSorted());
    expect(new Admission("c").setParameter("market.fee", "1")).toBeFalse();
    expect(() => new Admission("c").setParameter("spam.pow.difficulty", "much")).toThrow(
      "'much' is not a number",
    );
  });

  test.each([
    ["24h0m0s", 86_400n * SECOND_NS],
    ["1h30m", 5_400n * SECOND_NS],
    ["1.5s", 1_500_000_000n],
    ["250ms", 250_000_000n],
    ["3us4ns", 3_004n],
  ])("%s", (text, ns) => {
    expect(durationNs(text)).toBe(ns);
  });

  test.each(["", "10", "1h x", "-1s"])("'%s' is no duration", (text) => {
    expect(() => durationNs(text)).toThrow("is not a duration");
  });
});

test.each([
  [0n, "1970-01-01T00:00:00Z"],
  [1_672_533_000_999_999_999n, "2023-01-01T00:30:00.999999999Z"],
  [1_672_533_000_500_000_000n, "2023-01-01T00:30:00.5Z"],
  [-1n, "1969-12-31T23:59:59.999999999Z"],
])("%d is %s", (ns, text) => {
  expect(rfc3339Nano(ns)).toBe(text);
});

describe("the saved state", () => {
  const command = fc.constantFrom(
    "transfer",
    "voteSubmission",
    "announceNode",
    "nodeVote",
    "orderSubmission",
  );
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ command, party: fc.constantFrom("A", "B"), age: fc.bigInt(0n, 3n) }),
    },
    { weight: 2, arbitrary: fc.constant("block" as const) },
    { weight: 1, arbitrary: fc.constant("epoch" as const) },
  );

  test("bytes, loaded and saved again, are the same; and both go on alike", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(step, { maxLength: 30 }), (first, second) => {
        const [one, two] = [new Admission("c"), new Admission("c")];
        for (const [key, value] of Object.entries(PARAMETERS)) one.setParameter(key, value);
        let height = 0n;
        let serial = 0;
        const block = (chains: Admission[]) => {
          for (const chain of chains) {
            if (height > 0n) chain.endBlock();
            chain.commit();
            chain.beginBlock(height + 1n, hashOf(height + 1n), GENESIS_NS + height * 20n * SECOND_NS);
          }
          height += 1n;
        };
        const run = (steps: readonly (typeof first)[number][], chains: Admission[]) => {
          for (const what of steps) {
            if (what === "block") block(chains);
            else if (what === "epoch") for (const chain of chains) chain.startEpoch(height);
            else {
              const [blockHeight, tid] = [height - what.age, `tid ${++serial}`];
              const nonce = blockHeight > 0n ? mine(hashOf(blockHeight), tid, 4) : 0n;
              const { command, party } = what;
              const tx = { party, hash: `hash ${serial}`, blockHeight, tid, nonce, command, proposal: "p" };
              const [verdict, ...others] = chains.map((chain) => chain.deliver(tx));
              for (const other of others) expect(other).toEqual(verdict!);
            }
          }
        };
        block([one]);
        run(first, [one]);
        one.endBlock();
        one.commit();
        const entries = [...one.state.entries()];
        two.state.load(entries);
        two.resume(height, GENESIS_NS + (height - 1n) * 20n * SECOND_NS);
        expect([...two.state.entries()]).toEqual(entries);
        run(["block", ...second, "block"], [one, two]);
        for (const chain of [one, two]) chain.endBlock();
        expect([...two.state.entries()]).toEqual([...one.state.entries()]);
      }),
      { numRuns: runs(80) },
    );
  });
});
