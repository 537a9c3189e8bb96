// Vectors of docs/protocol/50-wallet-keystore.md#57-test-vectors: values of the original's own tests and runs.

export const PHRASE =
  "swing ceiling chaos green put insane ripple desk match tip melt usual shrug turkey renew icon parade veteran lens govern path rough page render";

export const SEED =
  "8c1771c8d6ed96261e5a7456438ad1ea27b63da359bc4922d4aeb44e39e2778d322f18c7f802a0801505ba954d4aa9574a7e686848a26f7e09aaa40ebdd9a730";
/** Key, then chain code. */
export const ROOT =
  "1a56e2438e5309a43ee2152bb0b44deab3f5a6afccd130bd6a3b6fb569103d48" +
  "2bd0f0a05d31e16d4e60afcea06301aa83923bb4db34fea726a49ef9912d4dc5";
export const NODE =
  "3e323acf112ee1db5c4eef76758941ff60dafabbd2a60ecacef98b310f70bfa8" +
  "ba9fbe7f7ed8a4d6b3d8899fe74df073a95b6dbcd9e8b30ca57538cf0a357993";
export const NODE_BASE64 =
  "PjI6zxEu4dtcTu92dYlB/2Da+rvSpg7KzvmLMQ9wv6i6n75/ftik1rPYiZ/nTfBzqVttvNnoswyldTjPCjV5kw==";
export const WALLET_ID = "9df682a3c87d90567f260566a9c223ccbbb7529c38340cf163b8fe199dbf0f2e";

/** Version, index, public key, seed. */
export const KEYS: readonly (readonly [1 | 2, number, string, string])[] = [
  [
    1,
    1,
    "30ebce58d94ad37c4ff6a9014c955c20e12468da956163228cc7ec9b98d3a371",
    "1bbd4efb460d0bf457251e866697d5d2e9b58c5dcb96a964cd9cfff1a712a2b9",
  ],
  [
    1,
    2,
    "de998bab8d15a6f6b9584251ff156c2424ccdf1de8ba00e4933595773e9e00dc",
    "7437b4479115cb5a2d6edbad5b742402a9e5acc8bb48f500c67e6781a308cd7e",
  ],
  [
    1,
    3,
    "97fd50543796e256737a54ec6caa6e60d3556838f14edcc806e347b7a83753c7",
    "7d4d46d9a719643d051a02d3aceea5f424935942f5802ea965f52190fe7c6079",
  ],
  [
    2,
    1,
    "b5fd9d3c4ad553cb3196303b6e6df7f484cf7f5331a572a45031239fd71ad8a0",
    "0bfdfb4a04e22d7252a4f24eb9d0f35a82efdc244cb0876d919361e61f6f56a2",
  ],
  [
    2,
    2,
    "988eae323a07f12363c17025c23ee58ea32ac3912398e16bb0b56969f57adc52",
    "f740c89e05e714ca81f01701dcfd3e854796a9e746023a50610d6c9b70ebe72a",
  ],
  [
    2,
    3,
    "ff5caca031c9d6f235b327c9d9904886ea3c66be2688fc767dbbf1ddfb52a287",
    "c35701c888dcff9164328069f81806f853976a18827061412a45932ecedf3ef4",
  ],
];
/** Version 2: the keys of a wallet made today. */
export const [KEY_1, KEY_2, KEY_3] = KEYS.slice(3).map(([, , publicKey]) => publicKey) as [
  string,
  string,
  string,
];

export const SHORT_PHRASE = `${"abandon ".repeat(11)}about`;
export const SHORT_ID = "8fe289c87160178c5e308f33a64098fb88fcfb3c37e93ffce9d7d35b2d3c915b";
export const SHORT_V2_KEY = "17460712d338877735daf6ce1b71ceae665cd3acdeeab7c8b4cbedd3ea709ad0";
export const SHORT_V1_KEY = "0ca234e6ac64471e85efd504f0e1cf0bb65745a6363bf5738b34d595407a69bf";

