// The local socket of a home whose path is too long for one lies among the temporary files, where every user can make
// things: before a passphrase goes to it, it is looked whose it is. Against what another user can have put there.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { askService } from "../../../src/cli/wallet-session.ts";
import { devnetNodeUrl } from "../../../src/devnet/home.ts";
import type { NodeError } from "../../../src/errors/node-error.ts";
import { serveLocally } from "../../../src/planes/wallet/local-socket.ts";
import { socketPath } from "../../../src/planes/wallet/start.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const HOME = `/nonexistent/${"long/".repeat(30)}${process.pid}`;
const PATH = socketPath(HOME);
const FOLDER = dirname(PATH);

let heard: string[] = [];
let server: ReturnType<typeof Bun.serve> | undefined;

/** Another user's service: it keeps what it is told. */
function listen(path: string): void {
  server = Bun.serve({
    unix: path,
    fetch: async (request) => {
      heard.push(await request.text());
      return Response.json({ jsonrpc: "2.0", id: "1", result: {} });
    },
  });
}

const paths: string[] = [];

function elsewhereFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "lyra-elsewhere-"));
  paths.push(path);
  return path;
}

const unlock = () =>
  askService(HOME, "admin.unlock_wallet", { wallet: "main", passphrase: "correct horse" }).catch(
    (error: NodeError): string => error.code,
  );

const serve = () =>
  serveLocally(PATH, {} as Parameters<typeof serveLocally>[1], {} as Parameters<typeof serveLocally>[2]).then(
    async (socket) => {
      await socket.stop();
      return "served";
    },
    (error: NodeError) => error.code,
  );

beforeEach(() => {
  heard = [];
  mkdirSync(FOLDER, { mode: 0o700 });
});

afterEach(async () => {
  await server?.stop(true);
  server = undefined;
  for (const path of [FOLDER, ...paths.splice(0)]) rmSync(path, { recursive: true, force: true });
});

describe("the socket of a long home", () => {
  test("given a socket of one's own, then it is spoken to", async () => {
    listen(PATH);
    chmodSync(PATH, 0o600);
    expect(await unlock()).toEqual({});
    expect(heard).toHaveLength(1);
  });

  const others: readonly (readonly [string, string, boolean, () => void])[] = [
    ["a folder of another user", "wallet_not_yours", true, () => chownSync(FOLDER, NOBODY, NOBODY)],
    ["a socket of another user", "wallet_not_yours", true, () => chownSync(PATH, NOBODY, NOBODY)],
    ["a folder open to others", "wallet_open_to_others", false, () => chmodSync(FOLDER, 0o755)],
    ["a socket open to others", "wallet_open_to_others", false, () => chmodSync(PATH, 0o666)],
    [
      "a link to a folder",
      "socket_unusable",
      false,
      () => {
        const elsewhere = elsewhereFolder();
        renameSync(FOLDER, join(elsewhere, "folder"));
        symlinkSync(join(elsewhere, "folder"), FOLDER);
      },
    ],
    [
      "another user's link to a folder of one's own",
      "socket_unusable",
      true,
      () => {
        const elsewhere = elsewhereFolder();
        renameSync(FOLDER, join(elsewhere, "folder"));
        symlinkSync(join(elsewhere, "folder"), FOLDER);
        lchownSync(FOLDER, NOBODY, NOBODY);
      },
    ],
    [
      "a link to a socket",
      "socket_unusable",
      false,
      () => {
        renameSync(PATH, `${PATH}-other`);
        symlinkSync(`${PATH}-other`, PATH);
      },
    ],
  ];
  test.each(others)(
    "given %s, then nothing is said to it, and it is not served from",
    async (_, code, needsRoot, place) => {
      if (needsRoot && !isRoot) return console.log("skipped: only root can make what is another user's");
      listen(PATH);
      chmodSync(PATH, 0o600);
      place();
      expect(await unlock()).toBe(code);
      expect(heard).toEqual([]);
      expect(await serve()).toBe(code);
    },
  );

  test("given a file in its place, then it is neither spoken to nor replaced", async () => {
    writeFileSync(PATH, "", { mode: 0o600 });
    expect([await unlock(), await serve()]).toEqual(["socket_unusable", "socket_unusable"]);
  });

  const parents: readonly (readonly [string, boolean, (parent: string) => void])[] = [
    ["writable by all", false, (parent) => chmodSync(parent, 0o777)],
    [
      "writable by another group",
      true,
      (parent) => {
        chownSync(parent, 0, NOBODY);
        chmodSync(parent, 0o770);
      },
    ],
    ["another user's", true, (parent) => chownSync(parent, NOBODY, NOBODY)],
    [
      "another user's, where each has what is theirs",
      true,
      (parent) => {
        chmodSync(parent, 0o1777);
        chownSync(parent, NOBODY, NOBODY);
      },
    ],
  ];
  test.each(parents)("given a folder in one that is %s, then it is refused", async (_, needsRoot, open) => {
    if (needsRoot && !isRoot) return console.log("skipped: only root can make what is another user's");
    const parent = elsewhereFolder();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = parent;
    try {
      mkdirSync(dirname(socketPath(HOME)), { mode: 0o700 });
      open(parent);
      expect(await unlock()).toBe("socket_unusable");
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

test.if(isRoot)("given another user's file that says where a devnet is, then it is refused", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-devnet-of-another-"));
  const file = join(home, "devnet.json");
  writeFileSync(file, JSON.stringify({ nodeUrl: "http://127.0.0.1:1" }));
  expect(devnetNodeUrl([home])).toBe("http://127.0.0.1:1");
  chownSync(file, NOBODY, NOBODY);
  expect(() => devnetNodeUrl([home])).toThrow("belongs to another user");
  rmSync(home, { recursive: true });
});
