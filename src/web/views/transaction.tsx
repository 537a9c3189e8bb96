// A transaction: command in words and in full, signature and proof, result, and all that it changed.
import type { TransactionStory } from "../../http/chain-bodies.ts";
import { Result } from "../components/activity.tsx";
import { Amount } from "../components/amount.tsx";
import { Id, Market, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Badge, Facts, Heading, Panel } from "../components/panel.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { FullTime } from "../components/time.tsx";
import { Words } from "../components/words.tsx";
import { useRead } from "../data/read.ts";
import { bytes, count, enumWords } from "../format.ts";
import { link } from "../shell/router.ts";
import type { ViewProps } from "../view-props.ts";

export default function TransactionView({ params }: ViewProps) {
  const { hash = "" } = params;
  const { data: story, failure } = useRead<TransactionStory>(
    `/lyra/v1/transactions/${encodeURIComponent(hash)}`,
    {
      isLive: false,
    },
  );
  if (failure?.status === 404)
    return (
      <>
        <Heading title="Transaction" />
        <Empty title="No block of this node has this transaction" command={`lyra explain ${hash}`}>
          A devnet remembers for a while why it refused one before it came into a block.
        </Empty>
      </>
    );
  if (failure !== undefined) return <Failure text={failure.message} />;
  if (story === undefined) return <div class="loading" aria-busy="true" />;
  return (
    <>
      <Heading title={<Words text={story.title} />}>
        <Result code={story.code} />
      </Heading>
      {story.code !== 0 && <Refusal story={story} />}
      <div class="grid">
        <Panel title="Transaction">
          <Facts
            rows={[
              ["Hash", <Id key="hash" id={story.hash} isLong />],
              ["Sender", <Party key="sender" id={story.submitter} />],
              ["Command", story.type],
              [
                "Block",
                <a key="block" href={link("block", story.height)} class="number">
                  {count(story.height)}
                </a>,
              ],
              ["Place in the block", String(story.index)],
              ["Time", <FullTime key="time" at={story.time} />],
              ["Size", story.checks.bytes === null ? undefined : bytes(story.checks.bytes)],
            ]}
          />
        </Panel>
        <Checks story={story} />
        <Panel title="Command" isWide>
          <Facts
            rows={story.lines.map(
              ({ label, text }) => [label, <Words key={label} label={label} text={text} />] as const,
            )}
          />
          <Json title="Decoded in full" value={story.command} />
        </Panel>
        <Balances story={story} />
        <Movements story={story} />
        <Events story={story} />
      </div>
    </>
  );
}

function Refusal({ story: { error, explanations } }: { readonly story: TransactionStory }) {
  return (
    <section class="refusal" aria-label="Why it was refused">
      <p class="refusal-text">{error || "It failed; this node does not have the reason."}</p>
      {explanations.map(({ code, means, why, fix }) => (
        <dl key={code} class="facts">
          <div>
            <dt>Means</dt>
            <dd>{means}</dd>
          </div>
          {why !== "" && (
            <div>
              <dt>Why</dt>
              <dd>{why}</dd>
            </div>
          )}
          <div>
            <dt>Do</dt>
            <dd>{fix}</dd>
          </div>
        </dl>
      ))}
    </section>
  );
}

const TONES = { valid: "good", invalid: "bad", "too weak": "bad", none: "plain", unknown: "plain" } as const;

function Checks({ story: { checks } }: { readonly story: TransactionStory }) {
  const { signature, proofOfWork, difficulty, required, proofHeight, algorithm, signatureValue } = checks;
  return (
    <Panel title="Checked again by this node">
      <Facts
        rows={[
          [
            "Signature",
            <Badge key="signature" tone={TONES[signature]}>
              {signature}
            </Badge>,
          ],
          ["Algorithm", algorithm || undefined],
          ["Value", signatureValue === "" ? undefined : <Id key="value" id={signatureValue} />],
          [
            "Proof of work",
            <Badge key="proof" tone={TONES[proofOfWork]}>
              {proofOfWork}
            </Badge>,
          ],
          [
            "Difficulty",
            difficulty === null
              ? undefined
              : `${difficulty} zero bits${required === null ? "" : `, ${required} are asked for now`}`,
          ],
          [
            "For block",
            proofHeight === null ? undefined : (
              <a key="block" href={link("block", proofHeight)} class="number">
                {count(proofHeight)}
              </a>
            ),
          ],
        ]}
      />
      {signature === "unknown" && (
        <p class="muted note">
          This node has the result of the transaction, not its bytes: there is nothing to verify.
        </p>
      )}
    </Panel>
  );
}

const account = (type: string) => enumWords(type, "ACCOUNT_TYPE_");

function Balances({ story: { balances } }: { readonly story: TransactionStory }) {
  return (
    <Panel title="Balances it changed" isWide>
      <Table
        label="balances"
        rows={{ data: balances, failure: undefined }}
        keyOf={(row) => `${row.party} ${row.asset} ${row.market} ${row.type}`}
        empty={<Empty title="It changed no balance" />}
        columns={[
          { title: "Owner", cell: ({ party }) => <Party id={party} isBare /> },
          { title: "Account", isWide: true, cell: ({ type }) => account(type) },
          { title: "Market", isMinor: true, cell: ({ market }) => <Market id={market} /> },
          {
            title: "Balance after the block",
            isNumber: true,
            cell: ({ balance, asset }) => <Amount amount={balance} asset={asset} />,
          },
        ]}
      />
    </Panel>
  );
}

function Movements({ story: { movements } }: { readonly story: TransactionStory }) {
  if (movements.length === 0) return null;
  return (
    <Panel title="Money it moved" isWide>
      <Table
        label="movements"
        rows={{ data: movements, failure: undefined }}
        keyOf={(row) => movements.indexOf(row)}
        empty={null}
        columns={[
          { title: "From", cell: ({ from }) => <AccountName {...from} /> },
          { title: "To", cell: ({ to }) => <AccountName {...to} /> },
          { title: "Kind", isWide: true, cell: ({ type }) => enumWords(type, "TRANSFER_TYPE_") },
          {
            title: "Amount",
            isNumber: true,
            cell: ({ amount, from }) => <Amount amount={amount} asset={from.asset} />,
          },
        ]}
      />
    </Panel>
  );
}

function AccountName({ party, type }: TransactionStory["movements"][number]["from"]) {
  return (
    <>
      <Party id={party} isBare /> <span class="muted">{account(type)}</span>
    </>
  );
}

function Events({ story: { events } }: { readonly story: TransactionStory }) {
  if (events.length === 0) return null;
  return (
    <Panel title="Events" isWide>
      {events.map(({ table, rows, data }) =>
        data === undefined ? (
          <p key={table} class="event">
            {table.replaceAll("_", " ")} <span class="muted number">{rows}</span>
          </p>
        ) : (
          <Json key={table} title={`${table.replaceAll("_", " ")}, ${rows}`} value={data} />
        ),
      )}
    </Panel>
  );
}
