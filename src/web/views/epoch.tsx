// An epoch: its blocks, its validators, and the rewards that its end paid.
import type * as api from "../../client/api.generated.ts";
import { Amount } from "../components/amount.tsx";
import { Asset, Id, Market } from "../components/id.tsx";
import { Meter } from "../components/meter.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { CallView, Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { FullTime } from "../components/time.tsx";
import { head } from "../data/node.ts";
import { useList } from "../data/read.ts";
import { count, duration, enumWords, timeMs } from "../format.ts";
import { link } from "../shell/router.ts";
import type { ViewProps } from "../view-props.ts";
import { rankOf } from "./validators.tsx";

export default function EpochView({ params }: ViewProps) {
  return (
    <CallView name="epochs.get" query={{ id: params.id ?? "" }} missing="This node does not have this epoch">
      {({ epoch }) => <EpochPage epoch={epoch} />}
    </CallView>
  );
}

const NO_TIMES = { startTime: "0", expiryTime: "0", endTime: "0", firstBlock: "0", lastBlock: "0" } as const;

export function EpochPage({
  epoch,
  isCurrent = false,
}: {
  readonly epoch: api.Epoch;
  readonly isCurrent?: boolean;
}) {
  const { seq, timestamps, validators } = epoch;
  const { startTime, expiryTime, endTime, firstBlock, lastBlock } = timestamps ?? NO_TIMES;
  const number = Number(seq);
  const block = (height: string) =>
    height === "0" ? undefined : (
      <a href={link("block", height)} class="number">
        {count(Number(height))}
      </a>
    );
  return (
    <>
      <Heading title={isCurrent ? `Epoch ${seq}, running` : `Epoch ${seq}`}>
        <nav class="steps" aria-label="Neighbouring epochs">
          <a href={link("epoch", Math.max(0, number - 1))} aria-disabled={number === 0}>
            Previous
          </a>
          {!isCurrent && <a href={link("epoch", number + 1)}>Next</a>}
        </nav>
      </Heading>
      <div class="grid">
        <Panel title="Epoch">
          <Facts
            rows={[
              ["Begin", <FullTime key="start" at={startTime} />],
              [
                "Due to end",
                isCurrent && isDue(expiryTime) ? (
                  "with the next block"
                ) : (
                  <FullTime key="expiry" at={expiryTime} />
                ),
              ],
              ["End", endTime === "0" ? undefined : <FullTime key="end" at={endTime} />],
              ["First block", block(firstBlock)],
              ["Last block", block(lastBlock)],
            ]}
          />
          {isCurrent && timestamps && <Elapsed {...timestamps} />}
        </Panel>
        <Panel title="Validators">
          <Table
            label="validators"
            rows={{ data: validators, failure: undefined }}
            empty={<Empty title="It had no validator" />}
            columns={[
              {
                title: "Validator",
                isWide: true,
                cell: ({ id, name }) => <Id id={id} kind="validator" name={name || undefined} isBare />,
              },
              { title: "Rank", isMinor: true, cell: rankOf },
              {
                title: "Stake",
                isNumber: true,
                cell: ({ stakedTotal }) => <StakeAmount amount={stakedTotal} />,
              },
            ]}
          />
        </Panel>
        <Panel title={isCurrent ? `Rewards of epoch ${number - 1}` : "Rewards"} isWide>
          <Rewards epoch={isCurrent ? number - 1 : number} />
        </Panel>
      </div>
    </>
  );
}

/** By the chain's clock, which a devnet may move. */
function isDue(expiryTime: string): boolean {
  const end = timeMs(expiryTime);
  return end !== undefined && (head.value?.timeMs ?? 0) >= end;
}

function Elapsed({ startTime, expiryTime }: api.EpochTimestamps) {
  const [start, end] = [timeMs(startTime), timeMs(expiryTime)];
  // By the chain's clock, which a devnet may move.
  const at = head.value?.timeMs;
  if (start === undefined || end === undefined || !at) return null;
  const seconds = (ms: number) => Math.max(0, Math.round(ms / 1_000));
  return (
    <Meter
      label="Elapsed"
      value={Math.min(seconds(at - start), seconds(end - start))}
      max={seconds(end - start)}
      text={`${duration(at - start)} of ${duration(end - start)}`}
    />
  );
}

function Rewards({ epoch }: { readonly epoch: number }) {
  const pages = useList("rewards.listEpochSummaries", { filter: { fromEpoch: epoch, toEpoch: epoch } });
  return (
    <Table
      label="rewards"
      rows={pages}
      expected={2}
      empty={
        <Empty title="It paid no rewards" command="lyra devnet epoch end">
          Rewards are paid when an epoch ends, out of fees and reward accounts, to those who staked.
        </Empty>
      }
      columns={[
        { title: "Out of", isWide: true, cell: ({ rewardType }) => enumWords(rewardType, "ACCOUNT_TYPE_") },
        { title: "Market", isMinor: true, cell: ({ marketId }) => <Market id={marketId} /> },
        { title: "Asset", isMinor: true, cell: ({ assetId }) => <Asset id={assetId} /> },
        {
          title: "Paid",
          isNumber: true,
          cell: ({ amount, assetId }) => <Amount amount={amount} asset={assetId} />,
        },
      ]}
    />
  );
}
