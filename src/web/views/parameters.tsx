import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import type { Parameters } from "../../http/chain-bodies.ts";
import { Heading } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useRead } from "../data/read.ts";

export default function ParameterList() {
  const { data, failure } = useRead<Parameters>("/lyra/v1/parameters", { isLive: false });
  const sought = useSignal("");
  const isChangedOnly = useSignal(false);
  const rows = data?.parameters.filter(
    ({ key, changed }) =>
      key.toLowerCase().includes(sought.value.toLowerCase()) && (changed || !isChangedOnly.value),
  );
  return (
    <>
      <Heading title="Parameters">
        <div class="filters">
          <input
            type="search"
            placeholder="Part of a name"
            aria-label="Part of a parameter's name"
            value={sought.value}
            onInput={({ currentTarget }) => (sought.value = currentTarget.value)}
          />
          <label>
            <input
              type="checkbox"
              checked={isChangedOnly.value}
              onChange={({ currentTarget }) => (isChangedOnly.value = currentTarget.checked)}
            />
            differ from their defaults
          </label>
        </div>
      </Heading>
      <section class="panel">
        <Table
          label="parameters"
          rows={{ data: rows, failure }}
          empty={<Empty title="No parameter has such a name" />}
          columns={[
            { title: "Name", isWide: true, cell: ({ key }) => <ParameterName name={key} /> },
            {
              title: "Value",
              cell: ({ value, changed }) => (
                <span class={changed ? "id cut changed" : "id cut"} title={value}>
                  {value}
                </span>
              ),
            },
            {
              title: "Default",
              isMinor: true,
              cell: ({ default: initial }) => (
                <span class="id cut muted" title={initial ?? undefined}>
                  {initial ?? "–"}
                </span>
              ),
            },
          ]}
        />
      </section>
    </>
  );
}

/** In lines where it is too long for one, broken behind its dots. */
function ParameterName({ name }: { readonly name: string }) {
  const parts = name.split(/(?<=\.)/);
  return (
    <span class="id in-lines">
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
