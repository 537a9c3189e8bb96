// Name and versions of this build. The interface's version is that of the network.
import manifest from "../../package.json" with { type: "json" };

declare const LYRA_COMMIT: string | undefined;

/** Version of Lyra itself. */
export const VERSION: string = manifest.version;
/** Commit the executable was built from, set by scripts/build.ts. */
export const COMMIT: string = typeof LYRA_COMMIT === "string" ? LYRA_COMMIT : "source";

/** Answered by `/api/v2/info`: clients look at this version to know the interface. */
export const BUILD = { version: "v0.71.6", commit: COMMIT } as const;
