// The tools of a devnet, each a form made from the tool's own declaration, with the command line that does the same.
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { TOOL_LIST } from "../../planes/devnet/declarations.ts";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { FullTime } from "../components/time.tsx";
import { parties } from "../data/names.ts";
import { nodeOrigin } from "../data/node.ts";
import { useList, useRead } from "../data/read.ts";
import { count, timeMs } from "../format.ts";
import { link } from "../shell/router.ts";
import type { CommandForm } from "./command-form.tsx";
import { Snapshots } from "./devnet-snapshots.tsx";
import { ToolForm } from "./devnet-tool.tsx";
import { instrumentOf } from "./markets.tsx";

/** Tools by what they change; those that only read have views of their own. */
const GROUPS: readonly (readonly [title: string, tools: readonly string[]])[] = [
  ["Blocks and time", ["mine", "mode", "time/forward", "time/set", "time/freeze", "epoch/end"]],
  ["Parties", ["fund", "stake", "balance", "ban", "pardon"]],
  ["Markets", ["market/create", "market/run", "market/price", "market/terminate", "market/settle"]],
  ["Parameters and state", ["parameter", "dump", "load", "checkpoint", "reset"]],
  [
    "Simulated Ethereum",
    [
      "bridge/deposit",
      "bridge/list",
      "bridge/limits",
      "bridge/claim",
      "bridge/signers",
      "bridge/stop",
      "bridge/resume",
    ],
  ],
];

export default function DevnetView() {
  if (nodeOrigin() !== location.origin)
    return (
      <>
        <Heading title="Devnet" />
        <Empty title="The tools answer the page of the node's own port">
          <a href={`${nodeOrigin()}/${link("devnet")}`}>{`${nodeOrigin()}/`}</a>
        </Empty>
      </>
    );
  return (
    <>
      <Heading title="Devnet" />
      <Suggestions />
      <div class="grid">
        <State />
        <Snapshots />
      </div>
      <div class="send-command">
        <SendCommand />
      </div>
      <div class="tools">
        {GROUPS.map(([title, paths]) => (
          <Panel key={title} title={title}>
            {paths.map((path) => {
              const tool = TOOL_LIST.find((each) => each.path === path);
              return <Fragment key={path}>{tool && <ToolForm tool={tool} />}</Fragment>;
            })}
          </Panel>
        ))}
      </div>
    </>
  );
}

/** Schema and form are loaded when they are asked for. */
function SendCommand() {
  const form = useSignal<typeof CommandForm | undefined>(undefined);
  const Form = form.value;
  return (
    <Panel title="Send any command as any party" isWide>
      {Form !== undefined ? (
        <Form />
      ) : (
        <div class="tool">
          <div class="tool-row">
            <span class="tool-summary">
              a form of each command, made from its message; executed as if the party had signed it
            </span>
            <button
              type="button"
              onClick={async () => {
                const { CommandForm: loaded } = await import("./command-form.tsx");
                form.value = loaded;
              }}
            >
              Choose a command
            </button>
          </div>
        </div>
      )}
    </Panel>
  );
}

interface Status {
  readonly height: string;
  readonly time: string;
  readonly epoch: { readonly seq: string; readonly start: string; readonly expire: string };
  readonly pow: { readonly difficulty: number; readonly txPerBlock: number; readonly pastBlocks: number };
  readonly mempool: { readonly count: number };
  readonly halted?: string;
}

function State() {
  const { data } = useRead<Status>("/devnet/status", { isOfNode: true });
  return (
    <Panel title="The chain now">
      <Facts
        rows={[
          ["Height", data && count(Number(data.height))],
          ["Time of the chain", <FullTime key="time" at={data?.time} />],
          ["Epoch", data?.epoch.seq],
          [
            "Epoch ends",
            data && timeMs(data.time)! >= timeMs(data.epoch.expire)! ? (
              "with the next block"
            ) : (
              <FullTime key="expire" at={data?.epoch.expire} />
            ),
          ],
          ["Transactions waiting", data && String(data.mempool.count)],
          ["Proof of work", data && `${data.pow.difficulty} bits, ${data.pow.txPerBlock} a block`],
          ["Halted", data?.halted],
        ]}
      />
    </Panel>
  );
}

/** Names that fields of the forms suggest. */
function Suggestions() {
  const assets = useList("assets.list", {}, { rows: 50 });
  const markets = useList("markets.list", {}, { rows: 50 });
  const codes = new Set(markets.data?.map((market) => instrumentOf(market).code));
  const lists = {
    parties: parties().map(({ title }) => title),
    assets: assets.data?.map(({ details }) => details?.symbol ?? "") ?? [],
    markets: [...codes],
  };
  return (
    <>
      {Object.entries(lists).map(([name, texts]) => (
        <datalist key={name} id={`suggested-${name}`}>
          {texts.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      ))}
    </>
  );
}
