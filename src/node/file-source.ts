// A file that is followed, as a source of a served home: its state for the registry.
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";
import type { ChainHead } from "../store/head.ts";
import { SourceStatus } from "./source-status.ts";
import type { Writing } from "./writer-thread.ts";

/** A file names no node that it could be behind, and the age of a recording turns no reader away. */
const NO_BOUNDS = { blocks: 0, seconds: 0 };

/** The registry of a served home whose source is a file. */
export function fileStatus(own: () => ChainHead | undefined): SourceStatus {
  const status = new SourceStatus(NO_BOUNDS, own);
  status.set("file", { state: "waiting", text: "no event has come yet" });
  return status;
}

/** Reports of the writer's thread. */
export function watchFile(writer: Writing, status: SourceStatus): void {
  let height: number | undefined;
  writer.onLive = (report) => {
    if (report.kind === "state" && report.trouble) {
      const { code, text } = report.trouble;
      logFailure(new NodeError("replay.follow", code, text));
      status.set("file", { state: code === "disk_full" ? "paused" : "stopped", code, text });
    } else if (report.kind === "state") {
      if (status.sources().some(({ code }) => code !== undefined))
        logNotice("replay.follow", "events are stored again");
      status.set("file", { state: "receiving", text: "" });
    } else if (report.kind === "known") height = report.height;
    else if (report.kind === "read" && report.isAtEnd) {
      const isStopped = status.sources().some(({ state }) => state === "stopped" || state === "paused");
      if (!isStopped) status.set("file", { state: "waiting", text: "everything in the file is stored" });
    } else if (report.kind === "ended") status.set("file", { state: "waiting", text: report.text });
    if (height !== undefined) status.set("file", { height });
  };
}
