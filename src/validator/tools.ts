// A validator's chain with the developer's tools: those that only read work; those that would make blocks, time or
// balances out of nothing cannot, because a block is what all validators agree on.
import type { AbciChain } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
import type { BridgePort, ChainStatus, DevnetPort } from "../engine/chain-port.ts";
import { NodeError } from "../errors/node-error.ts";
import { MILLISECOND_NS, SECOND_NS } from "../wire/time-text.ts";
import { SignedCommands } from "./signed-commands.ts";
import { standingOf } from "./standing.ts";

function refuse(what: string): Promise<never> {
  return Promise.reject(
    new NodeError(
      "validator.tools",
      "not_with_consensus",
      `${what} is not possible here: blocks, their times and what is in them are agreed on by all validators`,
      "send signed transactions, or try it on a devnet of its own: lyra devnet",
    ),
  );
}

const NO_BRIDGE: BridgePort = {
  deposit: () => refuse("a deposit by the simulated bridge"),
  stake: () => refuse("a staking by the simulated bridge"),
  unstake: () => refuse("an end of staking by the simulated bridge"),
  list: () => refuse("a listing on the simulated bridge"),
  setLimits: () => refuse("a change of the simulated bridge's limits"),
  addSigner: () => refuse("a change of the simulated bridge's signers"),
  removeSigner: () => refuse("a change of the simulated bridge's signers"),
  setThreshold: () => refuse("a change of the simulated bridge's threshold"),
  claim: () => refuse("a claim on the simulated bridge"),
  stopBridge: () => refuse("a stop of the simulated bridge"),
  resumeBridge: () => refuse("a resumption of the simulated bridge"),
};

/** A time further off is not waited for. */
const WAIT_NS_MAX = 60n * SECOND_NS;

interface ToolsOptions {
  readonly bridge: BridgePort;
  /** The value of a network parameter now. */
  parameter(key: string): string | undefined;
}

export class ValidatorTools implements DevnetPort {
  private readonly commands = new SignedCommands(this);

  /** @param options of a validator that works with the devnet's PUBLIC keys */
  constructor(
    private readonly chain: AbciChain,
    private readonly consensus: Pick<CometClient, "ownValidator" | "peers" | "totalPower" | "signersOf">,
    private readonly options?: ToolsOptions,
  ) {}

  get bridge(): BridgePort {
    return this.options?.bridge ?? NO_BRIDGE;
  }

  get status(): ChainStatus {
    return this.chain.status;
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    return this.chain.onBlock(listener);
  }

  submit: DevnetPort["submit"] = (bytes, wait) => this.chain.submit(bytes, wait);
  check: DevnetPort["check"] = (bytes) => this.chain.check(bytes);
  spamStatistics: DevnetPort["spamStatistics"] = (party) => this.chain.spamStatistics(party);
  refusalOf: DevnetPort["refusalOf"] = (hash) => this.chain.refusalOf(hash);
  statePart: DevnetPort["statePart"] = (table, prefix) => this.chain.statePart(table, prefix);
  proofBlocks: DevnetPort["proofBlocks"] = () => this.chain.proofBlocks();
  outcomesOf: DevnetPort["outcomesOf"] = (hashes, waitMs) => this.chain.outcomesOf(hashes, waitMs);
  pending: DevnetPort["pending"] = (most) => this.chain.pending(most);
  checkpoint: DevnetPort["checkpoint"] = () => this.chain.checkpoint();

  clock: DevnetPort["clock"] = async () => ({
    ...this.status,
    nextTimeNs: this.status.timeNs,
    isFrozen: false,
  });

  /** Signed with the parties' PUBLIC keys, where the network is one that has them. */
  perform: DevnetPort["perform"] = (commands) =>
    this.options && commands.every(({ party }) => this.commands.knows(party))
      ? this.commands.perform(commands)
      : refuse("an unsigned command");

  propose: DevnetPort["propose"] = (proposal) =>
    this.options && this.commands.knows(proposal.party)
      ? this.commands.propose(proposal)
      : refuse("an unsigned proposal");

  letPass: DevnetPort["letPass"] = (nanoseconds) =>
    nanoseconds > WAIT_NS_MAX ? refuse("moving the time") : this.untilTime(this.status.timeNs + nanoseconds);

  reachTime: DevnetPort["reachTime"] = (timeNs) =>
    timeNs - this.status.timeNs > WAIT_NS_MAX ? refuse("moving the time") : this.untilTime(timeNs);

  setParameter: DevnetPort["setParameter"] = async (key, value) =>
    this.options?.parameter(key) === value ? this.status : refuse("setting a parameter without a vote");

  mine: DevnetPort["mine"] = () => refuse("mining a block");
  forwardTime: DevnetPort["forwardTime"] = () => refuse("moving the time");
  setNextBlockTime: DevnetPort["setNextBlockTime"] = () => refuse("setting the time");
  freezeClock: DevnetPort["freezeClock"] = () => refuse("freezing the time");
  holdClock: DevnetPort["holdClock"] = () => refuse("freezing the time");
  /** Blocks come by themselves: as far apart as the last two. */
  blockMode: DevnetPort["blockMode"] = async () => {
    const { timeNs, previousTimeNs } = this.status;
    return { kind: "interval", intervalMs: Math.max(1, Number((timeNs - previousTimeNs) / MILLISECOND_NS)) };
  };

  setBlockMode: DevnetPort["setBlockMode"] = () => refuse("a mode of blocks");
  endEpoch: DevnetPort["endEpoch"] = () => refuse("ending an epoch");
  validatorStanding: DevnetPort["validatorStanding"] = async () => {
    const hasKeys = this.options !== undefined;
    const { haltReason, status } = this.chain;
    // Its engine waits for an answer of this chain, and answers nothing itself.
    if (haltReason !== undefined)
      return { nodeId: undefined, hasKeys, duties: [], engine: `the consensus engine waits: ${haltReason}` };
    const problem = status.consensus?.doubleSigned.own;
    return { ...(await standingOf(this.chain, this.consensus, hasKeys)), problem };
  };
  snapshots: DevnetPort["snapshots"] = async () => [];
  snapshot: DevnetPort["snapshot"] = () => refuse("a snapshot to revert to");
  revert: DevnetPort["revert"] = () => refuse("reverting");
  dump: DevnetPort["dump"] = () => refuse("a dump");
  reset: DevnetPort["reset"] = () => refuse("beginning again");
  load: DevnetPort["load"] = () => refuse("loading a dump");
  impersonate: DevnetPort["impersonate"] = () => refuse("impersonating a party");
  setBalance: DevnetPort["setBalance"] = () => refuse("setting a balance");
  setBalances: DevnetPort["setBalances"] = () => refuse("setting balances");
  ban: DevnetPort["ban"] = () => refuse("banning a party by hand");

  /** Waits for the next block of at least this time. */
  private untilTime(timeNs: bigint): Promise<ChainStatus> {
    return new Promise((resolve) => {
      const stop = this.chain.onBlock((status) => {
        if (status.timeNs < timeNs) return;
        stop();
        resolve(status);
      });
    });
  }
}
