// Light, dark, or as the system has it: kept in this browser.
import { effect, signal } from "@preact/signals";

const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
const KEY = "lyra.theme";

function stored(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

export const theme = signal<Theme>(stored());
const dark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", ({ matches }) => {
  systemIsDark.value = matches;
});

/** For what is drawn on a canvas. */
export const isDark = () => theme.value === "dark" || (theme.value === "auto" && systemIsDark.value);

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // A browser may refuse to keep it.
  }
}
