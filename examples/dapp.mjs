// Serves examples/dapp.html on localhost, with the packages that it imports: node examples/dapp.mjs [PORT]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const packages = new URL("../node_modules/", import.meta.url);
const FILES = {
  "/": [new URL("dapp.html", import.meta.url), "text/html"],
  "/wallet-client/index.js": [new URL("@vegaprotocol/wallet-client/index.js", packages), "text/javascript"],
  "/nanoid/index.browser.js": [new URL("nanoid/index.browser.js", packages), "text/javascript"],
  "/nanoid/url-alphabet/index.js": [new URL("nanoid/url-alphabet/index.js", packages), "text/javascript"],
};

const server = createServer((request, response) => {
  const [file, type] = FILES[request.url.split("?")[0]] ?? [];
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": type }).end(readFileSync(file));
});
server.listen(Number(process.argv[2] ?? 8000), "localhost", () => {
  console.log(`a page that asks your wallet: http://localhost:${server.address().port}/`);
});
