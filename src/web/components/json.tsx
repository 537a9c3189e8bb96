/** JSON on demand. */
export function Json({ title = "JSON", value }: { readonly title?: string; readonly value: unknown }) {
  return (
    <details class="json">
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <pre tabIndex={0}>{JSON.stringify(value, undefined, 2)}</pre>
    </details>
  );
}
