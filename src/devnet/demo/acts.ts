// The acts of the demonstration: money, politics, validators.

import { checksumAddress, ethereumAddress, keccakOf, secp256k1Sign } from "../../crypto/secp256k1.ts";
import { sha3HexOf, sha3Of } from "../../crypto/sha.ts";
import { ZERO_PARTY } from "../../engine/collateral.ts";
import { requestAnswer } from "../../fetch/answer.ts";
import type { Init } from "../../wire/codec.ts";
import { NodeSignatureKind, UndelegateSubmissionMethod } from "../../wire/generated/commands.ts";
import { AccountType, type ProposalTerms, VoteValue } from "../../wire/generated/vega.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { type CommandInit, SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../../wire/transaction.ts";
import { DEVNET_PARTY_NAMES, madeUpAddress, type ValidatorKeys } from "../keys.ts";
import { ASSETS, type Name, type Stage } from "./stage.ts";

type AccountTypeNumber = (typeof AccountType)[keyof typeof AccountType];

const { ACCOUNT_TYPE_GENERAL: GENERAL, ACCOUNT_TYPE_GLOBAL_REWARD: TREASURY } = AccountType;
const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_MS = 10_000;
const RECEIVER = "0x5E1F5e1F5e1f5E1f5e1f5E1f5E1F5E1F5E1F5E1f";
const TOKEN = 10n ** 18n;

interface TransferWish {
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly toType?: AccountTypeNumber;
  readonly reference?: string;
}

function transfer(
  { to, asset, amount, toType = GENERAL, reference = "" }: TransferWish,
  kind: object,
): CommandInit {
  const accounts = { fromAccountType: GENERAL, to, toAccountType: toType };
  return { kind: "transfer", payload: { ...accounts, asset, amount: amount.toString(), reference, ...kind } };
}

/** Some of the parties pay each other. */
export async function dailyPayments(stage: Stage): Promise<void> {
  const names: readonly Name[] = DEVNET_PARTY_NAMES;
  for (let payment = 0; payment < 3; payment++) {
    const from = names[stage.random(names.length)]!;
    const to = names[stage.random(names.length)]!;
    if (from === to) continue;
    const asset = [ASSETS.dollar, ASSETS.euro, ASSETS.bridged][stage.random(3)]!;
    const amount = BigInt(1_000_000 + stage.random(50_000_000));
    await stage.send(
      from,
      transfer({ to: stage.key(to), asset, amount, reference: "lunch" }, { oneOff: {} }),
    );
  }
}

export async function transfersOfEveryKind(stage: Stage): Promise<void> {
  const { dollar, token } = ASSETS;
  const deliverOn = stage.chain.status.timeNs + 4_000_000_000n;
  const scheduled = { to: stage.key("bob"), asset: dollar, amount: 25_000_000n, reference: "rent" };
  await stage.send("alice", transfer(scheduled, { oneOff: { deliverOn } }));
  await stage.send(
    "bob",
    transfer({ to: ZERO_PARTY, asset: dollar, amount: 5_000_000n, toType: TREASURY }, { oneOff: {} }),
  );
  const epoch = stage.epoch;
  const salary = { to: stage.key("erin"), asset: dollar, amount: 40_000_000n, reference: "salary" };
  await stage.send(
    "dave",
    transfer(salary, { recurring: { startEpoch: epoch, endEpoch: epoch + 12n, factor: "0.9" } }),
  );
  const rewards = {
    to: ZERO_PARTY,
    asset: token,
    amount: 50n * TOKEN,
    toType: TREASURY,
    reference: "rewards",
  };
  await stage.send("frank", transfer(rewards, { recurring: { startEpoch: epoch, factor: "1" } }));
  const allowance = { to: stage.key("judy"), asset: ASSETS.euro, amount: 3_000_000n, reference: "allowance" };
  const id = await stage.send(
    "grace",
    transfer(allowance, { recurring: { startEpoch: epoch, factor: "1.1" } }),
  );
  stage.notes.set("allowance", id);
}

/** The accounts that reward traders exist once a party pays into them. */
export async function rewardAccounts(stage: Stage): Promise<void> {
  const startEpoch = stage.epoch;
  const types = [
    AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
    AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES,
    AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES,
    AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
  ];
  for (const toType of types) {
    const wish = { to: ZERO_PARTY, asset: ASSETS.euro, amount: 10_000_000n, toType, reference: "traders" };
    await stage.send(
      "heidi",
      transfer(wish, { recurring: { startEpoch, endEpoch: startEpoch + 1n, factor: "1" } }),
    );
  }
}

