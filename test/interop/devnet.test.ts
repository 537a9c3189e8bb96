// A devnet as the network's own JavaScript packages see it: what they sign and prove is accepted, executed and read
// back; what breaks a rule is refused with the network's code and words
// (docs/protocol/30-node-api-endpoints.md#7-checkdeliver-pipeline; docs/protocol/40-pow-spam.md#33-verification).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { mineOverHttp, startTestDevnet } from "../support/test-devnet.ts";
import { type Answer, type Head, PublicClient } from "./public-client.ts";

const DOLLAR = madeUpAssetId("tUSD");
const PAST_BLOCKS = 5;
const TX_PER_BLOCK = 3;
const TRANSFERS = 6;
const INVALID = 60;
const FAILED = 70;
const SPAM = 89;

let devnet: Devnet;

beforeAll(async () => {
  devnet = await startTestDevnet({
    parameters: {
      "spam.pow.difficulty": "8",
      "spam.pow.increaseDifficulty": "0",
      "spam.pow.numberOfPastBlocks": `${PAST_BLOCKS}`,
      "spam.pow.numberOfTxPerBlock": `${TX_PER_BLOCK}`,
      "spam.protection.maxUserTransfersPerEpoch": `${TRANSFERS}`,
      "validators.epoch.length": "1h",
    },
  });
});
afterAll(() => devnet.stop());

/** Every test has a party of its own: what one is refused for does not count for another. */
let parties = 0;
const client = () => PublicClient.open(devnet.recoveryPhrase, (parties += 1), devnet.nodeUrl);

const transfer = (to: string, amount = "250000", reference = "") => ({
  transfer: { fromAccountType: 4, to, toAccountType: 4, asset: DOLLAR, amount, reference, oneOff: {} },
});
const someone = () => devnet.parties.at(-1)!.publicKey;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at member by member
async function data(path: string): Promise<any> {
  const response = await fetch(`${devnet.dataUrl}/api/v2/${path}`);
  expect(response.status).toBe(200);
  return response.json();
}

async function balance(party: string): Promise<bigint> {
  const path = `accounts?filter.partyIds=${party}&filter.assetId=${DOLLAR}&filter.accountTypes=ACCOUNT_TYPE_GENERAL`;
  return BigInt((await data(path)).accounts.edges[0]?.node.balance ?? "0");
}

const mine = (blocks: number) => mineOverHttp(devnet, blocks);

function expectRefused(answer: Answer, code: number, text: string | RegExp): void {
  expect({ status: answer.status, success: answer.success, code: answer.code }).toEqual({
    status: 200,
    success: false,
    code,
  });
  // As the browser wallet reads it.
  expect(Buffer.from(answer.data, "hex").toString()).toBe(answer.log);
  if (typeof text === "string") expect(answer.log).toBe(text);
  else expect(answer.log).toMatch(text);
}

describe("signatures and proofs of the packages", () => {
  test("given a transfer, then it is accepted, executed, and seen in the data API in the block that it names", async () => {
    const sender = await client();
    expect(sender.party).toBe(devnet.parties[parties - 1]!.publicKey);
    const receiver = "4e".repeat(32);
    const before = await balance(sender.party);
    const answer = await sender.send(transfer(receiver, "250000", "by their hands"));
    expect(answer).toMatchObject({ status: 200, success: true, code: 0, data: "" });
    expect(answer.txHash).toMatch(/^[0-9A-F]{64}$/);
    expect(Number(answer.height)).toBe(devnet.chain.status.height);
    expect(await balance(receiver)).toBe(250_000n);
    // A thousandth on top: the network's fee.
    expect(await balance(sender.party)).toBe(before - 250_250n);
    const { transfers } = await data(`transfers?pubkey=${receiver}&direction=TRANSFER_DIRECTION_TRANSFER_TO`);
    expect(transfers.edges.map((edge: { node: object }) => edge.node)).toEqual([
      expect.objectContaining({
        from: sender.party,
        to: receiver,
        asset: DOLLAR,
        amount: "250000",
        reference: "by their hands",
        status: "STATUS_DONE",
      }),
    ]);
  });

  test("given a proposal and a vote, then both are there, the vote with the party's stake", async () => {
    const voter = await client();
    const { stakes } = { stakes: (await data(`parties/${voter.party}/stake`)).currentStakeAvailable };
    const now = BigInt(devnet.chain.status.timeNs / SECOND_NS);
    const rationale = { title: "as they write it", description: "with the public packages" };
    const terms = { closingTimestamp: now + 600n, newFreeform: {} };
    const proposed = await voter.send({ proposalSubmission: { reference: "theirs", rationale, terms } });
    expect(proposed).toMatchObject({ success: true, code: 0, data: "" });
    const { connection } = await data(`governances?proposerPartyId=${voter.party}`);
    const [{ node }] = connection.edges;
    expect(node.proposal).toMatchObject({ state: "STATE_OPEN", reference: "theirs", rationale });
    const proposalId = node.proposal.id;
    expect(await voter.send({ voteSubmission: { proposalId, value: 2 } })).toMatchObject({ code: 0 });
    const { votes } = await data(`votes?proposalId=${proposalId}`);
    expect(votes.edges[0].node).toMatchObject({
      partyId: voter.party,
      value: "VALUE_YES",
      totalGovernanceTokenBalance: stakes,
    });
  });

  test("given a command that its own rules refuse, then it is in a block, and says why", async () => {
    const sender = await client();
    const answer = await sender.send(transfer(someone(), "1"));
    const text = "could not transfer funds, less than minimal amount requested to transfer";
    expectRefused(answer, FAILED, text);
    expect(answer.details).toMatchObject({
      rule: "command_failed",
      numbers: { amount: "1", minimum: "10000" },
    });
  });
});

