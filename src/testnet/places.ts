// Where the parts of a validator are: ports, and files in its folder.

/** Of the first validator on a machine. */
export const USUAL_PORTS = {
  ...{ peer: 26_656, rpc: 26_657, abci: 26_658 },
  ...{ node: 3_003, data: 3_008, ethereum: 8_545 },
};
/** Between validators on one machine. */
export const PORTS_APART = 10;
/** A validator's own keys. */
export const KEYS_FILE = "validator-keys.json";
/** The longest path that a socket can have. */
const SOCKET_PATH_MAX = 107;

/** The address of a socket with this path; undefined for one that is too long. */
export const socketAddress = (path: string): string | undefined =>
  path.length <= SOCKET_PATH_MAX ? `unix:${path}` : undefined;
