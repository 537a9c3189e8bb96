// Headings of documents and the anchors that GitHub gives them.

export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** Anchors of a document, in its order. */
export const anchorsOf = (markdown: string): string[] =>
  [...markdown.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) =>
    anchorOf(text!),
  );
