// A validator among the others: its engine and power, the nodes that it is connected with, and the transactions that it owes.
import type { AnswerOf, TOOLS } from "../../planes/devnet/declarations.ts";
import { Id, Validator } from "../components/id.tsx";
import { Meter } from "../components/meter.tsx";
import { Badge, Facts, Panel } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { nodeOrigin } from "../data/node.ts";
import { useRead } from "../data/read.ts";
import { count, duration } from "../format.ts";
import { link } from "../shell/router.ts";

type Answer = AnswerOf<typeof TOOLS.validator>;

export function ValidatorPanels() {
  const isHere = nodeOrigin() === location.origin;
  const { data, failure } = useRead<Answer>(isHere ? "/devnet/validator" : undefined, { isOfNode: true });
  if (!isHere)
    return (
      <Panel title="Validator">
        <Empty title="Peers and duties are shown to the page of the node's own port">
          <a href={`${nodeOrigin()}/${link("node")}`}>{`${nodeOrigin()}/`}</a>
        </Empty>
      </Panel>
    );
  if (failure !== undefined)
    return (
      <Panel title="Validator">
        <Empty title="This node shows its peers and duties to its own machine alone">{failure.message}</Empty>
      </Panel>
    );
  if (data === undefined) return <Panel title="Validator">{null}</Panel>;
  return (
    <>
      <Own {...data} />
      <Duties {...data} />
      {data.engine !== undefined && <Peers peers={data.engine.peers} />}
    </>
  );
}

function Own({ node, engine, problem }: Answer) {
  if (engine === undefined)
    return (
      <Panel title="Validator" more={<Badge tone="bad">engine away</Badge>}>
        <p class="failure">{problem}</p>
        <Empty title="Its consensus engine does not answer" command="cometbft start --home DIR">
          The engine is started again by its supervisor; reads of this node go on.
        </Empty>
      </Panel>
    );
  const { height, lastSigned, catchingUp, power, totalPower } = engine;
  const missed = lastSigned === undefined ? undefined : Number(height) - Number(lastSigned);
  return (
    <Panel
      title="Validator"
      more={
        <Badge tone={catchingUp ? "warn" : "good"}>{catchingUp ? "catching up" : "with the others"}</Badge>
      }
    >
      <Facts
        rows={[
          ["Validator", node === undefined ? "none of the chain's" : <Validator key="node" id={node} />],
          ["Engine", `${engine.name}, CometBFT ${engine.version}`],
          ["Its last block", count(Number(height))],
          [
            "Last block it signed",
            missed === undefined ? (
              <Badge key="signed" tone="bad">
                none of the last
              </Badge>
            ) : (
              `${count(Number(lastSigned))}${missed > 1 ? `, ${count(missed)} blocks ago` : ""}`
            ),
          ],
        ]}
      />
      <Meter
        label="Voting power"
        value={Number(power)}
        max={Number(totalPower)}
        text={`${power} of ${totalPower}`}
      />
    </Panel>
  );
}

const KINDS = { vote: "vote", sign: "signature", heartbeat: "heartbeat" } as const;

function Duties({ duties, keys, node, engine }: Answer) {
  return (
    <Panel
      title="Duties pending"
      more={<span class="muted">{keys ? "" : "this node has no keys for them"}</span>}
    >
      <Table
        label="duties"
        rows={{ data: duties, failure: undefined }}
        empty={
          <Empty
            title={
              node === undefined && engine !== undefined
                ? "No validator of the chain works here"
                : "Nothing is owed"
            }
            {...(!keys && { command: "lyra validator --keys FILE --ethereum URL" })}
          />
        }
        columns={[
          { title: "Kind", cell: ({ kind }) => KINDS[kind] },
          { title: "About", isWide: true, cell: ({ about }) => <Id id={about} /> },
        ]}
      />
    </Panel>
  );
}

function Peers({ peers }: Pick<NonNullable<Answer["engine"]>, "peers">) {
  return (
    <Panel title="Peers" isWide more={<span class="muted number">{count(peers.length)}</span>}>
      <Table
        label="peers"
        rows={{ data: peers, failure: undefined }}
        empty={
          <Empty title="The engine is connected with nobody">
            Others are named by <code>persistent_peers</code> in its config.toml.
          </Empty>
        }
        columns={[
          { title: "Name", cell: ({ name }) => name },
          { title: "Identifier", isMinor: true, cell: ({ id }) => <Id id={id} /> },
          {
            title: "Address",
            isWide: true,
            cell: ({ host, outbound }) => `${outbound ? "to" : "from"} ${host}`,
          },
          {
            title: "Works on block",
            isNumber: true,
            cell: ({ height }) => (height === undefined ? "–" : count(Number(height))),
          },
          {
            title: "Connected for",
            isNumber: true,
            isMinor: true,
            cell: ({ connectedSeconds }) => duration(connectedSeconds * 1_000),
          },
        ]}
      />
    </Panel>
  );
}
