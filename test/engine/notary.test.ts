// Signatures for the bridge: counted by heads, checked, and out again with every further one.
import { beforeEach, describe, expect, test } from "bun:test";
import { ethereumAddress } from "../../src/crypto/secp256k1.ts";
import { Core } from "../../src/engine/core.ts";
import { Notary } from "../../src/engine/notary.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { keyOf, PlayedParameters, PlayedValidators, secretOf, signatureOf } from "./banking-rig.ts";

const DIGEST = "d1".repeat(32);
const ASSET_NEW = 1;
const WITHDRAWAL = 2;
const ID = "1d".repeat(32);

let core: Core;
let params: PlayedParameters;
let validators: PlayedValidators;
let notary: Notary;

beforeEach(() => {
  core = new Core("notary");
  params = new PlayedParameters();
  validators = new PlayedValidators();
  notary = new Notary(core, params, validators);
});

/** @returns the refusal, or the hexadecimal signatures that went out */
function send(nodeId: string, sig: Uint8Array, id = ID, kind = WITHDRAWAL): string | string[] {
  core.tx = { party: keyOf(nodeId), hash: "", id: "" };
  try {
    notary.nodeSignature({ id, sig, kind });
    return sent();
  } catch (error) {
    return (error as Error).message;
  } finally {
    core.tx = undefined;
  }
}

/** The signatures that have gone out since the last time. */
function sent(): string[] {
  const { events } = core.log.blockEvents();
  core.log.startBlock("");
  return events.map(({ bytes }) => {
    const { id, sig, kind } = decodeBusEvent(bytes).nodeSignature!;
    expect({ id, kind }).toEqual({ id: ID, kind: WITHDRAWAL });
    return Buffer.from(sig).toString("hex");
  });
}

const sign = (nodeId: string, digest = DIGEST) => signatureOf(nodeId, digest);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("the notary", () => {
  test("given a single validator, then its signature completes the bundle and goes out", () => {
    const node = validators.add();
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    expect(notary.isComplete(ID, WITHDRAWAL)).toBe(false);
    expect(send(node, sign(node))).toEqual([hex(sign(node))]);
    expect(notary.isComplete(ID, WITHDRAWAL)).toBe(true);
    expect(notary.isComplete(ID, ASSET_NEW)).toBe(false);
  });

  test("given four validators, then the third signature is the first to go out, and each later one sends all", () => {
    const nodes = [validators.add(1n), validators.add(1n), validators.add(1n), validators.add(97n)];
    const all = nodes.map((node) => hex(sign(node)));
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    // By heads: the fourth has nearly all power and is one of four.
    expect(send(nodes[3]!, sign(nodes[3]!))).toEqual([]);
    expect(send(nodes[0]!, sign(nodes[0]!))).toEqual([]);
    expect(send(nodes[2]!, sign(nodes[2]!))).toEqual([all[0]!, all[2]!, all[3]!]);
    expect(send(nodes[1]!, sign(nodes[1]!))).toEqual(all);
  });

  test("given signatures that do not count, then they are refused by name", () => {
    const [node, other] = [validators.add(), validators.add()];
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    expect(send("00".repeat(32), sign(node!))).toBe("not a validator signature");
    expect(send(node!, sign(node!), "ff".repeat(32))).toBe("unknown resource ID");
    expect(send(node!, sign(node!), ID, ASSET_NEW)).toBe("unknown resource ID");
    expect(send(node!, sign(other!))).toBe("invalid signature");
    expect(send(node!, sign(node!, "d2".repeat(32)))).toBe("invalid signature");
    expect(send(node!, new Uint8Array(65))).toBe("invalid signature");
    expect(send(node!, new Uint8Array(3))).toBe("invalid signature");
    expect(notary.owedSignatures(node!)).toHaveLength(1);
  });

  test("given an address in another case, then the signature is still its", () => {
    const node = validators.add();
    validators.change(node, { ethereumAddress: ethereumAddress(secretOf(node)).toLowerCase() });
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    expect(send(node, sign(node))).toHaveLength(1);
  });

  test("given a signature of a standby validator, then it is kept, counts nothing and does not go out", () => {
    const node = validators.add();
    const standby = validators.add(0n, "ersatz");
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    expect(send(standby, sign(standby))).toEqual([]);
    expect(send(node, sign(node))).toEqual([hex(sign(node))]);
    validators.change(standby, { status: "tendermint" });
    expect(send(node, sign(node))).toEqual([hex(sign(node)), hex(sign(standby))]);
  });

  test("given the set shrinks to those who signed, then the tick sends the bundle, once", () => {
    const [first, second] = [validators.add(), validators.add()];
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    expect(send(first!, sign(first!))).toEqual([]);
    notary.onTick();
    expect(sent()).toEqual([]);
    validators.change(second!, { status: "ersatz" });
    notary.onTick();
    expect(sent()).toEqual([hex(sign(first!))]);
    notary.onTick();
    expect(sent()).toEqual([]);
  });

  test("given a complete bundle, then it stays good when validators join", () => {
    const node = validators.add();
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    send(node, sign(node));
    const [late] = [validators.add(), validators.add(), validators.add()];
    expect(notary.isComplete(ID, WITHDRAWAL)).toBe(true);
    expect(send(late, sign(late))).toEqual([hex(sign(node)), hex(sign(late))]);
    expect(notary.isComplete(ID, WITHDRAWAL)).toBe(true);
  });

  test("given two of three and a required share of two thirds in 16 decimals, then they suffice", () => {
    const nodes = [validators.add(), validators.add(), validators.add()];
    params.values.set("validators.vote.required", "0.6666666666666667");
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    expect(send(nodes[0]!, sign(nodes[0]!))).toEqual([]);
    expect(send(nodes[1]!, sign(nodes[1]!))).toHaveLength(2);
    expect(notary.isComplete(ID, WITHDRAWAL)).toBe(true);
  });

  test("given open requests, then a node owes its missing signatures, in a fixed order", () => {
    const [first, second, third] = [validators.add(), validators.add(), validators.add(0n, "pending")];
    notary.requestSignatures("bb", ASSET_NEW, DIGEST);
    notary.requestSignatures(ID, WITHDRAWAL, DIGEST);
    notary.requestSignatures(ID, WITHDRAWAL, "ff".repeat(32));
    const both = [
      { resource: ID, kind: WITHDRAWAL, digest: DIGEST },
      { resource: "bb", kind: ASSET_NEW, digest: DIGEST },
    ];
    expect(notary.owedSignatures(first!)).toEqual(both);
    expect(notary.owedSignatures(third!)).toEqual([]);
    expect(notary.owedSignatures("00")).toEqual([]);
    send(first!, sign(first!));
    expect(notary.owedSignatures(first!)).toEqual([both[1]!]);
    // Complete or not, the other one still owes its own.
    params.values.set("validators.vote.required", "0.5");
    notary.onTick();
    expect(notary.owedSignatures(second!)).toEqual(both);
    // A validator that joins later helps where signatures are wanted.
    const late = validators.add();
    expect(notary.owedSignatures(late)).toEqual([both[1]!]);
  });
});
