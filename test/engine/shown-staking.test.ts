// Figures that the network has shown of staking: rewards of an epoch, delegations that follow the stake, and the
// statuses of nodes over several epochs (docs/protocol/60-state-engine-staking.md#72-delegation to
// #76-scores-at-epoch-end and #87-staking-type-formula-types-1-2).
import { describe, expect, test } from "bun:test";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { ALICE, BOB, CAROL, NodeKeys, of, ValidatorRig, VOTE } from "./validator-rig.ts";

const INFRASTRUCTURE = "1f".repeat(32);
const NOW = 1;
const AT_END_OF_EPOCH = 2;

/** Validators whose stake is known, and who sign on the contract. */
function rigOf(nodes: number, parameters: Record<string, string> = {}): ValidatorRig {
  const rig = new ValidatorRig({
    nodes,
    parameters: {
      "validators.epoch.length": "2m",
      "validators.delegation.minAmount": "10",
      "reward.staking.delegation.minimumValidatorStake": "100",
      "reward.staking.delegation.optimalStakeMultiplier": "5",
      "network.validators.minimumEthereumEventsForNewValidator": "0",
      ...parameters,
    },
  });
  for (const node of rig.nodes) {
    rig.link(node.key, 1_000_000n);
    rig.setSigner(node.address);
  }
  return rig;
}

function undelegate(rig: ValidatorRig, party: string, node: number, amount: number, method: number): void {
  const payload = { nodeId: rig.nodes[node - 1]!.id, amount: `${amount}`, method: method as never };
  expect(rig.send(party, () => rig.delegation.undelegate(payload))).toBe("");
}

/** A party's stake on each node in the running epoch. */
function sharesOf(rig: ValidatorRig, party: string): number[] {
  return rig.nodes.map(({ id }) =>
    Number(rig.sharesOf(party).current.find(({ node }) => node === id)?.amount ?? 0n),
  );
}

/** Blocks of all validators in turn. @returns the events of the block that ends the epoch */
function endEpoch(rig: ValidatorRig) {
  for (let round = 0; round < 2; round++) {
    for (const { nodeId } of rig.validators.tendermint()) {
      rig.proposer = nodeId;
      rig.block(0n);
    }
  }
  return rig.endEpoch();
}

