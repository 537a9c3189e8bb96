// In place of content: nothing yet, an error, a command to copy.
import { type ComponentChildren, Fragment } from "preact";
import type { AnswerOf, CallName, RequestOf } from "../data/calls.ts";
import { addresses } from "../data/node.ts";
import { useCall } from "../data/read.ts";
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

interface CallViewProps<Name extends CallName> {
  readonly name: Name;
  readonly query: RequestOf<Name>;
  /** The title where the node answers that it has none. */
  readonly missing: string;
  readonly children: (answer: AnswerOf<Name>) => ComponentChildren;
}

/** A view of the answer to a call of `lyra/client`: while it loads, where it is missing, and what it is. */
export function CallView<Name extends CallName>({
  name,
  query,
  missing,
  children: view,
}: CallViewProps<Name>) {
  const { data, failure } = useCall(name, query);
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

/** A command of this program, by the words that start it where the node runs. @param text begins with `lyra ` */
export function commandText(text: string): string {
  return text.replace(/^lyra /, `${addresses.value?.commandLine ?? "lyra"} `);
}

export function Command({ text }: { readonly text: string }) {
  const command = commandText(text);
  return (
    <span class="command">
      <code>{command}</code>
      <Copy text={command} of="the command" />
    </span>
  );
}

/** A hint of the node: words, with a command behind `see:`. */
export function Hint({ text }: { readonly text: string }) {
  if (text === "") return null;
  const [, words = text, command] = /^(.*\bsee: )(lyra .+)$/s.exec(text) ?? [];
  return (
    <small>
      {words}
      {command !== undefined && <Command text={command} />}
    </small>
  );
}

export function Failure({ text }: { readonly text: string }) {
  return (
    <p class="failure" role="alert">
      {text}
    </p>
  );
}
