// All that a view shows, as texts: to be compared with what the API answers.
import type { Look } from "./look.ts";

/**
 * A text stands as it is seen, with what is shown on hover in braces and where a link leads behind an arrow:
 * `carol{0e88…}→party/0e88…`.
 */
export interface Shown {
  /** By their labels: titles of the columns, then the rows. */
  readonly tables: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** By the panel that they stand in: names with their values. */
  readonly facts: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  /** By panel and title. */
  readonly json: Readonly<Record<string, unknown>>;
  /** All others in their order: titles, figures, notes, what stands in place of content, and names of forms. */
  readonly lines: readonly string[];
}

interface ReadView {
  readonly shown: Shown;
  /** Of the view's tabs. */
  readonly tabIds: readonly string[];
}

export const shownOn = ({ page }: Look): Promise<ReadView> => page.evaluate(readView);

/** In the page. */
function readView(): ReadView {
  const tables: Record<string, string[][]> = {};
  const facts: Record<string, [string, string][]> = {};
  const json: Record<string, unknown> = {};
  const lines: string[] = [];

  function textOf(node: Node): string {
    if (node instanceof Text) return node.data;
    if (!(node instanceof Element) || node.matches("button, svg, canvas, datalist")) return "";
    const text = [...node.childNodes].map(textOf).join("");
    // The clock goes on.
    const inner = node instanceof HTMLTimeElement ? text.replace(/^[\d,]+ \w+ ago$/, "AGE ago") : text;
    const title = node.getAttribute("title");
    const parts = [inner];
    if (title !== null && title !== inner) parts.push(`{${title}}`);
    if (node instanceof HTMLTimeElement) parts.push(`{${node.dateTime}}`);
    if (node instanceof HTMLAnchorElement)
      parts.push(`→${(node.getAttribute("href") ?? "").replace(/^#\//, "")}`);
    if (node instanceof HTMLMeterElement) parts.push(`[${node.value}/${node.max}]`);
    return parts.join("");
  }
  const placeOf = (element: Element) =>
    element.closest("section[aria-label]")?.getAttribute("aria-label") ?? "";
  const textsIn = (element: Element, selector: string) => [...element.querySelectorAll(selector)].map(textOf);
  function lineOf(...texts: readonly (string | null | undefined)[]): void {
    const line = texts
      .filter(Boolean)
      .join(" | ")
      .replace(/[ \u00a0]+/g, " ")
      .trim();
    if (line !== "") lines.push(line);
  }

  const BLOCKS = "section, div, dl, table, form, details, ul, li, p, h1, h2, fieldset, nav, [role=img]";
  /** Their parts are lines of their own. */
  const SPLIT = ".figure, .panel-head, .heading, .trading-mode, .strip-ends";
  function read(node: Node): void {
    if (node instanceof Text) lineOf(node.data);
    if (
      !(node instanceof Element) ||
      node.matches("fieldset, datalist, .archive, .chart-credit, .steps, .nav")
    )
      return;
    if (node.matches("[role=img]")) lineOf(`chart: ${node.getAttribute("aria-label")}`);
    else if (node instanceof HTMLTableElement) {
      const rows = [...node.rows].map((row) => [...row.cells].map(textOf));
      tables[placeOf(node)] = rows;
    } else if (node instanceof HTMLDListElement) {
      const list = (facts[placeOf(node)] ??= []);
      for (const row of node.children)
        list.push([textOf(row.querySelector("dt")!), textOf(row.querySelector("dd")!)]);
    } else if (node instanceof HTMLDetailsElement) {
      const [title, text] = ["summary", "pre"].map((each) => node.querySelector(each)!.textContent!);
      json[`${placeOf(node)}: ${title}`] = JSON.parse(text!);
    } else if (node.matches(".empty")) {
      lineOf(
        `empty: ${textsIn(node, ".empty-title")}`,
        ...textsIn(node, ".muted"),
        ...textsIn(node, ":scope > .command"),
      );
    } else if (node.matches("form")) {
      const words = node.matches(".tool")
        ? [...textsIn(node, ".tool-summary"), ...textsIn(node, ".command")]
        : [];
      const title = node.getAttribute("aria-label") ?? node.querySelector("h2")?.textContent;
      lineOf(`form: ${title}`, ...words);
    } else if (node.matches("nav.pager")) {
      const next = node.querySelector("button:last-child:not(:disabled)");
      lineOf(`pager: ${textsIn(node, "span")}`, next?.textContent);
    } else if (node.matches(SPLIT) || node.querySelector(BLOCKS) !== null)
      for (const each of node.childNodes) read(each);
    else lineOf(textOf(node));
  }
  read(document.querySelector("main")!);
  const tabIds = [...document.querySelectorAll("[role=tab]")].map(({ id: each }) =>
    each.replace(/^tab-/, ""),
  );
  return { shown: { tables, facts, json, lines }, tabIds };
}