describe("a transaction that is not what it should be", () => {
  test("given another chain's signature, then it is refused as no signature of this one", async () => {
    const sender = await client();
    const answer = await sender.send(transfer(someone()), { chainId: "vega-mainnet-0011" });
    expectRefused(answer, INVALID, "tx.signature.value (invalid signature)");
  });

  test.each<[string, (signature: Uint8Array) => Uint8Array]>([
    ["one bit changed", (signature) => signature.map((byte, at) => (at === 7 ? byte ^ 1 : byte))],
    ["only zeros", (signature) => signature.map(() => 0)],
    ["a byte missing", (signature) => signature.subarray(1)],
  ])("given a signature with %s, then it is refused", async (_title, forge) => {
    const sender = await PublicClient.open(devnet.recoveryPhrase, parties, devnet.nodeUrl);
    const answer = await sender.send(transfer(someone()), { forge });
    expectRefused(answer, INVALID, "tx.signature.value (invalid signature)");
  });

  test("given no balance changed by all that, then the refusals did nothing", async () => {
    const sender = await PublicClient.open(devnet.recoveryPhrase, parties, devnet.nodeUrl);
    const path = `transfers?pubkey=${sender.party}&direction=TRANSFER_DIRECTION_TRANSFER_FROM`;
    const { transfers } = await data(path);
    expect(transfers.edges).toEqual([]);
  });
});

