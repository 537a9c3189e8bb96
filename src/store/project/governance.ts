// Proposals and votes (docs/protocol/60-state-engine-parameters.md#142-mapping).
import type { Database } from "bun:sqlite";
import { type BlockEvent, Field } from "../../wire/block.ts";
import { encodeProposal, type Proposal, readProposalAt, readVoteAt } from "../../wire/generated/vega.ts";
import { idBytes } from "../field.ts";
import { proposalChecks, voteChecks } from "./checks.ts";
import { type BlockContext, on, type Projection, payload, RowsOfBlock, upsert } from "./context.ts";

const STATE_OPEN = 2;

/**
 * Kinds of `ListGovernanceDataRequest.Type`
 * (docs/protocol/10-data-api-endpoints.md#512-governance-votes-and-proposals); 0 when the terms name no change.
 */
function proposalKind({ terms }: Pick<Proposal, "terms">): number {
  if (terms?.newMarket) return 2;
  if (terms?.updateMarket) return 3;
  if (terms?.updateNetworkParameter) return 4;
  if (terms?.newAsset) return 5;
  if (terms?.newFreeform) return 6;
  if (terms?.updateAsset) return 7;
  return 0;
}

/** Columns of a proposal's current row by which lists are filtered: the store's check compares them too. */
export const proposalColumns = (m: Pick<Proposal, "state" | "reference" | "terms">) => ({
  open: m.state === STATE_OPEN ? 1 : 0,
  state: m.state,
  kind: proposalKind(m),
  reference: m.reference,
});
const PROPOSAL_COLUMNS = Object.keys(proposalColumns({ state: 0, reference: "", terms: undefined }));

export function proposals(db: Database): Projection {
  const earlier = db.prepare("SELECT data FROM proposals WHERE block = ? AND id = ?");
  const history = upsert(db, "proposals", "block, id, tx, data");
  const current = upsert(db, "proposals_current", `id, block, party, ${PROPOSAL_COLUMNS.join(", ")}`);
  const written = new RowsOfBlock<Uint8Array>();
  const stored = (block: BlockContext, id: Uint8Array): Uint8Array | undefined =>
    (earlier.get(block.no, id) as { data: Uint8Array } | null)?.data;
  return {
    handlers: [
      [
        Field.proposal,
        (block, event) => {
          const m = readProposalAt(event.bytes, event.start, event.end);
          proposalChecks.check(m);
          const id = idBytes(m.id, "id");
          const key = id.toHex();
          const before = written.get(block, key) ?? (block.isContinued ? stored(block, id) : undefined);
          const data = before ? withRequirementsOf(before, event) : payload(event);
          written.set(key, data);
          history.run(block.no, id, block.tx(event), data);
          const party = block.ids.intern(m.partyId, "party_id").ref;
          current.run(id, block.no, party, ...Object.values(proposalColumns(m)));
        },
      ],
    ],
    reset: () => written.clear(),
  };
}

/** Within a block the required majorities and participations stay those of the first event. */
function withRequirementsOf(data: Uint8Array, later: BlockEvent): Uint8Array {
  const first = readProposalAt(data, 0, data.length);
  return encodeProposal({
    ...readProposalAt(later.bytes, later.start, later.end),
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
      on(Field.vote, readVoteAt, (block, m, event) => {
        voteChecks.check(m);
        const proposal = idBytes(m.proposalId, "proposal_id");
        const party = block.ids.intern(m.partyId, "party_id").ref;
        history.run(block.no, proposal, party, m.timestamp, block.tx(event), payload(event));
        current.run(proposal, party, block.no);
      }),
    ],
  };
}
