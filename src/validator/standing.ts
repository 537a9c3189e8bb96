// A validator among the others: what its consensus engine says, and the transactions that it owes the chain.
import type { AbciChain } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
import type { EngineStanding, ValidatorStanding } from "../engine/chain-port.ts";
import type { Duty } from "../engine/ports.ts";
import { reasonOf } from "../errors/node-error.ts";

/** Blocks looked at for the last one that the engine signed. */
const BLOCKS_LOOKED_AT = 5;
/** Of one answer. */
const DUTIES_MAX = 200;

type Chain = Pick<AbciChain, "nodeAt" | "duties">;
type Consensus = Pick<CometClient, "ownValidator" | "peers" | "totalPower" | "signersOf">;

/** @param hasKeys whether this node does the duties */
export async function standingOf(
  chain: Chain,
  consensus: Consensus,
  hasKeys: boolean,
): Promise<ValidatorStanding> {
  try {
    const own = await consensus.ownValidator();
    const [peers, totalPower, lastSigned] = await Promise.all([
      consensus.peers(),
      consensus.totalPower(),
      lastSignedBy(consensus, own),
    ]);
    const { name, version, height, isCatchingUp, power } = own;
    const engine: EngineStanding = {
      ...{ name, version, height, isCatchingUp, power, totalPower, lastSigned, peers },
    };
    const nodeId = chain.nodeAt(Buffer.from(own.address, "hex"));
    const duties = nodeId === undefined ? [] : chain.duties(nodeId).slice(0, DUTIES_MAX);
    return { nodeId, hasKeys, duties: duties.map(dutyOf), engine };
  } catch (error) {
    return { nodeId: undefined, hasKeys, duties: [], engine: reasonOf(error) };
  }
}

async function lastSignedBy(
  consensus: Consensus,
  { address, height: last, earliestHeight }: Awaited<ReturnType<Consensus["ownValidator"]>>,
): Promise<number | undefined> {
  // Behind a snapshot the engine has no blocks before it.
  const first = Math.max(1, earliestHeight, last - BLOCKS_LOOKED_AT + 1);
  const heights = Array.from({ length: Math.max(0, last - first + 1) }, (_, back) => last - back);
  const signers = await Promise.all(heights.map((height) => consensus.signersOf(height)));
  return heights.find((_, at) => signers[at]!.includes(address));
}

function dutyOf(duty: Duty): ValidatorStanding["duties"][number] {
  switch (duty.kind) {
    case "vote":
      return { kind: duty.kind, about: duty.reference };
    case "sign":
      return { kind: duty.kind, about: duty.resource };
    case "heartbeat":
      return { kind: duty.kind, about: duty.message };
  }
}