describe("a proof of work", () => {
  /** A nonce whose proof is weaker than asked for. */
  async function weak(sender: PublicClient, head: Head) {
    const { PoW } = await import("@vegaprotocol/crypto");
    const { tid } = await sender.prove(head);
    for (let nonce = 0n; ; nonce++) {
      if (!(await PoW.verify(head.spamPowDifficulty, head.hash, tid, nonce))) return { tid, nonce };
    }
  }

  test("given too few zero bits, then it is refused, with how many are asked for", async () => {
    const sender = await client();
    const head = await sender.head();
    const answer = await sender.send(transfer(someone()), { head, pow: await weak(sender, head) });
    expectRefused(answer, SPAM, "failed to verify proof of work");
    expect(answer.details).toMatchObject({ rule: "pow_invalid", numbers: { difficulty: "8" } });
  });

  test("given a proof that was used in a block, then it is refused, from any sender", async () => {
    const sender = await client();
    const other = await PublicClient.open(devnet.recoveryPhrase, 1, devnet.nodeUrl);
    const head = await sender.head();
    const pow = await sender.prove(head);
    expect(await sender.send(transfer(someone()), { head, pow })).toMatchObject({ code: 0 });
    for (const again of [sender, other]) {
      const answer = await again.send(transfer(someone(), "260000"), { head, pow });
      expectRefused(answer, SPAM, "proof of work tid already used");
      // The mempool remembers what it has looked at until a block is made, and would say so first.
      await mine(1);
    }
  });

  test("given a proof that waits for its block, then the second is refused, and the very same bytes are an error", async () => {
    const sender = await client();
    await devnet.chain.setBlockMode({ kind: "manual" });
    try {
      const head = await sender.head();
      const pow = await sender.prove(head);
      const first = await sender.transaction(transfer(someone()), { head, pow });
      expect(await sender.submit(first, "TYPE_SYNC")).toMatchObject({ success: true, code: 0 });
      const second = await sender.transaction(transfer(someone(), "260000"), { head, pow });
      expectRefused(await sender.submit(second, "TYPE_SYNC"), SPAM, "proof of work tid already seen");
      const copy = await sender.submit(first, "TYPE_SYNC");
      expect(copy).toMatchObject({
        status: 500,
        details: [{ code: 10_000, message: "tx already exists in cache" }],
      });
    } finally {
      await mine(1);
      await devnet.chain.setBlockMode({ kind: "instant" });
    }
  });

  test("given a block that is out of the window, then it is refused, the last one in it is not", async () => {
    const sender = await client();
    const head = await sender.head();
    const pow = [await sender.prove(head), await sender.prove(head)] as const;
    // The next block is the last in which a proof for this one counts.
    await mine(PAST_BLOCKS - 2);
    expect(await sender.send(transfer(someone()), { head, pow: pow[0] })).toMatchObject({ code: 0 });
    await mine(1);
    const answer = await sender.send(transfer(someone(), "260000"), { head, pow: pow[1] });
    const names = `command:Transfer Funds, party:${sender.party}`;
    expectRefused(answer, SPAM, new RegExp(`^unknown block height for tx:[0-9a-f]{64}, ${names}$`));
    expect(answer.details).toMatchObject({
      rule: "pow_unknown_height",
      numbers: { blockHeight: head.height, pastBlocks: `${PAST_BLOCKS}` },
    });
  });

  test("given a block that is yet to come, then it is as unknown", async () => {
    const sender = await PublicClient.open(devnet.recoveryPhrase, parties, devnet.nodeUrl);
    const head = await sender.head();
    const later = { ...head, height: `${Number(head.height) + 1}` };
    expectRefused(
      await sender.send(transfer(someone()), { head: later }),
      SPAM,
      /^unknown block height for tx:/,
    );
  });
});

describe("quotas", () => {
  test("given more transactions on one block than its quota, then the next is refused and the party is banned", async () => {
    const sender = await client();
    const head = await sender.head();
    for (let count = 0; count < TX_PER_BLOCK; count++) {
      expect(await sender.send(transfer(someone()), { head })).toMatchObject({ code: 0 });
    }
    const over = await sender.send(transfer(someone()), { head });
    expectRefused(over, SPAM, "too many transactions per block");
    expect(over.details).toMatchObject({
      rule: "pow_quota",
      numbers: { seen: `${TX_PER_BLOCK}`, txPerBlock: `${TX_PER_BLOCK}` },
    });
    const banned = await sender.send(transfer(someone()));
    expectRefused(banned, SPAM, "party is banned from sending transactions");
  });

  test("given more transfers than an epoch's, then the next is refused with the count, and the next epoch begins at none", async () => {
    const sender = await PublicClient.open(devnet.recoveryPhrase, 1, devnet.nodeUrl);
    await devnet.chain.endEpoch();
    for (let count = 0; count < TRANSFERS; count++) {
      expect(await sender.send(transfer(someone()))).toMatchObject({ code: 0 });
    }
    const over = await sender.send(transfer(someone()));
    expectRefused(
      over,
      SPAM,
      "party has already submitted the maximum number of transfer requests per epoch",
    );
    expect(over.details).toMatchObject({ rule: "spam_transfer_count" });
    expect(over.details!.sentence).toStartWith(`${TRANSFERS} of ${TRANSFERS} transfers used in epoch `);
    await devnet.chain.endEpoch();
    expect(await sender.send(transfer(someone()))).toMatchObject({ code: 0 });
  });

  test("given less stake than a proposal takes, then it is refused with the minimum and what there is", async () => {
    // The validator's key has stake; a key that was never funded has none.
    const sender = await PublicClient.open(devnet.recoveryPhrase, 40, devnet.nodeUrl);
    const terms = { closingTimestamp: 1n, newFreeform: {} };
    const rationale = { title: "t", description: "d" };
    const answer = await sender.send({ proposalSubmission: { reference: "", rationale, terms } });
    const text =
      "party has insufficient associated governance tokens in their staking account to submit proposal request";
    expectRefused(answer, SPAM, text);
    expect(answer.details).toMatchObject({ rule: "spam_proposal_tokens" });
  });
});
