// Rows of a CSV stream.

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/** Counts CSV records: a line feed inside quotes does not end one. */
export class RowCounter {
  rows = 0;
  private isQuoted = false;

  count(csv: Uint8Array): void {
    for (let i = 0; i < csv.length; i++) {
      const byte = csv[i];
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      else if (byte === LINE_FEED && !this.isQuoted) this.rows++;
    }
  }
}
