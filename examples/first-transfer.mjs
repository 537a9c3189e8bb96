// Fund, sign, prove, submit, read back: with the network's own public packages, against a running devnet (npm start).
import { randomBytes } from "node:crypto";
import { HARDENED, PoW, VegaWallet } from "@vegaprotocol/crypto";
import { encode as encodeInput } from "@vegaprotocol/protos/vega/commands/v1/InputData/encode.js";
import { encode as encodeTx } from "@vegaprotocol/protos/vega/commands/v1/Transaction/encode.js";

const [node = "http://127.0.0.1:3003", data = "http://127.0.0.1:3008"] = process.argv.slice(2);
const ask = async (url, body) =>
  (await fetch(url, body && { method: "POST", body: JSON.stringify(body) })).json();
const { recoveryPhrase, parties } = await ask(`${node}/devnet/parties`);
const [{ asset }, to] = [parties[0].balances.find(({ symbol }) => symbol === "tUSD"), parties[1].publicKey];

const key = await (await VegaWallet.fromMnemonic(recoveryPhrase)).keyPair(HARDENED + 1);
await ask(`${node}/devnet/fund`, { party: `${key.publicKey}`, asset, amount: "500000" });
const { height, hash, chainId, spamPowDifficulty } = await ask(`${node}/blockchain/height`);
const transfer = {
  fromAccountType: 4,
  to,
  toAccountType: 4,
  asset,
  amount: "250000",
  reference: "hello",
  oneOff: {},
};
const inputData = encodeInput({ nonce: BigInt(Date.now()), blockHeight: BigInt(height), transfer });
const value = Buffer.from(await key.sign(inputData, chainId)).toString("hex");
const signature = { value, algo: "vega/ed25519", version: 1 };
const pow = await PoW.solve(spamPowDifficulty, hash, randomBytes(32).toString("hex"), 0n);
const tx = encodeTx({ inputData, signature, from: { pubKey: `${key.publicKey}` }, version: 3, pow });
console.log(
  await ask(`${node}/transaction/raw`, { tx: Buffer.from(tx).toString("base64"), type: "TYPE_COMMIT" }),
);
console.log((await ask(`${data}/api/v2/transfers?pagination.first=1`)).transfers.edges[0].node);
