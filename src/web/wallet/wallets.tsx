// Wallets with their keys and balances, and the form that asks for a transfer.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type {
  PageBalance,
  PagePreview,
  PageSending,
  PageState,
  PageWallet,
} from "../../http/wallet-page-bodies.ts";
import { SelectField, TextField } from "../components/fields.tsx";
import { Id } from "../components/id.tsx";
import { Badge, Facts, Panel } from "../components/panel.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { shortId, visible } from "../format.ts";
import { useAttempts } from "./attempt.ts";
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
  const { failure, attempt } = useAttempts();
  if (!isUnlocked) return <Badge tone="plain">locked</Badge>;
  return (
    <>
      {failure.value !== "" && <Failure text={failure.value} />}
      <button type="button" onClick={() => attempt(() => callWallet("/lock", { wallet: name }))}>
        Lock
      </button>
    </>
  );
}

function Unlock({ name }: { readonly name: string }) {
  const input = useRef<HTMLInputElement>(null);
  const { failure, attempt } = useAttempts();
  const isBusy = useSignal(false);
  const unlock = async (event: SubmitEvent) => {
    event.preventDefault();
    const passphrase = input.current!.value;
    input.current!.value = "";
    isBusy.value = true;
    await attempt(() => callWallet("/unlock", { wallet: name, passphrase }));
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
  const look = useLooks();
  useEffect(() => {
    let isOver = false;
    callWallet<PageWallet>(`/wallet?name=${encodeURIComponent(name)}`).then(
      (answer) => {
        if (isOver) return;
        wallet.value = answer;
        failure.value = "";
      },
      (error: Error) => {
        if (!isOver) failure.value = error.message;
      },
    );
    return () => {
      isOver = true;
    };
  }, [name, version, look]);
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

const LOOK_MS = 10_000;
/** A page that comes to front is seen and in focus, one event after the other. */
const FRONT_MS = 100;

/** A number that changes when balances are to be read again: when the page comes to front, and now and then while it is seen. */
function useLooks(): number {
  const looks = useSignal(0);
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        if (document.visibilityState === "visible") looks.value++;
      }, FRONT_MS);
    };
    const timer = setInterval(look, LOOK_MS);
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return looks.value;
}

const PREVIEW_MS = 300;
interface Outcome {
  readonly isSent: boolean;
  readonly text: string;
  /** The words that were sent: a refusal is of these alone. */
  readonly of: string;
}

/** Its symbol, and its identifier where two have the same. */
function assetChoices(balances: readonly PageBalance[]): (readonly [string, string])[] {
  const titleOf = ({ asset, symbol }: PageBalance) => visible(symbol || shortId(asset));
  return balances.map((balance) => {
    const title = titleOf(balance);
    const isUnique = balances.filter((other) => titleOf(other) === title).length === 1;
    return [balance.asset, isUnique ? title : `${title} ${shortId(balance.asset)}`];
  });
}

function Send({ wallet }: { readonly wallet: PageWallet }) {
  const usable = wallet.keys.filter(({ isTainted }) => !isTainted);
  const amount = useSignal("");
  const asset = useSignal("");
  const to = useSignal("");
  const chosen = useSignal("");
  const outcome = useSignal<Outcome | undefined>(undefined);
  const isBusy = useSignal(false);
  const from = usable.find(({ publicKey }) => publicKey === chosen.value) ?? usable[0];
  const key = from?.publicKey ?? "";
  const assets = assetChoices(from?.balances ?? []);
  const isHeld = assets.some(([id]) => id === asset.value);
  const assetWords = assets.length === 0 ? asset.value.trim() : isHeld ? asset.value : assets[0]![0];
  const sending: PageSending = {
    wallet: wallet.name,
    ...{ key, amount: amount.value.trim(), asset: assetWords, to: to.value.trim() },
  };
  const isWhole = Object.values(sending).every((value) => value !== "");
  const words = JSON.stringify(sending);
  const preview = usePreview(isWhole && !isBusy.value ? sending : undefined);
  const send = async (event: Event) => {
    event.preventDefault();
    if (!isWhole || isBusy.value) return;
    isBusy.value = true;
    outcome.value = { isSent: true, text: "It waits for your answer above.", of: words };
    try {
      const { hash } = await callWallet<{ hash: string }>("/send", sending);
      outcome.value = { isSent: true, text: `Sent as ${visible(hash)}`, of: words };
      amount.value = "";
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      outcome.value = { isSent: false, text, of: words };
    }
    isBusy.value = false;
  };
  return (
    <form class="ticket" onSubmit={send} aria-label={`Send from ${visible(wallet.name)}`}>
      <TextField label="Amount" value={amount} isNumber maxLength={100} />
      {assets.length === 0 ? (
        <TextField label="Asset" value={asset} maxLength={300} />
      ) : (
        <SelectField
          label="Asset"
          value={assetWords}
          onChange={(next) => (asset.value = next)}
          options={assets}
        />
      )}
      <TextField label="To a key, or a name" value={to} maxLength={300} isLong />
      <SelectField
        label="From"
        value={key}
        onChange={(next) => (chosen.value = next)}
        options={usable.map(({ name, publicKey }) => [publicKey, visible(name)] as const)}
      />
      <button type="submit" disabled={isBusy.value || !isWhole}>
        Review
      </button>
      {preview !== undefined && <Preview preview={preview} />}
      {outcome.value?.isSent === true && (
        <p class="wallet-line muted" role="status">
          {outcome.value.text}
        </p>
      )}
      {outcome.value?.isSent === false && outcome.value.of === words && preview !== outcome.value.text && (
        <Failure text={outcome.value.text} />
      )}
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
