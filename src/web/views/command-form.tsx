// Any command as any party: a form from the schema that the node gives, or JSON; executed without a signature.
import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { shellWord } from "../../http/shell-word.ts";
import type { CommandSchema } from "../../planes/devnet/command-schema.ts";
import { Effects, type EffectsOf } from "../components/effects.tsx";
import { Json } from "../components/json.tsx";
import { Command, Hint } from "../components/states.tsx";
import { parties } from "../data/names.ts";
import { postToNode, RequestFailure } from "../data/node.ts";
import { useList, useOfThisChain, useRead } from "../data/read.ts";
import { count } from "../format.ts";
import { link } from "../shell/router.ts";
import {
  type DraftMessage,
  draftOf,
  jsonOf,
  problemsIn,
  refusalsByField,
  usualDraft,
} from "./command-draft.ts";
import { MessageFields, Place, Refusals } from "./command-fields.tsx";
import { idOf, namedIds } from "./command-names.ts";
import { instrumentOf } from "./markets.tsx";

interface Sent {
  readonly txHash: string;
  readonly height: string;
  readonly effects: EffectsOf;
}

type Outcome = { readonly sent: Sent } | { readonly failure: string; readonly hint: string };

export function CommandForm() {
  const { data: schema } = useRead<CommandSchema>("/devnet/commands", { isOfNode: true, isLive: false });
  if (schema === undefined) return <div class="loading" aria-busy="true" />;
  return <SchemaForm schema={schema} />;
}

