// A promise that is waited for no longer than a client may take.

/** @returns undefined when it takes longer */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  promise.catch(() => {});
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
