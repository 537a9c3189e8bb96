// Protocol upgrades: docs/protocol/60-state-engine-staking.md#96-protocol-upgrade.
import { describe, expect, test } from "bun:test";
import { Core } from "../../src/engine/core.ts";
import {
  compareVersions,
  parseSemanticVersion,
  type SemanticVersion,
  Upgrades,
} from "../../src/engine/upgrades.ts";
import { ALICE, NodeKeys, of, ValidatorRig } from "./validator-rig.ts";

const PENDING = 1;
const APPROVED = 2;
const REJECTED = 3;

function propose(rig: ValidatorRig, node: number, height: bigint, tag: string): string {
  const payload = { upgradeBlockHeight: height, vegaReleaseTag: tag };
  return rig.send(rig.nodes[node]!.key, () => rig.upgrades.submitProposal(payload));
}

/** Upgrade events as `tag@height status approvers`, an approver by its place. */
function seen(rig: ValidatorRig, events = rig.events()): string[] {
  const nameOf = (key: string) => rig.nodes.findIndex((node) => node.key === key);
  return of(events, "protocolUpgradeEvent").map(
    ({ upgradeBlockHeight, vegaReleaseTag, approvers, status }) => {
      const names = (approvers as string[]).map(nameOf).sort().join("");
      return `${vegaReleaseTag}@${upgradeBlockHeight} ${status} ${names}`;
    },
  );
}

describe("a proposal", () => {
  test.each([
    ["height 0", 0n, "v0.72.0", "upgrade block out of range"],
    ["a height beyond 63 bits", 2n ** 63n, "v0.72.0", "upgrade block out of range"],
    ["the running height", 1n, "v0.72.0", "upgrade block earlier than current block height"],
    [
      "no version",
      9n,
      "soon",
      "invalid protocol version for upgrade received: version (soon), major, minor and patch are needed",
    ],
    ["an older version", 9n, "v0.71.5", "upgrade version is too old"],
    ["a pre-release of the running version", 9n, "v0.71.6-rc.1", "upgrade version is too old"],
    ["a newer version", 9n, "v0.72.0-preview", ""],
    ["a version without the v", 9n, "0.72.0", ""],
  ])("given %s, then it answers as documented", (_title, height, tag, text) => {
    const rig = new ValidatorRig();
    expect(propose(rig, 0, height, tag)).toBe(text);
    expect(seen(rig)).toEqual(text === "" ? [`${tag}@${height} ${PENDING} 0`] : []);
  });

  test("given a party that is not a validator, then it is refused", () => {
    const rig = new ValidatorRig();
    const payload = { upgradeBlockHeight: 9n, vegaReleaseTag: "v0.72.0" };
    const refused = "only tendermint validator can propose a protocol upgrade";
    expect(rig.send(ALICE, () => rig.upgrades.submitProposal(payload))).toBe(refused);
    rig.validators.update(rig.nodes[0]!.id, { status: "ersatz" });
    expect(propose(rig, 0, 9n, "v0.72.0")).toBe(refused);
  });

  test("given votes come and move, then each change is told, and one without votes is rejected", () => {
    const rig = new ValidatorRig({ nodes: 3 });
    propose(rig, 0, 9n, "v0.72.0");
    propose(rig, 1, 9n, "v0.72.0");
    expect(seen(rig)).toEqual([`v0.72.0@9 ${PENDING} 0`, `v0.72.0@9 ${PENDING} 01`]);
    // The same vote again changes nothing.
    propose(rig, 1, 9n, "v0.72.0");
    expect(seen(rig)).toEqual([]);
    propose(rig, 1, 12n, "v0.72.0");
    expect(seen(rig)).toEqual([`v0.72.0@12 ${PENDING} 1`, `v0.72.0@9 ${PENDING} 0`]);
    // A vote for the running release takes the vote back.
    propose(rig, 0, 9n, "v0.71.6");
    expect(seen(rig)).toEqual([`v0.72.0@9 ${REJECTED} `]);
    propose(rig, 0, 9n, "0.71.6");
    expect(seen(rig)).toEqual([]);
  });

  test("given an approver rotates its key, then its approval stays, under the new key", () => {
    const rig = new ValidatorRig();
    const other = new NodeKeys(71);
    propose(rig, 0, 3n, "v0.72.0");
    rig.events();
    rig.validators.update(rig.nodes[0]!.id, { vegaPubKey: other.key });
    rig.block();
    expect(of(rig.block(), "protocolUpgradeEvent")).toMatchObject([
      { approvers: [other.key], status: APPROVED },
    ]);
  });

  test("given its approvers, then they are in order", () => {
    const rig = new ValidatorRig({ nodes: 3 });
    for (const node of [2, 0, 1]) propose(rig, node, 9n, "v0.72.0");
    const { approvers } = of(rig.events(), "protocolUpgradeEvent").at(-1)!;
    expect(approvers).toEqual(rig.nodes.map(({ key }) => key).sort());
  });
});

