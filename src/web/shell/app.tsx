// The frame around every view: bar, navigation, the line that tells a lost connection, keys.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Empty, Failure } from "../components/states.tsx";
import { addresses, connection } from "../data/node.ts";
import type { ViewProps } from "../view-props.ts";
import { VIEWS, type View, viewAt } from "../views.ts";
import { KeyHelp, useKeys } from "./keys.tsx";
import { link, path, place } from "./router.ts";
import { TopBar } from "./top-bar.tsx";

export function App() {
  const isHelpOpen = useSignal(false);
  useKeys(isHelpOpen);
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <TopBar onHelp={() => (isHelpOpen.value = true)} />
      <Navigation />
      <div class="notice" role="status" aria-live="polite">
        {connection.value === "away" && <p>The node went away. Trying again…</p>}
      </div>
      <main id="main" tabIndex={-1}>
        <CurrentView />
      </main>
      <KeyHelp isOpen={isHelpOpen} />
    </>
  );
}

function focusMain(): void {
  document.getElementById("main")?.focus();
}

const isShown = (view: View) => view.only === undefined || view.only === addresses.value?.kind;

function Navigation() {
  const current = viewAt(place.value.parts)?.view;
  return (
    <nav class="nav" aria-label="Views">
      <ul>
        {VIEWS.filter((view) => view.nav && isShown(view)).map((view) => (
          <li key={view.path}>
            <a
              href={`#/${view.path}`}
              aria-current={view === current ? "page" : view.path === current?.under ? "true" : undefined}
            >
              {view.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const loaded = new Map<View, ComponentType<ViewProps>>();

function CurrentView() {
  const target = viewAt(place.value.parts);
  const version = useSignal(0);
  const failed = useSignal<View | undefined>(undefined);
  const view = target?.view;
  void version.value;
  useEffect(() => {
    if (view === undefined || loaded.has(view)) return;
    view.load().then(
      ({ default: component }) => {
        loaded.set(view, component);
        version.value++;
      },
      () => {
        failed.value = view;
      },
    );
  }, [view]);
  useArrival(view?.title ?? "Not found");
  if (target === undefined)
    return (
      <Empty title="There is no such view">
        <a href={link()}>Back to the overview</a>
      </Empty>
    );
  const Component = loaded.get(target.view);
  if (Component !== undefined) return <Component key={path.value} params={target.params} />;
  if (failed.value === target.view) return <Failure text="This view could not be loaded. Reload the page." />;
  return <div class="loading" aria-busy="true" />;
}

/** After a change of place the focus and the scroll position begin at the top, and the window is named after the view. */
function useArrival(title: string): void {
  const isFirst = useRef(true);
  const at = path.value;
  useEffect(() => {
    document.title = title === "Overview" ? "Lyra" : `${title} · Lyra`;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [at, title]);
}
