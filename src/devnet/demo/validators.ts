// Scenes about validators and those who stand behind them: stake, delegations, a second node, new keys, an upgrade.

import { signBridgeDigest } from "../../crypto/multisig.ts";
import { checksumAddress, ethereumAddress, keccakOf } from "../../crypto/secp256k1.ts";
import { sha3HexOf, sha3Of } from "../../crypto/sha.ts";
import { NodeSignatureKind, UndelegateSubmissionMethod } from "../../wire/generated/commands.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../../wire/transaction.ts";
import { madeUpAddress, type ValidatorKeys } from "../keys.ts";
import type { Stage } from "./stage.ts";

const TOKEN = 10n ** 18n;
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
      ethereumSignature: signature(signBridgeDigest(keccakOf(bytes), second.ethereum(1)), "eth"),
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
  const response = await fetch(`${stage.devnet.dataUrl}/api/v2/node/${stage.second.nodeId}`);
  const { node } = (await response.json()) as { node?: { rankingScore?: { status: string } } };
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
    value: hexOf(signBridgeDigest(digest, validator.ethereum(2))),
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
