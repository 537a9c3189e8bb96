// A form that has one command signed: by a key of a wallet, or by a party of a devnet. All forms that send share it.
import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { shellWord } from "../../http/shell-word.ts";
import { DEFAULT_WALLET_PORT, WALLET_PORT_QUERY } from "../../http/wallet-address.ts";
import { marketOf } from "../data/names.ts";
import { addresses, get, nodeOrigin, postToNode, reverts } from "../data/node.ts";
import { useOfThisChain } from "../data/read.ts";
import {
  choose,
  outcomeOfSent,
  type Sending,
  type Signer,
  send,
  signer,
  signerId,
  signers,
} from "../data/signing.ts";
import { connectWallet, disconnectWallet, WalletFailure, walletHost, walletKeys } from "../data/wallet.ts";
import { count, shortId } from "../format.ts";
import { link, path } from "../shell/router.ts";
import type { EffectsOf } from "./effects.tsx";
import { Id } from "./id.tsx";
import { type OrderRow, orderWords } from "./order-words.ts";
import { Command, Hint } from "./states.tsx";

interface SignedFormProps {
  readonly title: string;
  /** As JSON, such as `{voteSubmission: {...}}`; undefined while a field lacks or is wrong. */
  readonly command: object | undefined;
  readonly children: ComponentChildren;
  /** Beside the button that sends. */
  readonly more?: ComponentChildren;
  readonly hold?: Hold;
}

/** Keeps a command that depends on the effect of the last one from being sent before that has ended. */
interface Hold {
  readonly isHeld: boolean;
  readonly onSent: () => void;
  /** The transaction had no effect, or no block has it for some minutes. */
  readonly onRefused: () => void;
}

export function SignedForm({ title, command, children, more, hold }: SignedFormProps) {
  const { sending, sendBy } = useSending();
  const id = useId();
  const by = signer();
  const written = command === undefined ? "" : JSON.stringify(command);
  const isHeld = hold?.isHeld === true;
  // The message speaks of the values that were sent. After an amendment the order has them: nothing is left to send.
  const isOfThese = isHeld || (hold !== undefined && written === "");
  useEffect(() => {
    if (sending.value?.stage !== "waiting" && !isOfThese) sending.value = undefined;
  }, [written, by && signerId(by)]);
  const isWaiting = sending.value?.stage === "waiting" || isHeld;
  const submit = async (event: Event) => {
    event.preventDefault();
    const isConnecting = connecting.value?.stage === "asking";
    if (command === undefined || by === undefined || isWaiting || isConnecting) return;
    await sendBy(by, command);
    if (sending.value?.stage === "sent") hold?.onSent();
  };
  return (
    <form class="panel ticket" aria-labelledby={id} onSubmit={submit}>
      <h2 id={id}>{title}</h2>
      <SignedBy />
      {by !== undefined && (
        <>
          {children}
          {/* A person who is about to sign by a wallet does not send by a devnet's party meanwhile. */}
          <button
            type="submit"
            disabled={command === undefined || isWaiting || connecting.value?.stage === "asking"}
          >
            Send
          </button>
          {more}
          <Progress sending={sending} onRefused={hold?.onRefused} />
          {by.kind === "party" && command !== undefined && (
            <Command
              text={`lyra devnet impersonate ${shellWord(by.title)} ${shellWord(JSON.stringify(command))}`}
            />
          )}
        </>
      )}
    </form>
  );
}

/** Sends a command at a time. A wallet's request is taken back when its form goes, or a devnet's blocks do. */
export function useSending() {
  const sending = useOfThisChain<Sending | undefined>(undefined);
  const last = useRef<AbortController>(undefined);
  const turn = reverts.value;
  useEffect(() => () => last.current?.abort(), [turn]);
  const sendBy = (by: Signer, command: object) => {
    const abort = new AbortController();
    last.current = abort;
    return send(by, command, abort.signal, (next) => {
      if (!abort.signal.aborted) sending.value = next;
    });
  };
  return { sending, sendBy };
}

/** The choice of who signs, and the wallet's connection. */
function SignedBy() {
  const all = signers();
  const current = signer();
  const titleOf = ({ kind, title, publicKey }: Signer) =>
    kind === "party" ? title : `${title} ${shortId(publicKey)} (wallet)`;
  return (
    <>
      {current !== undefined && (
        <label>
          Signed by
          <select value={signerId(current)} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {all.map((each) => (
              <option key={signerId(each)} value={signerId(each)}>
                {titleOf(each)}
              </option>
            ))}
          </select>
        </label>
      )}
      <WalletConnection />
    </>
  );
}

type Connecting =
  | { readonly stage: "asking"; readonly isForKeys: boolean; readonly abort: AbortController }
  | { readonly stage: "failed"; readonly failure: WalletFailure; readonly place: string };
/** Shared by all forms. */
const connecting = signal<Connecting | undefined>(undefined);

async function connect(): Promise<void> {
  const abort = new AbortController();
  connecting.value = { stage: "asking", isForKeys: false, abort };
  try {
    await connectWallet(abort.signal, () => {
      connecting.value = { stage: "asking", isForKeys: true, abort };
    });
    connecting.value = undefined;
    const first = signers().find(({ kind }) => kind === "wallet");
    choose(first === undefined ? "" : signerId(first));
  } catch (error) {
    if (!(error instanceof WalletFailure)) throw error;
    connecting.value =
      error.kind === "cancelled" ? undefined : { stage: "failed", failure: error, place: path.value };
  }
}

