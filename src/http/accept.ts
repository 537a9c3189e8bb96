// The form of JSON that a request asks for by its `Accept` (docs/protocol/10-data-api-serving.md#13-json-output-rules).
// The original compares the whole header; a list with weights, as browsers and generated clients send it, is understood
// here too.

type AcceptedForm = "stream" | "pretty" | "normal";

const FORMS: Readonly<Record<string, AcceptedForm>> = {
  "application/json+stream": "stream",
  "application/json+pretty": "pretty",
  "application/json": "normal",
  "application/*": "normal",
  "*/*": "normal",
};
const WEIGHT = /;\s*q\s*=\s*([\d.]+)/i;

/** Whether a request is a browser's for a document, as when its address is typed. */
export function asksForPage({ method, headers }: Request): boolean {
  if ((method !== "GET" && method !== "HEAD") || headers.has("upgrade")) return false;
  return /\btext\/html\b/.test(headers.get("accept") ?? "");
}

/** The form with the greatest weight, of equal ones the first; the plain one where none is named. */
export function acceptedForm(accept: string | null): AcceptedForm {
  // Nearly every request names none of the special ones.
  if (accept === null || !accept.includes("+")) return "normal";
  let form: AcceptedForm = "normal";
  let most = 0;
  for (const range of accept.split(",")) {
    const named = FORMS[range.split(";", 1)[0]!.trim().toLowerCase()];
    const weight = Number(WEIGHT.exec(range)?.[1] ?? 1);
    if (named === undefined || !(weight > most)) continue;
    form = named;
    most = weight;
  }
  return form;
}
