// Two parties trade with each other: with the network's own public packages, against a running devnet (npm start).
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { HARDENED, PoW, VegaWallet } from "@vegaprotocol/crypto";
import { encode as encodeInput } from "@vegaprotocol/protos/vega/commands/v1/InputData/encode.js";
import { encode as encodeTx } from "@vegaprotocol/protos/vega/commands/v1/Transaction/encode.js";

const file = ".lyra/devnet/devnet.json"; // where a devnet of `npm start` says on which ports it listens
const config = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const node = process.argv[2] ?? config.nodeUrl ?? "http://127.0.0.1:3003";
const data = process.argv[3] ?? config.dataUrl ?? "http://127.0.0.1:3008";
const fail = (text) => {
  console.error(text);
  process.exit(1);
};
const ask = async (url, body) => {
  const request = body && { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, request).catch(() =>
    fail(`${url} does not answer: start one with npm start`),
  );
  return response.json();
};
const list = async (path, name) => (await ask(`${data}/api/v2/${path}`))[name].edges.map((edge) => edge.node);

const { market } = await ask(`${node}/devnet/market/create`, { preset: "btc" }); // or: lyra devnet market create
const { recoveryPhrase } = await ask(`${node}/devnet/parties`);
const wallet = await VegaWallet.fromMnemonic(recoveryPhrase);

/** Signs, proves and submits an order, and waits for its block. Prices have two decimals here, sizes three. */
async function send(index, orderSubmission) {
  const key = await wallet.keyPair(HARDENED + index);
  const { height, hash, chainId, spamPowDifficulty } = await ask(`${node}/blockchain/height`);
  const inputData = encodeInput({ nonce: BigInt(Date.now()), blockHeight: BigInt(height), orderSubmission });
  const value = Buffer.from(await key.sign(inputData, chainId)).toString("hex");
  const signature = { value, algo: "vega/ed25519", version: 1 };
  const pow = await PoW.solve(spamPowDifficulty, hash, randomBytes(32).toString("hex"), 0n);
  const tx = encodeTx({ inputData, signature, from: { pubKey: `${key.publicKey}` }, version: 3, pow });
  const sent = await ask(`${node}/transaction/raw`, {
    tx: Buffer.from(tx).toString("base64"),
    type: "TYPE_COMMIT",
  });
  if (!sent.success) fail(`the order was refused: npx bun src/main.ts explain ${sent.txHash}`);
  return `${key.publicKey}`;
}
const order = { marketId: market, price: "6001000", size: 250n, timeInForce: 1, type: 1 };
const seller = await send(3, { ...order, side: 2 }); // carol: 0.250 at 60,010.00
const buyer = await send(2, { ...order, side: 1 }); // bob takes it

const [{ price, size, aggressor, buyerFee }] = await list(
  `trades?marketIds=${market}&partyIds=${buyer}`,
  "trades",
);
console.log({ price, size, aggressor, buyerFee });
await ask(`${node}/devnet/market/price`, { market, price: "60500" });
for (const party of [buyer, seller]) {
  const query = `filter.partyIds=${party}&filter.marketIds=${market}`;
  const [{ openVolume, unrealisedPnl }] = await list(`positions?${query}`, "positions");
  const [{ initialMargin }] = await list(`margin/levels?partyId=${party}&marketId=${market}`, "marginLevels");
  console.log({ openVolume, unrealisedPnl, initialMargin });
}
console.log(await ask(`${node}/devnet/market/settle`, { market, price: "61000" }));
