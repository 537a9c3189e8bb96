// The package's parts for Node do the same there as under Bun: the rig of markets, and the methods that old releases lack.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { packageManifest, platformManifest } from "../../scripts/package/manifest.ts";
import { ran, Workshop } from "./program.ts";

const workshop = new Workshop();
afterAll(() => workshop.remove());

/** A crowd's trades, up to the digest of the whole state. */
const STORY = `
  const rig = createMarketRig({ assets: { USD: { decimals: 2 } } });
  rig.createMarket("M", { asset: "USD", simple: { long: 0.1, short: 0.1 }, targetStake: { scaling: 0.01 } });
  const parties = ["lp", "a", "b", "c"];
  for (const party of parties) rig.deposit(party, "USD", 1_000_000n);
  const shape = (reference) => [{ reference, proportion: 1, offset: "1" }];
  const provision = { marketId: idOf("M"), commitmentAmount: "10000", fee: "0.001", buys: shape(2), sells: shape(3) };
  const answers = [rig.deliver("lp", { kind: "liquidityProvisionSubmission", payload: provision })];
  for (const [party, side, price] of [["a", "buy", 90], ["b", "sell", 110], ["a", "buy", 100], ["b", "sell", 100]])
    answers.push(rig.order(party, "M", side, 1, price));
  rig.nextBlock(1, 3);
  for (let n = 0; n < 60; n++) {
    answers.push(rig.order(parties[1 + (n % 3)], "M", n % 2 ? "buy" : "sell", 1 + (n % 5), 95 + ((n * 7) % 11)));
    if (n % 9 === 8) rig.nextBlock();
  }
  rig.endBlock();
  const trades = rig.trades("M").map(({ id, price, size }) => id + price + size);
  const shown = parties.map((party) => JSON.stringify(rig.shownPosition(party, "M"), (_, value) => typeof value === "bigint" ? String(value) : value));
  const facts = { digest: rig.digest(), shown, trades, faults: rig.faults.length, answers };
  console.log(JSON.stringify(facts));
`;

test("the rig of markets has the same state under Node as under Bun, whatever traded", async () => {
  const library = await workshop.compiled("testing");
  const script = join(workshop.folder, "story.mjs");
  writeFileSync(script, `import { createMarketRig, idOf } from ${JSON.stringify(library)};\n${STORY}`);
  const [node, bun] = await Promise.all([ran(["node", script]), ran([process.execPath, script])]);
  expect([node.code, node.err, bun.code]).toEqual([0, "", 0]);
  expect(node.out).toBe(bun.out);
  const { trades, faults } = JSON.parse(node.out) as { trades: string[]; faults: number };
  expect(faults).toBe(0);
  expect(trades.length).toBeGreaterThan(20);
});

test("errors are printed under the names by which they are imported", async () => {
  const root = join(import.meta.dir, "..", "..", "src");
  // In parts, as the package is built: the bundler renames classes that several parts use.
  const built = await Bun.build({
    entrypoints: [join(root, "client", "connect.ts"), join(root, "package", "devnet.ts")],
    target: "node",
    splitting: true,
    outdir: join(workshop.folder, "parts"),
    naming: { entry: "[name].mjs", chunk: "chunk-[hash].mjs" },
  });
  expect(built.success).toBe(true);
  const script = join(workshop.folder, "parts", "errors.mjs");
  writeFileSync(
    script,
    `import { inspect } from "node:util";
     import { connect } from "./connect.mjs";
     import { startDevnet } from "./devnet.mjs";
     const errors = [];
     try { connect({ dataUrl: "x" }); } catch (error) { errors.push(error); }
     await startDevnet({ nodeport: 1 }).catch((error) => errors.push(error));
     for (const error of errors) console.log(error.constructor.name, inspect(error).split(":")[0]);`,
  );
  const { out, err } = await ran(["node", script]);
  expect({ out, err }).toEqual({ out: "LyraError LyraError\nNodeError NodeError\n", err: "" });
});

