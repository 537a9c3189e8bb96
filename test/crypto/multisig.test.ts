// The bridge's encodings and signatures: every vector of docs/protocol/60-state-engine-accounts.md#48-test-vectors, and
// the properties that a contract relies on.
import { describe, expect, test } from "bun:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import {
  type BridgeFunction,
  bridgeDigest,
  bridgeMessage,
  bundleSignatures,
  bundleSigners,
} from "../../src/crypto/multisig.ts";
import {
  addressBytes,
  checksumAddress,
  ethereumAddress,
  isEthereumAddress,
  keccakOf,
  secp256k1Sign,
  secp256k1Signer,
} from "../../src/crypto/secp256k1.ts";
import { runs } from "../support/seed.ts";

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const KEY_1 = new Uint8Array(32).fill(0x11);
const KEY_2 = new Uint8Array(32).fill(0x22);
const ADDRESS_1 = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A";
const ADDRESS_2 = "0x1563915e194D8CfBA1943570603F7606A3115508";
const BRIDGE = "0x0b41d6e00000000000000000000000000000b41d";
const TOKEN = `0x${"70".repeat(20)}`;
const RECEIVER = `0x${"5e1f".repeat(10)}`;
const SUBMITTER = `0x${"5b".repeat(20)}`;
const SIGNER = `0x${"a1".repeat(20)}`;

const VECTORS = [
  {
    title: "A. withdraw_asset",
    message: bridgeMessage(
      "withdraw_asset",
      {
        token: TOKEN,
        amount: 12345000000n,
        receiver: RECEIVER,
        creation: 1700000000n,
        nonce: 1700000007n,
      },
      BRIDGE,
    ),
    bytes: 352,
    digest: "0x120c8d2eb14582d9960f77794fa0de0c37de4ddcff29e95553c1d607d3b8fe6d",
    signature1:
      "0x82af56fa773d1106d1455052eabfd2546f1b60ec3c1df75fdd09205dc00a740040b14ae9ff02dc9dc253a72bb5cfb25b3f1170b38212199fed4b492fd4b7554001",
    signature2:
      "0x66b754d0fb884ebc42f24b6d58db546f5e18aba64bdf61c5f16420acb1d901a364bbd9a984d18c167413eae090dae98aa545c5d65d440deecf10f410f409b6e700",
  },
  {
    title: "B. list_asset",
    message: bridgeMessage(
      "list_asset",
      {
        token: TOKEN,
        assetId: `00c0ffee${"0".repeat(48)}0badcafe`,
        lifetimeLimit: 1000000000000n,
        withdrawThreshold: 5000000000n,
        nonce: 341000998223188166898060113637111707201352266628394853187165336984687069950n,
      },
      BRIDGE,
    ),
    bytes: 352,
    digest: "0x47ccc7267ee2552ba7265762e016bea73b9563a492d8e368dfdccc93895ab72e",
    signature1:
      "0xcc503e91c0f8703c0a9bda2c8835fdded287455a9d5a3896c376b41101b85460715408d952df658ad9a4c71e3fb6b5ed6ec23137b5e5082bc1f1694eda468a1a00",
    signature2:
      "0x78985d2f919df128b77981e2b6e80b3592e9f5b8abff81ec47bd1aaab332ec0773f4208dd271a299a47a88767fa443a11b0b19ccc99a6066695eae7139b6be8301",
  },
  {
    title: "C. set_asset_limits",
    message: bridgeMessage(
      "set_asset_limits",
      {
        token: TOKEN,
        lifetimeLimit: 2000000000000n,
        withdrawThreshold: 7000000000n,
        nonce: 115790322390251417039241401711187164934754157181743688420499462401711837020161n,
      },
      BRIDGE,
    ),
    bytes: 320,
    digest: "0xe917e62c86ac936c68021c2805dbc2f4e2b2d8075fd05b85132716a9f40f825d",
    signature1:
      "0x58bd81aa2d25d96d3020b4968a3c4e1b8fc06f36de0de30936a2d14d02246312338c3c15495e63c3de61b0e19297f437df6dbd87b3d09099ce14b02bf1fb21af01",
    signature2:
      "0x2a96802855318d1f1b60b1fd6923ae4a6ae381f0a0f1552b108ab0b6f36b8c76714229913ed1badb9dd11615d2e4ff0a639157aa3deb08aefa188cf561ad0bf700",
  },
  {
    title: "D. add_signer",
    message: bridgeMessage("add_signer", { signer: SIGNER, nonce: 1700000001n }, SUBMITTER),
    bytes: 256,
    digest: "0xae64371ac0d11c7ee17ac775fdf7e32487fc777e86df9576de6681567af9b65f",
    signature1:
      "0x7b529d6cbca999814fe2e4d248e1cb95794ee9b124bedd99e7913f070747fec211a3527e1a1c439a89de26ce4e3068f49f7e1c45a7a42acbe5a8c296ba4a98fc00",
    signature2:
      "0xe3952433c7e839f54f1f1e78fd3c1dafab5f942ac2406c2e35aa19e8a9650c2e6be33f21d3ed7b317c16ac0f6082b50dab29b2f5c7ec77c055898bc7561233b201",
  },
  {
    title: "D. remove_signer",
    message: bridgeMessage("remove_signer", { signer: SIGNER, nonce: 1700000001n }, SUBMITTER),
    bytes: 256,
    digest: "0x23875e5fb0d89519aaa91bb5fc1c9832807d817bfd808a1914d109d57b041d08",
    signature1:
      "0x84ff91b3065657059883b18189bcdc20b469296e2176d330f16aa022c90e729468b7e2691e14a631feecbb15c9193eac2f14f5b423478f771e5c72859fa9833900",
    signature2:
      "0x4109b9352e317fd4604b408d26177d79c3af769233f069077c746b616243ec5e052fea0c3e04bd8bf52c16b181603f5ac1497bedb787d3cab5e0a0cfef51d4bc01",
  },
];

