import { useRead } from "../data/read.ts";
import type { Epoch } from "./epoch.tsx";
import { EpochPage } from "./epoch.tsx";

/** The epoch that runs. */
export default function CurrentEpoch() {
  const { data } = useRead<{ epoch: Epoch }>("/api/v2/epoch");
  return data === undefined ? (
    <div class="loading" aria-busy="true" />
  ) : (
    <EpochPage epoch={data.epoch} isCurrent />
  );
}
