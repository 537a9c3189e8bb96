// A node's configuration: impossible values are refused with a sentence, from flag, variable and file, and none is ignored.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { listen, urlOf } from "../../src/http/http.ts";
import { loadConfig } from "../../src/node/config.ts";
import { Scratch } from "../rig/homes.ts";
import { nodeRefusal } from "../support/node-refusal.ts";

const scratch = new Scratch("config");
afterAll(() => scratch.remove());

function withFile(text: string): string {
  const home = scratch.path();
  mkdirSync(home);
  writeFileSync(`${home}/lyra.toml`, text);
  return home;
}

describe("a configuration file", () => {
  const WRONG: Record<string, string> = {
    "limits = 5": "'limits' in the configuration is not a table",
    "limits = true": "'limits' in the configuration is not a table",
    "limits = []": "'limits' in the configuration is not a table",
    'limits = "pageRowsMax"': "'limits' in the configuration is not a table",
    "[[limits]]\npageRowsMax = 5": "'limits' in the configuration is not a table",
    "[limits]\ntoString = 5": "there is no limit called 'toString'",
    "[limits]\nconstructor = 5": "there is no limit called 'constructor'",
    "[limits]\npageRowsMax = [5]": "'limits.pageRowsMax' in the configuration is neither a text nor a number",
    'host = ["127.0.0.1"]': "'host' in the configuration is neither a text nor a number",
    "host = true": "'host' in the configuration is neither a text nor a number",
    "[data-port]\nx = 1": "'data-port' in the configuration is neither a text nor a number",
  };
  for (const [text, sentence] of Object.entries(WRONG)) {
    test(`with ${JSON.stringify(text)} is refused`, () => {
      const { message, exitCode } = nodeRefusal(() => loadConfig({ home: withFile(text) }, [], {}));
      expect(message).toBe(sentence);
      expect(exitCode).toBe(2);
    });
  }

  test("is taken with numbers as numbers or as texts", () => {
    const home = withFile(
      'data-port = "7"\nsegment-length = 9\n[limits]\npageRowsMax = "5"\nexportsMax = 3\n',
    );
    const { dataPort, segmentLength, limits } = loadConfig({ home }, [], {});
    expect([dataPort, segmentLength, limits.pageRowsMax, limits.exportsMax]).toEqual([7, 9, 5, 3]);
  });
});

describe("a flag", () => {
  for (const name of ["toString", "__proto__", "constructor", ""]) {
    test(`--limit ${name}=5 is refused`, () => {
      const { message } = nodeRefusal(() =>
        loadConfig({ home: scratch.path(), limit: [`${name}=5`] }, [], {}),
      );
      expect(message).toBe(`there is no limit called '${name}'`);
    });
  }
});

describe("a variable that is empty", () => {
  test("counts as not set", () => {
    const home = withFile("data-port = 7");
    const env = { LYRA_HOST: "", LYRA_DATA_PORT: "", LYRA_SEGMENT_LENGTH: "", LYRA_CONFIG: "" };
    const { host, dataPort, segmentLength } = loadConfig({ home }, [], env);
    expect([host, dataPort, segmentLength]).toEqual(["127.0.0.1", 7, undefined]);
  });
});

describe("a host", () => {
  test("that is empty is not listened on: it would be every address", () => {
    const options = { host: "", port: 0, bodyBytesMax: 1, portFlag: "--data-port" };
    const { message, exitCode } = nodeRefusal(() => listen(options, () => new Response("")).stop(true));
    expect(message).toBe("the host to listen on is empty");
    expect(exitCode).toBe(2);
  });

  test("of IPv6 has one pair of brackets in an address", () => {
    expect([urlOf("::1", 7), urlOf("[::1]", 7)]).toEqual(["http://[::1]:7", "http://[::1]:7"]);
  });
});
