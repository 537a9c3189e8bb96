// The first look: how far the chain is, what was sent, what listens where, and how the network differs from its defaults.
import type { Addresses, Blocks, Parameters } from "../../http/chain-bodies.ts";
import { ActivityTable } from "../components/activity.tsx";
import { Bars } from "../components/bars.tsx";
import { Copy } from "../components/copy.tsx";
import { Panel } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { addresses, head } from "../data/node.ts";
import { useRead } from "../data/read.ts";
import { count, duration, timeMs } from "../format.ts";
import { go, link } from "../shell/router.ts";

const BLOCKS = 60;
const TRANSACTIONS = 12;
const PARAMETERS = 10;

export default function Overview() {
  return (
    <>
      <h1 class="hidden">Overview</h1>
      <div class="grid">
        <RecentBlocks />
        <Panel
          title="Newest transactions"
          isWide
          more={
            <a href={link("transactions")} class="more">
              All
            </a>
          }
        >
          <ActivityTable rows={TRANSACTIONS} isShort />
        </Panel>
        <Places />
        <ChangedParameters />
      </div>
    </>
  );
}

function RecentBlocks() {
  const { data } = useRead<Blocks>(`/lyra/v1/blocks?limit=${BLOCKS}`);
  const newest = data?.blocks ?? [];
  const blocks = newest.toReversed();
  const total = blocks.reduce((sum, { transactions }) => sum + transactions, 0);
  const interval = intervalOf(blocks);
  const at = head.value;
  return (
    <Panel title="Chain" isWide>
      <div class="figures">
        <Figure title="Height" value={at === undefined ? "–" : count(at.height)} href={link("blocks")} />
        <Figure
          title="Block time"
          value={interval === undefined ? "–" : seconds(interval)}
          note={`mean of the last ${blocks.length}`}
        />
        <Figure
          title="Transactions"
          value={count(total)}
          note={`in the last ${blocks.length} blocks`}
          href={link("transactions")}
        />
        <div class="figure">
          <span class="figure-title">Last block</span>
          <span class="figure-value">
            <Time at={newest[0]?.time} />
          </span>
          <span class="muted">{newest[0] === undefined ? "" : <Time at={newest[0].time} isAge />}</span>
        </div>
      </div>
      <p class="chart-note muted">Transactions a block</p>
      <Bars
        at={blocks.map(({ height }) => height)}
        values={blocks.map(({ transactions }) => transactions)}
        label={`Transactions a block: ${total} in the last ${blocks.length} blocks`}
        onPick={(height) => go("block", height)}
      />
    </Panel>
  );
}

function Figure({
  title,
  value,
  note,
  href,
}: {
  title: string;
  value: string;
  note?: string;
  href?: string;
}) {
  return (
    <div class="figure">
      <span class="figure-title">{title}</span>
      <span class="figure-value number">{href === undefined ? value : <a href={href}>{value}</a>}</span>
      <span class="muted">{note}</span>
    </div>
  );
}

/** Mean time between blocks; undefined with fewer than two. */
function intervalOf(blocks: Blocks["blocks"]): number | undefined {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined || first.height === last.height) return undefined;
  return (timeMs(last.time)! - timeMs(first.time)!) / (last.height - first.height);
}

const seconds = (ms: number) =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(2)} s` : duration(ms);

function Places() {
  const node = addresses.value;
  return (
    <Panel
      title="Listening addresses"
      more={node && <span class="muted">{`${node.kind} · Lyra ${node.version} (${node.commit})`}</span>}
    >
      <table class="plain">
        <tbody>
          {node?.listening.map((place) => (
            <tr key={`${place.name} ${place.port}`}>
              <th scope="row">{place.title}</th>
              <td class="number">
                <span class="with-copy">
                  {isPage(place) ? <a href={addressOf(place)}>{addressOf(place)}</a> : addressOf(place)}
                  <Copy text={addressOf(place)} of={`the address of ${place.title}`} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

type Place = Addresses["listening"][number];

const isPage = ({ name }: Place) => name === "data" || name === "node" || name === "comet";

function addressOf({ name, scheme, port, host, path }: Place): string {
  if (scheme === "unix") return host;
  const place = `${location.hostname}:${port}`;
  if (scheme === "grpc") return place;
  return `${scheme}://${place}${name === "data" ? "/docs" : name === "node" ? "/docs" : path}`;
}

function ChangedParameters() {
  const path = `/lyra/v1/parameters?changed=true&limit=${PARAMETERS}`;
  const { data } = useRead<Parameters>(path, { isLive: false });
  const changed = data?.parameters ?? [];
  const total = data?.total ?? 0;
  return (
    <Panel
      title="Parameters that differ from their defaults"
      more={
        <a href={link("parameters")} class="more">
          {total > PARAMETERS ? `All ${total}` : "All parameters"}
        </a>
      }
    >
      {data !== undefined && changed.length === 0 && (
        <Empty title="All parameters have their defaults" command="lyra devnet parameter KEY VALUE" />
      )}
      <table class="plain">
        <tbody>
          {changed.map(({ key, value, default: initial }) => (
            <tr key={key}>
              <th scope="row" class="wide" title={key}>
                {key}
              </th>
              <td class="right number cut" title={value}>
                {value}
              </td>
              <td class="right number muted cut minor" title={`default: ${initial}`}>
                {initial}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
