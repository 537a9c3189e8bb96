// In place of content: nothing yet, an error, a command to copy.
import { type ComponentChildren, Fragment } from "preact";
import { useRead } from "../data/read.ts";
import { Copy } from "./copy.tsx";

interface EmptyProps {
  readonly title: string;
  /** The command that would fill it. */
  readonly command?: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, command, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p class="muted">{children}</p>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

interface ReadViewProps<T> {
  readonly path: string;
  /** The title where the node answers that it has none. */
  readonly missing: string;
  readonly children: (answer: T) => ComponentChildren;
}

/** A view of one answer: while it loads, where it is missing, and what it is. */
export function ReadView<T>({ path, missing, children: view }: ReadViewProps<T>) {
  const { data, failure } = useRead<T>(path);
  if (failure !== undefined)
    return failure.status === 404 || failure.status === 400 ? (
      <>
        <h1>Not found</h1>
        <Empty title={missing}>{failure.message}</Empty>
      </>
    ) : (
      <Failure text={failure.message} />
    );
  if (data === undefined) return <div class="loading" aria-busy="true" />;
  return <Fragment>{view(data)}</Fragment>;
}

export function Command({ text }: { readonly text: string }) {
  return (
    <span class="command">
      <code>{text}</code>
      <Copy text={text} of="the command" />
    </span>
  );
}

export function Failure({ text }: { readonly text: string }) {
  return (
    <p class="failure" role="alert">
      {text}
    </p>
  );
}
