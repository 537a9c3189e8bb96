// A chain asked across threads: every call arrives as it was made, every answer and every error comes back.
import { describe, expect, test } from "bun:test";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { ChainHost } from "../../src/devnet/planes-thread.ts";
import { RemoteChain } from "../../src/devnet/remote-chain.ts";
import { ChainCallError, type DevnetPort } from "../../src/engine/chain-port.ts";
import { CommandError } from "../../src/engine/errors.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { WireError } from "../../src/wire/errors.ts";
import { transactionHash } from "../../src/wire/transaction.ts";
import { turns } from "../support/eventually.ts";
import { buildTransaction } from "../support/transactions.ts";
import { fakeChain, STATUS } from "./fake-chain.ts";

/** Both ends, with messages cloned on their way as between threads. */
function linked(chain: DevnetPort): { remote: RemoteChain; host: ChainHost } {
  const host = new ChainHost((message) => remote.receive(structuredClone(message)));
  const remote: RemoteChain = new RemoteChain((message) => host.receive(structuredClone(message)));
  host.serve(chain);
  return { remote, host };
}

const key = ed25519KeyPair(new Uint8Array(32).fill(7));

function transaction(chainId = STATUS.chainId): Uint8Array {
  const payload = { transferId: "ab".repeat(32) };
  return buildTransaction({ kind: "cancelTransfer", payload }, { key, chainId, nonce: 1n, blockHeight: 1n });
}

