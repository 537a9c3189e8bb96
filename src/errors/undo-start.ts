/** Collects the way back of what a start has done. */
export type OnClose = (undo: () => unknown) => void;

/**
 * Starts something of several parts. What `onClose` was given is undone by `close`, the last first, and by a start that fails.
 * @param errorOf the error of a failed start
 */
export async function startWithUndo<Running>(
  start: (onClose: OnClose, close: () => Promise<void>) => Promise<Running>,
  errorOf: (error: unknown) => unknown = (error) => error,
): Promise<Running> {
  const undos: (() => unknown)[] = [];
  const close = async () => {
    for (const undo of undos.splice(0).reverse()) await undo();
  };
  try {
    return await start((undo) => undos.push(undo), close);
  } catch (error) {
    await close();
    throw errorOf(error);
  }
}
