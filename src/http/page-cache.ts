// Answers kept until the next block: the same question at the same height has the same answer. Kept from the second
// asking on: most pages of a walk are asked for once, and keeping those would cost as much as making them.
import { LruCache } from "../cache/lru.ts";
import { acceptedForm } from "./accept.ts";

interface KeptBody {
  readonly body: Uint8Array;
  /** The same compressed, from the first request that asks for it on. */
  packed?: Uint8Array<ArrayBuffer>;
}

export interface CachedAnswer extends KeptBody {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

/** Larger answers are not cached: they are rarely requested twice. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** Of an entry beside its texts: headers and the cache's own. */
const ENTRY_BYTES = 500;
/** Of the addresses remembered as requested once: an address can be long. */
const ASKED_BYTES_MAX = 4 * 1024 * 1024;

export class PageCache<Kept extends KeptBody = CachedAnswer> {
  private readonly answers: LruCache<string, Kept>;
  private readonly asked = new LruCache<string, true>(ASKED_BYTES_MAX, (_, key) => ENTRY_BYTES + key.length);
  private version: unknown;

  /**
   * @param versionNow changes whenever the store does
   * @param answerBytesMax a larger answer is not kept
   */
  constructor(
    bytesMax: number,
    private readonly versionNow: () => unknown,
    private readonly answerBytesMax = ANSWER_BYTES_MAX,
  ) {
    this.answers = new LruCache<string, Kept>(bytesMax, weigh);
  }

  get(key: string): Kept | undefined {
    const version = this.versionNow();
    if (version !== this.version) {
      this.answers.clear();
      this.asked.clear();
      this.version = version;
      return undefined;
    }
    return this.answers.get(key);
  }

  /** Whether the same request has come since the last commit: then its answer is worth caching. */
  isAskedAgain(key: string): boolean {
    const isAgain = this.asked.get(key) !== undefined;
    if (!isAgain) this.asked.set(key, true);
    return isAgain;
  }

  /** Caches an answer that was made after the last `get`. */
  put(key: string, answer: Kept): void {
    if (answer.body.length <= this.answerBytesMax) this.answers.set(key, answer);
  }

  /** The compressed form of an answer that is kept. */
  packed(
    key: string,
    answer: Kept,
    compress: (body: Kept["body"]) => Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> {
    if (answer.packed === undefined) {
      answer.packed = compress(answer.body);
      this.answers.set(key, answer);
    }
    return answer.packed;
  }
}

function weigh({ body, packed }: KeptBody, key: string): number {
  return ENTRY_BYTES + key.length + body.length + (packed?.length ?? 0);
}

/** The address, and the form that was asked for: an answer depends on nothing else but the store. */
export function cacheKey(request: Request): string {
  const form = acceptedForm(request.headers.get("accept"));
  return form === "normal" ? request.url : `${form} ${request.url}`;
}
