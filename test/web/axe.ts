// Accessibility of what a page shows, by axe-core.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
declare const axe: { run(options: object): Promise<{ violations: readonly Violation[] }> };

/** Serious and critical ones, each with the first element that it is about. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // The page's policy lets no other script in: this one is evaluated by the browser's debugger.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async () => (await axe.run({ resultTypes: ["violations"] })).violations,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)} ${nodes[0]!.failureSummary.slice(0, 200)}`,
    );
}
