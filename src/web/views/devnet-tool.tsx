// A tool as a form: its members are fields, and the command line that does the same stands below it.
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { isOptional, plainName } from "../../http/declaration.ts";
import type { Member } from "../../planes/devnet/members.ts";
import { Json } from "../components/json.tsx";
import { Command } from "../components/states.tsx";
import { FullTime } from "../components/time.tsx";
import { saveFile } from "../data/download.ts";
import { postForText, postToNode, RequestFailure } from "../data/node.ts";
import { useOfThisChain } from "../data/read.ts";
import { bodyOf, commandOf, type Tool, type ToolValues } from "./tool-line.ts";

/** Fields that suggest names, by the kind of member or its name. */
const SUGGESTED: Readonly<Record<string, string>> = {
  party: "suggested-parties",
  asset: "suggested-assets",
  market: "suggested-markets",
};

/** Characters that a narrow field shows. */
const PLACEHOLDER_MAX = 22;

type Outcome = { readonly answer: unknown } | { readonly failure: string };

export function ToolForm({ tool }: { readonly tool: Tool }) {
  const values = useSignal<ToolValues>({});
  const file = useSignal<string | undefined>(undefined);
  const outcome = useOfThisChain<Outcome | undefined>(undefined);
  const isRunning = useSignal(false);
  const members = Object.entries(tool.members) as [string, Member][];
  const run = async (event: Event) => {
    event.preventDefault();
    isRunning.value = true;
    try {
      const body = tool.file === undefined ? bodyOf(members, values.value) : (file.value ?? "");
      const path = `/devnet/${tool.path}`;
      if (tool.answer.raw === undefined) outcome.value = { answer: await postToNode<unknown>(path, body) };
      else {
        const file = new Blob([await postForText(path, body)], { type: "application/json" });
        saveFile(`${tool.path}.json`, file);
        outcome.value = { answer: undefined };
      }
    } catch (error) {
      if (error instanceof RequestFailure) outcome.value = { failure: error.message };
      else if (error instanceof SyntaxError) outcome.value = { failure: "that is not JSON" };
      else throw error;
    } finally {
      isRunning.value = false;
    }
  };
  const set = (name: string, value: string) => {
    values.value = { ...values.value, [name]: value };
  };
  const verb = tool.path.replace("/", " ");
  return (
    <form class="tool" aria-label={verb} onSubmit={run}>
      <div class="tool-row">
        <span class="tool-summary">{tool.summary}</span>
        <button type="submit" disabled={isRunning.value}>
          {verb}
        </button>
      </div>
      {(members.length > 0 || tool.file !== undefined) && (
        <div class="tool-fields">
          {members.map(([word, member]) => (
            <Field
              key={word}
              word={word}
              member={member}
              value={values.value[plainName(word)] ?? ""}
              onChange={set}
            />
          ))}
          {tool.file !== undefined && (
            <label>
              {tool.file.name}
              <input
                type="file"
                required
                onChange={async ({ currentTarget }) => {
                  file.value = await currentTarget.files?.[0]?.text();
                }}
              />
            </label>
          )}
        </div>
      )}
      <Command text={commandOf(tool, members, values.value)} />
      {outcome.value !== undefined &&
        ("failure" in outcome.value ? (
          <p class="failure" role="alert">
            {outcome.value.failure}
          </p>
        ) : (
          <>
            <p class="done" role="status">
              Done
              <NextTime answer={outcome.value.answer} />
            </p>
            {tool.answer.raw === undefined && <Json title="Answer" value={outcome.value.answer} />}
          </>
        ))}
    </form>
  );
}

/** A clock that was moved shows in the next block alone. */
function NextTime({ answer }: { readonly answer: unknown }) {
  const time = (answer as { readonly nextBlockTime?: string } | null | undefined)?.nextBlockTime;
  if (time === undefined) return null;
  return (
    <>
      : the next block has the time <FullTime at={time} />
    </>
  );
}

interface FieldProps {
  readonly word: string;
  readonly member: Member;
  readonly value: string;
  readonly onChange: (name: string, value: string) => void;
}

function Field({ word, member, value, onChange }: FieldProps) {
  const id = useId();
  const name = plainName(word);
  const isNeeded = !isOptional(word);
  const { kind, meaning, sample, choices = kind === "flag" ? ["true", "false"] : undefined } = member;
  // A longer one would be cut.
  const isShort = meaning.length <= PLACEHOLDER_MAX;
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onChange(name, currentTarget.value);
  return (
    <div class={kind === "object" ? "wide-field" : undefined} title={meaning}>
      <label htmlFor={id}>
        {name}
        {choices !== undefined ? (
          <select id={id} value={value} onChange={change} required={isNeeded}>
            <option value="" />
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : kind === "object" ? (
          <textarea
            id={id}
            rows={3}
            value={value}
            required={isNeeded}
            placeholder={sample}
            spellcheck={false}
            onInput={change}
          />
        ) : (
          <input
            id={id}
            type="text"
            value={value}
            required={isNeeded}
            placeholder={isShort ? meaning : undefined}
            list={SUGGESTED[kind] ?? SUGGESTED[name]}
            aria-describedby={isShort ? undefined : `${id}-meaning`}
            onInput={change}
          />
        )}
      </label>
      {!isShort && choices === undefined && kind !== "object" && (
        <small id={`${id}-meaning`} class="muted">
          {meaning}
        </small>
      )}
    </div>
  );
}
