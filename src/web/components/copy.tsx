import { useSignal } from "@preact/signals";

const SHOWN_MS = 1_200;

/** A button that copies a text. @param of what it is, for screen readers */
export function Copy({ text, of }: { readonly text: string; readonly of: string }) {
  const isDone = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      isDone.value = true;
      setTimeout(() => (isDone.value = false), SHOWN_MS);
    } catch {
      // Without permission the text can be selected.
    }
  };
  const label = isDone.value ? "Copied" : `Copy ${of}`;
  return (
    <button type="button" class="copy" onClick={copy} aria-label={label} title={label}>
      <svg viewBox="0 0 16 16" width="13" height="13" aria-hidden="true" class="icon">
        {isDone.value ? (
          <path d="m3 8.5 3.2 3L13 4.5" />
        ) : (
          <path d="M5.5 5.5h7.5v8H5.5zM10.5 5.5v-3H3v8h2.5" />
        )}
      </svg>
    </button>
  );
}
