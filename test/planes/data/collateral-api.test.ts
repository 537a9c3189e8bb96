// Withdrawals, bundles, accounts, transfers, parties, stake and delegations over a small made-up chain
// (docs/protocol/10-data-api-endpoints.md#45-geterc20withdrawalapproval, #51-listaccounts to #56-getstake and
// #518-erc20-bundles).
import { afterAll, describe, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import { encodeNodeSignature } from "../../../src/wire/generated/commands.ts";
import {
  encodeDelegationBalanceEvent,
  encodeERC20MultiSigSignerAdded,
  encodeERC20MultiSigSignerRemoved,
  encodeStakeLinking,
  encodeTransfer,
} from "../../../src/wire/generated/events.ts";
import {
  encodeAccount,
  encodeAsset,
  encodeParty,
  encodeProposal,
  encodeWithdrawal,
} from "../../../src/wire/generated/vega.ts";
import {
  A1,
  A2,
  blockNs,
  chainOf,
  cursorOf,
  type Event,
  id,
  type Json,
  M,
  nodes,
  numberOf,
  P1,
  P2,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

// docs/protocol/10-data-api-endpoints.md#45-geterc20withdrawalapproval and #518-erc20-bundles.
describe("ERC20 bundles", () => {
  const [W1, W2, W3] = [id(0x01), id(0x02), id(0x03)];
  const [UPDATE, OTHER, UNKNOWN, STRANGE] = [id(0x0d), id(0x0e), id(0x0f), id(0x10)];
  const CONTRACT = "0x67175Da1D5e966e40D11c4B2519392B2058373de";
  const signature = (resource: string, sig: string): Event => [
    Field.nodeSignature,
    encodeNodeSignature({ id: resource, sig: Buffer.from(sig, "hex"), kind: 2 }),
  ];
  const withdrawal = (n: string, asset: string, status: number): Event => [
    Field.withdrawal,
    encodeWithdrawal({
      id: n,
      partyId: P1,
      asset,
      status,
      amount: "10000000000000000000",
      ref: "1678443922",
      createdTimestamp: 1_678_443_921_999_999_999n,
      ...(n === W1
        ? { ext: { erc20: { receiverAddress: "0x0b755ae366FE0368F5b0D1879002B06e9Af40f26" } } }
        : {}),
    }),
  ];
  const proposal = (n: string, terms: object): Event => [
    Field.proposal,
    encodeProposal({ id: n, partyId: P1, state: 6, terms }),
  ];
  const changes = { erc20: { lifetimeLimit: "7", withdrawThreshold: "8" } };
  const get = chainOf([
    [
      [Field.asset, encodeAsset({ id: A1, details: { erc20: { contractAddress: CONTRACT } } })],
      [Field.asset, encodeAsset({ id: A2, details: { builtinAsset: { maxFaucetAmountMint: "5" } } })],
      withdrawal(W1, A1, 1),
      signature(W1, "cafe"),
      signature(W1, "9601"),
      signature(UPDATE, "bb"),
      proposal(UPDATE, { updateAsset: { assetId: A1.toUpperCase(), changes } }),
      proposal(OTHER, { newFreeform: {} }),
      proposal(UNKNOWN, { updateAsset: { assetId: id(0x77), changes } }),
      proposal(STRANGE, { updateAsset: { assetId: "not an id", changes } }),
    ],
    [withdrawal(W1, A1, 2), withdrawal(W2, A2, 3), withdrawal(W3, A1, 1), signature(W1, "cafe")],
  ]);

  test("a withdrawal's signatures are in the order of their bytes, each once, whatever its status", async () => {
    const { status, body } = await get(`/erc20/asset/withdrawal/bundle?withdrawalId=${W1}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      assetSource: CONTRACT,
      amount: "10000000000000000000",
      nonce: "1678443922",
      signatures: "0x9601cafe",
      targetAddress: "0x0b755ae366FE0368F5b0D1879002B06e9Af40f26",
      creation: "1678443921",
    });
  });

  test("no signatures are an empty text, no extension an empty address", async () => {
    const { body } = await get(`/erc20/asset/withdrawal/bundle?withdrawalId=${W3}`);
    expect([body.signatures, body.targetAddress]).toEqual(["", ""]);
    expect((await get(`/withdrawal/${W3}`)).body.withdrawal.ext).toEqual({});
  });

  test("an update of an asset's limits", async () => {
    const { body } = await get(`/erc20/asset/limits/bundle?proposalId=${UPDATE}`);
    expect(body).toEqual({
      assetSource: CONTRACT,
      vegaAssetId: A1,
      nonce: BigInt(`0x${UPDATE}`).toString(),
      lifetimeLimit: "7",
      threshold: "8",
      signatures: "0xbb",
    });
  });

  const errors: [path: string, status: number, code: number][] = [
    ["asset/withdrawal/bundle", 400, 80003],
    ["asset/withdrawal/bundle?withdrawalId=ABCD", 400, 10000],
    [`asset/withdrawal/bundle?withdrawalId=${id(0x77)}`, 404, 150001],
    [`asset/withdrawal/bundle?withdrawalId=${W2}`, 500, 120001],
    ["asset/list/bundle", 400, 10017],
    ["asset/list/bundle?assetId=VOTE", 400, 10038],
    [`asset/list/bundle?assetId=${id(0x77)}`, 404, 200002],
    [`asset/list/bundle?assetId=${A2}`, 500, 120001],
    ["asset/limits/bundle", 400, 10021],
    ["asset/limits/bundle?proposalId=x", 400, 10000],
    [`asset/limits/bundle?proposalId=${id(0x77)}`, 404, 170001],
    [`asset/limits/bundle?proposalId=${OTHER}`, 500, 10000],
    [`asset/limits/bundle?proposalId=${UNKNOWN}`, 404, 200002],
    // The original stores a proposal whatever asset it names.
    [`asset/limits/bundle?proposalId=${STRANGE}`, 404, 200002],
    ["multisigcontrol/signer/added/bundles?epochSeq=1.5", 400, 10036],
    ["multisigcontrol/signer/added/bundles?nodeId=zz", 400, 270001],
    ["multisigcontrol/signer/removed/bundles?submitter=zz", 400, 270002],
  ];
  for (const [path, status, code] of errors) {
    test(`${path.slice(0, 60)} is ${status} with code ${code}`, async () => {
      const answer = await get(`/erc20/${path}`);
      expect([answer.status, answer.body.details[0].code]).toEqual([status, code]);
    });
  }

  test("signers added and removed, by the event's own time; removals one for each submitter", async () => {
    const common = { validatorId: id(0x40), nonce: "12", epochSeq: "3" };
    const signers = chainOf([
      [
        [
          Field.multisigSignerAdded,
          encodeERC20MultiSigSignerAdded({
            ...common,
            signatureId: id(0x21),
            timestamp: 2_000_999n,
            newSigner: "0xABCD",
            submitter: "0xEF",
          }),
        ],
        [
          Field.multisigSignerRemoved,
          encodeERC20MultiSigSignerRemoved({
            ...common,
            timestamp: 3_000n,
            oldSigner: "0xABCD",
            signatureSubmitters: [
              { signatureId: id(0x22), submitter: "0x01" },
              { signatureId: id(0x23), submitter: "0x02" },
            ],
          }),
        ],
        signature(id(0x21), "aa"),
      ],
    ]);
    const added = await signers("/erc20/multisigcontrol/signer/added/bundles?submitter=0xeF&epochSeq=3");
    expect(nodes(added.body.bundles)).toEqual([
      {
        newSigner: "0xabcd",
        submitter: "0xef",
        epochSeq: "3",
        nonce: "12",
        timestamp: "2000000",
        signatures: "0xaa",
      },
    ]);
    const removed = await walk(signers, "/erc20/multisigcontrol/signer/removed/bundles?", 1);
    expect(removed.map((node) => node.submitter)).toEqual(["0x02", "0x01"]);
  });
});

// docs/protocol/60-state-engine-governance.md#56-quantum-uses.
test("a quantum with decimals is rounded to a whole number, halves away from zero", async () => {
  const quanta = ["0.4", "0.5", "2.5", "1e3", "7", ""];
  const get = chainOf([
    quanta.map((quantum, n): Event => [Field.asset, encodeAsset({ id: id(n), details: { quantum } })]),
  ]);
  const { body } = await get("/assets?pagination.newestFirst=false");
  const shown = body.assets.edges.map((edge: Json) => edge.node.details.quantum);
  expect(shown).toEqual(["0", "1", "3", "1000", "7", "0"]);
});

// docs/protocol/10-data-api-endpoints.md#51-listaccounts to #56-getstake.
describe("accounts, parties, stake, delegations, transfers", () => {
  const GENERAL = 4;
  const balance = (owner: string, type: number, amount: number, marketId = "!"): Event => [
    Field.account,
    encodeAccount({ owner, asset: A1, marketId, type, balance: String(amount) }),
  ];
  const party = (n: string): Event => [Field.party, encodeParty({ id: n })];
  const linking = (n: number, type: number, status: number, amount: number): Event => [
    Field.stakeLinking,
    encodeStakeLinking({ id: id(n), party: P1, type, status, amount: String(amount), ts: 7n }),
  ];
  const delegation = (node: number, epoch: number, amount: number): Event => [
    Field.delegationBalance,
    encodeDelegationBalanceEvent({
      party: P1,
      nodeId: id(node),
      epochSeq: String(epoch),
      amount: String(amount),
    }),
  ];
  const transfer = (n: number, from: string, to: string, status: number, kind: object): Event => [
    Field.transfer,
    encodeTransfer({ id: id(n), from, to, asset: A1, amount: "5", status, timestamp: 1n, ...kind }),
  ];
  const recurring = { recurring: { startEpoch: 4n, factor: "0.500" }, reason: "why" };
  const get = chainOf([
    [
      party(P2),
      balance("*", 12, 7),
      balance(P1, GENERAL, 1),
      linking(0x31, 1, 2, 100),
      delegation(0x41, 1, 5),
    ],
    [
      party(P1),
      balance(P1, GENERAL, 2),
      balance(P2, 3, 9, M),
      linking(0x32, 2, 2, 30),
      delegation(0x41, 1, 6),
    ],
    [party(P2), linking(0x33, 1, 1, 1000), linking(0x34, 1, 2, 1), delegation(0x42, 2, 7)],
    [
      transfer(0x61, P1, P2, 1, { oneOff: { deliverOn: 1_999n } }),
      transfer(0x62, P2, P1, 1, recurring),
      transfer(0x63, P1, P1, 2, {}),
      transfer(0x64, P2, id(0x55), 2, {}),
    ],
    [transfer(0x61, P1, P2, 2, { oneOff: { deliverOn: 1_999n } })],
  ]);

  test("accounts show their latest balance; filters narrow", async () => {
    const balances = async (query: string) =>
      nodes((await get(`/accounts?${query}`)).body.accounts)
        .map((node: Json) => Number(node.balance))
        .sort();
    expect(await balances("")).toEqual([2, 7, 9]);
    expect(await balances(`filter.partyIds=${P1}&filter.partyIds=${P2}`)).toEqual([2, 9]);
    expect(await balances("filter.partyIds=network&filter.accountTypes=ACCOUNT_TYPE_GLOBAL_REWARD")).toEqual([
      7,
    ]);
    expect(await balances(`filter.marketIds=${M}&filter.assetId=${A1}`)).toEqual([9]);
    expect(await balances(`filter.assetId=${A2}`)).toEqual([]);
    expect(await walk(get, "/accounts?", 1)).toHaveLength(3);
  });

  test("the network is the newest party, and a walk passes over it in both directions", async () => {
    const names = (rows: Json[]) => rows.map((row) => row.id);
    expect(names(await walk(get, "/parties?", 1))).toEqual(["network", P1, P2]);
    expect(names(await walk(get, "/parties?pagination.newestFirst=false&", 1))).toEqual([P2, P1, "network"]);
    const network = cursorOf({ ID: "network", TxHash: "01", VegaTime: null });
    const { body } = await get(`/parties?pagination.first=1&pagination.after=${network}`);
    expect(names(nodes(body.parties))).toEqual([P1]);
    expect(body.parties.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  test("a party: by id, by its other spelling, or unknown", async () => {
    expect(nodes((await get(`/parties?partyId=${P1.toUpperCase()}`)).body.parties)).toEqual([{ id: P1 }]);
    expect(nodes((await get("/parties?partyId=03")).body.parties)).toEqual([{ id: "network" }]);
    expect((await get(`/party/${P1}`)).body).toEqual({ party: { id: P1 } });
    expect((await get("/party/network")).body).toEqual({ party: { id: "network" } });
    const statuses = ["/party/zz", `/party/${M}`, `/parties?partyId=${M}`, "/parties?partyId=zz"];
    expect(await Promise.all(statuses.map(async (path) => (await get(path)).status))).toEqual([
      400, 404, 404, 400,
    ]);
  });

  test("stake is accepted links less accepted unlinks", async () => {
    const { body } = await get(`/parties/${P1}/stake?pagination.first=2`);
    expect(body.currentStakeAvailable).toBe("71");
    expect(nodes(body.stakeLinkings).map((node: Json) => numberOf(node.id))).toEqual([0x34, 0x33]);
    expect((await get(`/parties/${P2}/stake`)).body.currentStakeAvailable).toBe("0");
  });

  test("a stake below zero is an error", async () => {
    const below = chainOf([[linking(0x31, 2, 2, 1)]]);
    const { status, body } = await below(`/parties/${P1}/stake`);
    expect([status, body.details[0].code]).toEqual([500, 300001]);
  });

  test("delegations show the latest amount of party, node and epoch", async () => {
    const rows = async (query: string) =>
      nodes((await get(`/delegations?${query}`)).body.delegations).map(
        (node: Json) => `${numberOf(node.nodeId).toString(16)} ${node.epochSeq} ${node.amount}`,
      );
    expect(await rows("")).toEqual(["42 2 7", "41 1 6"]);
    expect(await rows(`partyId=${P1}&nodeId=${id(0x41)}`)).toEqual(["41 1 6"]);
    expect(await rows("epochId=2")).toEqual(["42 2 7"]);
    expect(await rows("partyId=")).toEqual([]);
    expect((await get("/delegations?epochId=")).body.details[0].code).toBe(10036);
  });

  test("transfers by direction, each once, in their latest state", async () => {
    const rows = async (query: string) =>
      nodes((await get(`/transfers?${query}`)).body.transfers).map((node: Json) => numberOf(node.id));
    expect(await rows("")).toEqual([0x61, 0x64, 0x63, 0x62]);
    expect(await rows(`pubkey=${P1}&direction=1`)).toEqual([0x61, 0x63]);
    expect(await rows(`pubkey=${P1}&direction=TRANSFER_DIRECTION_TRANSFER_TO`)).toEqual([0x63, 0x62]);
    expect(await rows(`pubkey=${P1}&direction=3`)).toEqual([0x61, 0x63, 0x62]);
    const walked = await walk(get, `/transfers?pubkey=${P1}&direction=3&`, 1);
    expect(walked.map((node) => numberOf(node.id))).toEqual([0x61, 0x63, 0x62]);
    expect((await get(`/transfers?pubkey=${P1}`)).body.details[0].code).toBe(220001);
  });

  test("a transfer in full: one kind, the time of its latest block", async () => {
    const [latest, , , repeated] = nodes((await get("/transfers")).body.transfers);
    expect(latest).toMatchObject({ timestamp: String(blockNs(5)), oneOff: { deliverOn: "1000" } });
    expect(latest).not.toHaveProperty("recurring");
    expect(latest).not.toHaveProperty("reason");
    expect(repeated.reason).toBe("why");
    expect(repeated.recurring).toEqual({ startEpoch: "4", factor: "0.5", dispatchStrategy: null });
  });
});
