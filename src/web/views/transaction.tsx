// A transaction: command in words and in full, signature and proof, result, and all that it changed.
import type { TransactionStory } from "../../http/chain-bodies.ts";
import { shellWord } from "../../http/shell-word.ts";
import { Result } from "../components/activity.tsx";
import { Effects } from "../components/effects.tsx";
import { Id, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Badge, Facts, Heading, Panel } from "../components/panel.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { FullTime } from "../components/time.tsx";
import { Words } from "../components/words.tsx";
import { useRead } from "../data/read.ts";
import { bytes, count } from "../format.ts";
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
        <Empty title="No block of this node has this transaction" command={`lyra explain ${shellWord(hash)}`}>
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
        <Effects of={story} />
      </div>
    </>
  );
}

function Refusal({ story: { error, sentence, explanations } }: { readonly story: TransactionStory }) {
  return (
    <section class="refusal" aria-label="Why it was refused">
      <p class="refusal-text">{sentence || error || "It failed; this node does not have the reason."}</p>
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

function Checks({ story }: { readonly story: TransactionStory }) {
  const { signature, proofOfWork, difficulty, required, proofHeight, algorithm, signatureValue } =
    story.checks;
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
      {story.impersonated && (
        <p class="muted note">Made by a devnet's tool: it has no signature and no proof of work.</p>
      )}
      {signature === "unknown" && (
        <p class="muted note">
          This node has the result of the transaction, not its bytes: there is nothing to verify.
        </p>
      )}
    </Panel>
  );
}
