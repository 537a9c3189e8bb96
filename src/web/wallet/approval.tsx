// The request to answer first: the terminal's words, and two buttons of which approving takes a press of half a second.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PageState } from "../../http/wallet-page-bodies.ts";
import { Failure } from "../components/states.tsx";
import { visible } from "../format.ts";
import { useAttempts } from "./attempt.ts";
import { callWallet } from "./session.ts";

type Request = NonNullable<PageState["request"]>;

const TITLES: Readonly<Record<Request["kind"], (request: Request) => string>> = {
  connection: () => "wants to connect to a wallet",
  keys: ({ wallet }) =>
    `wants to see the public keys of ${visible(wallet!)}, and to ask for signatures by them`,
  passphrase: ({ wallet, reason }) => `needs the wallet ${visible(wallet!)}: ${visible(reason!)}`,
  transaction: ({ purpose, words }) => `wants to ${purpose} a transaction: ${words!.title}`,
};

export function Approval({ request }: { readonly request: Request }) {
  const wallet = useSignal(request.wallets?.[0] ?? "");
  const isKept = useSignal(false);
  const keys = useSignal<readonly string[]>(request.keys?.map(({ publicKey }) => publicKey) ?? []);
  const passphrase = useRef<HTMLInputElement>(null);
  const { failure, attempt } = useAttempts();
  const linesLeft = request.words?.left ?? 0;
  const answer = () => ({
    ...(request.kind === "connection" && { wallet: wallet.value, keep: isKept.value }),
    ...(request.kind === "keys" && { allowedKeys: keys.value }),
    ...(request.kind === "passphrase" && { passphrase: passphrase.current!.value }),
  });
  const reject = (reach?: "all" | "site") =>
    attempt(() => callWallet("/reject", { id: request.id, ...(reach !== undefined && { reach }) }));
  return (
    <section class="panel span approval" aria-label="Request">
      <p class="asker">
        <strong>{request.asker}</strong> {TITLES[request.kind](request)}
      </p>
      {request.warnings.map((warning) => (
        <p key={warning} class="refusal">
          {warning}
        </p>
      ))}
      {request.notes.map((note) => (
        <p key={note} class="wallet-line">
          {note}
        </p>
      ))}
      <dl class="facts">
        {linesOf(request).map(([label, value]) => (
          <div key={label + value}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {linesLeft > 0 && <p class="muted">… and {linesLeft} lines more, in the raw form</p>}
      {request.kind === "connection" && (
        <div class="choices">
          <label>
            Wallet{" "}
            <select value={wallet.value} onChange={(event) => (wallet.value = event.currentTarget.value)}>
              {request.wallets!.map((name) => (
                <option key={name} value={name}>
                  {visible(name)}
                </option>
              ))}
            </select>
          </label>
          <label>
            <input
              type="checkbox"
              checked={isKept.value}
              onChange={(event) => (isKept.value = event.currentTarget.checked)}
            />{" "}
            Stay connected after a restart
          </label>
        </div>
      )}
      {request.kind === "keys" && (
        <fieldset class="choices">
          <legend>Keys to show</legend>
          {request.keys!.map(({ name, publicKey }) => (
            <label key={publicKey}>
              <input
                type="checkbox"
                checked={keys.value.includes(publicKey)}
                onChange={() => {
                  const others = keys.value.filter((key) => key !== publicKey);
                  keys.value = others.length === keys.value.length ? [...others, publicKey] : others;
                }}
              />{" "}
              {name} <span class="id">{publicKey}</span>
            </label>
          ))}
        </fieldset>
      )}
      {request.kind === "passphrase" && (
        <label class="choices">
          Passphrase <input type="password" ref={passphrase} autoComplete="off" />
        </label>
      )}
      {request.raw !== undefined && (
        <details class="json">
          <summary>As it is signed</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
          <pre tabIndex={0}>{request.raw}</pre>
        </details>
      )}
      {failure.value !== "" && <Failure text={failure.value} />}
      <div class="answers">
        <button type="button" onClick={() => reject()}>
          Reject
        </button>
        {!request.isOwn && (
          <button type="button" onClick={() => reject("site")}>
            Reject, and block the site
          </button>
        )}
        <button type="button" onClick={() => reject("all")}>
          Reject all that waits
        </button>
        <HoldButton
          id={request.id}
          onFailure={(text) => (failure.value = text)}
          approve={(held) => attempt(() => callWallet("/approve", { ...held, ...answer() }))}
        />
      </div>
    </section>
  );
}

function linesOf({ words, key, place, balances, wallets, wallet, kind }: Request) {
  const lines: (readonly [string, string])[] = [...(words?.lines ?? [])];
  if (key !== undefined) lines.push(["with the key", `${key.name}  ${key.publicKey}`]);
  if (kind === "transaction") lines.push(["wallet", visible(wallet!)]);
  if (kind === "connection" && wallets!.length > 1) lines.push(["wallets", visible(wallets!.join(", "))]);
  return [...lines, ...place, ...(balances ?? [])];
}

interface Held {
  readonly id: string;
  readonly nonce: string;
  readonly press: string;
}

interface HoldProps {
  readonly id: string;
  readonly approve: (held: Held) => void;
  readonly onFailure: (text: string) => void;
}

/** Time beside the wallet's own measure, since answers take a moment to arrive. */
const MARGIN_MS = 60;

/** Counts after the request was visible for a second, and when it is held for half a second. The wallet measures both. */
function HoldButton({ id, approve, onFailure }: HoldProps) {
  const nonce = useSignal("");
  const isReady = useSignal(false);
  const isHeld = useSignal(false);
  const holding = useRef(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let turn = 0;
    const show = async () => {
      const own = ++turn;
      clearTimeout(timer);
      isReady.value = false;
      if (document.visibilityState !== "visible") {
        await callWallet("/hide", {}).catch(() => {});
        return;
      }
      const shown = await callWallet<{ nonce: string; visibleMs: number } | { nonce?: undefined }>("/show", {
        id,
      }).catch(() => undefined);
      if (shown?.nonce === undefined || own !== turn) return;
      nonce.value = shown.nonce;
      timer = setTimeout(() => (isReady.value = true), shown.visibleMs + MARGIN_MS);
    };
    void show();
    document.addEventListener("visibilitychange", show);
    return () => {
      turn = -1;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", show);
    };
  }, [id]);
  const release = () => {
    holding.current++;
    isHeld.value = false;
  };
  const begin = async () => {
    if (!isReady.value || isHeld.value) return;
    isHeld.value = true;
    const own = ++holding.current;
    try {
      const { press, holdMs } = await callWallet<{ press: string; holdMs: number }>("/press", {
        id,
        nonce: nonce.value,
      });
      await new Promise((resolve) => setTimeout(resolve, holdMs + MARGIN_MS));
      if (own !== holding.current) return;
      approve({ id, nonce: nonce.value, press });
    } catch (error) {
      onFailure(error instanceof Error ? error.message : String(error));
    }
    if (own === holding.current) release();
  };
  const isKey = ({ key }: KeyboardEvent) => key === "Enter" || key === " ";
  return (
    <button
      type="button"
      class={isHeld.value ? "approve held" : "approve"}
      disabled={!isReady.value}
      onPointerDown={(event) => event.button === 0 && begin()}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onKeyDown={(event) => {
        if (!isKey(event)) return;
        event.preventDefault();
        if (!event.repeat) void begin();
      }}
      onKeyUp={(event) => isKey(event) && release()}
      onBlur={release}
    >
      {isReady.value ? "Hold to approve" : "A moment…"}
    </button>
  );
}
