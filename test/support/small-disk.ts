// A disk that is really full: a small file system in memory, mounted over a folder. It takes root and Linux.

export class SmallDisk {
  /** Whether one can be mounted here. */
  readonly isPossible: boolean;

  /** @param folder an existing one */
  constructor(private readonly folder: string) {
    this.isPossible = process.platform === "linux" && this.mount(1_024) && this.unmount();
  }

  mount(kib: number): boolean {
    return run("mount", "-t", "tmpfs", "-o", `size=${kib}k`, "lyra-test", this.folder);
  }

  resize(kib: number): boolean {
    return run("mount", "-o", `remount,size=${kib}k`, this.folder);
  }

  forbidWrites(): boolean {
    return run("mount", "-o", "remount,ro", this.folder);
  }

  /** Lazily: a chain that was abandoned still has its event file open. */
  unmount(): boolean {
    return run("umount", "-l", this.folder);
  }
}

/** Whether a program ended well. */
export function run(...command: string[]): boolean {
  try {
    return Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0;
  } catch {
    return false;
  }
}