export async function cancelTransfer(stage: Stage): Promise<void> {
  const transferId = stage.notes.get("allowance")!;
  await stage.refused("alice", { kind: "cancelTransfer", payload: { transferId } });
  await stage.send("grace", { kind: "cancelTransfer", payload: { transferId } });
}

/** More than there is, to an arbitrary party. */
export async function mistakes(stage: Stage): Promise<void> {
  const tooMuch = { to: stage.key("alice"), asset: ASSETS.bitcoin, amount: 10n ** 20n };
  await stage.refused("ivan", transfer(tooMuch, { oneOff: {} }));
  const dust = { to: stage.key("alice"), asset: ASSETS.dollar, amount: 1n };
  await stage.refused("ivan", transfer(dust, { oneOff: {} }));
}

export async function deposits(stage: Stage): Promise<void> {
  const { bridge } = stage.chain;
  await bridge.deposit(stage.key("judy"), ASSETS.bridged, 75_000_000n);
  await bridge.deposit(stage.key("ivan"), ASSETS.bitcoin, 200_000_000n);
  await bridge.deposit(ZERO_PARTY, ASSETS.token, 2_000n * TOKEN);
}

function withdraw(asset: string, amount: bigint, isBridged: boolean): CommandInit {
  const ext = isBridged ? { ext: { erc20: { receiverAddress: RECEIVER } } } : {};
  return { kind: "withdrawSubmission", payload: { asset, amount: amount.toString(), ...ext } };
}

export async function withdrawals(stage: Stage): Promise<void> {
  await stage.send("carol", withdraw(ASSETS.dollar, 30_000_000n, false));
  const claimed = await stage.send("carol", withdraw(ASSETS.bridged, 120_000_000n, true));
  // This one is signed, and left unclaimed: its bundle stays to be looked at.
  stage.notes.set("withdrawal", await stage.send("dave", withdraw(ASSETS.bridged, 60_000_000n, true)));
  await stage.refused("dave", withdraw(ASSETS.bridged, 1n, true));
  await stage.settle();
  await stage.chain.bridge.claim(claimed);
}

export async function bridgeStopped(stage: Stage): Promise<void> {
  await stage.chain.bridge.stopBridge();
  await stage.refused("erin", withdraw(ASSETS.bridged, 50_000_000n, true));
  await stage.chain.bridge.resumeBridge();
  await stage.send("erin", withdraw(ASSETS.bridged, 50_000_000n, true));
}

// Scenes about governance: proposals of every kind that has nothing to do with markets, and their votes.

const { VALUE_YES: YES, VALUE_NO: NO } = VoteValue;

type Change = Omit<Init<ProposalTerms>, "closingTimestamp" | "enactmentTimestamp" | "validationTimestamp">;

interface Wish {
  readonly title: string;
  readonly change: Change;
  readonly votes: Readonly<Partial<Record<Name, "yes" | "no">>>;
}

/** Proposes, votes, and waits until it is decided and, where it passed, in force. @returns the proposal's id */
async function decide(stage: Stage, { title, change, votes }: Wish): Promise<string> {
  const now = stage.nowSeconds;
  const isFreeform = "newFreeform" in change;
  const terms = {
    closingTimestamp: now + 5n,
    ...(!isFreeform && { enactmentTimestamp: now + 7n }),
    ...("newAsset" in change && { validationTimestamp: now + 4n }),
    ...change,
  };
  const rationale = { title, description: `${title}: because the demo says so.` };
  const payload = { reference: title.toLowerCase().replaceAll(" ", "-"), terms, rationale };
  const proposalId = await stage.send("alice", { kind: "proposalSubmission", payload });
  await stage.settle();
  for (const [name, vote] of Object.entries(votes)) {
    const value = vote === "yes" ? YES : NO;
    await stage.send(name as Name, { kind: "voteSubmission", payload: { proposalId, value } });
  }
  for (let second = 0; second < 5; second++) await stage.pass(2);
  await stage.settle();
  return proposalId;
}

export async function freeforms(stage: Stage): Promise<void> {
  await decide(stage, {
    title: "A park bench for everybody",
    change: { newFreeform: {} },
    votes: { alice: "yes", bob: "yes", carol: "no" },
  });
  await decide(stage, {
    title: "No more Mondays",
    change: { newFreeform: {} },
    votes: { alice: "yes", bob: "no", carol: "no", dave: "no" },
  });
}

