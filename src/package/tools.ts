/** The tools of a devnet as calls (docs/devnet.md): each is named as its path, and answers with its JSON. */
import type { PartiesReport } from "../devnet/parties.ts";
import type {
  BanAnswer,
  BlocksAnswer,
  ClaimAnswer,
  DepositAnswer,
  DevnetClock,
  DevnetMode,
  DevnetStatus,
  ImpersonateAnswer,
  LimitsAnswer,
  ListAnswer,
  MarketCreated,
  MarketPriced,
  MarketRun,
  MarketSettled,
  MarketTerminated,
  OutcomesAnswer,
  SignersAnswer,
  StakeAnswer,
  StoppedAnswer,
} from "../planes/devnet/answers.ts";
import type { TransactionStory } from "../planes/devnet/transaction-story.ts";
import type { HttpClient } from "./http-client.ts";

/** A whole number in an asset's smallest unit. Above 2^53 a text or a bigint. */
export type Amount = bigint | number | string;

export interface MarketChoice {
  /** `btc`, `eth` or `simple`; default `btc`. */
  readonly preset?: string;
  /** A proposal or its `newMarket`, in place of the preset's. */
  readonly proposal?: object;
  /** Where it opens, in whole units of the quote; default the preset's, or 100 with a proposal. */
  readonly price?: string;
}

export interface SignerChanges {
  /** Ethereum address that becomes a signer. */
  readonly add?: string;
  readonly remove?: string;
  /** Share of the signers that must sign, 1 to 999 of 1,000. */
  readonly threshold?: number;
}

/**
 * A party is given by its public key or its name (`alice` to `judy`), an asset by its id or symbol, a market by its id, the
 * beginning of that, or its code. Each call rejects with the tool's own sentence, `code` and `hint`.
 */
export class DevnetTools {
  constructor(
    private readonly http: HttpClient,
    private readonly nodeUrl: string,
  ) {}

  /** The last block, the epoch, the mempool. */
  status(): Promise<DevnetStatus> {
    return this.get("status");
  }

  /** The funded parties with keys and balances, and the assets. */
  parties(): Promise<PartiesReport> {
    return this.get("parties");
  }

  /** Command, verdict, movements, balances and rows of a transaction. @param hash hexadecimal */
  transaction(hash: string): Promise<TransactionStory> {
    return this.post("transaction", { hash });
  }

  /**
   * Settles when one of these transactions no longer waits for a block, at the latest after `wait`.
   * @param hashes 1,000 at the most @param wait such as `500ms`; 5s unless told, and at the most
   */
  outcomes(hashes: readonly string[], wait?: string): Promise<OutcomesAnswer> {
    return this.post("outcomes", { hashes, wait });
  }

  /** The blocks that a proof of work may name, oldest first, and how blocks are made. */
  blocks(): Promise<BlocksAnswer> {
    return this.get("blocks");
  }

  /** Makes blocks: 1 unless told, 100,000 at the most. */
  mine(blocks?: number): Promise<DevnetStatus> {
    return this.post("mine", { blocks });
  }

  readonly time = {
    /** Moves the clock forward. @param duration such as `1h30m` */
    forward: (duration: string): Promise<DevnetClock> => this.post("time/forward", { duration }),
    /** Sets the next block's time. @param time RFC 3339 in UTC, or Unix nanoseconds */
    set: (time: string | bigint | Date): Promise<DevnetClock> =>
      this.post("time/set", { time: time instanceof Date ? time.toISOString() : String(time) }),
    /** Freezes the clock, or lets it run. */
    freeze: (frozen?: boolean): Promise<DevnetClock> => this.post("time/freeze", { frozen }),
  };

  /** How blocks are made. @param mode `instant`, `manual`, `1s`, `mixed:1s` */
  mode(mode: string): Promise<DevnetMode> {
    return this.post("mode", { mode });
  }

  readonly epoch = {
    /** Ends the running epoch. */
    end: (): Promise<DevnetStatus> => this.post("epoch/end"),
  };

  /** Remembers the whole chain. `Devnet.snapshot` gives the identifier alone. */
  snapshot(): Promise<{ readonly snapshot: string }> {
    return this.post("snapshot");
  }