describe("the height of a proposal", () => {
  test("given enough power, then it is approved at the commit of its height, and the chain must not go on", () => {
    const rig = new ValidatorRig({ nodes: 3 });
    for (const node of [0, 1, 2]) propose(rig, node, 4n, "v0.72.0");
    rig.events();
    expect([rig.block(), rig.block()].flatMap((events) => seen(rig, events))).toEqual([]);
    expect(rig.upgrades.haltReason()).toBeUndefined();
    expect(seen(rig, rig.block())).toEqual([`v0.72.0@4 ${APPROVED} 012`]);
    expect(rig.upgrades.haltReason()).toBe("protocol upgrade to v0.72.0 agreed on for height 4");
    const again = new ValidatorRig({ nodes: 3 });
    again.core.state.load([...rig.core.state.entries()]);
    expect(again.upgrades.haltReason()).toBe(rig.upgrades.haltReason()!);
  });

  test.each([
    ["v0.71.6", true],
    ["v0.72.0-rc.1", true],
    ["v0.72.0", false],
    ["0.72.1", false],
  ])(
    "given release %p over the state of an upgrade to v0.72.0, then it stands: %p",
    (release, isStanding) => {
      const rig = new ValidatorRig({ nodes: 3 });
      for (const node of [0, 1, 2]) propose(rig, node, 3n, "v0.72.0");
      for (let blocks = 0; blocks < 3; blocks++) rig.block();
      const core = new Core("next-release");
      const upgrades = new Upgrades(core, rig.params, rig.validators, release);
      core.state.load([...rig.core.state.entries()].filter(({ table }) => table.startsWith("upgrades.")));
      expect(upgrades.haltReason() !== undefined).toBe(isStanding);
    },
  );

  test("given a program of the agreed release, then the chain goes on with it, and votes are measured by it", () => {
    const old = new ValidatorRig({ nodes: 3 });
    for (const node of [0, 1, 2]) propose(old, node, 2n, "v0.72.0");
    old.block();
    const rig = new ValidatorRig({ nodes: 3, release: "v0.73.0" });
    rig.core.state.load([...old.core.state.entries()]);
    expect([rig.upgrades.release, rig.upgrades.haltReason()]).toEqual(["v0.71.6", undefined]);
    rig.begin();
    expect(rig.upgrades.release).toBe("v0.72.0");
    expect(propose(rig, 0, 9n, "v0.71.9")).toBe("upgrade version is too old");
    expect(propose(rig, 0, 9n, "v0.73.0")).toBe("");
    // The former program over the same home.
    old.core.state.load([...rig.core.state.entries()]);
    expect(old.upgrades.haltReason()).toBe(
      "protocol upgrade to v0.72.0 was made, and this program runs chains up to v0.71.6",
    );
  });

  test("given a later program executes a chain from its beginning, then proposals for its own release count as ever", () => {
    const rig = new ValidatorRig({ nodes: 3, release: "v0.72.0" });
    for (const node of [0, 1, 2]) propose(rig, node, 2n, "v0.72.0");
    rig.events();
    expect(seen(rig, rig.block())).toEqual([`v0.72.0@2 ${APPROVED} 012`]);
    expect(rig.upgrades.haltReason()).toBeUndefined();
  });

  test("given others for later heights, then they are rejected with its approval", () => {
    const rig = new ValidatorRig({ nodes: 5 });
    for (const node of [0, 1, 2, 3]) propose(rig, node, 2n, "v0.73.0");
    propose(rig, 4, 9n, "v0.72.0");
    rig.events();
    expect(seen(rig, rig.block())).toEqual([`v0.72.0@9 ${REJECTED} 4`, `v0.73.0@2 ${APPROVED} 0123`]);
  });

  test("given too little power, then it is rejected when its height comes, and the chain goes on", () => {
    const rig = new ValidatorRig({ nodes: 3 });
    propose(rig, 0, 3n, "v0.72.0");
    propose(rig, 1, 3n, "v0.72.0");
    rig.events();
    expect(seen(rig, rig.block())).toEqual([]);
    // Two of three are less than 0.67.
    expect(seen(rig, rig.block())).toEqual([`v0.72.0@3 ${REJECTED} 01`]);
    expect(seen(rig, rig.block())).toEqual([]);
    expect(rig.upgrades.haltReason()).toBeUndefined();
  });

  test("given votes are counted by power, then one validator with most of it is enough", () => {
    const rig = new ValidatorRig({ nodes: 2 });
    rig.validators.update(rig.nodes[0]!.id, { power: 67n });
    rig.validators.update(rig.nodes[1]!.id, { power: 33n });
    propose(rig, 0, 2n, "v0.72.0");
    rig.events();
    expect(seen(rig, rig.block())).toEqual([`v0.72.0@2 ${APPROVED} 0`]);
  });

  test("given a vote is taken back in the last block, then the next one rejects it", () => {
    const rig = new ValidatorRig();
    propose(rig, 0, 2n, "v0.72.0");
    rig.begin();
    propose(rig, 0, 3n, "v0.73.0");
    rig.events();
    rig.end();
    expect(rig.upgrades.haltReason()).toBeUndefined();
    expect(seen(rig, rig.block())).toEqual([`v0.73.0@3 ${APPROVED} 0`]);
  });
});

