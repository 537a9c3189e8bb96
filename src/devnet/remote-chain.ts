// The chain as the HTTP thread sees it. Signatures are verified on this thread, so that the chain's thread executes blocks
// meanwhile.
import { ed25519VerifyAsync } from "../crypto/ed25519.ts";
import {
  type BridgePort,
  ChainCallError,
  type ChainPort,
  type ChainStatus,
  type ClockStatus,
  type DevnetPort,
  type TxOutcome,
} from "../engine/chain-port.ts";
import { readClaim } from "../wire/transaction-check.ts";
import {
  type CallMessage,
  type ChainMessage,
  errorOf,
  type Method,
  notStarted,
  type SignatureFinding,
} from "./chain-messages.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class RemoteChain implements DevnetPort {
  readonly bridge: BridgePort;
  private latest: ChainStatus | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Set<(status: ChainStatus) => void>();
  private nextId = 0;

  constructor(private readonly post: (message: CallMessage) => void) {
    this.bridge = {
      deposit: (...values) => this.call("bridge.deposit", values),
      stake: (...values) => this.call("bridge.stake", values),
      unstake: (...values) => this.call("bridge.unstake", values),
      list: (...values) => this.call("bridge.list", values),
      setLimits: (...values) => this.call("bridge.setLimits", values),
      addSigner: (...values) => this.call("bridge.addSigner", values),
      removeSigner: (...values) => this.call("bridge.removeSigner", values),
      setThreshold: (...values) => this.call("bridge.setThreshold", values),
      claim: (...values) => this.call("bridge.claim", values),
      stopBridge: () => this.call("bridge.stopBridge", []),
      resumeBridge: () => this.call("bridge.resumeBridge", []),
    };
  }

  receive(message: ChainMessage): void {
    if (message.kind === "status") {
      this.latest = message.status;
      for (const listener of this.listeners) listener(message.status);
      return;
    }
    if (this.latest !== undefined) this.latest = { ...this.latest, mempool: message.mempool };
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error !== undefined) waiting?.reject(errorOf(message.error));
    else waiting?.resolve(message.value);
  }

  /** Rejects every waiting call: the chain has ended. */
  close(): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(new ChainCallError("stopped", "the node is stopping"));
  }

  get status(): ChainStatus {
    if (this.latest === undefined) throw notStarted();
    return this.latest;
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    return this.send("submit", bytes, wait);
  }

  check(bytes: Uint8Array): Promise<TxOutcome> {
    return this.send("check", bytes);
  }

  spamStatistics = (party: string) =>
    this.call<ReturnType<ChainPort["spamStatistics"]>>("spamStatistics", [party]);
  refusalOf = (hash: string) => this.call<ReturnType<DevnetPort["refusalOf"]>>("refusalOf", [hash]);
  statePart: DevnetPort["statePart"] = (...values) => this.call("statePart", values);
  proofBlocks: DevnetPort["proofBlocks"] = () => this.call("proofBlocks", []);
  outcomesOf: DevnetPort["outcomesOf"] = (...values) => this.call("outcomesOf", values);
  pending: DevnetPort["pending"] = (most) => this.call("pending", [most]);
  mine = (blocks: number) => this.call<Promise<ChainStatus>>("mine", [blocks]);
  forwardTime = (nanoseconds: bigint) => this.call<Promise<ClockStatus>>("forwardTime", [nanoseconds]);
  setNextBlockTime = (timeNs: bigint) => this.call<Promise<ClockStatus>>("setNextBlockTime", [timeNs]);
  freezeClock = (frozen: boolean) => this.call<Promise<ClockStatus>>("freezeClock", [frozen]);
  holdClock = (isHeld: boolean) => this.call<Promise<ClockStatus>>("holdClock", [isHeld]);
  clock: DevnetPort["clock"] = () => this.call("clock", []);
  blockMode: DevnetPort["blockMode"] = () => this.call("blockMode", []);
  setBlockMode: DevnetPort["setBlockMode"] = (mode) => this.call("setBlockMode", [mode]);
  endEpoch = () => this.call<Promise<ChainStatus>>("endEpoch", []);
  snapshot = () => this.call<Promise<string>>("snapshot", []);
  validatorStanding: DevnetPort["validatorStanding"] = () => this.call("validatorStanding", []);
  snapshots: DevnetPort["snapshots"] = () => this.call("snapshots", []);
  revert = (id: string) => this.call<Promise<ChainStatus>>("revert", [id]);
  checkpoint = () => this.call<Promise<string>>("checkpoint", []);
  dump = () => this.call<Promise<string>>("dump", []);
  reset: DevnetPort["reset"] = () => this.call("reset", []);
  load = (dump: string) => this.call<Promise<ChainStatus>>("load", [dump]);
  impersonate: DevnetPort["impersonate"] = (...values) => this.call("impersonate", values);
  perform: DevnetPort["perform"] = (...values) => this.call("perform", values);
  propose: DevnetPort["propose"] = (...values) => this.call("propose", values);
  letPass: DevnetPort["letPass"] = (...values) => this.call("letPass", values);
  reachTime: DevnetPort["reachTime"] = (...values) => this.call("reachTime", values);
  setBalance: DevnetPort["setBalance"] = (...values) => this.call("setBalance", values);
  setBalances: DevnetPort["setBalances"] = (...values) => this.call("setBalances", values);
  setParameter: DevnetPort["setParameter"] = (...values) => this.call("setParameter", values);
  ban: DevnetPort["ban"] = (...values) => this.call("ban", values);

  /** Only the signature is verified here; the chain makes all refusals, in one form. */
  private async send(method: "submit" | "check", bytes: Uint8Array, ...wait: string[]): Promise<TxOutcome> {
    if (this.latest === undefined) throw notStarted();
    const claim = readClaim(bytes, this.latest.chainId);
    let signature: SignatureFinding = "unknown";
    if (claim !== undefined) {
      const isValid = await ed25519VerifyAsync(claim.publicKey, claim.digest, claim.signature);
      signature = isValid ? "valid" : "invalid";
    }
    return this.call<Promise<TxOutcome>>(method, [bytes, ...wait], signature);
  }

  private call<P extends Promise<unknown>>(
    method: Method,
    values: readonly unknown[],
    signature?: SignatureFinding,
  ): P {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = this.nextId++;
    this.waiting.set(id, { resolve, reject });
    this.post({ kind: "call", id, method, values, ...(signature !== undefined && { signature }) });
    return promise as P;
  }
}
