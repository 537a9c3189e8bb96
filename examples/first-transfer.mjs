// Fund, sign, prove, submit, read back: with the network's own public packages, against a running devnet (npm start).
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
const sent = await ask(`${node}/transaction/raw`, {
  tx: Buffer.from(tx).toString("base64"),
  type: "TYPE_COMMIT",
});
console.log(sent);
if (!sent.success) fail(`the transfer was refused: npx bun src/main.ts explain ${sent.txHash}`);
console.log((await ask(`${data}/api/v2/transfers?pagination.first=1`)).transfers.edges[0].node);
