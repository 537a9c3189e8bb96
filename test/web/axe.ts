// Accessibility of what a page shows, by axe-core.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
interface Axe {
  run(context: string, options: object): Promise<{ violations: readonly Violation[] }>;
  /** Its rules with their settings. */
  readonly _audit: { readonly rules: readonly { id: string; enabled: boolean; impact: string }[] };
}
declare const axe: Axe;

/** Rules about colours, and about what fits: the others find the same in every theme and width. */
const OF_LOOKS = [
  "color-contrast",
  "css-orientation-lock",
  "link-in-text-block",
  "scrollable-region-focusable",
] as const;

interface Examined {
  /** Selector of the part that is examined; default: all of it. */
  readonly within?: string;
  /** Only what a theme and a width change. */
  readonly isOfLooks?: boolean;
}

/** Serious and critical ones, each with the first element that it is about. */
export async function seriousFindings(
  page: Page,
  { within = "html", isOfLooks = false }: Examined = {},
): Promise<string[]> {
  // The page's policy lets no other script in: this one is evaluated by the browser's debugger.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async ([context, ofLooks]) => {
      const isSerious = (impact: string) => impact === "serious" || impact === "critical";
      const rules = axe._audit.rules.filter(({ enabled, impact }) => enabled && isSerious(impact));
      const values = ofLooks ?? rules.map(({ id }) => id);
      const runOnly = { type: "rule", values };
      return (await axe.run(context, { resultTypes: ["violations"], runOnly })).violations;
    },
    [within, isOfLooks ? OF_LOOKS : undefined] as const,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)} ${nodes[0]!.failureSummary.slice(0, 200)}`,
  );
}
