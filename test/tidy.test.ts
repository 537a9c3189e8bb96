// The house rules that a machine can check (docs/architecture.md).
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { anchorsOf } from "./support/headings.ts";

const root = join(import.meta.dir, "..");
/** Folders of a home, which the documents name too. */
const HOME_FOLDERS = new Set(
  "events/ wallets/ networks/ wallet-service/ tx/ image/ fetch.tmp/ restore.tmp/".split(" "),
);
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (name === "node_modules" || name === "dist" || name.startsWith(".git")) return [];
    return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path];
  });
}

const sources = ["src", "test", "bench", "scripts"]
  .flatMap(filesBelow)
  .filter((path) => /\.(tsx?|mjs)$/.test(path));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const ROOT_DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
const allDocuments = [...ROOT_DOCUMENTS, "bench/README.md", ...filesBelow("docs")].filter((path) =>
  path.endsWith(".md"),
);

/** Rooms that a room may import from: the arrows of docs/architecture.md. The longest name that fits a file counts. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  cache: [],
  // In browsers too: of `errors` only what imports nothing.
  client: ["errors"],
  errors: ["cache"],
  fetch: [],
  files: ["errors"],
  crypto: ["cache", "errors"],
  wire: ["errors", "crypto"],
  store: ["cache", "errors", "files", "wire", "crypto"],
  "chain/admission": ["cache", "errors", "files", "wire", "crypto", "engine"],
  engine: ["cache", "errors", "wire", "crypto"],
  // Of the store only what knows no database: test/package/portable.test.ts.
  testing: ["errors", "wire", "crypto", "engine", "store"],
  history: ["cache", "errors", "fetch", "files", "wire", "crypto", "store"],
  ingest: ["errors", "files", "wire", "store"],
  chain: ["cache", "errors", "files", "wire", "crypto", "store", "ingest", "chain/admission", "engine"],
  abci: ["cache", "errors", "files", "wire", "crypto", "store", "chain", "chain/admission", "engine"],
  comet: ["errors", "fetch", "wire", "crypto", "store", "chain", "chain/admission", "engine"],
  ethereum: ["errors", "wire", "crypto", "chain", "engine"],
  wallet: ["cache", "errors", "fetch", "files", "wire", "crypto", "chain/admission", "engine"],
  http: ["cache", "errors", "files", "wire", "store"],
  "planes/data": ["cache", "errors", "files", "wire", "store", "history", "http", "engine"],
  "planes/node": [
    "errors",
    "wire",
    "crypto",
    "store",
    "chain/admission",
    "engine",
    "http",
    "planes/data",
    "planes/devnet",
    "planes/page",
  ],
  "planes/devnet": [
    "errors",
    "wire",
    "crypto",
    "store",
    "chain/admission",
    "engine",
    "http",
    "planes/data",
    "planes/node",
  ],
  "planes/comet": ["errors", "wire", "crypto", "store", "engine", "http", "planes/node"],
  "planes/graphql": ["cache", "errors", "wire", "store", "http", "planes/data", "planes/node"],
  "planes/explorer": [
    "errors",
    "wire",
    "crypto",
    "store",
    "chain/admission",
    "engine",
    "wallet",
    "http",
    "planes/data",
  ],
  // The bundle of the page is a file of `web`.
  "planes/page": ["http", "web"],
  // Runs in a browser: of the node it has the client, the check of archives, the texts of amounts (wire/amount-text.ts), and
  // declarations: forms of answers, the devnet's tools.
  web: ["wire", "http", "client", "history", "planes/devnet"],
  "planes/grpc": ["errors", "wire", "store", "http", "planes/data", "planes/explorer", "planes/node"],
  "planes/faucet": ["errors", "wire", "engine", "http"],
  "planes/wallet": [
    "errors",
    "fetch",
    "files",
    "wire",
    "chain/admission",
    "engine",
    "wallet",
    "http",
    "planes/page",
  ],
  node: [
    "errors",
    "fetch",
    "files",
    "wire",
    "store",
    "history",
    "ingest",
    "chain",
    "chain/admission",
    "engine",
    "comet",
    "http",
    "planes/data",
    "planes/node",
    "planes/explorer",
    "planes/graphql",
    "planes/grpc",
    "planes/page",
  ],
  devnet: [
    "errors",
    "fetch",
    "files",
    "wire",
    "crypto",
    "store",
    "history",
    "http",
    "planes",
    "ingest",
    "chain",
    "engine",
    "ethereum",
    "wallet",
    "node",
  ],
  validator: [
    "errors",
    "fetch",
    "files",
    "wire",
    "crypto",
    "store",
    "history",
    "http",
    "chain",
    "chain/admission",
    "engine",
    "abci",
    "comet",
    "ethereum",
    "node",
    "devnet",
  ],
  testnet: [
    "errors",
    "files",
    "wire",
    "crypto",
    "chain",
    "engine",
    "comet",
    "ethereum",
    "wallet",
    "devnet",
    "validator",
  ],
  package: [
    "client",
    "errors",
    "fetch",
    "wire",
    "crypto",
    "engine",
    "testing",
    "planes/devnet",
    "node",
    "devnet",
  ],
  cli: [
    "errors",
    "fetch",
    "files",
    "wire",
    "crypto",
    "store",
    "history",
    "http",
    "planes",
    "ingest",
    "chain",
    "engine",
    "ethereum",
    "wallet",
    "node",
    "devnet",
    "abci",
    "validator",
    "testnet",
    "testing",
  ],
};
const ENTRY_POINTS = /^(main|index|start-node)\.ts$/;

function roomOf(path: string): string | undefined {
  const rooms = Object.keys(ARROWS).filter((room) => path.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0];
}

function importsOf(path: string): string[] {
  const folder = join(root, path, "..");
  return [...read(path).matchAll(/from "(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(join(root, "src"), join(folder, match[1]!)),
  );
}

describe("tidy", () => {
  test("imports run one way", () => {
    const wrong: string[] = [];
    for (const path of sources.filter((file) => file.startsWith("src/"))) {
      const room = roomOf(relative("src", path));
      if (room === undefined) continue;
      for (const target of importsOf(path)) {
        const to = roomOf(target);
        const isOutside = target.startsWith("..");
        const allowed =
          (room === "cli" && ENTRY_POINTS.test(target)) ||
          to === room ||
          ARROWS[room]!.some((entry) => to === entry || to?.startsWith(`${entry}/`));
        if (!isOutside && !allowed) wrong.push(`${path} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("no imports go in a circle", () => {
    // Imports of types and those made later count too.
    const importsByFile = new Map(
      sources.map((file) => [
        file,
        [...read(file).matchAll(/(?:from|import\() ?"(\.{1,2}\/[^"]+)"/g)].map((match) =>
          join(file, "..", match[1]!),
        ),
      ]),
    );
    const circles: string[] = [];
    const open: string[] = [];
    const closed = new Set<string>();
    const walk = (file: string) => {
      if (open.includes(file)) circles.push([...open.slice(open.indexOf(file)), file].join(" > "));
      if (open.includes(file) || closed.has(file)) return;
      open.push(file);
      for (const target of importsByFile.get(file) ?? []) walk(target);
      open.pop();
      closed.add(file);
    };
    for (const file of importsByFile.keys()) walk(file);
    expect(circles).toEqual([]);
  });

  test("units of time, comparisons and absolute values are those of src/wire", () => {
    const own = new Set(["src/wire/time-text.ts", "src/wire/arithmetic.ts", "test/tidy.test.ts"]);
    // The models of the tests keep their own arithmetic, as independent second implementations.
    const isModel = (path: string) => /^test\/(?:simulation|support\/csv-model)\//.test(path);
    const again =
      /const \w*(?:SECOND|NS)\w* = 1(?:_000|000){1,3}n|\b(\w+) < 0n \? -\1 : \1\b|\b(\w+) < (\w+) \? -1 : \2 > \3 \? 1 : 0/;
    const repeated = sources
      .filter((path) => !own.has(path) && !isModel(path))
      .flatMap((path) => (again.test(read(path)) ? [path] : []));
    expect(repeated).toEqual([]);
  });

  test("every file is in a room", () => {
    const outside = filesBelow("src")
      .map((path) => relative("src", path))
      .filter((path) => roomOf(path) === undefined && !ENTRY_POINTS.test(path));
    expect(outside).toEqual([]);
  });

  test("the store and the wire take no time and no chance of their own", () => {
    const taking = sources
      .filter((path) => /^src\/(store|wire|chain\/admission)\//.test(path) && !path.endsWith(".test.ts"))
      .filter((path) =>
        /Date\.now|new Date\(\)|Math\.random|crypto\.getRandomValues|randomBytes/.test(read(path)),
      );
    expect(taking).toEqual([]);
  });

  test("answers of other programs are read in one place, under a bound", () => {
    // Whole bodies, by the runtime's methods: those of answers that this program has made itself, and of requests in readBody.
    const own = new Set([
      ...["src/http/http.ts", "src/http/docs.ts", "src/http/served.ts", "src/http/socket-answer.ts"],
      "src/planes/graphql/requests.ts",
      "src/planes/page/assets.ts",
      // In the browser.
      "src/web/data/node.ts",
      "src/web/data/wallet.ts",
      "src/web/data/download.ts",
      // Files that its user chose.
      "src/web/views/devnet-tool.tsx",
      "src/web/views/archive-verify.ts",
      "src/web/wallet/session.ts",
    ]);
    const bare = /(?<!\bthis)\.(?:text|json|arrayBuffer|blob|bytes|formData)\(\)|(?<![.\w])fetch\((?!\w+:)/;
    const method = /^\s*(?:async )?fetch\((?:\w+(?:, \w+)*)?\) \{$/;
    const reading = sources
      .filter((path) => path.startsWith("src/") && path !== "src/fetch/answer.ts" && !own.has(path))
      .flatMap((path) =>
        read(path)
          .split("\n")
          .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && bare.test(line) && !method.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(reading).toEqual([]);
  });

  test("no number of the chain hangs on the processor, the runtime or its language data", () => {
    // Functions whose last digit the language leaves open, also as powers of numbers, and texts that Unicode's tables make.
    const exact = "abs|ceil|clz32|floor|fround|imul|max|min|round|sign|sqrt|trunc|[A-Z]\\w+";
    const open = [
      `\\bMath\\.(?!(?:${exact})\\b)`,
      "\\bMath\\b(?!\\.)",
      "(?<!\\dn|this\\.coefficient) \\*\\*=? (?!\\d+n?\\b)",
      "\\.(?:localeCompare|toLocale\\w+|normalize)\\(|\\bIntl\\b|\\\\p\\{",
    ].join("|");
    const code = (path: string) => read(path).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
    const hanging = sources
      .filter((path) => /^src\/(?:engine|wire|chain|comet)\//.test(path))
      .flatMap((path) =>
        [...code(path).matchAll(new RegExp(`.*(?:${open}).*`, "g"))].map(
          ([line]) => `${path}: ${line.trim()}`,
        ),
      );
    expect(hanging).toEqual([]);
  });

  test("the page puts no text into the document as HTML", () => {
    const asHtml =
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(|srcdoc/;
    const page = sources.filter((path) => path.startsWith("src/web/"));
    expect(page.length).toBeGreaterThan(20);
    expect(page.filter((path) => asHtml.test(read(path)))).toEqual([]);
  });

  test("no test is switched off", () => {
    // A test that needs the recording beside the project is skipped without it, and says so.
    const isSwitched = (line: string) =>
      /\b(?:test|describe|it)\.(?:skip|only|todo)\(/.test(line) && !/^if \(!has\w+\)/.test(line);
    const off = sources
      .filter((path) => path.endsWith(".test.ts"))
      .flatMap((path) =>
        read(path)
          .split("\n")
          .filter(isSwitched)
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(off).toEqual([]);
  });

  test("no test waits for a time where an event or a clock port serves", () => {
    // Rigs that load and kill by time: slow tests and scripts run them.
    const rigs =
      /^test\/(?:flood|rig\/(?:crash|devnet-crash|devnet-load|sidecar|wallet-crash|wallet-flood))\b/;
    const timers = /\b(?:Bun\.sleep(?:Sync)?|setTimeout|setInterval)\b/;
    const bare = sources
      .filter((path) => path.startsWith("test/") && !path.endsWith(".slow.test.ts") && !rigs.test(path))
      .filter((path) => path !== "test/tidy.test.ts")
      .flatMap((path) => {
        const lines = read(path).split("\n");
        const reasonOf = (at: number): string =>
          /^\s*\/\//.test(lines[at - 1] ?? "") ? `${reasonOf(at - 1)} ${lines[at - 1]}` : "";
        return lines.flatMap((line, at) =>
          timers.test(line) && !/\/\/ real time: \S/.test(reasonOf(at)) ? [`${path}: ${line.trim()}`] : [],
        );
      });
    expect(bare).toEqual([]);
  });

  test("devnets of tests are those of users, or say why one thread does everything", () => {
    // The helper itself, a test of both forms, and a rig of scripts.
    const own = ["test/support/test-devnet.ts", "test/http/height-waiters.test.ts", "test/flood/refusals.ts"];
    const others = sources
      .filter((path) => path.startsWith("test/") && !path.endsWith(".slow.test.ts") && !own.includes(path))
      .filter((path) => path !== "test/tidy.test.ts" && /kind: "devnet"|\bcreateDevnet\(/.test(read(path)));
    expect(others).toEqual([]);
  });

  test("nothing names this machine", () => {
    const machine = new RegExp(["/wo", "rk/|/ro", "ot/|10\\.\\d+\\.\\d+\\.\\d+"].join(""));
    const naming = [...sources, ...allDocuments, "package-lock.json", ".npmrc", "Dockerfile"].filter((path) =>
      machine.test(read(path)),
    );
    expect(naming).toEqual([]);
  });

  test("the documents name files that exist", () => {
    const folders = /^(?:src|test|docs|bench|scripts|examples|data)\//;
    const names = new Set(sources.map((path) => path.slice(path.lastIndexOf("/") + 1)));
    const missing = allDocuments.flatMap((document) => {
      const text = read(document);
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].filter(
        (match) => !existsSync(join(root, document, "..", match[1]!)),
      );
      const paths = [...text.matchAll(/`([\w./-]+)`/g)].filter(([, path]) => {
        const isFile = /\.(?:ts|mjs)$/.test(path!) || folders.test(path!);
        const isFolder = /^[a-z].*\/$/.test(path!) && !HOME_FOLDERS.has(path!);
        if (!isFile && !isFolder) return false;
        const isThere = ["", "src", "docs"].some((folder) => existsSync(join(root, folder, path!)));
        return !isThere && !names.has(path!);
      });
      return [...links, ...paths].map((match) => `${document}: ${match[1]}`);
    });
    expect(missing).toEqual([]);
  });

  test("every limit and every stream has a row in the documents", () => {
    const rows = (path: string) =>
      new Set([...read(path).matchAll(/^\| `([\w/-]+)`/gm)].map(([, name]) => name));
    const named = (paths: readonly string[], pattern: RegExp) =>
      paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, name]) => name!));
    const limits = named(["src/http/limits.ts"], /^ {2}readonly (\w+): number;/gm);
    const kinds = named(filesBelow("src/planes/data/observe"), /^ {2}path: "([\w/-]+)",\n {2}method:/gm);
    expect([limits.length > 20, kinds.length > 10]).toEqual([true, true]);
    expect(limits.filter((name) => !rows("docs/operations.md").has(name))).toEqual([]);
    expect(kinds.filter((name) => !rows("docs/streams.md").has(name))).toEqual([]);
  });

  test("every decision has a number of its own and is listed", () => {
    const files = filesBelow("docs/decisions").map((path) => relative("docs/decisions", path));
    const numbers = files.map((name) => /^(\d{3})-[a-z\d-]+\.md$/.exec(name)?.[1]);
    expect(numbers).not.toContain(undefined);
    expect(new Set(numbers).size).toBe(files.length);
    const list = read("docs/architecture.md");
    expect(files.filter((name) => !list.includes(`(decisions/${name})`))).toEqual([]);
  });

  test("every page of the documents is listed once", () => {
    const pages = readdirSync(join(root, "docs")).filter(
      (name) => name.endsWith(".md") && name !== "README.md",
    );
    const listed = [...read("docs/README.md").matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(
      ([, name]) => name!,
    );
    expect(listed.toSorted()).toEqual(pages.toSorted());
  });

  test("links of the documents lead to headings that exist", () => {
    const anchors = new Map(allDocuments.map((path) => [path, new Set(anchorsOf(read(path)))]));
    const missing = allDocuments.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
        .filter(([, path, anchor]) => {
          const target = path === "" ? document : join(document, "..", path!);
          return anchors.get(target)?.has(anchor!) === false;
        })
        .map(([link]) => `${document}: ${link}`),
    );
    expect(missing).toEqual([]);
  });

  test("the lockfile has every platform's packages", () => {
    // `npm install NAME` on one platform drops the others' optional packages; then `npm ci` fails everywhere.
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter(
          (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
        )
        .map((name) => `${path} wants ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("the lockfile names no registry", () => {
    expect(read("package-lock.json")).not.toContain('"resolved": "http');
  });
});

// Words: how comments, documents and messages are written.

const isGenerated = (path: string) => path.includes("/generated/") || path.endsWith(".generated.ts");
const plainSources = sources.filter((path) => path.startsWith("src/") && !isGenerated(path));
/** The wallet's comments speak of people too: its owner, a page's user, a thief. */
const aboutCode = plainSources.filter((path) => !path.startsWith("src/wallet/"));
/** Without docs/protocol, which keeps the original's words. */
const documents = [
  ...ROOT_DOCUMENTS,
  ...filesBelow("docs").filter((path) => path.endsWith(".md") && !path.includes("protocol/")),
];

