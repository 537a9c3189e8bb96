// The clock of epochs (docs/protocol/60-state-engine-blocks.md#17-epochs): an epoch ends with the second block after
// its time has passed.
import { EpochAction } from "../../src/wire/generated/vega.ts";
import { EPOCH_LENGTH } from "./genesis.ts";
import { GENESIS_NS, Step, type World } from "./world.ts";

/** An unset time as it reads in nanoseconds. */
const NO_TIME = -6_795_364_578_871_345_152n;

export class Epochs {
  seq = 0;
  private readonly enders: ((epoch: number) => void)[] = [];
  private readonly starters: ((epoch: number) => void)[] = [];
  private start = GENESIS_NS;
  private expire = GENESIS_NS;
  private isOver = false;
  private isReady = false;

  constructor(private readonly world: World) {
    world.every(Step.epoch, () => this.tick());
    world.every(Step.blockEnd, () => {
      this.isReady ||= this.isOver;
    });
  }

  /** Runs after the event that ends an epoch. */
  onEnd(run: (epoch: number) => void): void {
    this.enders.push(run);
  }

  /** Runs after the event that starts an epoch. */
  onStart(run: (epoch: number) => void): void {
    this.starters.push(run);
  }

  tell(action: number): void {
    this.world.emit({
      epochEvent: {
        seq: BigInt(this.seq),
        action,
        startTime: this.start,
        expireTime: this.expire,
        endTime: action === EpochAction.EPOCH_ACTION_END ? this.world.now : NO_TIME,
      },
    });
  }

  private tick(): void {
    if (!this.isReady) {
      this.isOver = this.expire < this.world.now;
      return;
    }
    this.tell(EpochAction.EPOCH_ACTION_END);
    for (const run of this.enders) run(this.seq);
    this.seq++;
    this.start = this.world.now;
    this.expire = this.start + EPOCH_LENGTH.ns;
    this.isOver = this.isReady = false;
    this.tell(EpochAction.EPOCH_ACTION_START);
    for (const run of this.starters) run(this.seq);
  }
}
