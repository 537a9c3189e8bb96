// The commands by their words. The module of each is loaded when it is called; what it says for itself is its summary.

import type { Commands } from "./command/command.ts";
import { NODE_URL, POW_FLAGS, WALLETS } from "./flags.ts";

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
  wallet: { summary: "keys, signatures, wallet files", hintWords: 2, leadingFlags: WALLETS },
  "wallet create": { summary: "a new wallet", load: async () => (await import("./wallet-create.ts")).create },
  "wallet import": {
    summary: "from a recovery phrase, or a wallet file",
    load: async () => (await import("./wallet.ts")).importWallet,
  },
  "wallet list": { summary: "all wallets", load: async () => (await import("./wallet.ts")).list },
  "wallet describe": {
    summary: "identifier, kind, version of its keys",
    load: async () => (await import("./wallet.ts")).describe,
  },
  "wallet rename": { summary: "another name", load: async () => (await import("./wallet.ts")).rename },
  "wallet delete": { summary: "takes the file away", load: async () => (await import("./wallet.ts")).remove },
  "wallet passphrase": {
    summary: "another passphrase for its file",
    load: async () => (await import("./wallet.ts")).changePassphrase,
  },
  "wallet upgrade": {
    summary: "a file of the original becomes one of Lyra's",
    load: async () => (await import("./wallet.ts")).upgrade,
  },
  "wallet export": {
    summary: "a file that the original wallet opens",
    load: async () => (await import("./wallet.ts")).exportWallet,
  },
  "wallet default": {
    summary: "wallet and key where none is named",
    load: async () => (await import("./wallet-default.ts")).setDefault,
  },
  "wallet balance": {
    summary: "general accounts, as a node says",
    load: async () => (await import("./wallet-balance.ts")).balance,
  },
  "wallet key": { summary: "the keys of a wallet" },
  "wallet key generate": {
    summary: "the next key",
    load: async () => (await import("./wallet-keys.ts")).generate,
  },
  "wallet key list": { summary: "its keys", load: async () => (await import("./wallet-keys.ts")).list },
  "wallet key describe": {
    summary: "one of them",
    load: async () => (await import("./wallet-keys.ts")).describe,
  },
  "wallet key annotate": {
    summary: "notes on a key",
    load: async () => (await import("./wallet-keys.ts")).annotate,
  },
  "wallet key taint": {
    summary: "it signs nothing, pages lose it",
    load: async () => (await import("./wallet-keys.ts")).taint,
  },
  "wallet key untaint": {
    summary: "it can be used again",
    load: async () => (await import("./wallet-keys.ts")).untaint,
  },
  "wallet key isolate": {
    summary: "a wallet with this key alone",
    load: async () => (await import("./wallet-keys.ts")).isolate,
  },
  "wallet key rotate": {
    summary: "a validator's change of keys",
    load: async () => (await import("./wallet-keys.ts")).rotate,
  },
  "wallet message": { summary: "signatures of messages" },
  "wallet message sign": {
    summary: "prints the signature, base64",
    load: async () => (await import("./wallet-messages.ts")).sign,
  },
  "wallet message verify": {
    summary: "checks a signature",
    load: async () => (await import("./wallet-messages.ts")).verify,
  },
  "wallet serve": {
    summary: "the JSON-RPC service that pages and programs talk to",
    load: async () => (await import("./wallet-serve.ts")).serve,
  },
  "wallet unlock": {
    summary: "unlocks a wallet in the running service",
    load: async () => (await import("./wallet-session.ts")).unlock,
  },
  "wallet lock": { summary: "locks it again", load: async () => (await import("./wallet-session.ts")).lock },
  "wallet approvals": {
    summary: "what pages ask for, from a second terminal",
    load: async () => (await import("./wallet-approvals.ts")).approvals,
  },
  "wallet session": { summary: "connections of the running service, else the kept ones" },
  "wallet session list": {
    summary: "the connections",
    load: async () => (await import("./wallet-session.ts")).list,
  },
  "wallet session revoke": {
    summary: "ends the connections of a page",
    load: async () => (await import("./wallet-session.ts")).revoke,
  },
  "wallet session block": {
    summary: "refuses a site from now on",
    load: async () => (await import("./wallet-session.ts")).block,
  },
  "wallet session unblock": {
    summary: "it may ask again",
    load: async () => (await import("./wallet-session.ts")).unblock,
  },
  "wallet session blocked": {
    summary: "the sites that are refused",
    load: async () => (await import("./wallet-session.ts")).blocked,
  },
  "wallet permissions": { summary: "what pages may see of a wallet" },
  "wallet permissions list": {
    summary: "of all pages",
    load: async () => (await import("./wallet-permissions.ts")).list,
  },
  "wallet permissions describe": {
    summary: "of a page",
    load: async () => (await import("./wallet-permissions.ts")).describe,
  },
  "wallet permissions revoke": {
    summary: "takes those of a page",
    load: async () => (await import("./wallet-permissions.ts")).revoke,
  },
  "wallet permissions purge": {
    summary: "takes those of all pages",
    load: async () => (await import("./wallet-permissions.ts")).purge,
  },
  "wallet token": { summary: "long-living tokens for programs" },
  "wallet token generate": {
    summary: "a new token, shown once",
    load: async () => (await import("./wallet-permissions.ts")).generate,
  },
  "wallet token list": {
    summary: "all tokens",
    load: async () => (await import("./wallet-permissions.ts")).listTokens,
  },
  "wallet token delete": {
    summary: "ends a token",
    load: async () => (await import("./wallet-permissions.ts")).remove,
  },
  "wallet network": { summary: "nodes under a name, for serve --network NAME" },
  "wallet network list": {
    summary: "all networks",
    load: async () => (await import("./wallet-network.ts")).list,
  },
  "wallet network describe": {
    summary: "the settings of a network",
    load: async () => (await import("./wallet-network.ts")).describe,
  },
  "wallet network add": {
    summary: "a network of these nodes",
    load: async () => (await import("./wallet-network.ts")).add,
  },
  "wallet network import": {
    summary: "a network from a file of the original",
    load: async () => (await import("./wallet-network.ts")).importNetwork,
  },
  "wallet network rename": {
    summary: "another name",
    load: async () => (await import("./wallet-network.ts")).rename,
  },
  "wallet network remove": {
    summary: "takes a network away",
    load: async () => (await import("./wallet-network.ts")).remove,
  },
  "wallet network delete": {
    summary: "takes a network away",
    load: async () => (await import("./wallet-network.ts")).remove,
    isHidden: true,
  },
  "wallet network locate": {
    summary: "the file of a network",
    load: async () => (await import("./wallet-network.ts")).locate,
  },
  "wallet policy": { summary: "a file that decides in your place (docs/wallet.md)" },
  "wallet policy hash": {
    summary: "its hash",
    load: async () => (await import("./wallet-approvals.ts")).hash,
  },
  "wallet policy check": {
    summary: "whether it is one, and its hash",
    load: async () => (await import("./wallet-approvals.ts")).check,
  },
  "wallet policy simulate": {
    summary: "what it would have said of past requests",
    load: async () => (await import("./wallet-approvals.ts")).simulatePolicy,
  },
  "wallet policy pair": {
    summary: "a token for a program to connect with",
    load: async () => (await import("./wallet-approvals.ts")).pair,
  },
  tx: { summary: "build, check, sign, prove, send a transaction" },
  "tx block": {
    summary: "the last block, for a machine without a network",
    load: async () => (await import("./tx-online.ts")).block,
  },
  "tx build": { summary: "the bytes to sign", load: async () => (await import("./tx.ts")).build },
  "tx build order": {
    summary: "an order in the market's own decimals",
    load: async () => (await import("./tx-order.ts")).buildOrder,
    hintWords: 3,
  },
  "tx check": { summary: "the rules that it keeps", load: async () => (await import("./tx.ts")).check },
  "tx sign": { summary: "signs it; needs no network", load: async () => (await import("./tx.ts")).sign },
  "tx prove": { summary: "adds the proof of work", load: async () => (await import("./tx-online.ts")).prove },
  "tx send": { summary: "sends it, once", load: async () => (await import("./tx-online.ts")).send },
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
