// Which `Host` a request may name. A page can make a name of its own point at this machine (DNS rebinding); its
// requests then carry that name, and are refused.

const LOOPBACK =
  /^(?:localhost|(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:127\.[0-9.]+\])$/i;
const PORT = /:\d{1,5}$/;

/** @param extra names that the operator allowed, for a service that is not on loopback */
export function isAllowedHost(host: string | null, extra: readonly string[] = []): boolean {
  if (host === null) return false;
  const name = host.replace(PORT, "").replace(/\.$/, "");
  const lower = name.toLowerCase();
  // An address of IPv6 stands in brackets here, and without them where it is listened on.
  return LOOPBACK.test(name) || extra.includes(lower) || extra.includes(lower.replace(/^\[(.*)\]$/, "$1"));
}
