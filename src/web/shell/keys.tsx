// The keyboard: `/` searches, `?` lists the keys, `g` and a letter opens a view.
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { VIEWS } from "../views.ts";
import { nextTheme } from "./theme.ts";

export const SEARCH_ID = "search";
/** The second key of `g b` comes within this time. */
const SECOND_KEY_MS = 1_500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function useKeys(isHelpOpen: Signal<boolean>): void {
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSecond = performance.now() - goneAt < SECOND_KEY_MS;
      goneAt = Number.NEGATIVE_INFINITY;
      if (isSecond) {
        const view = VIEWS.find(({ key }) => key === event.key);
        if (view !== undefined) location.hash = `#/${view.path}`;
        return;
      }
      if (event.key === "/") document.getElementById(SEARCH_ID)?.focus();
      else if (event.key === "?") isHelpOpen.value = true;
      else if (event.key === "T") nextTheme();
      else if (event.key === "g") {
        goneAt = performance.now();
        return;
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

export function KeyHelp({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const rows = [
    ["/", "search"],
    ["?", "this list"],
    ["Shift T", "light, dark, or as the system has it"],
    ...VIEWS.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, title]])),
    ["Esc", "closes this list, leaves the search"],
  ];
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (isOpen.value = false)}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {rows.map(([keys = "", text]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (isOpen.value = false)}>
        Close
      </button>
    </dialog>
  );
}
