// lyra health: does a node answer? For supervisors that have no HTTP client.
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { requestAnswer } from "../fetch/answer.ts";
import { loadConfig } from "../node/config.ts";
import { command, option, toggle } from "./command/command.ts";

const WAIT_MS = 5_000;
const TEXT_BYTES_MAX = 2_000;

export const health = command({
  flags: {
    ready: toggle("is it ready, too? (/readyz; without it /healthz)"),
    url: option(
      "URL",
      "the node's data port (default: http://127.0.0.1 and the port that LYRA_DATA_PORT or the home's lyra.toml names, else 3008)",
    ),
  },
  notes: `  Exit code 0: it does, 3: it does not answer within five seconds, or is not
  ready; the text says why.`,
  json: "{healthy, url, text}; exit code 3 where it is not",
  wrongWords: ([address]) => `give the address as --url ${address}`,
  async run({ values }) {
    const base = values.url ?? `http://127.0.0.1:${loadConfig({ home: values.home }).dataPort}`;
    if (!/^https?:\/\//.test(base) || !URL.canParse(base))
      throw new NodeError(
        "health",
        "usage",
        `--url must be an http or https URL, not '${base}'`,
        "such as http://127.0.0.1:3008",
      );
    const url = base.replace(/\/+$/, "") + (values.ready ? "/readyz" : "/healthz");
    const { isHealthy, text } = await requestHealth(url);
    if (values.json) process.stdout.write(`${JSON.stringify({ healthy: isHealthy, url, text })}\n`);
    else if (!values.quiet) process.stdout.write(`${text}\n`);
    return isHealthy ? ExitCode.done : ExitCode.notReady;
  },
});

async function requestHealth(url: string): Promise<{ isHealthy: boolean; text: string }> {
  try {
    const answer = await requestAnswer(url, { timeoutMs: WAIT_MS });
    const text = (await answer.start(TEXT_BYTES_MAX)).trim();
    return { isHealthy: answer.isOk, text: reasonIn(text) };
  } catch {
    return { isHealthy: false, text: `${url} does not answer` };
  }
}

function reasonIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text;
  }
}
