// A sidecar behind one validator, by the socket of its events and by the RPC of its engine.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isFailure, Supervised } from "../../src/testnet/pair.ts";
import { freePort } from "../../src/testnet/ports.ts";
import { eventually } from "../../test/support/eventually.ts";
import {
  alike,
  exportsOf,
  type HistoryPlace,
  lastSegmentEnd,
  segmentsAtRest,
  segmentsOf,
} from "./comparison.ts";
import { atOneHeight, dataUrlOf, progress, SEGMENT_BLOCKS } from "./network.ts";
import { sendTransfers } from "./transactions.ts";
import type { Trial } from "./trial.ts";

const RECEIVING = /"(?:receiving|following)"/;

export const sidecar: Trial = {
  number: 17,
  network: {},
  isAlone: true,
  title: "a sidecar that follows one validator has the validator's exports, through kills of both",
  async run(network) {
    const { pairs } = network;
    const former = pairs[1]!;
    const others = network.others(former);
    const socket = join(network.folder, "events.sock");
    const home = join(network.folder, "sidecar");
    // From its first block on: it executes those of its engine again.
    await former.stop();
    rmSync(former.node.home, { recursive: true });
    mkdirSync(former.node.home);
    const followed = network.pairWith(former, {
      more: ["--events-to", `unix:${socket}`, "--duties", String(former.node.number), ...ethereumOf(network)],
    });
    const dataPort = freePort();
    const follower: HistoryPlace = { node: { name: "the sidecar", home, dataPort } };
    const process_ = new Supervised(
      [
        ...[...network.programs.lyra, "sidecar", "--home", home, "--data-port", String(dataPort)],
        ...["--node-port", "0", "--events-socket", socket, "--rules", "default"],
        ...["--comet", `http://127.0.0.1:${former.node.rpcPort}`],
        ...["--segments", "length", "--segment-length", String(SEGMENT_BLOCKS)],
      ],
      join(network.folder, "sidecar.log"),
      {
        onLine: (line) => isFailure(line) && network.lines.push(`sidecar: ${line}`),
        onEnded: (how) => network.lines.push(`sidecar: ended (${how})`),
      },
    );
    const kills = network.times(4, 12);
    try {
      process_.start();
      followed.start();
      await progress([followed]);
      for (let n = 0; n < kills; n++) {
        const sending = sendTransfers(others, 20);
        await Bun.sleep(network.moment(600));
        const victim = [process_, followed.chain, followed.engine][n % 3]!;
        if (victim.pid !== undefined) process.kill(victim.pid, "SIGKILL");
        await sending;
        await progress([...others, followed]);
      }
      // A segment or two behind the last kill.
      await progress([followed], SEGMENT_BLOCKS);
      const all = [followed, follower] as const;
      const { height, due } = await atOneHeight([...others, followed], async (height) => {
        await eventually(
          async () => (await storedHeight(dataPort)) === height,
          `the sidecar at block ${height}`,
        );
        const due = lastSegmentEnd(height);
        for (const each of all) await segmentsAtRest(each, height);
        alike("segments", all.map(segmentsOf));
        alike("exports", await Promise.all(all.map((each) => exportsOf(each))));
        return { height, due };
      });
      const status = (await (await fetch(dataUrlOf(follower, "/status"))).json()) as object;
      const states = JSON.stringify(status).match(/"state":"(\w+)"/g) ?? [];
      if (states.length < 2 || !states.every((state) => RECEIVING.test(state)))
        throw new Error(`its sources are ${states.join(", ")}`);
      return `${kills} kills; alike up to block ${height}, ${due / SEGMENT_BLOCKS} segments`;
    } finally {
      await process_.stop();
      await followed.stop();
    }
  },
};

const ethereumOf = ({ testnet }: { readonly testnet: { readonly ethereumPort: number } }) => [
  "--ethereum",
  `http://127.0.0.1:${testnet.ethereumPort}`,
];

async function storedHeight(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
  return answer?.ok ? Number(((await answer.json()) as { height: number | string }).height) : 0;
}
