/** Settles when the process is asked to end, and then leaves a second signal to its default. */
export function waitForSignal(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve("SIGINT"));
    process.once("SIGTERM", () => resolve("SIGTERM"));
  });
}
