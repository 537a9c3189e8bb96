// The devnet's snapshots as a tree, by all that took one, and the way back to each usable one.
import { useSignal } from "@preact/signals";
import { shellWord } from "../../http/shell-word.ts";
import type { AnswerOf, TOOLS } from "../../planes/devnet/declarations.ts";
import { Badge, Panel } from "../components/panel.tsx";
import { Command, Empty } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { head, postToNode, RequestFailure, readAgain } from "../data/node.ts";
import { useRead } from "../data/read.ts";
import { count } from "../format.ts";
import { placed } from "./snapshot-tree.ts";

/** More would be a long list: the newest are shown. */
const SHOWN = 60;

export function Snapshots() {
  const failure = useSignal("");
  /** The snapshot whose button was pressed once. */
  const unconfirmed = useSignal("");
  const { data } = useRead<AnswerOf<typeof TOOLS.snapshots>>("/devnet/snapshots", { isOfNode: true });
  const run = async (path: string, body: object) => {
    failure.value = "";
    try {
      await postToNode(path, body);
      // A snapshot makes no block that would let the view read again.
      readAgain();
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      failure.value = error.message;
    }
  };
  const rows = placed(data?.snapshots ?? []);
  const shown = rows.slice(-SHOWN);
  const least = Math.min(...shown.map(({ depth }) => depth));
  const current = data?.snapshots.find(({ snapshot }) => snapshot === data.current);
  return (
    <Panel
      title="Snapshots"
      more={
        <button type="button" class="small" onClick={() => run("/devnet/snapshot", {})}>
          snapshot
        </button>
      }
    >
      {data?.snapshots.length === 0 && (
        <Empty title="No snapshot yet" command="lyra devnet snapshot">
          The whole chain is remembered as it is, and you can go back to it.
        </Empty>
      )}
      {rows.length > shown.length && (
        <p class="muted">
          The newest {shown.length} of {count(rows.length)}.
        </p>
      )}
      <ul class="snapshots" aria-label="Tree of snapshots">
        {shown.map(({ row, depth }) => (
          <li
            key={row.snapshot}
            class={row.usable ? undefined : "gone"}
            style={{ marginLeft: `${(depth - least) * 1.2}rem` }}
          >
            <span>
              <strong>{row.snapshot}</strong> block <span class="number">{count(Number(row.height))}</span>{" "}
              {row.time !== undefined && <Time at={row.time} />}
            </span>
            {row.usable ? (
              <>
                <Command text={`lyra devnet revert ${shellWord(row.snapshot)}`} />
                <button
                  type="button"
                  class="small"
                  onBlur={() => (unconfirmed.value = "")}
                  onClick={() => {
                    const isSure = unconfirmed.value === row.snapshot;
                    unconfirmed.value = isSure ? "" : row.snapshot;
                    if (isSure) void run("/devnet/revert", { snapshot: row.snapshot });
                  }}
                >
                  {unconfirmed.value === row.snapshot
                    ? `Yes, drop the blocks after ${count(Number(row.height))}`
                    : "Go back"}
                </button>
              </>
            ) : (
              <span class="muted">gone: the chain went back to one before it</span>
            )}
          </li>
        ))}
        {current !== undefined && head.value !== undefined && (
          <li class="now">
            <Badge tone="good">now</Badge> block <span class="number">{count(head.value.height)}</span>,{" "}
            {count(Math.max(0, head.value.height - Number(current.height)))} after snapshot {current.snapshot}
          </li>
        )}
      </ul>
      {data !== undefined && data.snapshots.length > 0 && <Command text="lyra devnet snapshot" />}
      {failure.value !== "" && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </Panel>
  );
}
