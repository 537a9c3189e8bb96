// Colours of the style sheet for what is drawn on a canvas.

/** @param name of a variable, such as `--accent` @returns the colour in the present theme, as `rgb(…)` */
export function colorOf(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export const monospace = () => getComputedStyle(document.documentElement).getPropertyValue("--mono").trim();
