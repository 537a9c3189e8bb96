import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { place, setQuery } from "../shell/router.ts";

interface Tab {
  readonly id: string;
  readonly title: string;
  readonly content: () => ComponentChildren;
}

/** Tabs whose choice stands in the address. Only the open one is rendered. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const list = useRef<HTMLDivElement>(null);
  const chosen = place.value.query.get("tab");
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0]!;
  const choose = (at: number) => {
    const n = (at + tabs.length) % tabs.length;
    setQuery("tab", n === 0 ? undefined : tabs[n]!.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[n]?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const at = tabs.indexOf(current);
    if (event.key === "ArrowRight") choose(at + 1);
    else if (event.key === "ArrowLeft") choose(at - 1);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKey}>
        {tabs.map((tab, n) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            aria-selected={tab === current}
            aria-controls="tab-panel"
            tabIndex={tab === current ? 0 : -1}
            onClick={() => choose(n)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${current.id}`}>
        {current.content()}
      </div>
    </>
  );
}
