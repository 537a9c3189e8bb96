/**
 * Commands of the devnet's parties, as its tools send them, where blocks are agreed on: signed with the parties' PUBLIC keys, proven,
 * and sent as anyone sends them.
 */

import { devnetParties } from "../devnet/keys.ts";
import { PartyClient } from "../devnet/party-client.ts";
import type { PartyChain } from "../devnet/party-lane.ts";
import type {
  ChainStatus,
  ProposalOutcome,
  TxOutcome,
  UnsignedCommand,
  UnsignedProposal,
} from "../engine/chain-port.ts";
import { SECOND_NS } from "../wire/time-text.ts";

/** Blocks of a proposal's way into one: its times are counted from there. */
const WAY_S = 3n;
/** Between two looks for the outcomes. */
const LOOK_MS = 10_000;

interface SigningChain extends PartyChain {
  readonly status: ChainStatus;
}

export class SignedCommands {
  private readonly clients = new Map<string, PartyClient>();

  constructor(private readonly chain: SigningChain) {}

  /** Whether the party's key is at hand. */
  knows(party: string): boolean {
    return devnetParties().some(({ publicKey }) => publicKey === party);
  }

  /** Sends them in their order; a block takes them in it, where one takes them all. @throws ChainCallError, NodeError */
  async perform(commands: readonly UnsignedCommand[]): Promise<readonly TxOutcome[]> {
    const taken: TxOutcome[] = [];
    for (const { party, command } of commands) {
      const { outcome } = await this.clientOf(party).send(command as never, {
        wait: "check",
        allowRefusal: true,
      });
      taken.push(outcome);
    }
    return this.outcomesOf(taken);
  }

  /** The proposal, then its proposer's vote. @throws ChainCallError, NodeError */
  async propose(proposal: UnsignedProposal): Promise<ProposalOutcome> {
    const { party, submission, closeAfterS, enactAfterS } = proposal;
    const nowS = this.chain.status.timeNs / SECOND_NS + WAY_S;
    const closing = nowS + closeAfterS;
    const times = { closingTimestamp: `${closing}`, enactmentTimestamp: `${nowS + enactAfterS}` };
    const terms = { ...submission.terms, ...times };
    const command = { proposalSubmission: { ...submission, terms } };
    const client = this.clientOf(party);
    const sent = await client.send(command as never, { allowRefusal: true });
    const { id } = sent;
    const vote = { voteSubmission: { proposalId: id, value: "VALUE_YES" } };
    const voted = await client.send(vote as never, { allowRefusal: true });
    return { id, outcomes: [sent.outcome, voted.outcome], closingNs: closing * SECOND_NS };
  }

  private clientOf(party: string): PartyClient {
    const { key } = devnetParties().find(({ publicKey }) => publicKey === party)!;
    const client = this.clients.get(party) ?? new PartyClient(this.chain, key);
    this.clients.set(party, client);
    return client;
  }

  /** Outcomes of their blocks, in place of those of the check. */
  private async outcomesOf(taken: readonly TxOutcome[]): Promise<readonly TxOutcome[]> {
    const hashes = taken.filter(({ code }) => code === 0).map(({ hash }) => hash);
    const executed = new Map<string, TxOutcome>();
    while (executed.size < hashes.length) {
      const left = hashes.filter((hash) => !executed.has(hash));
      const states = await this.chain.outcomesOf(left, LOOK_MS);
      for (const [n, state] of states.entries()) {
        if (typeof state === "object") executed.set(left[n]!, state);
        else if (state === "unknown") executed.set(left[n]!, taken.find(({ hash }) => hash === left[n])!);
      }
    }
    return taken.map((outcome) => executed.get(outcome.hash) ?? outcome);
  }
}
