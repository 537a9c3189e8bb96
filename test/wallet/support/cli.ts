// `lyra` as a process, with a home of its own that has the original's wallet file in it: it opens at once.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FolderKeystore } from "../../../src/wallet/keystore/folder-keystore.ts";
import { WalletStore } from "../../../src/wallet/wallet-store.ts";
import { COMPILING, PROGRAM } from "../../rig/lyra.ts";
import { ORIGINAL_FILE, PHRASE } from "./vectors.ts";
import { bytes, privateFolder } from "./wallets.ts";

export interface Said {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

export class Cli {
  private readonly folder = privateFolder();
  readonly home = this.folder.path;
  readonly wallets = join(this.home, "wallets");
  /** Of the wallet `old`. */
  readonly passphraseFile = this.file("passphrase", `${ORIGINAL_FILE.passphrase}\r\n`);

  constructor() {
    mkdirSync(this.wallets, { mode: 0o700 });
    writeFileSync(join(this.wallets, "old"), Buffer.from(ORIGINAL_FILE.base64, "base64"), { mode: 0o600 });
  }

  /** A file in the home. @returns its path */
  file(name: string, content: string | Uint8Array): string {
    const path = join(this.home, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  /** A wallet of Lyra's own format that opens in milliseconds: the cheapest file that the command line takes. */
  async addWallet(name: string, passphrase: string, recoveryPhrase = PHRASE): Promise<void> {
    const store = new WalletStore({
      keystore: new FolderKeystore(this.wallets),
      cost: { log2N: 14, r: 8, p: 1 },
    });
    const wallet = await store.import({
      name,
      passphrase: bytes(passphrase),
      recoveryPhrase,
      version: 2,
    });
    wallet.lock();
  }

  run(words: readonly string[], stdin = ""): Promise<Said> {
    return this.runBehind([], words, stdin);
  }

  /** The same, started by another program. */
  async runBehind(starter: readonly string[], words: readonly string[], stdin = ""): Promise<Said> {
    const child = Bun.spawn([...starter, ...PROGRAM, ...words], {
      stdin: Buffer.from(stdin),
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env.PATH, HOME: this.home, LYRA_HOME: this.home, NO_COLOR: "1", ...COMPILING },
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { out, err, code };
  }

  /** The document that a command prints, with the passphrase of `old`. */
  async json(...words: string[]): Promise<unknown> {
    const { out, err, code } = await this.run([...words, "--passphrase-file", this.passphraseFile, "--json"]);
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${err}`);
    return JSON.parse(out);
  }

  remove(): void {
    this.folder.remove();
  }
}
