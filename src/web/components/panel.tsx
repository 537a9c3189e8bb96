// Parts of a view: a heading, a box with a title, a list of facts.
import type { ComponentChildren } from "preact";

export function Heading({
  title,
  children,
}: {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="heading">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  /** At the right of the title. */
  readonly more?: ComponentChildren;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export function Panel({ title, more, isWide = false, children }: PanelProps) {
  return (
    <section class={isWide ? "panel span" : "panel"} aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {more}
      </div>
      {children}
    </section>
  );
}

/** Names with their values; a value that is undefined leaves its name out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export function Badge({
  tone,
  children,
}: {
  readonly tone: "good" | "bad" | "warn" | "plain";
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
