// Bus events as the engine emits them, and as a validator would send them.
import { expect, test } from "bun:test";
import { EventLog, type EventMember } from "../../src/engine/events.ts";
import {
  BusEventType,
  emptyBusEvent,
  encodeBusEvent,
  readBusEventAt,
} from "../../src/wire/generated/events.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";

const HASH = "AB".repeat(32);
const ENVELOPE = new Set(["id", "block", "type", "version", "chainId", "txHash"]);
const MEMBERS = Object.keys(emptyBusEvent()).filter((name) => !ENVELOPE.has(name)) as EventMember[];

test.each(MEMBERS)("given a %s event, then what is sent is the same message with its envelope", (member) => {
  // An empty message, and one with everything that its kind of field may hold.
  for (const payload of [{}, { id: "x", party: "p", height: 5n, timestamp: -7n, amount: "12", hash: "h" }]) {
    const log = new EventLog();
    log.startBlock(HASH);
    log.emit("endBlock", { height: 9n });
    log.setTransaction("CD".repeat(32));
    log.emit(member, payload as never);
    const { events, txHashes } = log.blockEvents();
    const sent = wholeEvent({ chainId: "chain", height: 9, hash: HASH, txHashes }, events[1]!);
    const read = readBusEventAt(sent, 0, sent.length);
    const expected = encodeBusEvent({ [member]: payload });
    expect(read).toEqual({
      ...readBusEventAt(expected, 0, expected.length),
      ...{ id: "9-2", block: HASH, type: read.type, version: 1, chainId: "chain", txHash: "CD".repeat(32) },
    });
    expect(read[member]).toBeDefined();
  }
});

test("given every member, then its type is the one of the protocol's table", () => {
  const irregular: Record<string, string> = {
    epochEvent: "EPOCH_UPDATE",
    rewardPayout: "REWARD_PAYOUT_EVENT",
    rankingEvent: "VALIDATOR_RANKING",
    erc20MultisigSignerEvent: "ERC20_MULTI_SIG_SIGNER_EVENT",
    erc20MultisigSetThresholdEvent: "ERC20_MULTI_SIG_SET_THRESHOLD",
    erc20MultisigSignerAdded: "ERC20_MULTI_SIG_SIGNER_ADDED",
    erc20MultisigSignerRemoved: "ERC20_MULTI_SIG_SIGNER_REMOVED",
    positionStateEvent: "POSITION_STATE",
    protocolUpgradeEvent: "PROTOCOL_UPGRADE_PROPOSAL",
    coreSnapshotEvent: "SNAPSHOT_TAKEN",
    distressedOrders: "DISTRESSED_ORDERS_CLOSED",
    txErrEvent: "TX_ERROR",
  };
  for (const member of MEMBERS) {
    const log = new EventLog();
    log.startBlock(HASH);
    log.emit(member, {} as never);
    const { events, txHashes } = log.blockEvents();
    const sent = wholeEvent({ chainId: "c", height: 1, hash: HASH, txHashes }, events[0]!);
    const regular = member.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    const name = `BUS_EVENT_TYPE_${irregular[member] ?? regular}`;
    expect([member, readBusEventAt(sent, 0, sent.length).type]).toEqual([
      member,
      (BusEventType as Record<string, number>)[name]!,
    ]);
  }
});

test("given events whose payload comes late, then each keeps its place, and one function is called once a block", () => {
  const log = new EventLog();
  let height = 1n;
  let calls = 0;
  const late = () => {
    calls += 1;
    return { height };
  };
  log.startBlock(HASH);
  log.emitLate("endBlock", late);
  log.emit("timeUpdate", { timestamp: 5n });
  log.setTransaction("CD".repeat(32));
  log.emitLate("endBlock", late);
  log.emitLate("endBlock", late);
  // Those of a transaction that failed are taken back with it.
  log.truncate(3);
  log.emit("timeUpdate", { timestamp: 6n });
  height = 7n;
  const { events, txHashes } = log.blockEvents();
  const read = events.map((event) => {
    const sent = wholeEvent({ chainId: "c", height: 7, hash: HASH, txHashes }, event);
    const { id, txHash, endBlock, timeUpdate } = readBusEventAt(sent, 0, sent.length);
    return [id, txHash.slice(0, 2), endBlock?.height ?? timeUpdate?.timestamp];
  });
  expect(read).toEqual([
    ["7-1", "AB", 7n],
    ["7-2", "AB", 5n],
    ["7-3", "CD", 7n],
    ["7-4", "CD", 6n],
  ]);
  expect(calls).toBe(1);
});
