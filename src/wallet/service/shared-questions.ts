// Questions to the user that wait for an answer: whoever needs the same answer waits with the one who asked, so that a
// page that asks twice is asked about once.

interface Waiting<T> {
  readonly answer: Promise<T>;
  /** Of the one who asked. */
  readonly signal: AbortSignal;
}

export class SharedQuestions<T> {
  private readonly waiting = new Map<string, Waiting<T>>();

  /** When the one who asked goes away, the next one asks again. */
  async ask(name: string, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    for (;;) {
      const known = this.waiting.get(name);
      if (known === undefined) return this.begin(name, signal, question);
      try {
        return await known.answer;
      } catch (error) {
        if (!known.signal.aborted || signal.aborted) throw error;
      }
    }
  }

  private begin(name: string, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    const answer = question().finally(() => this.waiting.delete(name));
    this.waiting.set(name, { answer, signal });
    return answer;
  }
}
