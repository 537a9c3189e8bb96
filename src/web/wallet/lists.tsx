// Connections of sites, and the log of decisions.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PageActivity, PageState } from "../../http/wallet-page-bodies.ts";
import { Id } from "../components/id.tsx";
import { Badge, Panel } from "../components/panel.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { visible } from "../format.ts";
import { useAttempts } from "./attempt.ts";
import { callWallet, walletState } from "./session.ts";

type Connection = PageState["connections"][number];

export function Connections({ state }: { readonly state: PageState }) {
  const { failure, attempt } = useAttempts();
  const columns: readonly Column<Connection>[] = [
    { title: "Site", cell: ({ hostname }) => visible(hostname), isWide: true },
    { title: "Wallet", cell: ({ wallet }) => visible(wallet) },
    { title: "Since", cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
    { title: "After a restart", cell: ({ isKept }) => (isKept ? "stays" : "ends"), isMinor: true },
    {
      title: "End",
      cell: ({ hostname }) => (
        <button type="button" onClick={() => attempt(() => callWallet("/revoke", { hostname }))}>
          End
        </button>
      ),
    },
  ];
  return (
    <Panel title="Connected sites" isWide>
      {failure.value !== "" && <Failure text={failure.value} />}
      <Table
        label="Connected sites"
        columns={columns}
        rows={{ data: state.connections, failure: undefined }}
        keyOf={({ hostname, wallet }) => `${hostname} ${wallet}`}
        empty={<Empty title="No site is connected">A site asks for a connection by itself.</Empty>}
      />
    </Panel>
  );
}

type Entry = PageActivity["entries"][number];

export function Activity() {
  const entries = useSignal<readonly Entry[] | undefined>(undefined);
  const failure = useSignal("");
  const version = walletState.value?.version;
  useEffect(() => {
    let isOver = false;
    callWallet<PageActivity>("/activity").then(
      (answer) => {
        if (isOver) return;
        entries.value = answer.entries;
        failure.value = "";
      },
      (error: Error) => {
        if (!isOver) failure.value = error.message;
      },
    );
    return () => {
      isOver = true;
    };
  }, [version]);
  const columns: readonly Column<Entry>[] = [
    { title: "Time", cell: ({ time }) => <Time at={time} /> },
    { title: "Site", cell: ({ hostname }) => visible(hostname), isWide: true },
    { title: "Request", cell: (entry) => requestOf(entry) },
    {
      title: "Outcome",
      cell: ({ outcome, hash }) => (
        <Badge tone={TONES[outcome] ?? "plain"}>
          {outcome === "done" && hash !== undefined ? "sent" : outcome}
        </Badge>
      ),
    },
    { title: "Hash", cell: ({ hash }) => <Id id={visible(hash ?? "")} />, isMinor: true },
  ];
  if (failure.value !== "") return <Failure text={failure.value} />;
  return (
    <Panel title="Signed and sent" isWide>
      <Table
        label="Decisions"
        columns={columns}
        rows={{ data: entries.value, failure: undefined }}
        empty={<Empty title="Nothing was asked for yet">Requests and their outcomes are listed here.</Empty>}
      />
    </Panel>
  );
}

const TONES: Readonly<Partial<Record<string, "good" | "bad">>> = {
  done: "good",
  approved: "good",
  failed: "bad",
  rejected: "bad",
};

function requestOf({ kind, purpose, command }: Entry): string {
  if (kind !== "transaction") return kind;
  const [name = ""] = Object.keys((command ?? {}) as object);
  return `${purpose} ${visible(name)}`;
}
