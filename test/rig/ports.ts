// Ports that a test names before a server listens on them.

/** The system gives ports from here on to any process that connects: one of them can be taken at any moment. */
const EPHEMERAL = 32_768;
const FIRST = 20_000;

/** @returns A free port, which the system gives to no other program. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (EPHEMERAL - FIRST));
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Taken: try the next.
    }
  }
}
