// Answers kept until the next block: the same question at the same height has the same answer. Kept from the second
// asking on: most pages of a walk are asked for once, and keeping those would cost as much as making them.

import { acceptedForm } from "./accept.ts";

export interface CachedAnswer {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
  /** The same compressed, from the first request that asks for it on. */
  packed?: Uint8Array<ArrayBuffer>;
}

/** Answers larger than this are not kept: few ask twice for them. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** Questions remembered as asked once, and how long they may be together: an address can be long. */
const ASKED_MAX = 10_000;
const ASKED_CHARACTERS_MAX = 4 * 1024 * 1024;

export class PageCache {
  private readonly answers = new Map<string, CachedAnswer>();
  private readonly asked = new Set<string>();
  private askedCharacters = 0;
  private bytes = 0;
  private version: unknown;

  /** @param versionNow changes whenever the store does */
  constructor(
    private readonly bytesMax: number,
    private readonly versionNow: () => unknown,
  ) {}

  get(key: string): CachedAnswer | undefined {
    const version = this.versionNow();
    if (version !== this.version) {
      this.clear();
      this.forgetAsked();
      this.version = version;
      return undefined;
    }
    return this.answers.get(key);
  }

  /** True if the question has been asked before since the last commit: then its answer is worth keeping. */
  isAskedAgain(key: string): boolean {
    if (this.asked.has(key)) return true;
    const isFull = this.asked.size >= ASKED_MAX || this.askedCharacters + key.length > ASKED_CHARACTERS_MAX;
    if (isFull) this.forgetAsked();
    this.asked.add(key);
    this.askedCharacters += key.length;
    return false;
  }

  /** Keeps an answer that was made after the last `get`. */
  put(key: string, answer: CachedAnswer): void {
    if (answer.body.length > ANSWER_BYTES_MAX) return;
    const bytes = answer.body.length + key.length;
    if (this.bytes + bytes > this.bytesMax) this.clear();
    this.answers.set(key, answer);
    this.bytes += bytes;
  }

  /** The compressed form of an answer that is kept. */
  packed(
    answer: CachedAnswer,
    compress: (body: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> {
    if (answer.packed === undefined) {
      answer.packed = compress(answer.body);
      this.bytes += answer.packed.length;
    }
    return answer.packed;
  }

  private forgetAsked(): void {
    this.asked.clear();
    this.askedCharacters = 0;
  }

  private clear(): void {
    this.answers.clear();
    this.bytes = 0;
  }
}

/** What an answer depends on beside the store: the address, and the form that was asked for. */
export function cacheKey(request: Request): string {
  const form = acceptedForm(request.headers.get("accept"));
  return form === "normal" ? request.url : `${form} ${request.url}`;
}
