// JSON values that come one after the other in the body of a request, whatever stands between them.

/** Splits objects off a text as it comes. */
export class JsonObjects {
  private text = "";
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  private start = -1;
  private at = 0;

  /** Characters that wait for the end of their object. */
  get waiting(): number {
    return this.start < 0 ? 0 : this.text.length - this.start;
  }

  /** Adds a piece. @returns the texts of the objects that it completes */
  add(piece: string): string[] {
    this.text += piece;
    const objects: string[] = [];
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at]!;
      if (this.isInText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (character === "\\") this.isEscaped = true;
        else if (character === '"') this.isInText = false;
      } else if (character === '"') this.isInText = true;
      else if (character === "{" && this.depth++ === 0) this.start = this.at;
      else if (character === "}" && this.depth > 0 && --this.depth === 0) {
        objects.push(this.text.slice(this.start, this.at + 1));
        this.start = -1;
      }
    }
    if (this.start < 0) {
      this.text = "";
      this.at = 0;
    }
    return objects;
  }
}
