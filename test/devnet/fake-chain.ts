// A devnet without a chain: notes what it is asked, and answers with one status.
import { noChain } from "../../src/comet/no-chain.ts";
import type {
  BridgePort,
  ChainStatus,
  ClockStatus,
  DevnetPort,
  TxOutcome,
} from "../../src/engine/chain-port.ts";

export const STATUS: ChainStatus = {
  ...noChain(1_690_000_000_000_000_000n),
  chainId: "test-chain",
  height: 7,
  hash: "ab".repeat(32),
  appHash: "cd".repeat(32),
  timeNs: 1_700_000_000_000_000_000n,
  previousTimeNs: 1_699_999_999_000_000_000n,
  genesisTimeNs: 1_690_000_000_000_000_000n,
  epoch: { seq: 3n, startNs: 1_699_999_990_000_000_000n, expireNs: 1_700_000_050_000_000_000n },
  pow: {
    hashFunction: "sha3_24_rounds",
    difficulty: 10,
    pastBlocks: 100,
    txPerBlock: 10,
    increasingDifficulty: true,
  },
};

/** After its clock was changed. */
const CLOCK: ClockStatus = { ...STATUS, nextTimeNs: 1_700_000_060_000_000_000n, isFrozen: false };

const OUTCOME: TxOutcome = {
  hash: "EF".repeat(32),
  code: 0,
  text: "",
  details: undefined,
  gasWanted: 1,
  height: 8,
};

export type Call = readonly [name: string, ...values: unknown[]];

/** Every call is noted in `calls`; `fail` is thrown by all that can fail. */
export function fakeChain(fail?: Error): { chain: DevnetPort; calls: Call[] } {
  const calls: Call[] = [];
  const noted =
    <T>(name: string, answer: T) =>
    async (...values: unknown[]): Promise<T> => {
      calls.push([name, ...values]);
      if (fail) throw fail;
      return answer;
    };
  const bridge: BridgePort = {
    deposit: noted("deposit", { id: "d1".repeat(32) }),
    stake: noted("stake", { id: "57".repeat(32) }),
    unstake: noted("unstake", { id: "58".repeat(32) }),
    list: noted("list", { id: "e7".repeat(32) }),
    setLimits: noted("setLimits", { id: "e7".repeat(32) }),
    addSigner: noted("addSigner", { id: "e7".repeat(32) }),
    removeSigner: noted("removeSigner", { id: "e7".repeat(32) }),
    setThreshold: noted("setThreshold", { id: "e7".repeat(32) }),
    claim: noted("claim", { id: "e7".repeat(32) }),
    stopBridge: noted("stopBridge", { id: "e7".repeat(32) }),
    resumeBridge: noted("resumeBridge", { id: "e7".repeat(32) }),
  };
  const chain: DevnetPort = {
    status: STATUS,
    onBlock: () => () => {},
    submit: noted("submit", OUTCOME),
    check: noted("check", OUTCOME),
    spamStatistics: noted("spamStatistics", {}),
    statePart: noted("statePart", undefined),
    refusalOf: noted("refusalOf", undefined),
    mine: noted("mine", STATUS),
    forwardTime: noted("forwardTime", CLOCK),
    setNextBlockTime: noted("setNextBlockTime", CLOCK),
    freezeClock: noted("freezeClock", CLOCK),
    proofBlocks: noted("proofBlocks", []),
    outcomesOf: noted("outcomesOf", ["waiting", "waiting"]),
    pending: noted("pending", []),
    holdClock: noted("holdClock", CLOCK),
    clock: noted("clock", CLOCK),
    setBlockMode: noted("setBlockMode", STATUS),
    blockMode: noted("blockMode", { kind: "instant" }),
    endEpoch: noted("endEpoch", STATUS),
    validatorStanding: noted("validatorStanding", {
      nodeId: "0e".repeat(32),
      hasKeys: true,
      duties: [{ kind: "vote" as const, about: "0f".repeat(32) }],
      engine: {
        name: "one",
        version: "0.38.26",
        height: 7,
        isCatchingUp: false,
        power: 10n,
        totalPower: 40n,
        lastSigned: 7,
        peers: [
          {
            id: "aa",
            name: "two",
            host: "192.0.2.2",
            isOutbound: true,
            connectedNs: 61_900_000_000n,
            height: 8,
          },
        ],
      },
    }),
    snapshots: noted("snapshots", [
      { id: "1", height: 5, timeNs: STATUS.timeNs, parent: undefined, isUsable: true },
      { id: "2", height: 6, timeNs: undefined, parent: "1", isUsable: false },
    ]),
    snapshot: noted("snapshot", "1"),
    revert: noted("revert", STATUS),
    dump: noted("dump", '{"height":7}'),
    checkpoint: noted("checkpoint", '{"load_hash":"ab","state":""}'),
    reset: noted("reset", STATUS),
    load: noted("load", STATUS),
    impersonate: noted("impersonate", OUTCOME),
    perform: noted("perform", [OUTCOME]),
    propose: noted("propose", { id: "ab".repeat(32), outcomes: [OUTCOME, OUTCOME], closingNs: 0n }),
    letPass: noted("reachTime", STATUS),
    reachTime: noted("reachTime", STATUS),
    setBalance: noted("setBalance", STATUS),
    setBalances: noted("setBalances", STATUS),
    setParameter: noted("setParameter", STATUS),
    ban: noted("ban", undefined),
    bridge,
  };
  return { chain, calls };
}
