// Examples that only other programs run: the containers' compose file and the workflow of a bot. Their commands are
// commands of Lyra with flags that exist, and their ports are those of the image.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../src/cli/command/table.ts";
import { COMMANDS } from "../src/cli/commands.ts";

const read = (path: string) => readFileSync(join(import.meta.dir, "..", path), "utf8");
const dockerfile = read("Dockerfile");
const commands = await allCommands(COMMANDS);

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

/** The words that are neither a command nor one of its flags. */
async function unknownWords(words: readonly string[]): Promise<string[]> {
  const path = [3, 2, 1].map((count) => words.slice(0, count).join(" ")).find((name) => name in commands);
  if (path === undefined) return [words.join(" ")];
  const { flags = {}, words: places = {} } = (await commands[path]!.load?.()) ?? {};
  const names = ["home", "json", "quiet", "help", ...Object.keys(flags), ...Object.keys(places)];
  return words
    .filter((word) => word.startsWith("--"))
    .filter((word) => !names.includes(word.slice(2)))
    .map((word) => `${path} ${word}`);
}

describe("the containers", () => {
  const { services, volumes } = Bun.YAML.parse(read("examples/container/compose.yaml")) as Compose;
  const own = Object.entries(services).filter(([, { image }]) => image === "lyra");
  const exposed = /^EXPOSE (.*)$/m.exec(dockerfile)![1]!.split(" ");

  test.each(own)(
    "%s runs a command of Lyra, on ports of the image, with its home in a volume",
    async (_, service) => {
      expect(await unknownWords(service.command)).toEqual([]);
      const inside = service.ports!.map((port) => port.split(":").at(-1)!);
      expect(inside.filter((port) => !exposed.includes(port))).toEqual([]);
      const [name, folder] = service.volumes![0]!.split(":");
      expect([name! in volumes, dockerfile.includes(`VOLUME ${folder}\n`)]).toEqual([true, true]);
    },
  );

  test("a program beside the devnet waits for the image's own health check", async () => {
    expect(services.bot!.depends_on).toEqual({ devnet: { condition: "service_healthy" } });
    const [, check] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)!;
    expect(await unknownWords((JSON.parse(check!) as string[]).slice(1))).toEqual([]);
  });

  test("the image itself serves the sample", async () => {
    const [, words] = /^CMD (\[.*\])$/m.exec(dockerfile)!;
    expect(await unknownWords(JSON.parse(words!) as string[])).toEqual([]);
  });
});

describe("the workflow of a bot", () => {
  const { jobs } = Bun.YAML.parse(read("examples/ci/bot.yml")) as Workflow;
  const lines = Object.values(jobs)
    .flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    .flatMap((script) => script.split("\n"));

  test("uses commands of Lyra with flags that exist", async () => {
    const calls = lines.flatMap((line) => {
      const call = /^npx lyra (.*?)(?: > .*)?$/.exec(line)?.[1];
      return call === undefined ? [] : [call.split(" ")];
    });
    expect(calls.map(([word]) => word)).toEqual(["devnet", "health", "devnet"]);
    expect((await Promise.all(calls.map(unknownWords))).flat()).toEqual([]);
  });
});
