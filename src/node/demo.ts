export async function playDemo(
  _devnet: unknown,
  _progress: (part: number, note: string) => void,
): Promise<void> {}