function WalletConnection() {
  const state = connecting.value;
  if (walletKeys() !== undefined)
    return (
      <button type="button" onClick={disconnectWallet} title={`The wallet at ${walletHost}`}>
        Disconnect the wallet
      </button>
    );
  if (state?.stage === "asking")
    return (
      <p class="wallet-line" role="status">
        {state.isForKeys
          ? "Connected. Now approve that this page sees your keys, in the wallet's terminal or on its page."
          : "Approve the connection in the wallet: in its terminal, or on its page."}{" "}
        <button type="button" class="small" onClick={() => state.abort.abort()}>
          Stop asking
        </button>
      </p>
    );
  return (
    <>
      <button type="button" onClick={connect}>
        Connect a wallet
      </button>
      {state?.place === path.value && <ConnectionFailure failure={state.failure} />}
    </>
  );
}

function ConnectionFailure({ failure }: { readonly failure: WalletFailure }) {
  const port = useSignal("");
  const usePort = () => {
    const query = new URLSearchParams(location.search);
    query.set(WALLET_PORT_QUERY, port.value);
    location.search = query.toString();
  };
  if (failure.kind !== "away")
    return (
      <p class="wallet-line bad" role="alert">
        {failure.message}
      </p>
    );
  return (
    <div class="wallet-line" role="alert">
      <span class="bad">{failure.message}</span> This starts one: <Command text={serveCommand()} />
      <span class="port">
        <label>
          Its port, if another{" "}
          <input
            type="text"
            inputMode="numeric"
            pattern="[1-9][0-9]{0,4}"
            maxLength={5}
            value={port.value}
            placeholder={String(DEFAULT_WALLET_PORT)}
            onInput={({ currentTarget }) => (port.value = currentTarget.value)}
          />
        </label>
        <button type="button" disabled={!/^[1-9]\d{0,4}$/.test(port.value)} onClick={usePort}>
          Use it
        </button>
      </span>
    </div>
  );
}

function serveCommand(): string {
  const hasNodePort = addresses.value?.listening.some(({ name }) => name === "node") === true;
  const { port } = new URL(`http://${walletHost}`);
  const words = Number(port) === DEFAULT_WALLET_PORT ? "" : ` --wallet-port ${port}`;
  return `lyra wallet serve --node-url ${hasNodePort ? nodeOrigin() : "NODE_URL"}${words}`;
}

interface ProgressProps {
  readonly sending: Signal<Sending | undefined>;
  readonly onRefused?: Hold["onRefused"] | undefined;
}

/** The stages of a command on its way. */
export function Progress({ sending, onRefused }: ProgressProps) {
  const state = sending.value;
  return (
    <div class={state?.stage === "failed" ? "ticket-message bad" : "ticket-message"} role="status">
      {state?.stage === "waiting" &&
        (state.by === "party" ? (
          "Sending…"
        ) : (
          <>
            It waits for your answer in the wallet: in its terminal, or on its page.{" "}
            <button type="button" class="small" onClick={state.cancel}>
              Stop asking
            </button>
          </>
        ))}
      {state?.stage === "failed" && state.text}
      {state?.stage === "failed" && <Hint text={state.hint} />}
      {state?.stage === "sent" && (
        <Sent key={state.hash} hash={state.hash} height={state.height} onRefused={onRefused} />
      )}
    </div>
  );
}

/** Of either API. */
type StoryOf = Pick<EffectsOf, "events"> & { readonly party?: string; readonly submitter?: string };

/** The fate of an order, by the rows that its transaction made. */
function OrderOutcome({ hash, isSigned }: { readonly hash: string; readonly isSigned: boolean }) {
  const order = useSignal<OrderRow | undefined>(undefined);
  useEffect(() => {
    const reading = isSigned
      ? get<StoryOf>(`/lyra/v1/transactions/${hash}`)
      : postToNode<StoryOf>("/devnet/transaction", { hash });
    reading.then(
      ({ events, party, submitter }) => {
        const { data = [] } = events.find(({ table }) => table === "orders") ?? {};
        // The others are those that it traded with.
        order.value = (data as readonly OrderRow[]).findLast((row) => row.partyId === (party ?? submitter));
      },
      () => {},
    );
  }, [hash]);
  const market = marketOf(order.value?.marketId);
  if (order.value === undefined || market === undefined) return null;
  return <>. {orderWords(order.value, market.positionDecimals)}</>;
}

interface Outcome {
  readonly height: number;
  /** Empty where it was executed. */
  readonly refusal: string;
}

interface SentProps extends Pick<ProgressProps, "onRefused"> {
  readonly hash: string;
  readonly height: number | undefined;
}

function Sent({ hash, height, onRefused }: SentProps) {
  const outcome = useSignal<Outcome | undefined>(height === undefined ? undefined : { height, refusal: "" });
  const isGivenUp = useSignal(false);
  useEffect(() => {
    if (height !== undefined) return undefined;
    const abort = new AbortController();
    outcomeOfSent(hash, abort.signal).then(
      (sent) => {
        if (sent === undefined) isGivenUp.value = true;
        else
          outcome.value = {
            height: sent.height,
            refusal: sent.code === 0 ? "" : sent.error || `code ${sent.code}`,
          };
        if (sent === undefined || sent.code !== 0) onRefused?.();
      },
      () => {},
    );
    return () => abort.abort();
  }, [hash, height]);
  const { value } = outcome;
  return (
    <>
      Sent as <Id id={hash} kind="transaction" isBare />
      {value === undefined ? (
        isGivenUp.value ? (
          ": not in a block yet"
        ) : (
          ": waiting for its block"
        )
      ) : (
        <>
          , <a href={link("block", value.height)}>in block {count(value.height)}</a>
          {value.refusal === "" ? (
            <OrderOutcome hash={hash} isSigned={height === undefined} />
          ) : (
            <span class="bad">: refused, {value.refusal}</span>
          )}
        </>
      )}
    </>
  );
}
