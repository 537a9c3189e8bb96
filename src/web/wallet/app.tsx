// The frame of the wallet's page: the request to answer on top, then wallets, connections and the log.
import { useEffect } from "preact/hooks";
import { Panel } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { count } from "../format.ts";
import { nextTheme, theme } from "../shell/theme.ts";
import { Approval } from "./approval.tsx";
import { Activity, Connections } from "./lists.tsx";
import { closeSession, refusal, sessionState, walletState } from "./session.ts";
import { Wallets } from "./wallets.tsx";

export function WalletApp() {
  const session = sessionState.value;
  const waiting = walletState.value?.waiting ?? 0;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Lyra wallet` : "Lyra wallet";
  }, [waiting]);
  return (
    <>
      <header class="bar">
        <span class="brand">
          <span>Lyra wallet</span>
        </span>
        <span class={`dot ${session}`} role="img" aria-label={WORDS[session]} title={WORDS[session]} />
        <span class="muted">{WORDS[session]}</span>
        <div class="bar-end wallet-end">
          <button type="button" onClick={nextTheme}>
            Theme: {theme.value}
          </button>
          {session === "open" && (
            <button type="button" onClick={closeSession}>
              Close
            </button>
          )}
        </div>
      </header>
      <div class="notice" role="status" aria-live="polite">
        {session === "away" && <p>The wallet went away. Trying again…</p>}
      </div>
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">Lyra wallet</h1>
        <Content />
      </main>
    </>
  );
}

const WORDS = { opening: "opening", open: "connected", away: "no connection", none: "not open" } as const;

function Content() {
  const state = walletState.value;
  if (sessionState.value === "none")
    return (
      <Empty title="This page opens by a link" command="lyra wallet session page">
        The command prints it; each link works once. {refusal.value}
      </Empty>
    );
  if (state === undefined) return <div class="loading" aria-busy="true" />;
  const { request, queue, waiting, outcomes } = state;
  return (
    <div class="grid">
      {request === null ? (
        <Panel title="Requests" isWide>
          <Empty title="No request waits">
            Requests of sites are answered here, and in the terminal that serves.
          </Empty>
        </Panel>
      ) : (
        <Approval key={request.id} request={request} />
      )}
      {queue.length > 0 && (
        <Panel title={`${count(waiting - 1)} more`} isWide>
          <ul>
            {queue.map(({ id, origin, kind }) => (
              <li key={id}>
                {origin} <span class="muted">{kind}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {outcomes.length > 0 && (
        <Panel title="Approved here" isWide>
          <div role="status">
            <ul>
              {outcomes.map(({ id, text }) => (
                <li key={id}>{text}</li>
              ))}
            </ul>
          </div>
        </Panel>
      )}
      <Wallets state={state} />
      <Connections state={state} />
      <Activity />
    </div>
  );
}
