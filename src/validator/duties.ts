/**
 * The duties of a validator with its own keys: votes for what it sees on the simulated Ethereum, signatures, heartbeats; and
 * the developer's bridge over it. Every duty is a transaction to the own consensus engine, sent again where no block has it.
 */

import type { AbciChain } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import { DevnetBridge } from "../devnet/bridge.ts";
import { isAssetOf, viewOf } from "../devnet/core.ts";
import { ethereumAfter, simulatorOptions } from "../devnet/genesis.ts";
import { publicValidators, ValidatorKeys } from "../devnet/keys.ts";
import { type BridgePort, ChainCallError, type TxOutcome } from "../engine/chain-port.ts";
import type { Engine } from "../engine/engine.ts";
import type { Genesis } from "../engine/genesis.ts";
import { genesisNode } from "../engine/nodes.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { BridgeSimulator } from "../ethereum/bridge-simulator.ts";
import { type AgentKeys, ValidatorAgent } from "../ethereum/validator-agent.ts";
import type { ClientReader } from "../node/reading.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import { EngineKeyCheck } from "./engine-key.ts";
import { lostEvents } from "./ethereum-seen.ts";
import type { OwnKeys } from "./key-file.ts";
import { SharedEthereum } from "./shared-ethereum.ts";

/** Waits for the block of an event, each as long as a commit waits. */
const EVENT_WAITS = 3;

/** Keys that duties are signed with: of one's own, or the PUBLIC ones of the devnet's validator of this number. */
type DutyKeys = OwnKeys | number;

interface DutiesOptions {
  readonly chain: AbciChain;
  readonly engine: () => Engine;
  /** The own consensus engine. */
  readonly consensus: Pick<CometClient, "ownValidator" | "url">;
  readonly genesis: Genesis;
  readonly reader: ClientReader;
  readonly keys: DutyKeys;
  /** Where the simulated Ethereum answers. */
  readonly ethereumUrl: string;
  /** A number that no run before had. */
  readonly firstNonce: bigint;
  /** Called when the consensus engine has the key of another validator. */
  onKeysDiffer(error: NodeError): void;
}

interface RunningDuties {
  readonly bridge: BridgePort;
  /** A connection of the consensus engine began or ended: another engine may be in its place. */
  engineChanged(): void;
  stop(): void;
}

export function startDuties(options: DutiesOptions): RunningDuties {
  const { chain, engine, genesis, reader, firstNonce } = options;
  const simulation = simulatorOptions(genesis, () => engine().core.nowNs / SECOND_NS);
  const simulator = new BridgeSimulator(simulation);
  const after = ethereumAfter(genesis, simulator.snapshot());
  if (after !== undefined) simulator.load(JSON.stringify(after));
  const view = viewOf(genesis.chainId, engine);
  const own = typeof options.keys === "number" ? new ValidatorKeys(options.keys) : options.keys;
  const isAssetValid = (id: string) => isAssetOf(engine(), simulator, id);
  const seen = {
    confirms: (id: string, voteType: number) => simulator.confirms(id, voteType),
    openVote: (id: string, voteType: number | undefined) => simulator.openVote(id, voteType),
    // Others may still have to vote: what the chain asks for is the chain's to say.
    closeVote: () => {},
    pending: () => engine().domains.witness.openIds(),
  };
  const agentOf = (keys: readonly AgentKeys[]) => {
    const agent = new ValidatorAgent(view, seen, keys, isAssetValid);
    agent.load(JSON.stringify({ nonce: firstNonce.toString(), voted: [] }));
    return agent;
  };
  const duties = agentOf([own]);
  // Operators agree beside the chain: where keys are PUBLIC their bundles have those of all, and this one brings the event.
  const all = own instanceof ValidatorKeys ? publicValidators() : [];
  const operators = agentOf([own, ...all.filter(({ nodeId }) => nodeId !== own.nodeId)]);
  const genesisNodes = Object.entries(genesis.appState.validators ?? {}).map(([key, given]) => {
    const { nodeId, tmPubKey } = genesisNode(key, given);
    return { nodeId, key: tmPubKey };
  });
  const engineKey = new EngineKeyCheck({
    ...{ engine: options.consensus, nodeId: own.nodeId },
    consensusKey: own instanceof ValidatorKeys ? own.tmPubKey : own.consensusPublicKey,
    nodes: () => [...engine().consensusNodes(), ...genesisNodes],
    onSame: () => answer(),
    onDiffer: options.onKeysDiffer,
  });
  let isNewcomer = false;
  const answer = () => {
    if (!engineKey.isSame) return;
    if (!isNewcomer && view.height > 0 && view.node(own.nodeId) === undefined) {
      isNewcomer = true;
      logNotice(
        "validator.duties",
        `the chain has no validator ${own.nodeId} yet: its duties begin once it is announced`,
      );
    }
    try {
      for (const bytes of duties.answerDuties()) submitDuty(chain, bytes);
    } catch (error) {
      noteFailure(error);
    }
  };
  const ethereum = new SharedEthereum(options.ethereumUrl, simulator, answer, (state) =>
    lostEvents(state, engine().domains),
  );
  void ethereum.follow();
  void engineKey.follow();
  const stopListening = chain.onBlock(answer);
  const bridge = new DevnetBridge({
    chain: {
      async execute(make, takeBack) {
        await engineKey.confirm();
        return ethereum.inTurn(() => bringEvent(chain, make, takeBack));
      },
      mine: (blocks) => untilBlocks(chain, blocks),
    },
    simulator,
    agent: operators,
    reader,
    collateralBridge: simulation.contracts.collateralBridge,
  });
  return {
    bridge,
    engineChanged: () => engineKey.forgetEngine(),
    stop() {
      engineKey.stop();
      stopListening();
      ethereum.stop();
    },
  };
}

/** A duty that fails is owed still: it comes again some blocks later. */
function submitDuty(chain: AbciChain, bytes: Uint8Array): void {
  chain.submit(bytes, "check").then(
    ({ code, text }) => code === 0 || noteFailure(new Error(text)),
    // An engine that is away, or a chain that stands still.
    (error) => error instanceof ChainCallError || noteFailure(error),
  );
}

function noteFailure(error: unknown): void {
  logFailure(
    error instanceof NodeError
      ? error
      : new NodeError(
          "validator.duties",
          "duty_failed",
          `a validator's transaction failed: ${reasonOf(error)}`,
        ),
  );
}

/** Sends an event until a block has it. */
async function bringEvent(
  chain: AbciChain,
  make: () => Uint8Array,
  takeBack: () => void,
): Promise<TxOutcome> {
  const bytes = make();
  const hash = sha256HexOf(bytes).toUpperCase();
  for (let waits = 1; ; waits++) {
    try {
      const outcome = await chain.submit(bytes, "commit");
      if (outcome.code !== 0) takeBack();
      return outcome;
    } catch (error) {
      const [state] = await chain.outcomesOf([hash], 0).catch(() => ["unknown" as const]);
      if (typeof state === "object") {
        if (state.code !== 0) takeBack();
        return state;
      }
      const isLate =
        error instanceof ChainCallError && (error.code === "timeout" || error.code === "duplicate");
      if (isLate && waits < EVENT_WAITS) continue;
      // It may be in a block yet: the call counts, so that the validators confirm it then.
      if (!isLate) takeBack();
      throw error;
    }
  }
}

function untilBlocks(chain: AbciChain, blocks: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = blocks;
  const stop = chain.onBlock(() => {
    if (--left > 0) return;
    stop();
    resolve();
  });
  if (blocks <= 0) {
    stop();
    resolve();
  }
  return promise;
}
