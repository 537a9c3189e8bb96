// Proposals and votes (reference 60, section 14.2).
import type { Database } from "bun:sqlite";
import { encodeProposal, type Proposal, readProposalAt, readVoteAt } from "../../wire/generated/vega.ts";
import { checkProposal, checkVote } from "./checks.ts";
import { idBlob, type Projection, payload, upsert } from "./context.ts";
import { Field } from "./fields.ts";

const STATE_OPEN = 2;

/** Kinds of `ListGovernanceDataRequest.Type` (reference 10, section 5.12); 0 when the terms name no change. */
export function proposalKind(m: Proposal): number {
  const terms = m.terms;
  if (terms?.newMarket) return 2;
  if (terms?.updateMarket) return 3;
  if (terms?.updateNetworkParameter) return 4;
  if (terms?.newAsset) return 5;
  if (terms?.newFreeform) return 6;
  if (terms?.updateAsset) return 7;
  return 0;
}

export function proposals(db: Database): Projection {
  const earlier = db.prepare("SELECT data FROM proposals WHERE block = ? AND id = ?");
  const history = upsert(db, "proposals", "block, id, tx, data");
  const current = upsert(db, "proposals_current", "id, block, open, state, kind, party, reference");
  return {
    handlers: [
      [
        Field.proposal,
        (block, event) => {
          const m = readProposalAt(event.bytes, event.start, event.end);
          checkProposal(m);
          const id = idBlob(m.id, "id");
          const before = earlier.get(block.no, id) as { data: Uint8Array } | null;
          history.run(
            block.no,
            id,
            block.tx(event),
            before ? withRequirementsOf(before.data, m) : payload(event),
          );
          const party = block.ids.intern(m.partyId, "party_id").ref;
          const open = m.state === STATE_OPEN ? 1 : 0;
          current.run(id, block.no, open, m.state, proposalKind(m), party, m.reference);
        },
      ],
    ],
  };
}

/** Within a block the required majorities and participations stay those of the first event. */
function withRequirementsOf(data: Uint8Array, m: Proposal): Uint8Array {
  const first = readProposalAt(data, 0, data.length);
  return encodeProposal({
    ...m,
    requiredParticipation: first.requiredParticipation,
    requiredMajority: first.requiredMajority,
    requiredLiquidityProviderParticipation: first.requiredLiquidityProviderParticipation,
    requiredLiquidityProviderMajority: first.requiredLiquidityProviderMajority,
  });
}

export function votes(db: Database): Projection {
  const history = db.prepare(
    `INSERT INTO votes(block, proposal, party, first_time, tx, data) VALUES(?, ?, ?, ?, ?, ?)
     ON CONFLICT(block, proposal, party) DO UPDATE SET tx = excluded.tx, data = excluded.data`,
  );
  const current = upsert(db, "votes_current", "proposal, party, block");
  return {
    handlers: [
      [
        Field.vote,
        (block, event) => {
          const m = readVoteAt(event.bytes, event.start, event.end);
          checkVote(m);
          const proposal = idBlob(m.proposalId, "proposal_id");
          const party = block.ids.intern(m.partyId, "party_id").ref;
          history.run(block.no, proposal, party, m.timestamp, block.tx(event), payload(event));
          current.run(proposal, party, block.no);
        },
      ],
    ],
  };
}
