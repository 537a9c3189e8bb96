// The program itself, to be started as another process.

/** Where files of the executable lie. */
const INSIDE = /^(?:\/\$bunfs\/|.*[/\\]~BUN[/\\])/;

/** Words that start this program: the executable, or the runtime with the sources. */
export function ownProgram(): readonly string[] {
  return INSIDE.test(Bun.main) ? [process.execPath] : [process.execPath, Bun.main];
}