const LITANY = "Je ne connaîtrai pas la peur car la peur tue l'esprit.";
/** Version of the first key, message, signature. */
export const MESSAGE_SIGNATURES: readonly (readonly [1 | 2, string, string])[] = [
  [
    2,
    LITANY,
    "4ad1fcd911f18d0df24de692376e5beac2700322e2ab5083bcf59fd17e0a21ffd64c88e4ba79162a7d46abd9ed0a81817c1648c8d7e93ed1b1d13499b12adb08",
  ],
  [
    1,
    LITANY,
    "3849965c2f327f0b148e3b122cdc89a17fa07611e2a4178b1605dea5442ab7cfadb35d0b0ef527522f6477a5633b8f22d3b2d1e619d306111b7851a9d6100d02",
  ],
  [
    2,
    "hello",
    Buffer.from(
      "BAxtanRixVFtVNiExBqGUxjkrGGJnDDnTVuyGjsxrG8Rp+Rhw3u7bZ1Mdxpqs5duDU7ZYHtj5Yly/K7m+gzhAA==",
      "base64",
    ).toString("hex"),
  ],
  [
    1,
    "hello",
    "6b5d4420b288aeb9df97c90fd7db146dc3654dcf211879a3fd9c4c125f5a799bf87fa8aeea10d6917cc9216e2cfa8fd1059c052affa10356cfbf899f37af3302",
  ],
];

/** `hello world` as the content of a transaction on `mainnet-v1`, key 1 of version 2. */
export const CHAIN_SIGNATURE =
  "d1c497702086b54f98821e6cbbd9b3f3390d9531b10a23dabf155f9b5a7f371b8e49210d21ef3a399700c6d407ec50edcf4cc3cefe1657213e479d32bbaa520f";

export const TRANSACTION = {
  chainId: "local-chain-1",
  command: {
    voteSubmission: {
      proposalId: "eb2d3902fdda9c3eb6e369f2235689b871c7322cf3ab284dde3e9dfc13863a17",
      value: "VALUE_YES",
    },
  },
  nonce: 11900911615657733107n,
  blockHeight: 1000n,
  inputData:
    "CPPX5dT4gaKUpQEQ6AfyPkQKQGViMmQzOTAyZmRkYTljM2ViNmUzNjlmMjIzNTY4OWI4NzFjNzMyMmNmM2FiMjg0ZGRlM2U5ZGZjMTM4NjNhMTcQAg==",
  signature:
    "700a603486e7c65946c93047d1cc1c8c81e2592d0b5a53a6fc355a23e40a91884125c8bf7592ed57770ca363a5f6e26895ced03eec0ad44dbaa9b6c5ee56c40f",
  blockHash: "3030303030303030303030303030303030303030303030303030303031303030",
  difficulty: 2,
  pow: { tid: "1cee38b0d6e8e4021686b647b397c219ead1d29b4189d6ecc1bb8fd1e33e64bb", nonce: 5n },
  hex: "0a5508f3d7e5d4f881a294a50110e807f23e440a406562326433393032666464613963336562366533363966323233353638396238373163373332326366336162323834646465336539646663313338363361313710021293010a80013730306136303334383665376336353934366339333034376431636331633863383165323539326430623561353361366663333535613233653430613931383834313235633862663735393265643537373730636133363361356636653236383935636564303365656330616434346462616139623663356565353663343066120c766567612f656432353531391801807d03c2bb01440a40316365653338623064366538653430323136383662363437623339376332313965616431643239623431383964366563633162623866643165333365363462621005d23e4062356664396433633461643535336362333139363330336236653664663766343834636637663533333161353732613435303331323339666437316164386130",
} as const;