export async function parameterChange(stage: Stage): Promise<void> {
  await decide(stage, {
    title: "Cheaper transfers",
    change: { updateNetworkParameter: { changes: { key: "transfer.fee.factor", value: "0.0005" } } },
    votes: { alice: "yes", bob: "yes", erin: "yes" },
  });
  await stage.refused("carol", {
    kind: "voteSubmission",
    payload: { proposalId: "ff".repeat(32), value: YES },
  });
}

export async function newAssets(stage: Stage): Promise<void> {
  const builtin = await decide(stage, {
    title: "A test franc",
    change: {
      newAsset: {
        changes: {
          name: "Test Franc",
          symbol: "tCHF",
          decimals: 2n,
          quantum: "100",
          builtinAsset: { maxFaucetAmountMint: "1000000" },
        },
      },
    },
    votes: { alice: "yes", bob: "yes" },
  });
  await stage.chain.bridge.deposit(stage.key("judy"), builtin, 500_000n);
  const bridged = await decide(stage, {
    title: "A bridged pound",
    change: {
      newAsset: {
        changes: {
          name: "Devnet Pound",
          symbol: "dGBP",
          decimals: 6n,
          quantum: "1000000",
          erc20: {
            contractAddress: madeUpAddress("token dGBP"),
            lifetimeLimit: "1000000000000",
            withdrawThreshold: "1000000000",
          },
        },
      },
    },
    votes: { alice: "yes", carol: "yes" },
  });
  await stage.chain.bridge.list(bridged);
  await stage.chain.bridge.deposit(stage.key("ivan"), bridged, 9_000_000n);
  await decide(stage, {
    title: "A coin that nobody wants",
    change: {
      newAsset: {
        changes: {
          name: "Nobody's Coin",
          symbol: "NIL",
          decimals: 0n,
          quantum: "1",
          builtinAsset: { maxFaucetAmountMint: "1" },
        },
      },
    },
    votes: { alice: "yes", bob: "no", carol: "no", dave: "no" },
  });
}

export async function assetLimits(stage: Stage): Promise<void> {
  const proposal = await decide(stage, {
    title: "Room for more devnet dollars",
    change: {
      updateAsset: {
        assetId: ASSETS.bridged,
        changes: {
          quantum: "2000000",
          erc20: { lifetimeLimit: "200000000000000", withdrawThreshold: "2000000000000" },
        },
      },
    },
    votes: { alice: "yes", dave: "yes" },
  });
  await stage.chain.bridge.setLimits(proposal);
}

// Scenes about validators and their delegators: stake, delegations, a second node, new keys, an upgrade.

const SUBMITTER = checksumAddress(madeUpAddress("demo submitter"));
const { METHOD_NOW, METHOD_AT_END_OF_EPOCH } = UndelegateSubmissionMethod;

function delegate(keys: ValidatorKeys, tokens: bigint) {
  const payload = { nodeId: keys.nodeId, amount: (tokens * TOKEN).toString() };
  return { kind: "delegateSubmission", payload } as const;
}

export async function stakeAndDelegate(stage: Stage): Promise<void> {
  const { bridge } = stage.chain;
  await bridge.stake(stage.key("frank"), 250_000n * TOKEN);
  await stage.send("frank", delegate(stage.validator, 100_000n));
  await stage.send("erin", delegate(stage.validator, 300_000n));
  await stage.refused("grace", delegate(stage.validator, 1n));
}

export async function undelegate(stage: Stage): Promise<void> {
  const { nodeId } = stage.validator;
  const undelegation = (tokens: bigint, method: typeof METHOD_NOW | typeof METHOD_AT_END_OF_EPOCH) =>
    ({
      kind: "undelegateSubmission",
      payload: { nodeId, amount: (tokens * TOKEN).toString(), method },
    }) as const;
  await stage.send("erin", undelegation(50_000n, METHOD_NOW));
  await stage.send("bob", undelegation(100_000n, METHOD_AT_END_OF_EPOCH));
  await stage.chain.bridge.unstake(stage.key("frank"), 50_000n * TOKEN);
}

