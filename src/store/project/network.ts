// Parameters, limits, checkpoints, epochs, nodes, keys, stake, delegations, rewards, signatures
// (docs/protocol/60-state-engine-parameters.md#142-mapping).
import type { Database, Statement } from "bun:sqlite";
import { type BlockEvent, Field } from "../../wire/block.ts";
import { readNodeSignatureAt } from "../../wire/generated/commands.ts";
import {
  type ERC20MultiSigSignerAdded,
  readCheckpointEventAt,
  readCoreSnapshotDataAt,
  readDelegationBalanceEventAt,
  readEpochEventAt,
  readERC20MultiSigSignerAddedAt,
  readERC20MultiSigSignerRemovedAt,
  readEthereumKeyRotationAt,
  readKeyRotationAt,
  readProtocolUpgradeEventAt,
  readRewardPayoutEventAt,
  readStakeLinkingAt,
  readTransactionResultAt,
  readValidatorRankingEventAt,
  readValidatorScoreEventAt,
  readValidatorUpdateAt,
} from "../../wire/generated/events.ts";
import { readNetworkLimitsAt, readNetworkParameterAt } from "../../wire/generated/vega.ts";
import { loadAmount, type StoredAmount, storeAmount } from "../amount.ts";
import {
  checkAmount,
  checkEpoch,
  checkInt8,
  idBytes,
  idText,
  lowerAddress,
  storedAmount,
  wholeNumber,
} from "../field.ts";
import { rankingChecks, rewardChecks, scoreChecks } from "./checks.ts";
import {
  append,
  type BlockContext,
  insertOnce,
  microseconds,
  on,
  type Projection,
  payload,
  upsert,
} from "./context.ts";

export function parameters(db: Database): Projection {
  const history = upsert(db, "network_parameters", "key, block, value, tx");
  const current = upsert(db, "network_parameters_current", "key, value, block");
  const limits = upsert(db, "network_limits", "block, tx, data");
  return {
    handlers: [
      on(Field.networkParameter, readNetworkParameterAt, (block, m, event) => {
        history.run(m.key, block.no, m.value, block.tx(event));
        current.run(m.key, m.value, block.no);
      }),
      [
        Field.networkLimits,
        (block, event) => {
          readNetworkLimitsAt(event.bytes, event.start, event.end);
          limits.run(block.no, block.tx(event), payload(event));
        },
      ],
    ],
  };
}

export function chain(db: Database): Projection {
  const checkpoint = append(db, "checkpoints", "block, ord, height, tx, data");
  const snapshot = upsert(db, "core_snapshots", "block, height, tx, data");
  const upgrade = upsert(db, "upgrade_proposals", "height, tag, block, tx, data");
  const epoch = upsert(db, "epochs", "id, block, tx, data");
  return {
    handlers: [
      on(Field.checkpoint, readCheckpointEventAt, (block, m, event) => {
        checkpoint.run(
          block.no,
          block.ord(event),
          checkInt8(m.blockHeight, "block_height"),
          block.tx(event),
          payload(event),
        );
      }),
      on(Field.coreSnapshot, readCoreSnapshotDataAt, (block, m, event) => {
        snapshot.run(block.no, checkInt8(m.blockHeight, "block_height"), block.tx(event), payload(event));
      }),
      on(Field.protocolUpgradeProposal, readProtocolUpgradeEventAt, (block, m, event) => {
        const height = checkInt8(m.upgradeBlockHeight, "upgrade_block_height");
        upgrade.run(height, m.vegaReleaseTag, block.no, block.tx(event), payload(event));
      }),
      on(Field.epochUpdate, readEpochEventAt, (block, m, event) => {
        epoch.run(checkEpoch(m.seq, "seq"), block.no, block.tx(event), payload(event));
      }),
    ],
  };
}

/** Results of transactions, which the block explorer lists. */
export function txResults(db: Database): Projection {
  const result = append(db, "tx_results", "block, ord, data");
  return {
    handlers: [
      [
        Field.transactionResult,
        (block, event) => {
          // Only bytes from elsewhere may have no valid form.
          if (event.message === undefined) readTransactionResultAt(event.bytes, event.start, event.end);
          result.run(block.no, block.ord(event), payload(event));
        },
      ],
    ],
  };
}