describe("a chain on another thread", () => {
  test("given every call of the port, then it arrives with its values and its answer comes back", async () => {
    const { chain, calls } = fakeChain();
    const { remote } = linked(chain);
    const bytes = transaction();
    const answers = [
      await remote.submit(bytes, "commit"),
      await remote.check(bytes),
      await remote.spamStatistics("p"),
      await remote.mine(3),
      await remote.forwardTime(5n),
      await remote.setNextBlockTime(2n ** 62n),
      await remote.freezeClock(true),
      await remote.setBlockMode({ kind: "mixed", intervalMs: 5 }),
      await remote.blockMode(),
      await remote.endEpoch(),
      await remote.snapshot(),
      await remote.revert("1"),
      await remote.dump(),
      await remote.load("{}"),
      await remote.impersonate("p", { transfer: { amount: "1" } }),
      await remote.setBalance("p", "a", 2n ** 100n),
      await remote.setBalances([{ party: "p", asset: "a", balance: 3n }]),
      await remote.setParameter("k", "v"),
      await remote.ban("p", undefined),
      await remote.bridge.deposit("p", "a", 7n),
      await remote.bridge.stake("p", 8n),
      await remote.bridge.unstake("p", 9n),
      await remote.bridge.list("a"),
      await remote.bridge.setLimits("id"),
      await remote.bridge.addSigner("0x1"),
      await remote.bridge.removeSigner("0x1"),
      await remote.bridge.setThreshold(3),
      await remote.bridge.claim("w"),
      await remote.bridge.stopBridge(),
      await remote.bridge.resumeBridge(),
    ];
    expect(calls).toEqual([
      ["submit", bytes, "commit"],
      ["check", bytes],
      ["spamStatistics", "p"],
      ["mine", 3],
      ["forwardTime", 5n],
      ["setNextBlockTime", 2n ** 62n],
      ["freezeClock", true],
      ["setBlockMode", { kind: "mixed", intervalMs: 5 }],
      ["blockMode"],
      ["endEpoch"],
      ["snapshot"],
      ["revert", "1"],
      ["dump"],
      ["load", "{}"],
      ["impersonate", "p", { transfer: { amount: "1" } }],
      ["setBalance", "p", "a", 2n ** 100n],
      ["setBalances", [{ party: "p", asset: "a", balance: 3n }]],
      ["setParameter", "k", "v"],
      ["ban", "p", undefined],
      ["deposit", "p", "a", 7n],
      ["stake", "p", 8n],
      ["unstake", "p", 9n],
      ["list", "a"],
      ["setLimits", "id"],
      ["addSigner", "0x1"],
      ["removeSigner", "0x1"],
      ["setThreshold", 3],
      ["claim", "w"],
      ["stopBridge"],
      ["resumeBridge"],
    ]);
    expect(answers[0]).toMatchObject({ code: 0, height: 8 });
    expect(answers[10]).toBe("1");
    expect(answers[19]).toEqual({ id: "d1".repeat(32) });
    expect(remote.status).toEqual(STATUS);
  });

  test.each([
    ["a call's", new ChainCallError("duplicate", "tx already exists in cache")],
    ["a command's", new CommandError("account does not exists")],
    ["a form's", new WireError("json_invalid", "there is no field 'x'")],
    ["a node's", new NodeError("devnet.load", "dump_invalid", "this is no dump", "make another")],
  ])("given %s failure, then it comes back as what it is", async (_title, failure) => {
    const { remote } = linked(fakeChain(failure).chain);
    const error = await remote.mine(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(failure.constructor as never);
    expect(error).toMatchObject({
      message: failure.message,
      ...("code" in failure && { code: failure.code }),
    });
  });

  test("given a signature that was verified, then the chain takes its word, and for no other", async () => {
    const { chain } = fakeChain();
    const verdicts: boolean[] = [];
    const { remote, host } = linked({
      ...chain,
      submit: async (bytes, wait) => {
        const verdict = host.checkTransaction(bytes, STATUS.chainId, transactionHash(bytes));
        verdicts.push(verdict.ok);
        return chain.submit(bytes, wait);
      },
    });
    await Promise.all([
      remote.submit(transaction(), "check"),
      remote.submit(transaction("other-chain"), "check"),
    ]);
    await remote.submit(new Uint8Array([1, 2, 3]), "check");
    expect(verdicts.sort()).toEqual([false, false, true]);
  });

  test("given a signature that was found wrong, then the chain does not look at it again", async () => {
    const { chain } = fakeChain();
    const texts: string[] = [];
    const { host } = linked({
      ...chain,
      check: async (bytes) => {
        const verdict = host.checkTransaction(bytes, STATUS.chainId, transactionHash(bytes));
        texts.push(verdict.ok ? "good" : verdict.refusal.text);
        return chain.check(bytes);
      },
    });
    const broken = buildTransaction(
      { kind: "cancelTransfer", payload: { transferId: "" } },
      { key, chainId: STATUS.chainId, nonce: 1n, blockHeight: 1n },
    );
    // Signed for another chain, and not examined before.
    const foreign = buildTransaction(
      { kind: "cancelTransfer", payload: { transferId: "ab".repeat(32) } },
      { key, chainId: "another-chain", nonce: 1n, blockHeight: 1n },
    );
    const findings = [
      { bytes: foreign, signature: "unknown" },
      { bytes: foreign },
      { bytes: transaction(), signature: "invalid" },
      { bytes: transaction(), signature: "unknown" },
      // An invalid command is reported first.
      { bytes: broken, signature: "invalid" },
      { bytes: broken, signature: "valid" },
    ] as const;
    for (const [id, { bytes, ...finding }] of findings.entries()) {
      host.receive({ kind: "call", id, method: "check", values: [Uint8Array.from(bytes)], ...finding });
    }
    await turns();
    const command = "cancel_transfer.transfer_id (is required)";
    const signature = "tx.signature.value (invalid signature)";
    expect(texts).toEqual([signature, signature, signature, "good", command, command]);
  });

  test("given a transaction that waits for a block, then the status tells of it at once", async () => {
    const { chain } = fakeChain();
    const mempool = { count: 3, bytes: 900 };
    const { remote } = linked({
      ...chain,
      get status() {
        return { ...STATUS, mempool };
      },
    });
    mempool.count = 4;
    await remote.submit(transaction(), "check");
    expect(remote.status.mempool).toEqual({ count: 4, bytes: 900 });
  });

  test("given a block, then its status is there before the answers that waited for it; given the end, then nobody waits on", async () => {
    const { chain } = fakeChain();
    let tell = (_height: number) => {};
    const { remote } = linked({
      ...chain,
      onBlock(listener) {
        tell = (height) => listener({ ...STATUS, height });
        return () => {};
      },
      async mine() {
        tell(8);
        return { ...STATUS, height: 8 };
      },
      snapshot: () => new Promise(() => {}),
    });
    const heard: number[] = [];
    const end = remote.onBlock(({ height }) => heard.push(height));
    await remote.mine(1);
    expect([remote.status.height, heard]).toEqual([8, [8]]);
    end();
    tell(9);
    expect([remote.status.height, heard]).toEqual([9, [8]]);
    const waiting = remote.snapshot();
    remote.close();
    expect(waiting).rejects.toThrow("the node is stopping");
  });
});