/** A second node announces itself, with stake behind it. */
export async function announce(stage: Stage): Promise<void> {
  const { second } = stage;
  const vega = second.vega(1);
  const node = {
    vegaPubKey: hexOf(vega.publicKey),
    ethereumAddress: ethereumAddress(second.ethereum(1)),
    chainPubKey: second.tmPubKey,
    infoUrl: "https://example.org/second",
    country: "ZZ",
    id: second.nodeId,
    name: "lyra-devnet-2",
    avatarUrl: "https://example.org/second.png",
    vegaPubKeyIndex: 1,
    fromEpoch: stage.epoch + 1n,
  };
  const keys = [node.id, node.vegaPubKey, node.vegaPubKeyIndex, node.chainPubKey, node.ethereumAddress];
  const text = [...keys, node.fromEpoch, node.infoUrl, node.name, node.avatarUrl, node.country].join("");
  const bytes = Buffer.from(text, "utf8");
  const signature = (value: Uint8Array, algo: string) => ({
    value: hexOf(value),
    algo,
    version: SIGNATURE_VERSION,
  });
  const client = stage.clientOf(second);
  await stage.chain.bridge.stake(client.party, 1_000_000n * TOKEN);
  await stage.sendBy(client, {
    kind: "announceNode",
    payload: {
      ...node,
      vegaSignature: signature(vega.sign(sha3Of(bytes)), SIGNATURE_ALGORITHM),
      ethereumSignature: signature(secp256k1Sign(keccakOf(bytes), second.ethereum(1)), "eth"),
      submitterAddress: SUBMITTER,
    },
  });
  await stage.sendBy(client, delegate(second, 500_000n));
  await stage.send("carol", delegate(second, 200_000n));
}

/** Once it is a validator, the contract learns of its key, with the bundle that the first one signed. */
export async function welcome(stage: Stage): Promise<boolean> {
  const { status } = await secondNode(stage);
  if (status !== "VALIDATOR_NODE_STATUS_TENDERMINT") return false;
  await stage.settle();
  await stage.chain.bridge.addSigner(ethereumAddress(stage.second.ethereum(1)));
  return true;
}

async function secondNode(stage: Stage): Promise<{ status: string }> {
  const url = `${stage.devnet.dataUrl}/api/v2/node/${stage.second.nodeId}`;
  const answer = await requestAnswer(url, { timeoutMs: ANSWER_MS });
  const { node } = JSON.parse(await answer.text(ANSWER_BYTES_MAX)) as {
    node?: { rankingScore?: { status: string } };
  };
  return { status: node?.rankingScore?.status ?? "" };
}

/** The first validator signs with a new Vega key from now on. */
export async function rotateVegaKey(stage: Stage): Promise<void> {
  const { validator } = stage;
  const payload = {
    newPubKeyIndex: 2,
    targetBlock: BigInt(stage.chain.status.height + 3),
    newPubKey: hexOf(validator.vega(2).publicKey),
    currentPubKeyHash: sha3HexOf(validator.vega(1).publicKey),
  };
  await stage.sendAsValidator({ kind: "keyRotateSubmission", payload }, "master");
  await stage.settle();
}

/** And another Ethereum key: the contract has to let the old signer go and take the new one. */
export async function rotateEthereumKey(stage: Stage): Promise<void> {
  const { validator, chain } = stage;
  const currentAddress = ethereumAddress(validator.ethereum(1));
  const newAddress = ethereumAddress(validator.ethereum(2));
  const targetBlock = BigInt(chain.status.height + 3);
  const digest = keccakOf(Buffer.from(`${currentAddress}${newAddress}${targetBlock}`, "utf8"));
  const ethereumSignature = {
    value: hexOf(secp256k1Sign(digest, validator.ethereum(2))),
    algo: "eth",
    version: SIGNATURE_VERSION,
  };
  await stage.sendAsValidator({
    kind: "ethereumKeyRotateSubmission",
    payload: { targetBlock, newAddress, currentAddress, submitterAddress: SUBMITTER, ethereumSignature },
  });
  await stage.settle();
  await stage.send("alice", {
    kind: "issueSignatures",
    payload: {
      submitter: checksumAddress(madeUpAddress("alice's account")),
      kind: NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED,
      validatorNodeId: validator.nodeId,
    },
  });
  await stage.settle();
  // In this order: what lets the old signer go was signed with its own key still, and what takes the new one was not.
  await chain.bridge.removeSigner(currentAddress);
  await chain.bridge.addSigner(newAddress);
}

/** An upgrade that is proposed and taken back again. */
export async function upgrade(stage: Stage): Promise<void> {
  const client = stage.clientOf(stage.validator, 2);
  const upgradeBlockHeight = BigInt(stage.chain.status.height + 100_000);
  const proposal = (vegaReleaseTag: string) =>
    ({ kind: "protocolUpgradeProposal", payload: { upgradeBlockHeight, vegaReleaseTag } }) as const;
  await stage.sendBy(client, proposal("v0.72.0"));
  await stage.sendBy(client, proposal("v0.71.6"));
  await stage.sendBy(client, proposal("v0.73.0"));
}

export async function threshold(stage: Stage): Promise<void> {
  await stage.chain.bridge.setThreshold(500);
}
