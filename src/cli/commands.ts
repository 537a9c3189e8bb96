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
    summary: "list the segments of a home",
    load: async () => (await import("./history.ts")).segments,
  },
  "history export": {
    summary: "write a table of some blocks as an archive",
    load: async () => (await import("./history.ts")).exportArchive,
  },
  "history verify": {
    summary: "check an archive, or compare the home with another node",
    load: async () => (await import("./history.ts")).verify,
  },
  "history fetch": {
    summary: "fetch the history of another node",
    load: async () => (await import("./history-peers.ts")).fetchFrom,
  },
  backup: {
    summary: "back up a home into one file, while it runs",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: { summary: "make a home from a backup", load: async () => (await import("./restore.ts")).restore },
  wallet: { summary: "keys, signatures, wallet files", hintWords: 2, leadingFlags: WALLETS },
  "wallet create": {
    summary: "create a wallet",
    load: async () => (await import("./wallet-create.ts")).create,
  },
  "wallet import": {
    summary: "import a wallet from its recovery phrase or a file",
    load: async () => (await import("./wallet.ts")).importWallet,
  },
  "wallet list": { summary: "list all wallets", load: async () => (await import("./wallet.ts")).list },
  "wallet describe": {
    summary: "show identifier, kind and version of its keys",
    load: async () => (await import("./wallet.ts")).describe,
  },
  "wallet rename": { summary: "rename a wallet", load: async () => (await import("./wallet.ts")).rename },
  "wallet delete": {
    summary: "delete a wallet's file",
    load: async () => (await import("./wallet.ts")).remove,
  },
  "wallet passphrase": {
    summary: "change a wallet's passphrase",
    load: async () => (await import("./wallet.ts")).changePassphrase,
  },
  "wallet upgrade": {
    summary: "turn a file of the original into one of Lyra's",
    load: async () => (await import("./wallet.ts")).upgrade,
  },
  "wallet export": {
    summary: "write a file that the original wallet opens",
    load: async () => (await import("./wallet.ts")).exportWallet,
  },
  "wallet default": {
    summary: "set the wallet and the key to use where none is named",
    load: async () => (await import("./wallet-default.ts")).setDefault,
  },
  "wallet balance": {
    summary: "show general accounts, as a node says",
    load: async () => (await import("./wallet-balance.ts")).balance,
  },
  "wallet key": { summary: "the keys of a wallet" },
  "wallet key generate": {
    summary: "generate the next key",
    load: async () => (await import("./wallet-keys.ts")).generate,
  },
  "wallet key list": {
    summary: "list the keys of a wallet",
    load: async () => (await import("./wallet-keys.ts")).list,
  },
  "wallet key describe": {
    summary: "show a key with its notes",
    load: async () => (await import("./wallet-keys.ts")).describe,
  },
  "wallet key annotate": {
    summary: "write notes on a key",
    load: async () => (await import("./wallet-keys.ts")).annotate,
  },
  "wallet key taint": {
    summary: "let a key sign nothing; pages lose it",
    load: async () => (await import("./wallet-keys.ts")).taint,
  },
  "wallet key untaint": {
    summary: "let a tainted key sign again",
    load: async () => (await import("./wallet-keys.ts")).untaint,
  },
  "wallet key isolate": {
    summary: "make a wallet with one key alone",
    load: async () => (await import("./wallet-keys.ts")).isolate,
  },
  "wallet key rotate": {
    summary: "sign a validator's change of keys",
    load: async () => (await import("./wallet-keys.ts")).rotate,
  },
  "wallet message": { summary: "signatures of messages" },
  "wallet message sign": {
    summary: "sign a message; prints the signature in base64",
    load: async () => (await import("./wallet-messages.ts")).sign,
  },
  "wallet message verify": {
    summary: "check a signature",
    load: async () => (await import("./wallet-messages.ts")).verify,
  },
  "wallet serve": {
    summary: "run the JSON-RPC service that pages and programs talk to",
    load: async () => (await import("./wallet-serve.ts")).serve,
  },
  "wallet unlock": {
    summary: "unlock a wallet in the running service",
    load: async () => (await import("./wallet-session.ts")).unlock,
  },
  "wallet lock": {
    summary: "lock a wallet in the running service",
    load: async () => (await import("./wallet-session.ts")).lock,
  },
  "wallet approvals": {
    summary: "answer requests of pages from a second terminal",
    load: async () => (await import("./wallet-approvals.ts")).approvals,
  },
  "wallet session": { summary: "connections of the running service, else the kept ones" },
  "wallet session list": {
    summary: "list the connections",
    load: async () => (await import("./wallet-session.ts")).list,
  },
  "wallet session revoke": {
    summary: "end the connections of a page",
    load: async () => (await import("./wallet-session.ts")).revoke,
  },
  "wallet session block": {
    summary: "refuse a site from now on",
    load: async () => (await import("./wallet-session.ts")).block,
  },
  "wallet session unblock": {
    summary: "let a site ask again",
    load: async () => (await import("./wallet-session.ts")).unblock,
  },
  "wallet session blocked": {
    summary: "list the sites that are refused",
    load: async () => (await import("./wallet-session.ts")).blocked,
  },
  "wallet permissions": { summary: "permissions of pages to see keys of a wallet" },
  "wallet permissions list": {
    summary: "list the permissions of all pages",
    load: async () => (await import("./wallet-permissions.ts")).list,
  },
  "wallet permissions describe": {
    summary: "show the permissions of a page",
    load: async () => (await import("./wallet-permissions.ts")).describe,
  },
  "wallet permissions revoke": {
    summary: "revoke the permissions of a page",
    load: async () => (await import("./wallet-permissions.ts")).revoke,
  },
  "wallet permissions purge": {
    summary: "revoke the permissions of all pages",
    load: async () => (await import("./wallet-permissions.ts")).purge,
  },
  "wallet token": { summary: "long-living tokens for programs" },
  "wallet token generate": {
    summary: "make a token; it is shown once",
    load: async () => (await import("./wallet-permissions.ts")).generate,
  },
  "wallet token list": {
    summary: "list all tokens",
    load: async () => (await import("./wallet-permissions.ts")).listTokens,
  },
  "wallet token delete": {
    summary: "end a token",
    load: async () => (await import("./wallet-permissions.ts")).remove,
  },
  "wallet network": { summary: "nodes under a name, for serve --network NAME" },
  "wallet network list": {
    summary: "list all networks",
    load: async () => (await import("./wallet-network.ts")).list,
  },
  "wallet network describe": {
    summary: "show the settings of a network",
    load: async () => (await import("./wallet-network.ts")).describe,
  },
  "wallet network add": {
    summary: "keep nodes under a name",
    load: async () => (await import("./wallet-network.ts")).add,
  },
  "wallet network import": {
    summary: "keep the network of a file of the original",
    load: async () => (await import("./wallet-network.ts")).importNetwork,
  },
  "wallet network rename": {
    summary: "rename a network",
    load: async () => (await import("./wallet-network.ts")).rename,
  },
  "wallet network remove": {
    summary: "remove a network",
    load: async () => (await import("./wallet-network.ts")).remove,
  },
  "wallet network delete": {
    summary: "remove a network",
    load: async () => (await import("./wallet-network.ts")).remove,
    isHidden: true,
  },
  "wallet network locate": {
    summary: "show the file of a network",
    load: async () => (await import("./wallet-network.ts")).locate,
  },
  "wallet policy": { summary: "a file that decides in your place (docs/wallet.md)" },
  "wallet policy hash": {
    summary: "print the hash of a policy",
    load: async () => (await import("./wallet-approvals.ts")).hash,
  },
  "wallet policy check": {
    summary: "check a policy, and print its hash",
    load: async () => (await import("./wallet-approvals.ts")).check,
  },
  "wallet policy simulate": {
    summary: "decide past requests by a policy",
    load: async () => (await import("./wallet-approvals.ts")).simulatePolicy,
  },
  "wallet policy pair": {
    summary: "make a token for a program to connect with",
    load: async () => (await import("./wallet-approvals.ts")).pair,
  },
  tx: { summary: "build, check, sign, prove, send a transaction" },
  "tx block": {
    summary: "fetch the last block, for a machine without a network",
    load: async () => (await import("./tx-online.ts")).block,
  },
  "tx build": { summary: "make the bytes to sign", load: async () => (await import("./tx.ts")).build },
  "tx build order": {
    summary: "make an order in the market's own decimals",
    load: async () => (await import("./tx-order.ts")).buildOrder,
    hintWords: 3,
  },
  "tx check": {
    summary: "check a command or a transaction against the rules",
    load: async () => (await import("./tx.ts")).check,
  },
  "tx sign": { summary: "sign it; needs no network", load: async () => (await import("./tx.ts")).sign },
  "tx prove": { summary: "add the proof of work", load: async () => (await import("./tx-online.ts")).prove },
  "tx send": { summary: "send it, once", load: async () => (await import("./tx-online.ts")).send },
  pow: { summary: "make, check and measure proofs of work", leadingFlags: POW_FLAGS },
  "pow solve": { summary: "make a proof of work", load: async () => (await import("./pow.ts")).solve },
  "pow verify": { summary: "check a proof of work", load: async () => (await import("./pow.ts")).verify },
  "pow bench": { summary: "measure proofs of work", load: async () => (await import("./pow.ts")).bench },
  proto: {
    summary: "write the interface as .proto files",
    load: async () => (await import("./proto.ts")).proto,
  },
  explain: {
    summary: "explain an error, and what to do",
    load: async () => (await import("./explain.ts")).explain,
  },
  doctor: {
    summary: "check a home and this machine",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  completions: {
    summary: "print a shell's completions",
    load: async () => (await import("./completions.ts")).completionsOf(COMMANDS),
  },
  health: { summary: "does a node answer?", load: async () => (await import("./health.ts")).health },
  version: {
    summary: "print version, commit and interface",
    load: async () => (await import("./version.ts")).version,
  },
};