describe("the rewards of thirteen validators", () => {
  /** Each has 10,000 of its own; Alice has 100, 200 and 300 on the first three. */
  function open(parameters: Record<string, string> = {}): ValidatorRig {
    const rig = rigOf(13, parameters);
    for (const node of rig.nodes) expect(rig.delegate(node.key, node.id, 10_000n)).toBe("");
    rig.link(ALICE, 10_000n);
    for (const [index, amount] of [100n, 200n, 300n].entries())
      expect(rig.delegate(ALICE, rig.nodes[index]!.id, amount)).toBe("");
    endEpoch(rig);
    return rig;
  }

  /** Ends the epoch. @returns amounts of Alice and the first four validators */
  function pay(rig: ValidatorRig, amount: bigint): (number | undefined)[] {
    rig.fund(VOTE, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD, amount);
    const payouts = of(endEpoch(rig), "rewardPayout");
    const parties = [ALICE, ...rig.nodes.slice(0, 4).map(({ key }) => key)];
    return parties.map((party) => {
      const payout = payouts.find((own) => own.party === party);
      return payout && Number(payout.amount);
    });
  }

  test("given two treasuries in turn, then the rest of an epoch counts in the next", () => {
    const rig = open();
    expect(pay(rig, 50_000n)).toEqual([201, 3832, 3837, 3841, 3828]);
    expect(pay(rig, 24_991n)).toEqual([99, 1916, 1918, 1920, 1914]);
    expect(pay(rig, 12_500n)).toEqual([49, 958, 959, 961, 957]);
  });

  test("given a cap, then it holds for validators and delegators alike", () => {
    const rig = open({ "reward.staking.delegation.maxPayoutPerParticipant": "3000" });
    expect(pay(rig, 50_000n)).toEqual([201, 3000, 3000, 3000, 3000]);
  });

  test("given fees for the infrastructure, then they are split as the treasury is", () => {
    const rig = open();
    rig.fund(INFRASTRUCTURE, AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE, 1_503n);
    const payouts = of(endEpoch(rig), "rewardPayout");
    expect(payouts.map(({ amount }) => amount).sort()).toEqual([...Array(13).fill("115"), "6"]);
  });

  test("given stake that goes within the epoch, by command or on Ethereum, then it earns nothing", () => {
    const rig = open();
    undelegate(rig, ALICE, 2, 150, NOW);
    undelegate(rig, ALICE, 3, 300, NOW);
    expect(pay(rig, 50_000n)).toEqual([49, 3846, 3843, 3841, 3841]);
    const unlinked = open();
    unlinked.link(ALICE, 9_850n, { unlink: true, seconds: 2n });
    expect(pay(unlinked, 50_000n)).toEqual([49, 3842, 3843, 3845, 3841]);
  });

  test("given far too much stake on one, then it scores like the others, and shares it by stake", () => {
    const rig = rigOf(13);
    for (const [index, node] of rig.nodes.slice(0, 5).entries())
      rig.delegate(node.key, node.id, BigInt(100 * (index + 1)));
    for (const [party, amount] of [
      [ALICE, 10n],
      [BOB, 50n],
      [CAROL, 200n],
    ] as const) {
      rig.link(party, amount);
      expect(rig.delegate(party, rig.nodes[0]!.id, amount)).toBe("");
    }
    endEpoch(rig);
    rig.fund(VOTE, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD, 50_000n);
    const payouts = of(endEpoch(rig), "rewardPayout").map(({ amount }) => Number(amount));
    expect(payouts.sort((a, b) => a - b)).toEqual([245, 1226, 3622, 4905, 10_000, 10_000, 10_000, 10_000]);
  });
});

describe("delegations that follow the stake", () => {
  /** Alice has all of her stake delegated, the same on each. */
  function open(stake: bigint): ValidatorRig {
    const rig = rigOf(5);
    rig.link(ALICE, stake);
    for (const { id } of rig.nodes) expect(rig.delegate(ALICE, id, stake / 5n)).toBe("");
    rig.endEpoch();
    return rig;
  }

  test("given stake goes before the epoch does, then every node gives up its part", () => {
    const rig = rigOf(5);
    rig.link(ALICE, 500n);
    for (const { id } of rig.nodes) rig.delegate(ALICE, id, 100n);
    rig.link(ALICE, 350n, { unlink: true, seconds: 2n });
    rig.endEpoch();
    expect(sharesOf(rig, ALICE)).toEqual([30, 30, 30, 30, 30]);
  });

  test("given less stake, then less; given more, then more in the same proportions", () => {
    const less = open(1_000n);
    less.link(ALICE, 200n, { unlink: true, seconds: 2n });
    less.endEpoch();
    expect(sharesOf(less, ALICE)).toEqual([160, 160, 160, 160, 160]);
    const more = open(1_000n);
    more.link(ALICE, 200n);
    more.endEpoch();
    expect(sharesOf(more, ALICE)).toEqual([240, 240, 240, 240, 240]);
  });

  test("given a delegation in the epoch of the new stake, then the rest of it follows an epoch later", () => {
    const rig = open(1_000n);
    rig.link(ALICE, 200n);
    rig.delegate(ALICE, rig.nodes[0]!.id, 100n);
    rig.endEpoch();
    expect(sharesOf(rig, ALICE)).toEqual([300, 200, 200, 200, 200]);
    rig.endEpoch();
    expect(sharesOf(rig, ALICE)).toEqual([327, 218, 218, 218, 218]);
  });

  test("given something was taken back, then new stake waits until nearly all is delegated again", () => {
    const rig = open(1_000n);
    rig.link(ALICE, 100n);
    undelegate(rig, ALICE, 1, 200, AT_END_OF_EPOCH);
    rig.endEpoch();
    expect(sharesOf(rig, ALICE)).toEqual([0, 200, 200, 200, 200]);
    rig.delegate(ALICE, rig.nodes[1]!.id, 300n);
    rig.endEpoch();
    rig.link(ALICE, 100n);
    rig.endEpoch();
    expect(sharesOf(rig, ALICE)).toEqual([0, 545, 218, 218, 218]);
  });
});

