// The search box: any hash, key, identifier, name or height, and what it is.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Matches } from "../../http/chain-bodies.ts";
import { Words } from "../components/words.tsx";
import { partiesNamed } from "../data/names.ts";
import { addresses, get } from "../data/node.ts";
import { shortId } from "../format.ts";
import { VIEWS } from "../views.ts";
import { SEARCH_ID } from "./keys.tsx";
import { go } from "./router.ts";

/** A view is opened by its path alone. */
type Match =
  | Matches["matches"][number]
  | { readonly kind: "view"; readonly id: string; readonly title: string };
const LIST_ID = "search-matches";
/** After the last key. */
const PAUSE_MS = 150;

export function Search() {
  const text = useSignal("");
  const matches = useSignal<readonly Match[] | undefined>(undefined);
  const at = useSignal(0);
  const isOpen = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const query = text.value.trim();
  useEffect(() => {
    matches.value = undefined;
    if (query === "") return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      get<Matches>(`/lyra/v1/search?query=${encodeURIComponent(query)}`, abort.signal).then(
        (answer) => {
          const parties = partiesNamed(query).map((match) => ({ kind: "party" as const, ...match }));
          matches.value = [...viewsNamed(query), ...parties, ...answer.matches];
          at.value = 0;
        },
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  const list = matches.value;
  const leave = () => {
    isOpen.value = false;
    input.current?.blur();
  };
  const open = (match: Match | undefined) => {
    if (match === undefined) return;
    text.value = "";
    leave();
    if (match.kind === "view") go(match.id);
    else go(match.kind, match.id);
  };
  const onKey = (event: KeyboardEvent) => {
    const last = (list?.length ?? 0) - 1;
    if (event.key === "ArrowDown") at.value = Math.min(last, at.value + 1);
    else if (event.key === "ArrowUp") at.value = Math.max(0, at.value - 1);
    else if (event.key === "Enter") open(list?.[at.value]);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  };
  const isShown = isOpen.value && query !== "" && list !== undefined;
  return (
    <search class="search">
      <input
        ref={input}
        id={SEARCH_ID}
        type="text"
        placeholder="Search: hash, key, id, name or height"
        aria-label="Search a hash, key, identifier, name or height"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={LIST_ID}
        aria-activedescendant={isShown && list.length > 0 ? `${LIST_ID}-${at.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          isOpen.value = true;
        }}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={onKey}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
      <div id={LIST_ID} class="matches" role="listbox" aria-label="Matches" hidden={!isShown}>
        {list?.length === 0 && <p class="muted">Nothing here has this hash, identifier, name or height.</p>}
        {list?.map((match, n) => (
          <div
            key={`${match.kind} ${match.id}`}
            id={`${LIST_ID}-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === at.value}
            onPointerDown={(event) => {
              event.preventDefault();
              open(match);
            }}
            onPointerEnter={() => (at.value = n)}
          >
            <span class="kind">{match.kind}</span>
            <span class="match-title">
              <Words text={match.title} isPlain />
            </span>
            <span class="number muted">{match.kind === "view" ? "" : shortId(match.id)}</span>
          </div>
        ))}
      </div>
    </search>
  );
}

/** Views of the navigation whose titles begin so. */
function viewsNamed(text: string): Match[] {
  return VIEWS.filter(
    ({ nav, only, title }) =>
      nav &&
      (only === undefined || only === addresses.value?.kind) &&
      title.toLowerCase().startsWith(text.toLowerCase()),
  ).map(({ path, title }) => ({ kind: "view", id: path, title }));
}