  /** Goes back to a snapshot, which stays usable; later ones are gone. */
  revert(snapshot: string): Promise<DevnetStatus> {
    return this.post("revert", { snapshot });
  }

  /** The whole state, as the text that `load` takes. */
  dump(): Promise<string> {
    return this.http.text("POST", this.address("dump"));
  }

  /** Becomes the chain of a dump. */
  load(dump: string): Promise<{ readonly chainId: string; readonly height: string }> {
    return this.http.json("POST", this.address("load"), dump);
  }

  /** A checkpoint that another chain can begin with, by the option `checkpoint`. */
  checkpoint(): Promise<object> {
    return this.post("checkpoint");
  }

  /** Deposits an asset for a party. */
  fund(party: string, asset: string, amount: Amount): Promise<DepositAnswer> {
    return this.post("fund", { party, asset, amount: String(amount) });
  }

  /** Stakes tokens for a party, or takes them back. */
  stake(party: string, amount: Amount, remove?: boolean): Promise<StakeAnswer> {
    return this.post("stake", { party, amount: String(amount), remove });
  }

  /** Sets a party's general account. */
  balance(party: string, asset: string, amount: Amount): Promise<DevnetStatus> {
    return this.post("balance", { party, asset, amount: String(amount) });
  }

  /** Sets a network parameter. */
  parameter(key: string, value: string): Promise<DevnetStatus> {
    return this.post("parameter", { key, value });
  }

  readonly market = {
    /** Makes a market that trades: proposal, votes, liquidity, opening. */
    create: (choice: MarketChoice = {}): Promise<MarketCreated> => this.post("market/create", choice),
    /** Trades at a price. @param price in whole units, such as `101.5` */
    price: (market: string, price: number | string): Promise<MarketPriced> =>
      this.post("market/price", { market, price: String(price) }),
    /** Trades for a while: a maker and takers. @param seed the same one gives the same orders */
    run: (market: string, orders?: number, seed?: number): Promise<MarketRun> =>
      this.post("market/run", { market, orders, seed }),
    /** Ends trading, by the oracle. */
    terminate: (market: string): Promise<MarketTerminated> => this.post("market/terminate", { market }),
    /** Settles at a price, by the oracle. */
    settle: (market: string, price: number | string): Promise<MarketSettled> =>
      this.post("market/settle", { market, price: String(price) }),
  };

  readonly bridge = {
    /** As `fund`. */
    deposit: (party: string, asset: string, amount: Amount): Promise<DepositAnswer> =>
      this.post("bridge/deposit", { party, asset, amount: String(amount) }),
    /** Lists an asset with its bundle. */
    list: (asset: string): Promise<ListAnswer> => this.post("bridge/list", { asset }),
    /** Brings the limits of an enacted update with its bundle. @param proposal id */
    limits: (proposal: string): Promise<LimitsAnswer> => this.post("bridge/limits", { proposal }),
    /** Claims a withdrawal with its bundle. @param withdrawal id */
    claim: (withdrawal: string): Promise<ClaimAnswer> => this.post("bridge/claim", { withdrawal }),
    /** Changes the signers of the multisig contract. */
    signers: (changes: SignerChanges): Promise<SignersAnswer> => this.post("bridge/signers", changes),
    stop: (): Promise<StoppedAnswer> => this.post("bridge/stop"),
    resume: (): Promise<StoppedAnswer> => this.post("bridge/resume"),
  };

  /** Executes an unsigned command of a party. @param command as in `InputData`, such as `{voteSubmission: {...}}` */
  impersonate(party: string, command: object): Promise<ImpersonateAnswer> {
    return this.post("impersonate", { party, command });
  }

  /** Bans a party from sending transactions: for good, or for a duration such as `10m`. */
  ban(party: string, duration?: string): Promise<BanAnswer> {
    return this.post("ban", { party, duration });
  }

  /** Lifts a ban. */
  pardon(party: string): Promise<{ readonly party: string }> {
    return this.post("pardon", { party });
  }

  private get<T>(path: string): Promise<T> {
    return this.http.json("GET", this.address(path));
  }

  /** Members that are undefined are left out. */
  private post<T>(path: string, body: object = {}): Promise<T> {
    return this.http.json("POST", this.address(path), JSON.stringify(body));
  }

  private address(path: string): string {
    return `${this.nodeUrl}/devnet/${path}`;
  }
}