/** docs/protocol/60-state-engine-accounts.md#48-test-vectors A: the full message, a line of 32-byte words at a time. */
const WITHDRAW_MESSAGE = [
  "0000000000000000000000000000000000000000000000000000000000000040",
  "0000000000000000000000000b41d6e00000000000000000000000000000b41d",
  "0000000000000000000000000000000000000000000000000000000000000100",
  "0000000000000000000000007070707070707070707070707070707070707070",
  "00000000000000000000000000000000000000000000000000000002dfd1c040",
  "0000000000000000000000005e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f",
  "000000000000000000000000000000000000000000000000000000006553f100",
  "000000000000000000000000000000000000000000000000000000006553f107",
  "00000000000000000000000000000000000000000000000000000000000000c0",
  "000000000000000000000000000000000000000000000000000000000000000e",
  "77697468647261775f6173736574000000000000000000000000000000000000",
];

// docs/protocol/60-state-engine-accounts.md#48-test-vectors.
describe("vectors of signed bridge messages", () => {
  for (const vector of VECTORS) {
    test(vector.title, () => {
      const digest = keccakOf(vector.message);
      expect(vector.message.length).toBe(vector.bytes);
      expect(hex(digest)).toBe(vector.digest);
      const signatures = [secp256k1Sign(digest, KEY_1), secp256k1Sign(digest, KEY_2)];
      expect(signatures.map(hex)).toEqual([vector.signature1, vector.signature2]);
      // Ascending by bytes: key 2 first, except for add_signer.
      const order = vector.title === "D. add_signer" ? [ADDRESS_1, ADDRESS_2] : [ADDRESS_2, ADDRESS_1];
      const bundle = bundleSignatures(signatures);
      expect(bundleSigners(digest, bundle)).toEqual(order);
      expect(bundleSignatures(signatures.toReversed())).toBe(bundle);
    });
  }

  test("the message of a withdrawal, word by word", () => {
    expect(hex(VECTORS[0]!.message)).toBe(`0x${WITHDRAW_MESSAGE.join("")}`);
  });

  test("the bundle of a withdrawal with both signatures", () => {
    const digest = keccakOf(VECTORS[0]!.message);
    const both = bundleSignatures([secp256k1Sign(digest, KEY_1), secp256k1Sign(digest, KEY_2)]);
    expect(both).toBe(`${VECTORS[0]!.signature2}${VECTORS[0]!.signature1.slice(2)}`);
  });

  test("addresses of the two keys, with their checksums", () => {
    expect(ethereumAddress(KEY_1)).toBe(ADDRESS_1);
    expect(ethereumAddress(KEY_2)).toBe(ADDRESS_2);
  });
});