export function validators(db: Database): Projection {
  const node = upsert(db, "nodes", "id, block, pub_key, ethereum_address, data");
  const announced = upsert(db, "nodes_announced", "node, epoch, block, added");
  const ranking = upsert(db, "ranking_scores", "epoch, node, block, data");
  const score = upsert(db, "reward_scores", "epoch, node, block, data");
  const insertScore = (
    table: Statement,
    block: BlockContext,
    m: { nodeId: string; epochSeq: string },
    event: BlockEvent,
  ) => {
    const node = block.ids.intern(m.nodeId, "node_id").ref;
    table.run(wholeNumber(m.epochSeq, "epoch_seq"), node, block.no, payload(event));
  };
  return {
    handlers: [
      on(Field.validatorUpdate, readValidatorUpdateAt, (block, m, event) => {
        const id = block.ids.intern(m.nodeId, "node_id").ref;
        const key = idText(m.vegaPubKey, "vega_pub_key");
        const address = lowerAddress(m.ethereumAddress, "ethereum_address");
        node.run(id, block.no, key, address, payload(event));
        announced.run(id, checkEpoch(m.epochSeq, "epoch_seq"), block.no, m.added ? 1 : 0);
      }),
      on(Field.validatorRanking, readValidatorRankingEventAt, (block, m, event) => {
        rankingChecks.check(m);
        insertScore(ranking, block, m, event);
      }),
      on(Field.validatorScore, readValidatorScoreEventAt, (block, m, event) => {
        scoreChecks.check(m);
        insertScore(score, block, m, event);
      }),
    ],
  };
}

/**
 * Key rotations of both kinds; each also replaces the key in the list of nodes
 * (docs/protocol/10-data-api-endpoints.md#48-listkeyrotations and #49-listethereumkeyrotations).
 */
export function keys(db: Database): Projection {
  const rotation = upsert(db, "key_rotations", "block, node, tx, data");
  const setPubKey = db.prepare("UPDATE nodes SET pub_key = ? WHERE id = ?");
  const ethereum = append(
    db,
    "ethereum_key_rotations",
    "block, ord, node, old_address, new_address, height, tx",
  );
  const setAddress = db.prepare("UPDATE nodes SET ethereum_address = ? WHERE id = ?");
  return {
    handlers: [
      on(Field.keyRotation, readKeyRotationAt, (block, m, event) => {
        idBytes(m.oldPubKey, "old_pub_key");
        const key = idText(m.newPubKey, "new_pub_key");
        checkInt8(m.blockHeight, "block_height");
        const node = block.ids.intern(m.nodeId, "node_id").ref;
        rotation.run(block.no, node, block.tx(event), payload(event));
        setPubKey.run(key, node);
      }),
      on(Field.ethereumKeyRotation, readEthereumKeyRotationAt, (block, m, event) => {
        const node = block.ids.intern(m.nodeId, "node_id").ref;
        const newAddress = lowerAddress(m.newAddress, "new_address");
        ethereum.run(
          block.no,
          block.ord(event),
          node,
          lowerAddress(m.oldAddress, "old_address"),
          newAddress,
          checkInt8(m.blockHeight, "block_height"),
          block.tx(event),
        );
        setAddress.run(newAddress, node);
      }),
    ],
  };
}

