/** Bytes of a dump, of a chain with some hundred thousand accounts: no request to a tool and no answer is longer. */
export const DUMP_BYTES_MAX = 512 * 1024 * 1024;
