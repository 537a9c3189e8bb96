// Addresses of machines, as a network's files have them.
import { isIP } from "node:net";

const NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** Loopback, and nets that no router of the internet leads to (RFC 1918, 6598, 4193). */
const PRIVATE =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][0-9a-f]{2}:)/i;

/** An IPv4 or IPv6 address, the latter without brackets, or a host name; undefined for any other text. */
export function readHost(text: string): string | undefined {
  const bare = /^\[(.*)\]$/.exec(text)?.[1];
  if (bare !== undefined) return isIP(bare) === 6 ? bare : undefined;
  return isIP(text) !== 0 || (NAME.test(text) && /[a-z]/i.test(text)) ? text : undefined;
}

/** Whether it is an address, and one that is reached from this machine or its own net alone. */
export const isPrivate = (host: string): boolean => isIP(host) !== 0 && PRIVATE.test(host);

/** Not a name but `localhost`: any other is what a resolver makes of it. */
export const isLoopback = (host: string): boolean =>
  /^localhost$/i.test(host) || (isIP(host) !== 0 && /^(?:127\.|::1$)/.test(host));

/** `HOST:PORT`, with brackets around an IPv6 address. */
export const hostPort = (host: string, port: number): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

const URL_FORM = /^https?:\/\/(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?\/?$/i;

/** The URL of a machine's port, without path, name or password, and nothing that a unit or Compose file would read. */
export const isMachineUrl = (text: string): boolean => URL_FORM.test(text) && URL.canParse(text);