describe("statuses over several epochs", () => {
  function setThreshold(rig: ValidatorRig, newThreshold: number): void {
    const thresholdSet = { newThreshold, nonce: "9", blockTime: 5n };
    const event = { index: 900n, block: 9n, signerAdded: undefined, signerRemoved: undefined, thresholdSet };
    expect(rig.send(rig.nodes[0]!.key, () => rig.multisig.processEvent(event, "0xbeef"))).toBe("");
    rig.witnessAll();
    rig.witness.onTick();
    rig.multisig.onTick();
  }

  const validators = (rig: ValidatorRig) =>
    rig.validators.tendermint().map(({ nodeId }) => nodeId.slice(0, 2));

  test.each([
    [666, ["0203040506", "03040506", "040506"]],
    [900, ["010203040506", "010203040506", "010203040506"]],
  ])(
    "given six signers, three slots and a threshold of %p, then one goes an epoch as long as the contract allows it",
    (threshold, expected) => {
      const rig = rigOf(6, {
        "network.validators.multisig.numberOfSigners": "3",
        "network.validators.ersatz.multipleOfTendermintValidators": "1",
      });
      for (const [index, { key, id }] of rig.nodes.entries()) rig.delegate(key, id, 1_000n + BigInt(index));
      setThreshold(rig, threshold);
      endEpoch(rig);
      rig.params.setValue("network.validators.tendermint.number", "3");
      for (const list of expected) {
        endEpoch(rig);
        expect(validators(rig).join("")).toBe(list);
        for (const { id, address } of rig.nodes) {
          const isOver = rig.validators.node(id)!.status !== "tendermint" && rig.multisig.isSigner(address);
          if (isOver) rig.setSigner(address, { remove: true, seconds: BigInt(rig.core.height) });
        }
      }
    },
  );

  test("given a free slot, a validator without stake and two announced nodes, then both come in one epoch", () => {
    const rig = rigOf(4, {
      "validators.epoch.length": "5m",
      "network.validators.tendermint.number": "5",
      "network.validators.multisig.numberOfSigners": "5",
    });
    for (const { key, id } of rig.nodes) rig.delegate(key, id, 1_000n);
    rig.endEpoch();
    const announced = [new NodeKeys(51), new NodeKeys(52)];
    for (const node of announced) {
      expect(rig.send(node.key, () => rig.validators.announceNode(node.announcement()))).toBe("");
      rig.link(node.key, 1_000n);
      expect(rig.delegate(node.key, node.id, 1_000n)).toBe("");
    }
    undelegate(rig, rig.nodes[0]!.key, 1, 1_000, AT_END_OF_EPOCH);
    rig.endEpoch();
    for (let round = 0; round < 4; round++) {
      rig.block(51n);
      for (const node of announced) {
        const message = rig.validators.heartbeatDue(node.id);
        if (message === undefined) continue;
        const vegaSignature = node.vegaSignature(message);
        const ethereumSignature = node.ethereumSignature(message);
        const payload = { nodeId: node.id, message, vegaSignature, ethereumSignature };
        expect(rig.send(node.key, () => rig.validators.acceptHeartbeat(payload))).toBe("");
      }
    }
    rig.endEpoch();
    expect(validators(rig)).toEqual(["02", "03", "04", "51", "52"]);
  });
});
