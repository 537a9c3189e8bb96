// Prices in the Open Oracle's format (docs/protocol/70-trading-markets.md#16-data-sources-oracles): two that an
// exchange has signed and published in 2020, and such of a key of our own. Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { ethereumAddress, keccakOf, secp256k1Sign } from "../../../src/crypto/secp256k1.ts";
import { openOracleProperties } from "../../../src/engine/markets/open-oracle.ts";
import type { OracleData } from "../../../src/wire/generated/vega.ts";
import type { Play } from "./rig.ts";
import { M3, market, VOID } from "./sample-markets.ts";

const EXCHANGE = "0xfCEAdAFab14d46e20144F48824d0C09B1a03F2BC";
const SETTLED = 9;
const OPEN_ORACLE = 1;

interface Signed {
  readonly message: string;
  readonly signature: string;
}

const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
const text = (value: string) => word(value.length) + Buffer.from(value).toString("hex").padEnd(64, "0");

/** ABI form of (string "prices", uint64 timestamp, string symbol, uint64 value). */
const priceMessage = (symbol: string, timestamp: number, value: bigint, kind = "prices") =>
  word(0x80) + word(timestamp) + word(0xc0) + word(value) + text(kind) + text(symbol);

const BTC: Signed = {
  message: priceMessage("BTC", 0x5f45b500, 0x2a1ec5678n),
  signature:
    "187a858734a49fd7ffaa5ba57a44cf12dd4dbb73e142e6f70a3b3e27d9d00a8bb8e430c650eb58b33a79c5ef9ec8d3bf1b3937015a3dbbb00f50cce07b90e8a6000000000000000000000000000000000000000000000000000000000000001c",
};
const ETH: Signed = {
  message: priceMessage("ETH", 0x5efebe98, 0xd84ec18n),
  signature:
    "b8ba87c37228468f9d107a97eeb92ebd49a50993669cab1737fea77e5b884f2591affbf4058bcfa29e38756021deeafaeeab7a5c4f5ce584c7d1e12346c88d4e000000000000000000000000000000000000000000000000000000000000001b",
};

const payloadOf = (...signed: readonly Signed[]): Uint8Array => {
  const messages = signed.map(({ message }) => `0x${message}`);
  const signatures = signed.map(({ signature }) => `0x${signature}`);
  return new TextEncoder().encode(JSON.stringify({ messages, signatures, prices: {} }));
};

const OWN_KEY = new Uint8Array(32).fill(7);

/** @param vOf form of the recovery bit */
function signedBy(key: Uint8Array, message: string, vOf = (bit: number) => bit + 27): Signed {
  const prefix = Buffer.from("\u0019Ethereum Signed Message:\n32");
  const digest = keccakOf(Buffer.concat([prefix, keccakOf(Buffer.from(message, "hex"))]));
  const bytes = Buffer.from(secp256k1Sign(digest, key));
  return { message, signature: bytes.subarray(0, 64).toString("hex") + word(vOf(bytes[64]!)) };
}

const read = (...signed: readonly Signed[]) => {
  const { signers, properties } = openOracleProperties(payloadOf(...signed));
  return {
    signers: signers.map(({ ethAddress }) => ethAddress?.address),
    prices: Object.fromEntries(properties),
  };
};