export function signatures(db: Database): Projection {
  const signature = insertOnce(db, "node_signatures", "resource, sig, kind, block, tx");
  const signer = insertOnce(
    db,
    "multisig_signers",
    "id, added, node, signer, submitter, nonce, time, epoch, block, tx",
  );
  const putSigner = (
    block: BlockContext,
    event: BlockEvent,
    m: Pick<ERC20MultiSigSignerAdded, "validatorId" | "nonce" | "timestamp" | "epochSeq">,
    row: { id: Uint8Array; added: 0 | 1; signer: string; submitter: string },
  ) => {
    const node = block.ids.intern(m.validatorId, "validator_id").ref;
    const epoch = wholeNumber(m.epochSeq, "epoch_seq");
    const change = [node, row.signer, row.submitter, m.nonce, microseconds(m.timestamp), epoch] as const;
    signer.run(row.id, row.added, ...change, block.no, block.tx(event));
  };
  return {
    handlers: [
      on(Field.nodeSignature, readNodeSignatureAt, (block, m, event) => {
        signature.run(idBytes(m.id, "id"), m.sig, m.kind, block.no, block.tx(event));
      }),
      on(Field.multisigSignerAdded, readERC20MultiSigSignerAddedAt, (block, m, event) => {
        putSigner(block, event, m, {
          id: idBytes(m.signatureId, "signature_id"),
          added: 1,
          signer: lowerAddress(m.newSigner, "new_signer"),
          submitter: lowerAddress(m.submitter, "submitter"),
        });
      }),
      on(Field.multisigSignerRemoved, readERC20MultiSigSignerRemovedAt, (block, m, event) => {
        for (const { signatureId, submitter } of m.signatureSubmitters) {
          putSigner(block, event, m, {
            id: idBytes(signatureId, "signature_submitters.signature_id"),
            added: 0,
            signer: lowerAddress(m.oldSigner, "old_signer"),
            submitter: lowerAddress(submitter, "signature_submitters.submitter"),
          });
        }
      }),
    ],
  };
}

export function stake(db: Database): Projection {
  const linking = upsert(db, "stake_linkings", "block, id, tx, data");
  const linkingCurrent = upsert(db, "stake_linkings_current", "id, party, block");
  const delegation = append(db, "delegations", "block, ord, party, node, epoch, amount, tx");
  const delegationCurrent = upsert(db, "delegations_current", "party, node, epoch, block, amount");
  return {
    handlers: [
      on(Field.stakeLinking, readStakeLinkingAt, (block, m, event) => {
        checkAmount(m.amount, "amount");
        const id = idBytes(m.id, "id");
        linking.run(block.no, id, block.tx(event), payload(event));
        linkingCurrent.run(id, block.ids.intern(m.party, "party").ref, block.no);
      }),
      on(Field.delegationBalance, readDelegationBalanceEventAt, (block, m, event) => {
        const party = block.ids.intern(m.party, "party").ref;
        const node = block.ids.intern(m.nodeId, "node_id").ref;
        const epoch = wholeNumber(m.epochSeq, "epoch_seq");
        const amount = storedAmount(m.amount, "amount");
        delegation.run(block.no, block.ord(event), party, node, epoch, amount, block.tx(event));
        delegationCurrent.run(party, node, epoch, block.no, amount);
      }),
    ],
  };
}

/** Payouts as they come, and their sums for each (party, asset) and each epoch, kept as the rows arrive. */
export function rewards(db: Database): Projection {
  const payout = append(db, "rewards", "block, ord, party, asset, epoch, tx, data");
  const total = db.prepare("SELECT amount FROM reward_totals WHERE party = ? AND asset = ?");
  const setTotal = upsert(db, "reward_totals", "party, asset, amount");
  const byEpoch = db.prepare(
    "SELECT amount FROM reward_totals_by_epoch WHERE epoch = ? AND asset = ? AND market = ? AND type = ?",
  );
  const setByEpoch = upsert(db, "reward_totals_by_epoch", "epoch, asset, market, type, amount");
  const plus = (row: unknown, amount: bigint): StoredAmount =>
    storeAmount(amount + (row ? loadAmount((row as { amount: StoredAmount }).amount) : 0n));
  return {
    handlers: [
      on(Field.rewardPayout, readRewardPayoutEventAt, (block, m, event) => {
        rewardChecks.check(m);
        const party = block.ids.intern(m.party, "party").ref;
        const asset = block.ids.intern(m.asset, "asset").ref;
        const market = block.ids.intern(m.market === "!" ? "" : m.market, "market").ref;
        const epoch = wholeNumber(m.epochSeq, "epoch_seq");
        const amount = checkAmount(m.amount, "amount");
        payout.run(block.no, block.ord(event), party, asset, epoch, block.tx(event), payload(event));
        setTotal.run(party, asset, plus(total.get(party, asset), amount));
        const sum = plus(byEpoch.get(epoch, asset, market, m.rewardType), amount);
        setByEpoch.run(epoch, asset, market, m.rewardType, sum);
      }),
    ],
  };
}
