/// <reference lib="esnext.disposable" preserve="true" />
// A running devnet as tests see it, in a process that this one or a pool has started.
import { rmSync } from "node:fs";
import { NodeError } from "../errors/node-error.ts";
import type { DevnetHandle, Started } from "./devnet-process.ts";
import { HttpClient } from "./http-client.ts";
import { type MineTarget, type MineUntilOptions, mineUntil } from "./mine-until.ts";
import { Party } from "./party.ts";
import { type DevnetStatus, DevnetTools, type PendingAnswer } from "./tools.generated.ts";

const PRIVATE_KEY = /^[0-9a-f]{64}$/i;

/** A running devnet. */
export interface Devnet extends AsyncDisposable {
  readonly chainId: string;
  /** Addresses without a slash at their end; the data API is at `${dataUrl}/api/v2/`. */
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  /** With the option `walletPort`. */
  readonly walletUrl: string | undefined;
  /** With the option `cometPort`. */
  readonly cometUrl: string | undefined;
  /** Targets for gRPC clients, such as `127.0.0.1:3002`; undefined where gRPC is off. */
  readonly grpcNodeAddress: string | undefined;
  readonly grpcDataAddress: string | undefined;
  readonly home: string;
  readonly pid: number;
  /** PUBLIC: the parties are the first keys of a wallet made from it. */
  readonly recoveryPhrase: string;
  /** The funded parties, alice first. */
  readonly parties: readonly Party[];
  /** By their symbol. */
  readonly assets: Readonly<Record<string, { readonly id: string; readonly decimals: number }>>;
  readonly tools: DevnetTools;
  /** Settles with the reason when the devnet has ended, by `stop` too. */
  readonly ended: Promise<NodeError>;
  /** A funded party by its name. @throws NodeError `usage`, which lists the names */
  party(name: string): Party;
  /** A party of the caller's own. @param privateKey 32 bytes, hexadecimal */
  partyOf(privateKey: string): Promise<Party>;
  /** An answer of the data API or the node API. @param path such as `/api/v2/accounts?filter.partyIds=...` */
  get<T = unknown>(path: string): Promise<T>;
  /** Remembers the whole chain. @returns its identifier, for `revert` */
  snapshot(): Promise<string>;
  /** Takes the chain back to a snapshot, which stays usable. */
  revert(snapshot: string): Promise<void>;
  /** Makes blocks until a height, a time, or a condition on the chain's status is reached. */
  mineUntil(target: MineTarget, options?: MineUntilOptions): Promise<DevnetStatus>;
  /** Transactions that wait for a block, in the order in which blocks take them: at most 1,000. */
  pending(): Promise<PendingAnswer["transactions"]>;
  /** Ends the process; its ports are free and its temporary home is gone when this settles. Calls after it reject. */
  stop(): Promise<void>;
}

// Absent before Node 18.18.
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

export class RunningDevnet implements Devnet {
  readonly chainId: string;
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  readonly walletUrl: string | undefined;
  readonly cometUrl: string | undefined;
  readonly grpcNodeAddress: string | undefined;
  readonly grpcDataAddress: string | undefined;
  readonly home: string;
  readonly pid: number;
  readonly recoveryPhrase: string;
  readonly parties: readonly Party[];
  readonly assets: Devnet["assets"];
  readonly tools: DevnetTools;
  readonly ended: Promise<NodeError>;
  private readonly http: HttpClient;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly process: DevnetHandle,
    started: Started,
    private readonly isTemporary: boolean,
  ) {
    this.chainId = started.chainId;
    this.nodeUrl = started.nodeUrl;
    this.dataUrl = started.dataUrl;
    this.faucetUrl = started.faucetUrl;
    this.walletUrl = started.walletUrl;
    this.cometUrl = started.cometUrl;
    this.grpcNodeAddress = started.grpcNodeAddress;
    this.grpcDataAddress = started.grpcDataAddress;
    this.home = started.home;
    this.pid = process.pid;
    this.recoveryPhrase = started.recoveryPhrase;
    this.http = new HttpClient(() => process.endedBy);
    this.tools = new DevnetTools(this.http, this.nodeUrl);
    this.parties = started.parties.map((party) => new Party(this.node, party.name, party.index, party));
    this.assets = Object.fromEntries(
      started.assets.map(({ id, symbol, decimals }) => [symbol, { id, decimals }]),
    );
    this.ended = process.ended.then((reason) => {
      this.http.close();
      // A killed devnet leaves its home behind.
      if (this.isTemporary) rmSync(this.home, { recursive: true, force: true });
      return reason;
    });
  }

  private get node() {
    return { http: this.http, nodeUrl: this.nodeUrl, chainId: this.chainId };
  }

  party(name: string): Party {
    const party = this.parties.find((one) => one.name === name);
    if (party) return party;
    const names = this.parties.map((one) => one.name).join(", ");
    const hint = "a key of your own is a party by: await devnet.partyOf(privateKey)";
    throw new NodeError(
      "devnet.party",
      "usage",
      `there is no party '${name.slice(0, 60)}': give ${names}`,
      hint,
    );
  }

  async partyOf(privateKey: string): Promise<Party> {
    if (!PRIVATE_KEY.test(privateKey)) {
      const hint = "such as randomBytes(32).toString('hex')";
      throw new NodeError("devnet.party", "usage", "a private key must be 64 hexadecimal digits", hint);
    }
    const { publicKeyOf } = await import("./signing.ts");
    return new Party(this.node, "", 0, { publicKey: publicKeyOf(privateKey), privateKey });
  }

  get<T>(path: string): Promise<T> {
    return this.http.json("GET", `${this.dataUrl}${path.startsWith("/") ? "" : "/"}${path}`);
  }

  async snapshot(): Promise<string> {
    return (await this.tools.snapshot()).snapshot;
  }

  async revert(snapshot: string): Promise<void> {
    await this.tools.revert(snapshot);
  }

  mineUntil(target: MineTarget, options?: MineUntilOptions): Promise<DevnetStatus> {
    return mineUntil(this.tools, target, options);
  }

  async pending(): Promise<PendingAnswer["transactions"]> {
    return (await this.tools.pending()).transactions;
  }

  stop(): Promise<void> {
    this.stopped ??= this.process.stop().then(async () => void (await this.ended));
    return this.stopped;
  }

  [asyncDispose](): Promise<void> {
    return this.stop();
  }
}
