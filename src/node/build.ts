// What this build calls itself. The interface's version is that of the network whose interface we speak.
import manifest from "../../package.json" with { type: "json" };

declare const LYRA_COMMIT: string | undefined;

/** Version of Lyra itself. */
export const VERSION: string = manifest.version;
/** Commit the executable was built from, set by scripts/build.ts. */
export const COMMIT: string = typeof LYRA_COMMIT === "string" ? LYRA_COMMIT : "source";

/** What `/api/v2/info` answers: clients look at this version to know the interface. */
export const BUILD = { version: "v0.71.6", commit: COMMIT } as const;
