// Outside events are accepted by voting power, and in the order of ids.
import { beforeEach, describe, expect, test } from "bun:test";
import { Core } from "../../src/engine/core.ts";
import { Witness } from "../../src/engine/witness.ts";
import { keyOf, PlayedParameters, PlayedValidators } from "./banking-rig.ts";

const DEADLINE = 1_000n;

let core: Core;
let params: PlayedParameters;
let validators: PlayedValidators;
let witness: Witness;
let outcomes: string[];

beforeEach(() => {
  core = new Core("witness");
  params = new PlayedParameters();
  validators = new PlayedValidators();
  witness = new Witness(core, params, validators);
  outcomes = [];
  witness.onOutcome<{ what: string }>("kind", (id, { what }, accepted) => {
    outcomes.push(`${id} ${what} ${accepted}`);
  });
});

function start(id: string): void {
  witness.requestVotes({ id, kind: "kind", voteType: 3, deadlineNs: DEADLINE, payload: { what: `w${id}` } });
}

function tick(timeNs: bigint): string[] {
  core.block = { height: 1, timeNs, hash: "" };
  outcomes = [];
  witness.onTick();
  return outcomes;
}

/** Sends a NodeVote command. @returns the refusal */
function send(reference: string, party: string): string {
  core.tx = { party, hash: "", id: "" };
  try {
    witness.nodeVote({ reference, type: 3 });
    return "";
  } catch (error) {
    return (error as Error).message;
  } finally {
    core.tx = undefined;
  }
}

describe("the witness", () => {
  test("given votes of enough power, then the outcome comes once, at the tick and in the order of ids", () => {
    const node = validators.add();
    for (const id of ["cc", "aa", "bb"]) start(id);
    for (const id of ["cc", "aa"]) expect(witness.castVote(id, node)).toBe(true);
    expect(outcomes).toEqual([]);
    expect(witness.hasPassed()).toBe(true);
    expect(tick(1n)).toEqual(["aa waa true", "cc wcc true"]);
    expect(witness.hasPassed()).toBe(false);
    expect(tick(2n)).toEqual([]);
  });

  test.each([
    // powers, voters (1-based), accepted: 0.67 of the power is needed
    [[10n, 10n, 10n], [1, 2], false],
    [[10n, 10n, 10n], [1, 2, 3], true],
    [[67n, 33n], [1], true],
    [[66n, 34n], [1], false],
    [[1n, 99n], [2], true],
    [[0n], [1], false],
  ] as const)("given powers %p and votes of %p, then it is believed: %p", (powers, voters, accepted) => {
    const ids = powers.map((power) => validators.add(power));
    start("aa");
    for (const voter of voters) witness.castVote("aa", ids[voter - 1]!);
    expect(tick(1n)).toEqual(accepted ? ["aa waa true"] : []);
  });

  test("given votes of nodes that are not of the tendermint set, then they count nothing", () => {
    validators.add(10n);
    const ersatz = validators.add(10n, "ersatz");
    start("aa");
    expect(witness.castVote("aa", ersatz)).toBe(true);
    expect(tick(1n)).toEqual([]);
  });

  test("given the required share falls, then votes that are there suffice", () => {
    const [first] = [validators.add(), validators.add()];
    start("aa");
    witness.castVote("aa", first!);
    expect(tick(1n)).toEqual([]);
    params.values.set("validators.vote.required", "0.5");
    expect(tick(2n)).toEqual(["aa waa true"]);
  });

  test("given two of three and a required share of two thirds in 16 decimals, then they suffice", () => {
    const ids = [validators.add(), validators.add(), validators.add()];
    params.values.set("validators.vote.required", "0.6666666666666667");
    start("aa");
    witness.castVote("aa", ids[0]!);
    expect(tick(1n)).toEqual([]);
    witness.castVote("aa", ids[1]!);
    expect(tick(2n)).toEqual(["aa waa true"]);
  });

  test("given the deadline passes, then it is rejected, but not at the deadline itself", () => {
    const node = validators.add();
    start("aa");
    expect(tick(DEADLINE)).toEqual([]);
    expect(tick(DEADLINE + 1n)).toEqual(["aa waa false"]);
    expect(witness.castVote("aa", node)).toBe(false);
  });

  test("given votes that pass together with the deadline, then it is believed", () => {
    const node = validators.add();
    start("aa");
    witness.castVote("aa", node);
    expect(tick(DEADLINE + 1n)).toEqual(["aa waa true"]);
  });

  test("given a NodeVote command, then it must be of a validator and name something open", () => {
    const node = validators.add();
    start("aa");
    expect(send("aa", "11".repeat(32))).toBe("vote is not from a validator");
    expect(send("bb", keyOf(node))).toBe("invalid resource ID");
    expect(send("aa", keyOf(node))).toBe("");
    expect(send("aa", keyOf(node))).toBe("");
    expect(tick(1n)).toEqual(["aa waa true"]);
  });

  test("given votes, then what is open for a node is what it has not voted on", () => {
    const [first, second] = [validators.add(), validators.add()];
    start("aa");
    start("bb");
    witness.castVote("bb", first!);
    expect(witness.openResources(first!).map(({ id }) => id)).toEqual(["aa"]);
    expect(witness.openResources(second!).map(({ id }) => id)).toEqual(["aa", "bb"]);
    expect(() => start("aa")).toThrow("resource is already being verified");
  });

  test("given votes are taken back, then they were never there", () => {
    const node = validators.add();
    start("aa");
    const mark = core.state.mark();
    witness.castVote("aa", node);
    core.state.rollback(mark);
    expect(tick(1n)).toEqual([]);
    expect(witness.openResources(node)).toHaveLength(1);
  });
});