describe("encoding", () => {
  test("the functions of operator tooling: each name is in its message, and no two digests are equal", () => {
    const one = { nonce: 1n };
    const digests = [
      bridgeDigest("remove_asset", { token: TOKEN, ...one }, BRIDGE),
      bridgeDigest("set_withdraw_delay", { seconds: 5n, ...one }, BRIDGE),
      bridgeDigest("global_stop", one, BRIDGE),
      bridgeDigest("global_resume", one, BRIDGE),
      bridgeDigest("set_threshold", { threshold: 667n, ...one }, SUBMITTER),
      bridgeDigest("burn_nonce", one, SUBMITTER),
      bridgeDigest("set_bridge_address", { address: BRIDGE, ...one }, BRIDGE),
      bridgeDigest("set_multisig_control", { address: BRIDGE, ...one }, BRIDGE),
    ].map(hex);
    expect(new Set(digests).size).toBe(digests.length);
    const tested = [
      "withdraw_asset",
      "list_asset",
      "set_asset_limits",
      "add_signer",
      "remove_signer",
    ] as const;
    type Untested = Exclude<BridgeFunction, (typeof tested)[number]>;
    const here: Record<Untested, true> = {
      ...{ remove_asset: true, set_withdraw_delay: true, global_stop: true, global_resume: true },
      ...{ set_threshold: true, burn_nonce: true, set_bridge_address: true, set_multisig_control: true },
    };
    expect(Object.keys(here)).toHaveLength(digests.length);
  });

  test("arguments that do not fit their type are faults of the caller", () => {
    const threshold = (value: bigint) => () =>
      bridgeMessage("set_threshold", { threshold: value, nonce: 0n }, SUBMITTER);
    expect(threshold(65535n)).not.toThrow();
    expect(threshold(65536n)).toThrow("threshold must be a number from 0 to 2^16 - 1");
    expect(threshold(-1n)).toThrow("threshold must be");
    expect(() => bridgeMessage("burn_nonce", { nonce: 1n << 256n }, SUBMITTER)).toThrow("nonce must be");
    expect(() => bridgeMessage("burn_nonce", { nonce: 1n }, "0x12")).toThrow("40 hexadecimal digits");
    const listing = { token: TOKEN, assetId: "abc", lifetimeLimit: 1n, withdrawThreshold: 1n, nonce: 1n };
    expect(() => bridgeMessage("list_asset", listing, BRIDGE)).toThrow("assetId must be 64");
  });
});

describe("signatures", () => {
  const digest = keccakOf(Buffer.from("digest"));

  test("v is 0 or 1, s is in the lower half, and the signer is found again", () => {
    const halfOrder = secp256k1.Point.Fn.ORDER / 2n;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (message) => {
        const signature = secp256k1Sign(message, KEY_1);
        expect(signature[64]!).toBeLessThan(2);
        expect(BigInt(hex(signature.subarray(32, 64)))).toBeLessThanOrEqual(halfOrder);
        expect(secp256k1Signer(message, signature)).toBe(ADDRESS_1);
      }),
      { numRuns: runs(20) },
    );
  });

  test("bytes that are no signature have no signer", () => {
    const signature = secp256k1Sign(digest, KEY_1);
    const withByte = (index: number, value: number) => signature.with(index, value);
    expect(secp256k1Signer(digest, withByte(64, 27))).toBeUndefined();
    expect(secp256k1Signer(digest, signature.subarray(0, 64))).toBeUndefined();
    expect(secp256k1Signer(digest, new Uint8Array(65))).toBeUndefined();
    expect(secp256k1Signer(digest, new Uint8Array(65).fill(0xff).with(64, 0))).toBeUndefined();
    expect(secp256k1Signer(keccakOf(digest), signature)).not.toBe(ADDRESS_1);
    const twin = secp256k1.Point.Fn.ORDER - BigInt(hex(signature.subarray(32, 64)));
    const high = Buffer.from(twin.toString(16).padStart(64, "0"), "hex");
    const malleable = new Uint8Array([...signature.subarray(0, 32), ...high, 1 - signature[64]!]);
    expect(secp256k1Signer(digest, malleable)).toBeUndefined();
  });

  test("text that is no bundle has no signers; a broken signature in it is seen", () => {
    expect(bundleSigners(digest, "0x")).toEqual([]);
    expect(bundleSigners(digest, "")).toEqual([]);
    expect(bundleSigners(digest, "0x1234")).toEqual([]);
    const good = secp256k1Sign(digest, KEY_2);
    expect(bundleSigners(digest, bundleSignatures([good, new Uint8Array(65)]))).toEqual([
      undefined,
      ADDRESS_2,
    ]);
  });
});

describe("addresses", () => {
  // The four examples with mixed case of EIP-55.
  const CHECKSUMMED = [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ];

  test("EIP-55", () => {
    for (const address of CHECKSUMMED) {
      expect(checksumAddress(address.toLowerCase())).toBe(address);
      expect(checksumAddress(address.slice(2).toUpperCase())).toBe(address);
    }
  });

  test("valid and invalid addresses", () => {
    expect(isEthereumAddress(CHECKSUMMED[0]!)).toBe(true);
    expect(isEthereumAddress(CHECKSUMMED[0]!.slice(2))).toBe(true);
    expect(isEthereumAddress("0X".concat("a".repeat(40)))).toBe(true);
    for (const text of ["", "0x", "0x12", "0x".concat("g".repeat(40)), ` ${CHECKSUMMED[0]}`]) {
      expect(isEthereumAddress(text)).toBe(false);
    }
    expect(addressBytes(TOKEN)).toEqual(new Uint8Array(20).fill(0x70));
  });
});
