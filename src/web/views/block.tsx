import type { Blocks } from "../../http/chain-bodies.ts";
import { ActivityTable } from "../components/activity.tsx";
import { Id } from "../components/id.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { FullTime } from "../components/time.tsx";
import { head } from "../data/node.ts";
import { useRead } from "../data/read.ts";
import { count } from "../format.ts";
import { link } from "../shell/router.ts";
import type { ViewProps } from "../view-props.ts";

export default function BlockView({ params }: ViewProps) {
  const height = Number(params.height);
  const isHeight = Number.isSafeInteger(height) && height >= 0;
  const { data } = useRead<Blocks>(isHeight ? `/lyra/v1/blocks?limit=1&before=${height + 1}` : undefined);
  const block = data?.blocks[0];
  if (!isHeight) return <Empty title="That is not a height" />;
  const isAbsent = data !== undefined && block?.height !== height;
  return (
    <>
      <Heading title={`Block ${count(height)}`}>
        <nav class="steps" aria-label="Neighbouring blocks">
          <a href={link("block", Math.max(0, height - 1))} aria-disabled={height === 0}>
            Previous
          </a>
          <a href={link("block", height + 1)} aria-disabled={height >= (head.value?.height ?? 0)}>
            Next
          </a>
        </nav>
      </Heading>
      {isAbsent ? (
        <Empty
          title={
            height > (head.value?.height ?? 0)
              ? "This block is not made yet"
              : "This node does not have this block"
          }
        />
      ) : (
        <>
          <Panel title="Block">
            <Facts
              rows={[
                ["Time", <FullTime key="time" at={block?.time} />],
                ["Hash", <Id key="hash" id={block?.hash ?? ""} isLong />],
                ["Transactions", block && count(block.transactions)],
              ]}
            />
          </Panel>
          <Panel title="Transactions">
            <ActivityTable filter={`height=${height}`} hidden="block" />
          </Panel>
        </>
      )}
    </>
  );
}
