import { useCall } from "../data/read.ts";
import { EpochPage } from "./epoch.tsx";

/** The epoch that runs. */
export default function CurrentEpoch() {
  const { data } = useCall("epochs.get", {});
  return data === undefined ? (
    <div class="loading" aria-busy="true" />
  ) : (
    <EpochPage epoch={data.epoch} isCurrent />
  );
}
