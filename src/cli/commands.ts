// The commands by their words. The module of each is loaded when it is called; what it says for itself is its summary.

import type { Commands } from "./command/command.ts";
import { NODE_URL, POW_FLAGS } from "./flags.ts";

export const COMMANDS: Commands = {
  devnet: {
    summary: "start a local network, and its tools",
    load: async () => (await import("./devnet.ts")).devnet,
    loadCommands: async () => (await import("./devnet-tools.ts")).toolCommands(),
    leadingFlags: NODE_URL,
  },
  sidecar: {
    summary: "follow a validator, and answer for it",
    load: async () => (await import("./sidecar.ts")).sidecar,
  },
  serve: { summary: "serve an existing home", load: async () => (await import("./serve.ts")).serve },
  replay: {
    summary: "load a recording, and serve it with --serve",
    load: async () => (await import("./replay.ts")).replay,
  },
  prune: {
    summary: "remove the oldest history of a home",
    load: async () => (await import("./prune.ts")).prune,
  },
  history: { summary: "segments, export, verify" },
  "history segments": {
    summary: "the segments of a home, and what can be exported",
    load: async () => (await import("./history.ts")).segments,
  },
  "history export": {
    summary: "a table of some blocks as an archive",
    load: async () => (await import("./history.ts")).exportArchive,
  },
  "history verify": {
    summary: "check an archive, or compare the home with another node",
    load: async () => (await import("./history.ts")).verify,
  },
  "history fetch": {
    summary: "history of another node",
    load: async () => (await import("./history-peers.ts")).fetchFrom,
  },
  backup: {
    summary: "one file of a home, while it runs",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: { summary: "a home from a backup", load: async () => (await import("./restore.ts")).restore },
  wallet: { summary: "keys, signatures, wallet files", loadOld: () => import("./wallet.ts") },
  tx: { summary: "build, check, sign, prove, send a transaction", loadOld: () => import("./tx.ts") },
  pow: { summary: "make, check and measure proofs of work", leadingFlags: POW_FLAGS },
  "pow solve": { summary: "make a proof of work", load: async () => (await import("./pow.ts")).solve },
  "pow verify": { summary: "check a proof of work", load: async () => (await import("./pow.ts")).verify },
  "pow bench": { summary: "measure proofs of work", load: async () => (await import("./pow.ts")).bench },
  proto: {
    summary: "the interface as .proto files",
    load: async () => (await import("./proto.ts")).proto,
  },
  explain: {
    summary: "what an error means, and what to do",
    load: async () => (await import("./explain.ts")).explain,
  },
  doctor: {
    summary: "check a home and this machine",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  completions: {
    summary: "what your shell completes",
    load: async () => (await import("./completions.ts")).completionsOf(COMMANDS),
  },
  health: { summary: "does a node answer?", load: async () => (await import("./health.ts")).health },
  version: { summary: "what this executable is", load: async () => (await import("./version.ts")).version },
};
