// Sends what is nearly right to the doors of a node and looks at every answer.
import { Dice } from "../../scripts/sample/seeded.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import { TxVersion } from "../../src/wire/generated/commands.ts";
import { encodeCommand, serializeTransaction, signTransaction } from "../../src/wire/transaction.ts";
import {
  type DevnetClient,
  DOLLAR,
  type LastBlock,
  provenTransaction,
  solved,
  transferTo,
} from "../rig/devnet-client.ts";
import { BODIES, MUTATIONS } from "./mutants.ts";
import { oddity } from "./verdicts.ts";

const [alice, bob] = devnetParties() as [
  ReturnType<typeof devnetParties>[0],
  ReturnType<typeof devnetParties>[0],
];
const RAW = ["/transaction/raw", "/transaction/raw/check"];
const ALL = [...RAW, "/transaction", "/transaction/check"];
const TYPES = ["TYPE_SYNC", "TYPE_ASYNC"];

export interface FuzzReport {
  readonly requests: number;
  readonly accepted: number;
  readonly oddities: readonly string[];
}

export class Fuzz {
  private requests = 0;
  private accepted = 0;
  private readonly oddities: string[] = [];
  private readonly dice: Dice;

  constructor(
    private readonly client: DevnetClient,
    private readonly seed: number,
  ) {
    this.dice = new Dice(seed);
  }

  get report(): FuzzReport {
    const { requests, accepted, oddities } = this;
    return { requests, accepted, oddities };
  }

  /** Every body that is no request, at every door. */
  async bodies(): Promise<void> {
    const tx = base64(this.good(await this.client.lastBlock(), 0));
    for (const body of BODIES) {
      for (const path of ALL) await this.ask(path, body.replaceAll("{tx}", tx), `body ${body.slice(0, 80)}`);
    }
  }

  /** Good transactions with something done to them: to the envelope, and to a command before it is signed. */
  async mutants(count: number): Promise<void> {
    const names = Object.keys(MUTATIONS);
    let block = await this.client.lastBlock();
    for (let n = 0; n < count; n++) {
      if (n % 50 === 49) block = await this.client.lastBlock();
      const name = names[n % names.length]!;
      const isInside = Math.floor(n / names.length) % 2 === 1;
      const bytes = isInside ? this.inside(name, block, n) : this.outside(name, block, n);
      const path = this.dice.pick(RAW);
      const body = JSON.stringify({ tx: base64(bytes), type: this.dice.pick(TYPES) });
      await this.ask(
        path,
        body,
        `${name}, ${isInside ? "inside" : "outside"}, number ${n} of seed ${this.seed}`,
      );
    }
  }

  /** From just below the largest that is taken to what no port reads. */
  async oversized(): Promise<void> {
    const block = await this.client.lastBlock();
    for (const bytes of [1_048_000, 1_048_577, 1_500_000, 1_572_800, 2_000_000, 5_000_000]) {
      const filler = Buffer.alloc(bytes, 0x41);
      const padded = Buffer.concat([
        this.good(block, bytes),
        Uint8Array.of(0xfa, 0xff, 0x03),
        lengthOf(bytes),
        filler,
      ]);
      for (const tx of [padded, filler]) {
        const body = JSON.stringify({ tx: base64(new Uint8Array(tx)), type: "TYPE_SYNC" });
        for (const path of RAW) await this.ask(path, body, `${tx.length} bytes`);
      }
    }
  }

  private outside(name: string, block: LastBlock, n: number): Uint8Array {
    return MUTATIONS[name]!(this.good(block, n), this.dice, this.good(block, n + 1_000_000));
  }

  /** The command is changed, and then signed and proven as it is. */
  private inside(name: string, block: LastBlock, n: number): Uint8Array {
    const height = BigInt(block.height);
    const command = encodeCommand(transferTo(bob.publicKey, DOLLAR, 100_000n), BigInt(n + 1), height);
    const vote = { kind: "voteSubmission", payload: { proposalId: "0f".repeat(32), value: 1 } } as const;
    const inputData = MUTATIONS[name]!(command, this.dice, encodeCommand(vote, BigInt(n + 1), height));
    const version = this.dice.pick([TxVersion.TX_VERSION_V2, TxVersion.TX_VERSION_V3] as const);
    const tid = `${this.seed} ${n}`;
    const pow = { tid, nonce: solved(block.hash, tid, block.difficulty) };
    const options = { chainId: block.chainId, version, pow };
    return serializeTransaction(signTransaction(inputData, alice.key, options));
  }

  private good(block: LastBlock, n: number): Uint8Array {
    return provenTransaction(
      alice.key,
      transferTo(bob.publicKey, DOLLAR, 100_000n),
      block,
      `fuzz ${this.seed} ${n} ${this.requests}`,
    );
  }

  private async ask(path: string, body: string, what: string): Promise<void> {
    const base = this.dice.below(4) === 0 ? this.client.dataUrl : this.client.nodeUrl;
    this.requests++;
    try {
      const response = await fetch(`${base}${path}?details=true`, { method: "POST", body });
      const text = await response.text();
      // Of what no port reads there is no error object.
      if (response.status === 413) return;
      if (response.status === 200 && JSON.parse(text).success) this.accepted++;
      const odd = oddity(path, response.status, text);
      if (odd !== undefined) this.oddities.push(`${what} at ${path}: ${odd}`);
    } catch (error) {
      this.oddities.push(`${what} at ${path}: ${(error as Error).message}`);
    }
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function lengthOf(value: number): Uint8Array {
  return Uint8Array.of(
    (value & 127) | 128,
    ((value >> 7) & 127) | 128,
    ((value >> 14) & 127) | 128,
    value >> 21,
  );
}
