// Which connections of the event socket come first.

/** A connection by a Unix socket has no address. */
interface Addressed {
  readonly remoteAddress?: string;
}

/**
 * Which of the connections that have not greeted gives way to another one: those of this machine come first, for its core is
 * one of them; else the address that has the most gives its oldest.
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