/** The comments of a file, each paragraph as one line. */
function commentsOf(text: string): string[] {
  const blocks =
    text.match(/^[ \t]*(?:\/\/.*\n?)+(?:[ \t]*\/\/.*\n?)*|\/\*\*?[\s\S]*?\*\/|(?<=\S\s)\/\/ .*$/gm) ?? [];
  return blocks.flatMap((block) =>
    block
      .replace(/^[ \t]*(?:\/\/|\/\*\*?|\*\/|\* ?)|\*\/$/gm, "")
      .split(/\n[ \t]*\n|\n[ \t]*(?=@)/)
      .map((paragraph) => paragraph.replace(/\s+/g, " ").trim()),
  );
}

function paragraphsOf(markdown: string): string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, "");
  return prose.split(/\n\s*\n|\n(?=[-*|#] )/).map((paragraph) => paragraph.replace(/\s+/g, " ").trim());
}

/** Sentences that hide their subject; a question may begin so. */
const HIDDEN_SUBJECT = /(?:^|[.!?] |\*\* )(?:[-*>] )?(?:What|Whose?|Whoever|One)\b[^.?!]*(?:[.!]|$)/;
/** In comments noun phrases are refused too: "How long it waits", "Which block". */
const HIDDEN_NOUN = /(?:^|[.!?] )(?:How|Which)\b[^.?!]*(?:[.!]|$)/;

/** The descriptions of a GraphQL schema. */
const descriptionsOf = (text: string) =>
  [...text.matchAll(/^ *"(?:"")?([^"]+)"/gm)].map(([, description = ""]) => description);

/** A file is split once for all patterns. */
const partsOf = new Map<(text: string) => string[], Map<string, string[]>>();

function hits(paths: readonly string[], split: (text: string) => string[], pattern: RegExp): string[] {
  const byPath = partsOf.get(split) ?? new Map<string, string[]>();
  partsOf.set(split, byPath);
  return paths.flatMap((path) => {
    const parts = byPath.get(path) ?? split(read(path));
    byPath.set(path, parts);
    return parts.flatMap((text) => {
      const match = pattern.exec(text);
      return match === null
        ? []
        : [`${path}: ${text.slice(Math.max(0, match.index - 20), match.index + 60)}`];
    });
  });
}

interface Turn {
  readonly turn: RegExp;
  /** The plain form. */
  readonly plain: string;
  /** Places that still have it, in comments and documents together. The number only shrinks. */
  readonly left?: number;
}

const handWritten = sources.filter((path) => !/generated/.test(path));

/** Turns that slow a reader down. */
const TURNS: readonly Turn[] = [
  { turn: /(?<!\bthere )\b(?:is|are) none\b/, plain: '"is invalid", "is not a ..."' },
  { turn: /\bone that is not\b/, plain: "the adjective: an unknown market" },
  { turn: /\bwhat \w+ (?:made|makes|became|has made|have made) of\b/i, plain: "the result's name" },
  { turn: /\bsays that (?:it|they|one) (?:is|are)\b/, plain: '"marked ..."' },
  { turn: /\bno longer is\b|\bas (?:it|they) no longer\b/, plain: "say what it is now" },
  { turn: /\banew\b/, plain: '"again", "restart", "from scratch"' },
  { turn: /\bbut for\b/, plain: '"except"' },
  { turn: /\bwhoever\b/i, plain: "the caller, the sender, anyone with ..." },
  { turn: /\bof those that\b/, plain: "the noun: of the orders that" },
  { turn: /\b(?:is|are|was|were) over\b/, plain: '"has ended"' },
  { turn: /\banother one\b/i, plain: "the noun: another node" },
  { turn: /\blately\b/, plain: '"recently"' },
  { turn: /\b(?:told|tells?|telling) of\b/, plain: '"notified of", "shows", "reports"' },
  { turn: /\bso (?:many|much)\b/i, plain: '"this many", "a limited number"' },
  {
    turn: /\b(?:is|are|was|were) there\b(?! (?:no|any|a|an|room|nothing|none)\b)/,
    plain: '"exists", "has come", "is known"',
  },
  {
    turn: /\bwhat (?:is|was) (?:not|there)\b/i,
    plain: "the noun: unsigned bytes, the stored blocks",
  },
  { turn: /\bha(?:s|ve) (?:nothing )?to say\b/, plain: '"states", "lacks"' },
];

describe("words", () => {
  test.each(TURNS)("$turn is written plainly", ({ turn, plain, left = 0 }) => {
    const places = [...hits(handWritten, commentsOf, turn), ...hits(allDocuments, paragraphsOf, turn)];
    if (places.length > left) expect({ places, plain, left }).toEqual({ places: [], plain, left });
    expect(places.length).toBeLessThanOrEqual(left);
  });

  test("a sentence begins with its subject", () => {
    const proto = filesBelow("src/wire/proto").filter((path) => path.endsWith(".proto"));
    expect(proto).not.toEqual([]);
    for (const pattern of [HIDDEN_SUBJECT, HIDDEN_NOUN]) {
      expect(hits([...handWritten, ...proto], commentsOf, pattern)).toEqual([]);
      expect(hits(["src/planes/graphql/schema.graphql"], descriptionsOf, pattern)).toEqual([]);
    }
    expect(hits(documents, paragraphsOf, HIDDEN_SUBJECT)).toEqual([]);
  });

  test("the name of a test begins with its subject", () => {
    const hidden =
      /\b(?:test|describe)(?:\.\w+)?(?:\([^"`]*\))?\(\s*["`](?:given )?(?:what|who|whoever|which|nobody|somebody|where|one)\b[^"`]*/i;
    const names = (text: string) => text.split(/(?=\b(?:test|describe)[.(])/);
    const tests = sources.filter((path) => path.endsWith(".test.ts"));
    expect(hits(tests, names, hidden)).toEqual([]);
  });

  test("code is not a person", () => {
    expect(hits(aboutCode, commentsOf, /\b(?:nobody|somebody|whoever|the one who|those who)\b/i)).toEqual([]);
  });

  test("a message begins with its subject, and says what something is not, not that it is none", () => {
    const strings = (text: string) =>
      [...text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "").matchAll(/(["`])(?:\\.|(?!\1)[^\\\n])*\1/g)].map(
        ([all]) => all,
      );
    const isNone = /(?<!\b(?:there|There|nothing)) is (?:none\b|no (?!longer|more|room))/;
    const kept = /no base-10 number|no devnet|it is no address/;
    expect(hits(plainSources, strings, isNone).filter((hit) => !kept.test(hit))).toEqual([]);
    expect(hits(plainSources, strings, /^.(?:What|Whose?|Which|How) [^?]*$|\banew\b|\bwhoever\b/)).toEqual(
      [],
    );
    expect(hits(plainSources, commentsOf, isNone)).toEqual([]);
  });

  test("methods carry their object in their name", () => {
    const method = /^ {2}(?:private |protected |static |async )*(?:take|tell|say|forget|judge|begin)\(.*\{$/;
    expect(hits(plainSources, (text) => text.split("\n"), method)).toEqual([]);
  });
});

// Exports: each is for another file of src, for a rig or a script, or a unit that tests reach on purpose.

const LIBRARY = new Set([
  "src/index.ts",
  "src/start-node.ts",
  "src/testing/market-rig.ts",
  "src/testing/market-config.ts",
  "src/package/devnet.ts",
  "src/package/testing.ts",
  "src/package/bun-only.ts",
]);
const wordsByFile = new Map(
  sources.map((path) => {
    const code = read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return [path, { code, words: new Set(code.match(/[\w$]+/g)) }] as const;
  }),
);
const declared = [...wordsByFile]
  .filter(([path]) => path.startsWith("src/") && !isGenerated(path) && !LIBRARY.has(path))
  .flatMap(([path, { code }]) =>
    [
      ...code.matchAll(
        /^export (?:declare )?(?:async )?(?:abstract )?(function\*?|class|const|let|interface|type|enum) ([\w$]+)/gm,
      ),
    ].map(([, kind = "", name = ""]) => ({ path, kind, name })),
  );
const filesByName = new Map(declared.map(({ name }): [string, string[]] => [name, []]));
for (const [path, { words }] of wordsByFile) for (const word of words) filesByName.get(word)?.push(path);

/** Exports by file, with the files that name them. */
const exported = declared.map((one) => ({
  ...one,
  users: filesByName.get(one.name)!.filter((path) => path !== one.path),
}));

/** Units that have tests of their own besides those of what uses them. The list only shrinks. */
const TESTED_UNITS = new Set([
  "CATALOGUE",
  "COMMAND_CHECKS",
  "ChainHost",
  "DATA_ROUTES",
  "DEVNET_WALLET_NAME",
  "EXPORT_REQUEST",
  "ExaminationBudget",
  "HasherSearch",
  "IdleLock",
  "IngestRate",
  "KernelSearch",
  "KnownBlocks",
  "LEDGER_EXPORT_REQUEST",
  "NODE_ROUTES",
  "SERVE_FLAGS",
  "SPAM_DEFAULTS",
  "ServiceFiles",
  "WorkerUnavailable",
  "acceptsGzip",
  "addressOfParty",
  "announcementText",
  "applyParameter",
  "banner",
  "bridgeMessage",
  "builtinTxHash",
  "checkCost",
  "compareVersions",
  "dataApp",
  "decodeOriginalBody",
  "decodeValue",
  "deskMethods",
  "devnetBanner",
  "emptyMessage",
  "encodeOriginalBody",
  "encodeValue",
  "eventDifferences",
  "faucetApp",
  "fnv1a64",
  "groupBudgets",
  "hasLyraMagic",
  "isTransactionContent",
  "kernelFits",
  "keySeed",
  "memberTexts",
  "nextPowers",
  "nodeApp",
  "parseSemanticVersion",
  "percentText",
  "policyHash",
  "proposalFacts",
  "proposalKind",
  "qrModules",
  "qrText",
  "readHeader",
  "readPolicy",
  "recordingHooks",
  "recurringAmount",
  "refusalDetails",
  "repeatedMember",
  "roomOn",
  "sourceRoot",
  "spendingOf",
  "stakeBalance",
  "stakingPayout",
  "symbolText",
  "tracedEvent",
  "valueTexts",
]);

describe("exports", () => {
  test("every export is used by another file", () => {
    expect(
      exported.filter((one) => one.users.length === 0).map(({ path, name }) => `${path} ${name}`),
    ).toEqual([]);
  });

  test("no value is exported for its test alone", () => {
    const forTests = exported
      .filter(({ kind, name }) => !/interface|type/.test(kind) && !TESTED_UNITS.has(name))
      .filter(({ users: all }) => all.length > 0 && all.every((path) => path.startsWith("test/")));
    expect(forTests.map(({ path, name }) => `${path} ${name}`)).toEqual([]);
  });
});