function SchemaForm({ schema }: { readonly schema: CommandSchema }) {
  const names = parties();
  const party = useSignal(names[0]?.title ?? "");
  const name = useSignal<string>("transfer");
  const drafts = useSignal<Readonly<Record<string, DraftMessage>>>({});
  /** The JSON that is typed; undefined while the form counts. */
  const text = useSignal<string | undefined>(undefined);
  const outcome = useOfThisChain<Outcome | undefined>(undefined);
  const isRunning = useSignal(false);
  const id = useId();

  const command = schema.commands.find((each) => each.name === name.value)!;
  const draft = drafts.value[command.name] ?? usualDraft(command.name);
  const setDraft = (value: DraftMessage) => {
    drafts.value = { ...drafts.value, [command.name]: value };
    outcome.value = undefined;
  };
  const written = text.value === undefined ? undefined : parsed(text.value);
  const body =
    text.value === undefined ? { [command.name]: jsonOf(schema, command.message, draft, idOf) } : written;
  const problems =
    text.value === undefined
      ? problemsIn(schema, command.message, draft)
      : written === undefined
        ? ["that is not a JSON object"]
        : [];
  const { value: last } = outcome;
  const reasons = last !== undefined && "failure" in last ? `${last.failure} ${last.hint}` : "";
  const refusals = refusalsByField(schema, command.message, draft, reasons);
  const run = async (event: Event) => {
    event.preventDefault();
    if (body === undefined || problems.length > 0) return;
    isRunning.value = true;
    try {
      const request = { party: party.value.trim(), command: body };
      const sent = await postToNode<Omit<Sent, "effects">>("/devnet/impersonate", request);
      // The explorer has signed transactions alone; the devnet knows what became of this one.
      const effects = await postToNode<EffectsOf>("/devnet/transaction", { hash: sent.txHash });
      outcome.value = { sent: { ...sent, effects } };
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      outcome.value = { failure: error.message, hint: error.hint };
    } finally {
      isRunning.value = false;
    }
  };
  /** The form takes over what was written as JSON, of another command too. */
  const toForm = () => {
    const [kind] = Object.keys(written ?? {});
    const other = schema.commands.find((each) => each.name === kind);
    if (other !== undefined) {
      const value = (written as Readonly<Record<string, unknown>>)[other.name];
      drafts.value = { ...drafts.value, [other.name]: draftOf(schema, other.message, value) };
      name.value = other.name;
    }
    text.value = undefined;
  };
  const choose = (chosen: string) => {
    name.value = chosen;
    outcome.value = undefined;
    if (text.value !== undefined) {
      const { message } = schema.commands.find((each) => each.name === chosen)!;
      text.value = pretty({
        [chosen]: jsonOf(schema, message, drafts.value[chosen] ?? usualDraft(chosen), idOf),
      });
    }
  };
  return (
    <form class="tool command-form" aria-label="send a command" onSubmit={run}>
      <Suggested />
      <div class="tool-fields">
        <label htmlFor={`${id}-party`}>
          as party
          <input
            id={`${id}-party`}
            type="text"
            required
            list="suggested-parties"
            placeholder="public key, or alice to judy"
            value={party.value}
            onInput={({ currentTarget }) => {
              party.value = currentTarget.value;
            }}
          />
        </label>
        <label htmlFor={`${id}-command`}>
          command
          <select
            id={`${id}-command`}
            value={command.name}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            {[false, true].map((isOfValidators) => (
              <optgroup key={String(isOfValidators)} label={isOfValidators ? "of validators" : "of parties"}>
                {schema.commands
                  .filter((each) => each.isOfValidators === isOfValidators)
                  .map((each) => (
                    <option key={each.name} value={each.name}>
                      {each.title}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <fieldset class="choices">
          <legend class="hidden">How the command is written</legend>
          <button type="button" aria-pressed={text.value === undefined} onClick={toForm}>
            Form
          </button>
          <button
            type="button"
            aria-pressed={text.value !== undefined}
            onClick={() => {
              text.value ??= pretty(body ?? {});
            }}
          >
            JSON
          </button>
        </fieldset>
      </div>
      {text.value === undefined ? (
        <Place.Provider value={command.name}>
          <Refusals.Provider value={refusals}>
            <MessageFields
              key={command.name}
              schema={schema}
              message={command.message}
              draft={draft}
              around={[]}
              onChange={setDraft}
            />
          </Refusals.Provider>
        </Place.Provider>
      ) : (
        <label htmlFor={`${id}-json`} class="wide-field">
          the command as JSON
          <textarea
            id={`${id}-json`}
            rows={14}
            spellcheck={false}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
            }}
          />
        </label>
      )}
      {text.value === undefined && schema.messages[command.message]?.some(({ isRequired }) => isRequired) && (
        <small class="muted">Without the members that are marked * the command is refused.</small>
      )}
      {problems.length > 0 && <p class="failure">{problems.join("; ")}</p>}
      {text.value === undefined && <Json title="The command as JSON" value={body} />}
      <Command
        text={`lyra devnet impersonate ${shellWord(party.value.trim() || "PARTY")} ${shellWord(JSON.stringify(body ?? {}))}`}
      />
      <div class="tool-row">
        <span role="status">
          {outcome.value !== undefined && "sent" in outcome.value && (
            <>
              <span class="done">Executed</span> in block{" "}
              <a href={link("block", outcome.value.sent.height)}>
                {count(Number(outcome.value.sent.height))}
              </a>{" "}
              <Command text={`lyra explain ${shellWord(outcome.value.sent.txHash)}`} />
            </>
          )}
        </span>
        <button type="submit" disabled={isRunning.value || problems.length > 0}>
          Send
        </button>
      </div>
      {outcome.value !== undefined && "sent" in outcome.value && (
        <div class="grid">
          <Effects of={outcome.value.sent.effects} />
        </div>
      )}
      {outcome.value !== undefined && "failure" in outcome.value && (
        <p class="failure" role="alert">
          {outcome.value.failure}
          <Hint text={outcome.value.hint} />
        </p>
      )}
    </form>
  );
}

/** Identifiers with their names, for members that hold them. */
function Suggested() {
  const options = { rows: 50, isLive: false };
  const assets = useList("assets.list", {}, options);
  const markets = useList("markets.list", {}, options);
  const nodes = useList("nodes.list", {}, options);
  const proposals = useList("governance.listData", { proposalState: "STATE_OPEN" }, options);
  const lists: Readonly<Record<string, readonly (readonly [id: string, name: string])[]>> = {
    party: parties().map(({ id, title }) => [id, title]),
    asset: assets.data?.map(({ id, details }) => [id, details?.symbol ?? ""]) ?? [],
    market: markets.data?.map((market) => [market.id, instrumentOf(market).code]) ?? [],
    node: nodes.data?.map(({ id, name }) => [id, name]) ?? [],
    proposal:
      proposals.data?.map(({ proposal }) => [proposal?.id ?? "", proposal?.rationale?.title ?? ""]) ?? [],
  };
  const written = JSON.stringify(lists);
  useEffect(() => {
    namedIds.value = lists;
  }, [written]);
  return (
    <>
      {Object.entries(lists).map(([kind, rows]) => (
        <datalist key={kind} id={`command-${kind}`}>
          {rows.map(([value, label]) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      ))}
    </>
  );
}

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
