// The bar at the top: the chain, its height, the search, and the theme.
import { addresses, chainId, connection, head } from "../data/node.ts";
import { count, duration } from "../format.ts";
import { nowMs } from "./clock.ts";
import { link } from "./router.ts";
import { Search } from "./search.tsx";
import { nextTheme, theme } from "./theme.ts";

export function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  return (
    <header class="bar">
      <a class="brand" href={link()} aria-label="Lyra, overview">
        <Mark />
        <span>Lyra</span>
      </a>
      <ChainState />
      <Search />
      <div class="bar-end">
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          aria-label={`Theme: ${theme.value}`}
          title={`Theme: ${theme.value}`}
        >
          <ThemeIcon />
        </button>
        <button type="button" class="quiet" onClick={onHelp} aria-label="Keys" title="Keys (?)">
          ?
        </button>
      </div>
    </header>
  );
}

function ChainState() {
  const at = head.value;
  const state = connection.value;
  const words = state === "away" ? "no connection" : state === "open" ? "connected" : "connecting";
  return (
    <div class="chain">
      <span class={`dot ${state}`} role="img" aria-label={words} title={words} />
      <span class="chain-id" title={addresses.value?.kind}>
        {chainId.value || "…"}
      </span>
      <a
        class="height number"
        href={at === undefined ? link("blocks") : link("block", at.height)}
        title="The last block"
      >
        {at === undefined ? "–" : count(at.height)}
      </a>
      <span class="age number">
        {at === undefined || at.timeMs === 0 ? "" : `${duration(nowMs.value - at.timeMs)} ago`}
      </span>
    </div>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="currentColor" />
      <g fill="none" stroke="var(--surface)" stroke-linecap="round">
        <path d="M9 6v13.5A6.5 6.5 0 0 0 15.5 26H23" stroke-width="2.6" />
        <path d="M14 6v12M18.5 6v12M23 6v12" stroke-width="1.6" stroke-opacity=".75" />
      </g>
    </svg>
  );
}

function ThemeIcon() {
  const shape = {
    auto: (
      <>
        <circle cx="8" cy="8" r="6" />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </>
    ),
    light: (
      <path d="M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3" />
    ),
    dark: <path d="M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z" />,
  }[theme.value];
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="icon">
      {shape}
    </svg>
  );
}
