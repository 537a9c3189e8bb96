// A sidecar's page with a wallet in a real browser: an order signed by the wallet goes through the sidecar to the chain that it
// follows, and is found in its block. A sidecar has no parties that sign for it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { type RunningWalletService, startWalletService } from "../../src/planes/wallet/start.ts";
import { startNode } from "../../src/start-node.ts";
import { ApprovalDesk } from "../../src/wallet/approvals/desk.ts";
import { HttpNode } from "../../src/wallet/sending/http-node.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_BROWSER, offlineBrowser, sayWhenSkipped } from "../support/offline-browser.ts";
import { startTestDevnet } from "../support/test-devnet.ts";
import { cheapStore, PASSPHRASE } from "../wallet/support/wallets.ts";
import { Look } from "./look.ts";

sayWhenSkipped("the ticket behind a sidecar");

const scratch = new Scratch("sidecar-ticket", MEMORY);

describe.skipIf(!HAS_BROWSER)("a sidecar's page with a wallet", () => {
  const desk = new ApprovalDesk();
  let devnet: Devnet;
  let sidecar: Sidecar;
  let service: RunningWalletService;
  let look: Look;
  let market: string;

  beforeAll(async () => {
    const eventsSocket = `${scratch.path()}.sock`;
    const home = scratch.path();
    devnet = await startTestDevnet({ eventsTo: `unix:${eventsSocket}`, cometPort: 0 });
    sidecar = await startNode({ kind: "sidecar", home, eventsSocket, comet: devnet.address.cometUrl! });
    const created = await fetch(`${devnet.nodeUrl}/devnet/market/create`, { method: "POST", body: "{}" });
    ({ market } = (await created.json()) as { market: string });
    await eventually(() => sidecar.head()?.height === devnet.chain.status.height);
    const store = cheapStore();
    const { recoveryPhrase } = devnet;
    const wallet = await store.import({ name: "mine", passphrase: PASSPHRASE, recoveryPhrase });
    service = await startWalletService({
      store,
      nodes: [new HttpNode(sidecar.addresses.nodeUrl as string)],
      approver: desk,
      unlocked: [wallet],
      port: 0,
    });
    look = new Look(`${sidecar.addresses.nodeUrl}/?wallet-port=${service.port}`, sidecar.dataUrl);
    await look.begin(await offlineBrowser());
  }, 60_000);
  afterAll(async () => {
    await look?.page.close();
    await service?.close();
    await sidecar?.stop();
    await devnet?.stop();
    scratch.remove();
  });

  const approve = async () => {
    await eventually(() => desk.requests.length > 0);
    desk.answer(desk.requests[0]!.id, { outcome: "approved" });
  };

  test("sends an order, which is found in its block", async () => {
    const { page } = look;
    await look.open(`market/${market}`);
    const ticket = page.getByRole("form", { name: "Send an order" });
    await ticket.getByRole("button", { name: "Connect a wallet" }).click();
    await approve();
    await page.getByText("Now approve that this page sees your keys").waitFor();
    await approve();
    await page.getByRole("button", { name: "Disconnect the wallet" }).waitFor();
    expect(await ticket.getByLabel("Signed by").locator("option").count()).toBe(1);
    await ticket.getByLabel("Size").fill("0.02");
    await ticket.getByLabel("Price").fill("90");
    await ticket.getByRole("button", { name: "Send", exact: true }).click();
    await approve();
    await ticket.getByText("in block").waitFor();
    await ticket.locator(".ticket-message a").first().click();
    await look.atRest();
    expect(await look.text("h1")).toStartWith("Buy 0.02 at 90 ");
    expect(await page.getByText("executed").count()).toBeGreaterThan(0);
  }, 60_000);
});