test("the methods that a release lacks do what the language's own do", async () => {
  const library = await workshop.compiled("standard-methods");
  const script = join(workshop.folder, "methods.mjs");
  // Without the language's own, Bun has to use the package's.
  writeFileSync(
    script,
    `const bytes = (text) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
     const facts = () => {
       const attempt = (run) => { try { return run(); } catch (error) { return error.name; } };
       const inputs = ["", "a", "ab", "abc", "\\u00ff\\u0000\\u0010", "x".repeat(100)].map(bytes);
       return JSON.stringify([
         inputs.map((input) => [input.toHex(), input.toBase64(), [...input.subarray(0, 1).map((n) => n)]]),
         inputs.map((input) => [[...Uint8Array.fromHex(input.toHex())], [...Uint8Array.fromBase64(input.toBase64())]]),
         ["a", "zz", "0g", "ABcd"].map((text) => attempt(() => [...Uint8Array.fromHex(text)])),
         ["YQ", "YQ==", "YQ=", "Y", "Y-_a", "****"].map((text) => attempt(() => [...Uint8Array.fromBase64(text)])),
         [...bytes("abc").with(2, 7)], [3, 1, 2].toSorted((a, b) => b - a), [3, 1, 2].toReversed(),
         ["a\\ud83d\\ude00", "\\ud83d", "\\ude00\\ud83d x"].map((text) => [text.isWellFormed(), text.toWellFormed()]),
         [...Map.groupBy([1, 2, 3, 4], (n) => n % 2)],
       ]);
     };
     const own = facts();
     for (const name of ["toHex", "toBase64"]) delete Uint8Array.prototype[name];
     for (const name of ["fromHex", "fromBase64"]) delete Uint8Array[name];
     for (const name of ["toSorted", "toReversed"]) delete Array.prototype[name];
     delete Object.getPrototypeOf(Uint8Array.prototype).with;
     for (const name of ["isWellFormed", "toWellFormed"]) delete String.prototype[name];
     delete Map.groupBy;
     if ("toHex" in Uint8Array.prototype || "groupBy" in Map) throw new Error("still there");
     await import(${JSON.stringify(library)});
     console.log(own === facts() ? "same" : own + "\\n" + facts());`,
  );
  const { out, err } = await ran([process.execPath, script]);
  expect([out, err]).toEqual(["same\n", ""]);
});

test("a node in the caller's process is refused under Node with the way out", async () => {
  const library = await workshop.compiled("bun-only");
  const script = join(workshop.folder, "index.mjs");
  const source = await Bun.file(join(import.meta.dir, "../../src/index.ts")).text();
  const values = [...source.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name]) => name!,
  );
  for (const [, list] of source.matchAll(/^export \{([^}]+)\}/gm)) {
    values.push(
      ...list!
        .split(",")
        .map((one) => one.trim())
        .filter((one) => !one.startsWith("type ")),
    );
  }
  expect(values).toContain("createDevnet");
  writeFileSync(
    script,
    `import { ${values.join(", ")} } from ${JSON.stringify(library)};\nconsole.log("here");`,
  );
  const { code, out, err } = await ran(["node", script]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("a node in this process needs Bun, and this is another runtime");
  expect(err).toContain('import { startDevnet } from "lyra/devnet"');
});

test("the published manifest runs nothing when it is installed, and brings the platforms' packages alone", () => {
  const published = packageManifest(manifest, ["@lyra/linux-x64"]);
  expect(Object.keys(published).sort()).toEqual(
    "bin description engines exports files keywords license name optionalDependencies type version".split(
      " ",
    ),
  );
  expect(published.optionalDependencies).toEqual({ "@lyra/linux-x64": manifest.version });
  expect(published.files.filter((path) => /src|test|scripts|^\.$/.test(path))).toEqual([]);
  expect(platformManifest(manifest, "@lyra/darwin-arm64", "darwin-arm64", "abc")).toMatchObject({
    version: manifest.version,
    commit: "abc",
    os: ["darwin"],
    cpu: ["arm64"],
  });
  expect(platformManifest(manifest, "@lyra/linux-x64", "linux-x64", "abc")).toMatchObject({
    libc: ["glibc"],
  });
});