describe("an Open Oracle message", () => {
  test("with a high s, as an exchange signed it, is accepted", () => {
    expect(read(BTC, ETH)).toEqual({
      signers: [EXCHANGE],
      prices: {
        "prices.BTC.value": "11306555000",
        "prices.BTC.timestamp": "1598403840",
        "prices.ETH.value": "226815000",
        "prices.ETH.timestamp": "1593753240",
      },
    });
  });

  test.each([
    ["27 or 28", (bit: number) => bit + 27],
    ["0 or 1", (bit: number) => bit],
  ])("of a key of our own with recovery bit %s is accepted, of two keys is not", (_form, vOf) => {
    const own = signedBy(OWN_KEY, priceMessage("DAI", 1_700_000_000, 1_000_001n), vOf);
    expect(read(own).signers).toEqual([ethereumAddress(OWN_KEY)]);
    expect(read(own, BTC).signers).toEqual([ethereumAddress(OWN_KEY), EXCHANGE]);
  });

  test("that was altered has another signer or no signer", () => {
    const changed = { ...BTC, message: priceMessage("BTC", 0x5f45b500, 0x2a1ec5679n) };
    expect(read(changed).signers).not.toEqual([EXCHANGE]);
  });

  test.each<[string, Uint8Array, string]>([
    ["a recovery bit of 29", payloadOf(signedBy(OWN_KEY, BTC.message, () => 29)), "invalid"],
    ["a signature of zeros", payloadOf({ ...BTC, signature: word(0).repeat(3) }), "invalid"],
    ["a signature of 65 bytes", payloadOf({ ...BTC, signature: BTC.signature.slice(0, 130) }), "96 bytes"],
    ["a message that is cut off", payloadOf(signedBy(OWN_KEY, BTC.message.slice(0, 256))), "too short"],
    ["data of another kind", payloadOf(signedBy(OWN_KEY, priceMessage("BTC", 1, 1n, "volume"))), "no prices"],
    ["no messages", payloadOf(), "no messages"],
    ["JSON of another form", new TextEncoder().encode("[1]"), "format"],
  ])("%s is refused", (_what, payload, reason) => {
    expect(() => openOracleProperties(payload)).toThrow(reason);
  });
});

describe("a market settled by Open Oracle prices", () => {
  /** Open at 1000, then ended. */
  function ended(address: string): Play {
    const play = market({ ...M3, openOracle: { address, symbol: "BTC" }, settlementDecimals: 6 });
    play.deposit(100_000_000n, "aux", "aux2", "void", "p1", "p2");
    play.run(`${VOID}; aux B 1@900; aux2 S 1@1100; p1 B 1@1000; p2 S 1@1000`).open();
    expect(play.rig.terminate().text).toBe("");
    return play;
  }
  const submit = ({ rig }: Play, payload: Uint8Array) =>
    rig.deliver("p9", { kind: "oracleDataSubmission", payload: { source: OPEN_ORACLE, payload } });

  /** Properties of the data that was shown last. */
  const shownNames = ({ rig }: Play) => {
    const { externalData } = rig.events("oracleData").at(-1)!.payload as OracleData;
    return externalData!.data!.data.map(({ name }) => name);
  };

  test("settles at the exchange's price, from any submitter", () => {
    const play = ended(EXCHANGE.toLowerCase());
    const [before] = [play.general("p1") + play.margin("p1")];
    expect(submit(play, payloadOf(BTC)).text).toBe("");
    play.rig.nextBlock();
    expect(play.rig.events("marketUpdated").at(-1)!.payload.state).toBe(SETTLED);
    expect(play.general("p1") - before).toBe(11_306n - 1_000n);
  });

  test("emits its data under the property names of either format", () => {
    const play = ended(EXCHANGE);
    expect(submit(play, payloadOf(BTC, ETH)).text).toBe("");
    expect(shownNames(play)).toEqual([
      "prices.BTC.timestamp",
      "prices.BTC.value",
      "prices.ETH.timestamp",
      "prices.ETH.value",
    ]);
    const other = market(M3);
    other.rig.oracleData({ zebra: "1", "trading.terminated": "true", ant: "2" });
    expect(shownNames(other)).toEqual(["ant", "trading.terminated", "zebra"]);
  });

  test("ignores data of another signer or another symbol", () => {
    const play = ended(EXCHANGE);
    const other = "no one listens to the public keys that signed this oracle data";
    expect(submit(play, payloadOf(signedBy(OWN_KEY, BTC.message))).text).toBe(other);
    expect(submit(play, payloadOf(ETH)).text).toBe("there are no subscribes to the oracle data");
    // All signers of a message must be listed.
    expect(submit(play, payloadOf(BTC, signedBy(OWN_KEY, ETH.message))).text).toBe(other);
  });
});
