/** Limits of wallets: everything that a file or a request could otherwise make large. */

/** Bytes of a wallet file; one with 1,000 keys has about 200,000. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024;
export const KEYS_MAX = 10_000;
export const METADATA_ENTRIES_MAX = 100;
/** Characters of a metadata key or value. */
export const METADATA_TEXT_MAX = 1_000;
export const HOSTNAMES_MAX = 10_000;
/** Characters: 253 of a name (RFC 1035, section 2.3.4), a port, and some room for hostless origins. */
export const HOSTNAME_LENGTH_MAX = 300;
/** Bytes; file systems take 255, and an isolated wallet's name has more. */
export const NAME_BYTES_MAX = 200;
/** Bytes that isolating adds to a wallet's name. */
export const ISOLATED_BYTES = 18;
export const PASSPHRASE_BYTES_MAX = 4_096;
export const RECOVERY_PHRASE_BYTES_MAX = 1_024;
/** Bytes of a message to sign. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
