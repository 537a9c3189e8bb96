// Wallets with their keys and balances, and the form that asks for a transfer.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PagePreview, PageSending, PageState, PageWallet } from "../../http/wallet-page-bodies.ts";
import { Choice, TextField } from "../components/fields.tsx";
import { Id } from "../components/id.tsx";
import { Badge, Facts, Panel } from "../components/panel.tsx";
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

const PREVIEW_MS = 300;
type Outcome = { readonly isSent: boolean; readonly text: string };

function Send({ wallet }: { readonly wallet: PageWallet }) {
  const usable = wallet.keys.filter(({ isTainted }) => !isTainted);
  const amount = useSignal("");
  const asset = useSignal("");
  const to = useSignal("");
  const chosen = useSignal("");
  const outcome = useSignal<Outcome | undefined>(undefined);
  const isBusy = useSignal(false);
  const key = (usable.find(({ publicKey }) => publicKey === chosen.value) ?? usable[0])?.publicKey ?? "";
  const sending: PageSending = {
    wallet: wallet.name,
    ...{ key, amount: amount.value.trim(), asset: asset.value.trim(), to: to.value.trim() },
  };
  const isWhole = Object.values(sending).every((value) => value !== "");
  const preview = usePreview(isWhole && !isBusy.value ? sending : undefined);
  const send = async (event: Event) => {
    event.preventDefault();
    if (!isWhole || isBusy.value) return;
    isBusy.value = true;
    outcome.value = { isSent: true, text: "It waits for your answer above." };
    try {
      const { hash } = await callWallet<{ hash: string }>("/send", sending);
      outcome.value = { isSent: true, text: `Sent as ${visible(hash)}` };
      amount.value = "";
    } catch (error) {
      outcome.value = { isSent: false, text: error instanceof Error ? error.message : String(error) };
    }
    isBusy.value = false;
  };
  return (
    <form class="ticket" onSubmit={send} aria-label={`Send from ${visible(wallet.name)}`}>
      <TextField label="Send" value={amount} hint="5" isNumber maxLength={100} />
      <TextField label="of" value={asset} hint="tUSD" maxLength={300} />
      <TextField label="to" value={to} hint="key, or name of a key" maxLength={300} isLong />
      <Choice
        label="from"
        value={key}
        onChange={(next) => (chosen.value = next)}
        options={usable.map(({ name, publicKey }) => [publicKey, visible(name)] as const)}
      />
      <button type="submit" disabled={isBusy.value || !isWhole}>
        Ask
      </button>
      {preview !== undefined && <Preview preview={preview} />}
      {outcome.value?.isSent === true && (
        <p class="wallet-line muted" role="status">
          {outcome.value.text}
        </p>
      )}
      {outcome.value?.isSent === false && <Failure text={outcome.value.text} />}
    </form>
  );
}

/** Costs of the sending, or why it would be refused; of the words as they stand, a moment after they were typed. */
function usePreview(sending: PageSending | undefined): PagePreview | string | undefined {
  const answer = useSignal<{ readonly of: string; readonly preview: PagePreview | string } | undefined>(
    undefined,
  );
  const words = sending === undefined ? "" : JSON.stringify(sending);
  useEffect(() => {
    if (words === "") return undefined;
    let isOver = false;
    const keep = (preview: PagePreview | string) => {
      if (!isOver) answer.value = { of: words, preview };
    };
    const timer = setTimeout(() => {
      callWallet<PagePreview>("/preview", JSON.parse(words) as PageSending).then(keep, (error: Error) =>
        keep(error.message),
      );
    }, PREVIEW_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [words]);
  return answer.value?.of === words ? answer.value.preview : undefined;
}

function Preview({ preview }: { readonly preview: PagePreview | string }) {
  if (typeof preview === "string")
    return (
      <p class="wallet-line muted" role="status">
        {preview}
      </p>
    );
  return (
    <div class="wallet-line preview" role="status">
      <p>{preview.title}</p>
      <Facts rows={preview.balances} />
      {preview.warnings.map((warning) => (
        <p key={warning} class="bad">
          {warning}
        </p>
      ))}
    </div>
  );
}
