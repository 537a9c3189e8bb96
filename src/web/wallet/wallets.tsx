// Wallets with their keys and balances, and the form that asks for a transfer.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PageState, PageWallet } from "../../http/wallet-page-bodies.ts";
import { Id } from "../components/id.tsx";
import { Badge, Panel } from "../components/panel.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { visible } from "../format.ts";
import { callWallet, walletState } from "./session.ts";

export function Wallets({ state }: { readonly state: PageState }) {
  if (state.wallets.length === 0)
    return <Empty title="There is no wallet yet" command="lyra wallet create NAME" />;
  return (
    <>
      {state.wallets.map(({ name, isUnlocked }) => (
        <Panel key={name} title={visible(name)} isWide more={<Lock name={name} isUnlocked={isUnlocked} />}>
          {isUnlocked ? <Keys name={name} /> : <Unlock name={name} />}
        </Panel>
      ))}
    </>
  );
}

function Lock({ name, isUnlocked }: { readonly name: string; readonly isUnlocked: boolean }) {
  if (!isUnlocked) return <Badge tone="plain">locked</Badge>;
  return (
    <button type="button" onClick={() => callWallet("/lock", { wallet: name }).catch(() => {})}>
      Lock
    </button>
  );
}

function Unlock({ name }: { readonly name: string }) {
  const input = useRef<HTMLInputElement>(null);
  const failure = useSignal("");
  const isBusy = useSignal(false);
  const unlock = async (event: SubmitEvent) => {
    event.preventDefault();
    const passphrase = input.current!.value;
    input.current!.value = "";
    isBusy.value = true;
    try {
      await callWallet("/unlock", { wallet: name, passphrase });
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
    isBusy.value = false;
  };
  return (
    <form class="choices" onSubmit={unlock}>
      <label>
        Passphrase <input type="password" ref={input} autoComplete="off" required />
      </label>
      <button type="submit" disabled={isBusy.value}>
        Unlock
      </button>
      {failure.value !== "" && <Failure text={failure.value} />}
    </form>
  );
}

function Keys({ name }: { readonly name: string }) {
  const wallet = useSignal<PageWallet | undefined>(undefined);
  const failure = useSignal("");
  const version = walletState.value?.version;
  useEffect(() => {
    let isOver = false;
    callWallet<PageWallet>(`/wallet?name=${encodeURIComponent(name)}`).then(
      (answer) => {
        if (!isOver) wallet.value = answer;
      },
      (error: Error) => {
        if (!isOver) failure.value = error.message;
      },
    );
    return () => {
      isOver = true;
    };
  }, [name, version]);
  if (failure.value !== "") return <Failure text={failure.value} />;
  if (wallet.value === undefined) return <div class="loading" aria-busy="true" />;
  return (
    <>
      {wallet.value.keys.map(({ name: title, publicKey, isTainted, balances }) => (
        <div key={publicKey} class="wallet-key">
          <p>
            <strong>{visible(title)}</strong> <Id id={publicKey} isLong />{" "}
            {isTainted && <Badge tone="bad">tainted</Badge>}
          </p>
          {balances === null && <p class="muted">No node says what it has.</p>}
          {balances?.length === 0 && <p class="muted">Nothing yet.</p>}
          <ul>
            {balances?.map(({ asset, text }) => (
              <li key={asset} class="number">
                {text}
              </li>
            ))}
          </ul>
        </div>
      ))}
      <Send wallet={wallet.value} />
    </>
  );
}

function Send({ wallet }: { readonly wallet: PageWallet }) {
  const form = useRef<HTMLFormElement>(null);
  const outcome = useSignal<{ readonly isSent: boolean; readonly text: string } | undefined>(undefined);
  const isBusy = useSignal(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(form.current!);
    const field = (name: string) => String(fields.get(name) ?? "").trim();
    isBusy.value = true;
    outcome.value = { isSent: true, text: "It waits for your answer above." };
    try {
      const { hash } = await callWallet<{ hash: string }>("/send", {
        wallet: wallet.name,
        ...{ key: field("key"), amount: field("amount"), asset: field("asset"), to: field("to") },
      });
      outcome.value = { isSent: true, text: `Sent as ${hash}` };
      form.current?.reset();
    } catch (error) {
      outcome.value = { isSent: false, text: error instanceof Error ? error.message : String(error) };
    }
    isBusy.value = false;
  };
  const usable = wallet.keys.filter(({ isTainted }) => !isTainted);
  return (
    <form class="choices" ref={form} onSubmit={send} aria-label={`Send from ${wallet.name}`}>
      <label>
        Send <input type="text" name="amount" inputMode="decimal" placeholder="5" required size={10} />
      </label>
      <label>
        of <input type="text" name="asset" placeholder="tUSD" required size={10} />
      </label>
      <label>
        to <input type="text" name="to" placeholder="key, or name of a key" required size={28} />
      </label>
      <label>
        from{" "}
        <select name="key">
          {usable.map(({ name, publicKey }) => (
            <option key={publicKey} value={publicKey}>
              {visible(name)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={isBusy.value}>
        Ask
      </button>
      {outcome.value?.isSent === true && (
        <p class="muted" role="status">
          {outcome.value.text}
        </p>
      )}
      {outcome.value?.isSent === false && <Failure text={outcome.value.text} />}
    </form>
  );
}
