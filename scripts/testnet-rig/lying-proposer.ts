import { randomBytes } from "node:crypto";
import { verifyProof } from "../../src/chain/admission/pow/function.ts";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import {
  type RequestPrepareProposal,
  ResponseProcessProposalProposalStatus as Status,
} from "../../src/wire/generated/abci.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { eventually } from "../../test/support/eventually.ts";
import { buildTransaction } from "../../test/support/transactions.ts";
import type { AbciProxy } from "./abci-proxy.ts";
import { DIFFICULTY, engineOf, progress, type RigNetwork, rowsIn } from "./network.ts";
import {
  forged,
  parties,
  sendTransfers,
  signed,
  type Tip,
  tipOf,
  transfer,
  untilIn,
} from "./transactions.ts";
import type { Trial } from "./trial.ts";

const GAS_MAX = 100;
/** A line of the rig: the validator, the block, and what is wrong with the proposal. */
const REFUSED = /^validator (\d+), .*a proposal for block (\d+) is refused: ([^"]*)/;

/** Bytes and contents of proposals that no honest validator makes. */
interface Lie {
  readonly what: string;
  /** Why the others refuse it, by their logs. */
  readonly reason: RegExp;
  /** The block under way may have the same transactions: that of an earlier one has. */
  readonly isOfEarlierBlock?: boolean;
  readonly make: (honest: readonly Uint8Array[]) => readonly Uint8Array[];
}

export const lyingProposer: Trial = {
  number: 11,
  title: "a proposer that lies: three refuse, the next round commits; honest proposals are never refused",
  network: {
    isProxied: true,
    parameters: { "network.transactions.maxgasperblock": String(GAS_MAX) },
    settings: { consensus: { timeout_commit: '"100ms"', timeout_propose: '"1s"' } },
  },
  async run(network) {
    const { pairs } = network;
    const liar = pairs[3]!;
    const honest = network.others(liar);
    const proxy = network.proxyOf(liar);
    let lies = 0;
    try {
      await progress(pairs);
      for (const lie of await liesOf(pairs[0]!)) {
        const proposal = await lieOnce(proxy, lie.make);
        await progress(honest, 2);
        await expectRefused(network, liar, lie, proposal);
        lies++;
      }
      // More bytes than the engine lets a validator propose: its own engine fails, and the others make blocks.
      await lieOnce(proxy, (_, { maxTxBytes }) => [new Uint8Array(randomBytes(Number(maxTxBytes) + 1))]);
      await progress(honest, 8);
    } finally {
      proxy.watch = {};
      // It ended over too many bytes.
      await liar.engine.stop();
      liar.engine.start();
    }
    await progress(pairs);
    const blocks = network.times(30, 1_000);
    const before = refusalsIn(network).length;
    const from = (await engineOf(pairs[0]!).status()).height;
    for (let at = from; at < from + blocks; at = (await engineOf(pairs[0]!).status()).height) {
      const hashes = await sendTransfers(pairs, 60);
      await untilIn(pairs[0]!, hashes);
    }
    const refused = refusalsIn(network).slice(before);
    if (refused.length > 0) throw new Error(`honest proposals were refused: ${refused[0]!.line}`);
    return `${lies} lies were refused by three each, and none of ${blocks} honest blocks`;
  },
};

interface Proposal {
  readonly height: number;
  readonly txs: readonly Uint8Array[];
}

type MakeProposal = (honest: readonly Uint8Array[], request: RequestPrepareProposal) => readonly Uint8Array[];

/** Puts other transactions into the next proposal. The application, which is honest, is not heard on it or any later one. */
function lieOnce(proxy: AbciProxy, make: MakeProposal): Promise<Proposal> {
  return new Promise((resolve) => {
    let isMade = false;
    proxy.watch = {
      response({ prepareProposal, processProposal }, request) {
        if (processProposal) return { processProposal: { status: Status.ACCEPT } };
        if (isMade || prepareProposal === undefined) return undefined;
        isMade = true;
        const txs = make(prepareProposal.txs, request.prepareProposal!);
        resolve({ height: Number(request.prepareProposal!.height), txs });
        return { prepareProposal: { txs: [...txs] } };
      },
    };
  });
}

async function liesOf(pair: ValidatorPair): Promise<readonly Lie[]> {
  const tip = await tipOf(pair);
  const [alice, bob] = [parties[0]!, parties[1]!];
  const good = async (n: number) => signed(await transfer(pair, 2, 100_000n + BigInt(n)), alice, tip);
  const [one, two] = [await good(1), await good(2)];
  const many = await Promise.all(Array.from({ length: GAS_MAX + 1 }, (_, n) => good(10 + n)));
  const broke = signed(await transfer(pair, 2, 10n ** 30n), bob, tip);
  const urgent = signed(freeform(), alice, tip);
  const [included] = await sendTransfers([pair], 1);
  await untilIn(pair, [included!]);
  const old = bytesOf(pair, included!);
  const unproven = withoutProof(await transfer(pair, 2, 100_000n), alice, tip);
  return [
    {
      what: "a command that is refused",
      reason: /not enough funds/,
      make: (honest) => [...honest, broke],
    },
    {
      what: "a bad proof",
      reason: /failed to verify proof of work/,
      make: (honest) => [...honest, unproven],
    },
    { what: "the same twice", reason: /it is in the block already/, make: () => [one, one] },
    {
      what: "one of an earlier block",
      reason: /already used/,
      isOfEarlierBlock: true,
      make: () => [old],
    },
    {
      what: "a lower priority in front",
      reason: /it stands behind one of lower priority/,
      make: () => [two, urgent],
    },
    {
      what: "more gas than a block has",
      reason: new RegExp(`the block takes more than ${GAS_MAX} gas`),
      make: () => many,
    },
    { what: "a forged signature", reason: /invalid signature/, make: () => [forged(one)] },
    {
      what: "bytes that are not a transaction",
      reason: /unable to unmarshal transaction/,
      make: (honest) => [...honest, Uint8Array.of(1, 2, 3)],
    },
  ];
}

function withoutProof(command: CommandInit, { key }: (typeof parties)[number], tip: Tip): Uint8Array {
  const tid = sha256HexOf(randomBytes(32));
  let nonce = 0n;
  const proof = () => ({ blockHash: tip.hash, tid, nonce });
  while (verifyProof(proof(), DIFFICULTY, "sha3_24_rounds", "default") !== undefined) nonce++;
  const { chainId, height: blockHeight } = tip;
  return buildTransaction(command, { chainId, key, nonce: 1n, blockHeight, pow: { tid, nonce } });
}

/** Goes before transfers. */
function freeform(): CommandInit {
  const closingTimestamp = BigInt(Math.floor(Date.now() / 1_000)) + 600n;
  return {
    kind: "proposalSubmission",
    payload: {
      reference: "",
      rationale: { title: "title", description: "description" },
      terms: { closingTimestamp, newFreeform: {} },
    },
  };
}

/** Bytes of a transaction in a validator's rows. @param hash upper-case hex */
function bytesOf(pair: ValidatorPair, hash: string): Uint8Array {
  using db = rowsIn(pair);
  const rows = db.query("SELECT bytes FROM chain_txs").all() as { bytes: Uint8Array }[];
  return rows.find(({ bytes }) => sha256HexOf(bytes).toUpperCase() === hash)!.bytes;
}

/** Three refused it for its own reason, and another proposal, in a later round, made the block. */
async function expectRefused(
  network: RigNetwork,
  liar: ValidatorPair,
  { what, reason, isOfEarlierBlock = false }: Lie,
  { height, txs }: Proposal,
): Promise<void> {
  const judges = network.others(liar);
  const refusals = () => refusalsIn(network, height);
  await eventually(
    () => judges.every(({ node }) => refusals().some(({ number }) => number === node.number)),
    () => `${what}, block ${height}: refused by ${refusals().map(({ number }) => number)}`,
  );
  const other = refusals().find(({ fault }) => !reason.test(fault));
  if (other !== undefined) throw new Error(`${what}, block ${height}: not ${reason}, but ${other.line}`);
  const { txs: included } = await engineOf(judges[0]!).block(height);
  const hashes = new Set(included.map((bytes) => sha256HexOf(bytes)));
  if (!isOfEarlierBlock && hashes.size === txs.length && txs.every((bytes) => hashes.has(sha256HexOf(bytes))))
    throw new Error(`${what}: it became block ${height}`);
  const round = await roundOf(judges[0]!, height);
  if (round === 0) throw new Error(`${what}: block ${height} was committed in round 0`);
}

interface Refusal {
  /** Of the validator that refused. */
  readonly number: number;
  readonly fault: string;
  readonly line: string;
}

/** Proposals that were refused, for one block alone where its height is given. */
function refusalsIn({ lines }: RigNetwork, height?: number): Refusal[] {
  return lines.flatMap((line) => {
    const [, number, block, fault] = REFUSED.exec(line) ?? [];
    if (fault === undefined || (height !== undefined && Number(block) !== height)) return [];
    return [{ number: Number(number), fault, line }];
  });
}

/** The round in which a block was agreed on. */
async function roundOf({ node }: ValidatorPair, height: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${node.rpcPort}/commit?height=${height}`);
  const { result } = (await answer.json()) as {
    result: { signed_header: { commit: { round: number } } };
  };
  return result.signed_header.commit.round;
}
