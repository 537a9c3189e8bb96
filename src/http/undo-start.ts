/** Takes a step back, for a start that is undone. */
export type OnClose = (undo: () => unknown) => void;

/**
 * Starts something of several parts. `close` takes the steps that `onClose` was given, the last first; so does a failed start.
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
