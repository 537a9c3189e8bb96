// Order of precedence among the connections of a full port.

/** A connection by a Unix socket has no address. */
interface Addressed {
  readonly remoteAddress?: string;
}

/**
 * The connection that gives way to a new one, among connections that have not greeted or are idle: those of other machines
 * go before those of this one, and among these the oldest of the address that has the most.
 * @param waiting oldest first
 */
export function givesWay<T extends Addressed>(waiting: readonly T[], next: Addressed): T | undefined {
  const distant = waiting.filter((peer) => !isLocal(peer));
  const choice = distant.length > 0 ? distant : isLocal(next) ? waiting : [];
  const counts = new Map<string, number>();
  for (const { remoteAddress = "" } of choice)
    counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return choice.find(({ remoteAddress = "" }) => counts.get(remoteAddress) === most);
}

/** A peer on this machine. */
export function isLocal({ remoteAddress = "" }: Addressed): boolean {
  return remoteAddress === "" || /^(?:127\.|::1$|::ffff:127\.)/.test(remoteAddress);
}
