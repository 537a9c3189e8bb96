// The developer's tools of a validator: those that read or send work, those that would make blocks or time say why not.
import { afterAll, expect, test } from "bun:test";
import { CometUnreachable } from "../../src/comet/client.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import type { DevnetPort } from "../../src/engine/chain-port.ts";
import { ValidatorTools } from "../../src/validator/tools.ts";
import { AbciRig } from "../abci/rig.ts";
import { ASSET } from "../chain/fake-engine.ts";
import { removeHomes } from "../chain/rig.ts";
import { eventually, turns } from "../support/eventually.ts";

afterAll(removeHomes);

const [alice, bob] = devnetParties();
/** A consensus engine that is away. */
const away = () => Promise.reject(new CometUnreachable("connection refused"));
const AWAY = { ownValidator: away, peers: away, totalPower: away, signersOf: away };
const bridge = new ValidatorTools(undefined as never, AWAY).bridge;
const parameter = (key: string) => (key === "set" ? "1" : "2");

const transfer = (amount: string) => ({
  transfer: {
    fromAccountType: "ACCOUNT_TYPE_GENERAL",
    toAccountType: "ACCOUNT_TYPE_GENERAL",
    to: bob!.publicKey,
    asset: ASSET,
    amount,
    oneOff: { deliverOn: "0" },
  },
});

const REFUSED: readonly [Exclude<keyof DevnetPort, "drawSalt">, ...unknown[]][] = [
  ["mine", 1],
  ["forwardTime", 1n],
  ["freezeClock", true],
  ["setBlockMode", { kind: "instant" }],
  ["endEpoch"],
  ["snapshot"],
  ["revert", "1"],
  ["load", ""],
  ["reset"],
  ["impersonate", alice!.publicKey, transfer("1")],
  ["setBalance", alice!.publicKey, ASSET, 1n],
  ["setParameter", "other", "1"],
  ["ban", alice!.publicKey, undefined],
  ["perform", [{ party: "ab".repeat(32), command: transfer("1") }]],
  ["reachTime", 10n ** 20n],
];

test.each(REFUSED)("%s is answered with a sentence and a way out", async (name, ...values) => {
  const rig = new AbciRig();
  await rig.block();
  const tools = new ValidatorTools(rig.chain, AWAY, { bridge, parameter });
  const call = tools[name] as unknown as (...values: unknown[]) => Promise<unknown>;
  await expect(call(...values)).rejects.toMatchObject({
    code: "not_with_consensus",
    message: expect.stringContaining("agreed on by all validators"),
    hint: expect.stringContaining("lyra devnet"),
  });
  await rig.stop();
});

test("without keys a validator sends no command of the tools, and calls no contract", async () => {
  const rig = new AbciRig();
  await rig.block();
  const tools = new ValidatorTools(rig.chain, AWAY);
  await expect(tools.perform([{ party: alice!.publicKey, command: transfer("1") }])).rejects.toMatchObject({
    code: "not_with_consensus",
  });
  await expect(tools.bridge.deposit(alice!.publicKey, ASSET, 1n)).rejects.toMatchObject({
    code: "not_with_consensus",
  });
  await rig.stop();
});

test("commands of the devnet's parties are signed, proven and sent in their order, and answered by their block", async () => {
  const rig = new AbciRig();
  await rig.block();
  const tools = new ValidatorTools(rig.chain, AWAY, { bridge, parameter });
  const commands = ["3", "4", "100000000"].map((amount) => ({
    party: alice!.publicKey,
    command: transfer(amount),
  }));
  const outcomes = tools.perform(commands);
  await eventually(() => rig.pool.length === 2);
  await turns();
  const proposal = await rig.prepare(rig.pool);
  expect(proposal).toHaveLength(2);
  await rig.block(proposal);
  expect((await outcomes).map(({ code, height }) => [code, height])).toEqual([
    [0, 2],
    [0, 2],
    [70, 0],
  ]);
  expect(rig.engine!.balanceOf(bob!.publicKey)).toBe(1_000_007n);
  await rig.stop();
});

test("time passes with the blocks of the others", async () => {
  const rig = new AbciRig();
  await rig.block();
  const tools = new ValidatorTools(rig.chain, AWAY, { bridge, parameter });
  let isPast = false;
  const passed = tools.letPass(2_000_000_000n).then(() => {
    isPast = true;
  });
  await rig.block();
  await turns();
  expect(isPast).toBe(false);
  await rig.block();
  await rig.block();
  await passed;
  expect((await tools.setParameter("set", "1")).height).toBe(4);
  expect(await tools.blockMode()).toEqual({ kind: "interval", intervalMs: 1_000 });
  await rig.stop();
});

test("behind an upgrade the engine is not asked, and the tool says what it waits for", async () => {
  const chain = { haltReason: "protocol upgrade to v2", status: {} } as never;
  expect(await new ValidatorTools(chain, AWAY).validatorStanding()).toMatchObject({
    engine: "the consensus engine waits: protocol upgrade to v2",
  });
});

test("a validator whose key signed twice has it as its problem", async () => {
  const own = "block 829 has evidence";
  const status = { consensus: { doubleSigned: { count: 1, own } } };
  const chain = { haltReason: undefined, status } as never;
  expect(await new ValidatorTools(chain, AWAY).validatorStanding()).toMatchObject({ problem: own });
});