describe("semantic versions", () => {
  const version = (text: string) => parseSemanticVersion(text) as SemanticVersion;

  test("given the order of the specification, then it is kept", () => {
    const ordered = [
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0",
      "1.0.1",
      "1.2.0",
      "2.0.0",
      "10.0.0",
    ];
    for (const [index, text] of ordered.entries()) {
      for (const [other, text2] of ordered.entries()) {
        expect(Math.sign(compareVersions(version(text), version(text2)))).toBe(Math.sign(index - other));
      }
    }
    expect(compareVersions(version("v1.0.0+a"), version("1.0.0+b"))).toBe(0);
  });

  test.each([
    ["", "version string empty"],
    ["v", "version string empty"],
    ["1.2", "major, minor and patch are needed"],
    ["1.2.3.4", "major, minor and patch are needed"],
    ["1.x.3", 'not a number: "x"'],
    ["01.2.3", 'a number must not begin with 0: "01"'],
    ["1.2.3-", "invalid pre-release"],
    ["1.2.3-a..b", "invalid pre-release"],
    ["1.2.3-01", 'a number must not begin with 0: "01"'],
    ["1.2.3+", "invalid build metadata"],
    ["1.2.3+a+b", "invalid build metadata"],
  ])("given %p, then it is none: %s", (text, reason) => {
    expect(parseSemanticVersion(text)).toBe(reason);
  });
});