/** Files written by the original. */
export const ORIGINAL_FILE = {
  passphrase: "passphrase-1",
  base64:
    "oWnIqjcZyOds52ft/KVarRVpXUs0cRtKr5iUB+b3UaqlxM0yW/KnZl4TtMBmrCZQ2s+3WIzTdZB0JDjARwVxucWy1trdN9XIoWVXLc99mcd2YoQv/iV10ro81mfUwg0U4N1ry2TL9spZms6SZynfEggv581pU5E2UWthKZWKr9JEQQ03LNWXhwdHWDWmX2+ukO21Rn9bMFprquPSNXoVpC5gGLXLNacJivZLh4joZJfqJpAWUxZvpqntXEoA79jgCmSo0zoruddHk9QkWp7LLOxwZwIjlr3VoNhEn5OikMiRGqo7uwJqzbE8VtC9TTDRZbMhZIKCE+0iE19W+3Ywdw6wrBZxQE/VavLjtQ+ors/ALVwUrdj2KNISrqJeV3ldkOP6xS7ghUeePWiM9ZDvbkX6WGPtonK1Ghgj5ABq9CsGwexRbpP8Ull9SrYHDrl8juXfpXWyqIxkJe0/tXRe05skQlefHNtk813+UK1y9sbgqVyDzLkbnK3HoX9TMnQisjI9iGy6qjVb4DXr3Tq/xPzt5SppCfD4v4wG2+UaLsIf7T5iUzJCAS6bbGIIVnWiOG82xcwp1J0JOz9Qan1cTzwU3Hy15XaLk89zqv9UtIHUmDw1TP8ETYzse8BNOxvHoiOXdJYYaCiolFegCysdyiC75806jpCeGOnyYwI71g12zkOrQ7Xiv/VIfcx+S/I9zzwMama6PyQ7CyFVW68kKrK0NWD1ZpTg15Tv8oTFwbFkp9Kkqe1jAHVKlxuUhE2tosY=",
  plaintext:
    '{"version":2,"node":"PjI6zxEu4dtcTu92dYlB/2Da+rvSpg7KzvmLMQ9wv6i6n75/ftik1rPYiZ/nTfBzqVttvNnoswyldTjPCjV5kw==","id":"9df682a3c87d90567f260566a9c223ccbbb7529c38340cf163b8fe199dbf0f2e","keys":[{"index":1,"public_key":"b5fd9d3c4ad553cb3196303b6e6df7f484cf7f5331a572a45031239fd71ad8a0","private_key":"0bfdfb4a04e22d7252a4f24eb9d0f35a82efdc244cb0876d919361e61f6f56a2b5fd9d3c4ad553cb3196303b6e6df7f484cf7f5331a572a45031239fd71ad8a0","meta":[{"key":"name","value":"Key 1"}],"tainted":false,"algorithm":{"name":"vega/ed25519","version":1}}],"permissions":{}}',
} as const;
export const ISOLATED_FILE = {
  passphrase: "isolated-pass",
  base64:
    "xEIBmffgDHAQK7vS6r17ZzhQyAzPJcXx9Ke2RVWfkiaGi62jVYXykXj4he5PgShDfkQqKuF56Jcff75dNLF2LkqSs+5jM9l28dkAWtDGTmVSR54NZAjvXaQTBbNzx5BW4x8/mpepffBPO+ANMEhb4WRaQy65/PrMMM8z5Dlr3AzUcrc5c9d2eNn0fESQcSOq8ppWqoM+qpihc6465kaHi7swKUTM2iKD7MUzPfpLHvJY5hHccRwn+i1mqQdt0Rq4u+qJQhflP9unF6ncfrJIZrHQyH5flL7dx7Z1TA5LXEKGCEyBGzIOS0WRcsi4nxqqkHQwe7HHpAPWzF4Ysb0BsILBDmYUJRpei0e/pIVe5J7LfKCGnmZdpAkdh5yQlSMgJ70G4QnTNk64jSAvNxv0nujt4qfPaxeqzuaHn8xbftD4bHcQHagoCS5lhjCG9zqiF81fyksMqbAmfhocAELfpPZQOGHcXgdSjzTKKpQP18deyvLt/gqH+XvIKqHYPv8H9hAK2IpcIVEDNI9pTsKqDjrKpLZOlM7HXRzNSnEr8JKAowNm4tmmpZjYQR5NF1XrEk7swzX1Tz0WVOe0JIFeYC91RrxeefviCmixLw3bVc/eSzs5mrf1D94pfVyqUzJb",
  plaintext: ORIGINAL_FILE.plaintext.replace(/"node":"[^"]+",/, ""),
} as const;
/** Made by hand, and opened by the original. */
export const ENVELOPE = {
  passphrase: "passphrase-1",
  plaintext: "hello world",
  hex: "000102030405060708090a0b37b2b34be8c69e3b6dfdb11742c241e2fa459964b32d4cc9bb88f1",
} as const;
