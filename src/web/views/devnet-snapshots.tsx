// Snapshots that this page has made, and the way back to each. The list is kept by the browser's tab.
import { signal, useSignal } from "@preact/signals";
import { Panel } from "../components/panel.tsx";
import { Command, Empty } from "../components/states.tsx";
import { chainId, head, postToNode, RequestFailure } from "../data/node.ts";
import { count } from "../format.ts";

interface Snapshot {
  readonly id: string;
  readonly height: number;
  readonly chainId: string;
}

const KEY = "lyra.snapshots";

function stored(): Snapshot[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as Snapshot[];
  } catch {
    return [];
  }
}

const snapshots = signal<readonly Snapshot[]>(stored());

function keep(list: readonly Snapshot[]): void {
  snapshots.value = list;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(list));
  } catch {
    // A browser may refuse to keep it.
  }
}

export function Snapshots() {
  const failure = useSignal("");
  const run = async (action: () => Promise<void>) => {
    failure.value = "";
    try {
      await action();
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      failure.value = error.message;
    }
  };
  const take = () =>
    run(async () => {
      const { snapshot } = await postToNode<{ snapshot: string }>("/devnet/snapshot", {});
      keep([...snapshots.value, { id: snapshot, height: head.value?.height ?? 0, chainId: chainId.value }]);
    });
  const goBack = ({ id }: Snapshot) =>
    run(async () => {
      await postToNode("/devnet/revert", { snapshot: id });
      // Later ones are gone with the blocks after this one.
      const at = snapshots.value.findIndex((each) => each.id === id);
      keep(snapshots.value.slice(0, at + 1));
    });
  const own = snapshots.value.filter((each) => each.chainId === chainId.value);
  return (
    <Panel
      title="Snapshots"
      more={
        <button type="button" class="small" onClick={take}>
          snapshot
        </button>
      }
    >
      {own.length === 0 && (
        <Empty title="No snapshot of this tab yet" command="lyra devnet snapshot">
          The whole chain is remembered as it is, and you can go back to it.
        </Empty>
      )}
      <ol class="snapshots">
        {own.map((each) => (
          <li key={each.id}>
            <span>
              Block <span class="number">{count(each.height)}</span>
            </span>
            <Command text={`lyra devnet revert ${each.id}`} />
            <button type="button" class="small" onClick={() => goBack(each)}>
              Go back
            </button>
          </li>
        ))}
      </ol>
      {failure.value !== "" && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </Panel>
  );
}
