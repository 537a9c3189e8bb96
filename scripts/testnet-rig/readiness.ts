import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { eventually } from "../../test/support/eventually.ts";
import { dataUrlOf, Patience, progress, urlOf } from "./network.ts";
import type { Trial } from "./trial.ts";

/** From the fault to 503, and from its end to 200: on a quiet machine. */
const NOTICE_MS = 30_000;
const RETURN_MS = 30_000;

export const readiness: Trial = {
  number: 25,
  title:
    "a validator without its engine, and one whose network stands, are not ready and say why; both come back",
  async run({ pairs }) {
    const [first, second, third, fourth] = pairs as [
      ValidatorPair,
      ValidatorPair,
      ValidatorPair,
      ValidatorPair,
    ];
    const notice = new Patience(NOTICE_MS);
    const back = new Patience(RETURN_MS);
    await back.within(() => untilReady(pairs));
    await expectPeers(first);

    await fourth.engine.stop("SIGKILL");
    await notice.within(() => untilNotReady(fourth, "no consensus engine is connected since"));
    await untilReady([first, second, third]);
    fourth.engine.start();
    await back.within(() => untilReady(pairs));

    const away = [third, fourth].flatMap(({ chain, engine }) => [chain, engine]);
    for (const each of away) each.pause();
    try {
      await notice.within(() => untilNotReady(first, "no block has come since"));
      await untilNotReady(second, "no block has come since");
    } finally {
      for (const each of away) each.resume();
    }
    await back.within(() => untilReady(pairs));
    await progress(pairs);
    return `not ready: ${notice.sentence}; back: ${back.sentence}`;
  },
};

/** On both ports, and in the metrics. */
async function untilReady(pairs: readonly ValidatorPair[]): Promise<void> {
  for (const pair of pairs) {
    let text = "";
    await eventually(
      async () => {
        const answers = await Promise.all([urlOf(pair, "/readyz"), dataUrlOf(pair, "/readyz")].map(answerOf));
        text = answers.map(({ body }) => body).join(" ");
        return answers.every(({ status }) => status === 200);
      },
      () => `validator ${pair.node.number} is ready: ${text}`,
    );
    await expectMetrics(pair, "lyra_ready 1", "lyra_engine_connected 1");
  }
}

/** 503 with the sentence on both ports, and the same in the metrics and in `/status`. */
async function untilNotReady(pair: ValidatorPair, words: string): Promise<void> {
  let body = "";
  await eventually(
    async () => {
      const answer = await answerOf(urlOf(pair, "/readyz"));
      ({ body } = answer);
      return answer.status === 503 && body.includes(words);
    },
    () => `validator ${pair.node.number} says '${words}': ${body}`,
  );
  const other = await answerOf(dataUrlOf(pair, "/readyz"));
  const { ready, reason } = JSON.parse((await answerOf(dataUrlOf(pair, "/status"))).body) as {
    ready: boolean;
    reason: string;
  };
  if (other.status !== 503 || ready || !reason.includes(words)) throw new Error(`${other.body}, ${reason}`);
  await expectMetrics(pair, "lyra_ready 0");
}

async function expectMetrics(pair: ValidatorPair, ...lines: readonly string[]): Promise<void> {
  const { body } = await answerOf(dataUrlOf(pair, "/metrics"));
  const all = body.split("\n");
  const missing = lines.filter((line) => !all.includes(line));
  if (missing.length > 0) throw new Error(`validator ${pair.node.number} lacks ${missing}`);
}

/** The engine's own, in the original's statistics. */
async function expectPeers(pair: ValidatorPair): Promise<void> {
  const { statistics } = JSON.parse((await answerOf(urlOf(pair, "/statistics"))).body) as {
    statistics: { totalPeers: string; chainVersion: string };
  };
  if (statistics.totalPeers !== "3" || !statistics.chainVersion.startsWith("0.38."))
    throw new Error(`/statistics has ${statistics.totalPeers} peers and engine ${statistics.chainVersion}`);
}

async function answerOf(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return { status: answer.status, body: await answer.text() };
}
