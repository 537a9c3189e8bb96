// All commands by their words, with a summary. The module of a command is loaded when it is called.

import type { Command, Commands, Entry } from "./command/command.ts";
import { NODE_URL, POW_FLAGS, WALLETS } from "./flags.ts";

const history = () => import("./history.ts");
const wallet = () => import("./wallet.ts");
const keys = () => import("./wallet-keys.ts");
const messages = () => import("./wallet-messages.ts");
const session = () => import("./wallet-session.ts");
const approvals = () => import("./wallet-approvals.ts");
const permissions = () => import("./wallet-permissions.ts");
const network = () => import("./wallet-network.ts");
const txOnline = () => import("./tx-online.ts");
const tx = () => import("./tx.ts");
const money = () => import("./tx-money.ts");
const pow = () => import("./pow.ts");

/** A command that a module exports under this name. */
function from<N extends string>(
  summary: string,
  load: () => Promise<{ readonly [name in N]: Command }>,
  name: N,
  more: Partial<Entry> = {},
): Entry {
  return { summary, load: async () => (await load())[name], ...more };
}

export const COMMANDS: Commands = {
  devnet: {
    summary: "start a local network, and its tools",
    load: async () => (await import("./devnet.ts")).devnet,
    loadCommands: async () => (await import("./devnet-tools.ts")).toolCommands(),
    leadingFlags: NODE_URL,
  },
  validator: from("run the chain behind a consensus engine", () => import("./validator.ts"), "validator"),
  "validator announce": from(
    "announce a node that wants to become a validator",
    () => import("./validator-announce.ts"),
    "announce",
  ),
  testnet: from("start a network of several validators", () => import("./testnet.ts"), "testnet"),
  "testnet files": from(
    "write the files of a network on several machines",
    () => import("./testnet-files.ts"),
    "files",
    { hintWords: 2 },
  ),
  "testnet join": from(
    "write the files of a further node, or of a lost one",
    () => import("./testnet-files.ts"),
    "join",
    { hintWords: 2 },
  ),
  ethereum: from(
    "run the simulated Ethereum of several validators",
    () => import("./ethereum.ts"),
    "ethereum",
    { isMinor: true },
  ),
  sidecar: from("follow a validator, and answer for it", () => import("./sidecar.ts"), "sidecar"),
  serve: from("serve an existing home", () => import("./serve.ts"), "serve"),
  replay: from("load a recording, and serve it with --serve", () => import("./replay.ts"), "replay"),
  prune: from("remove the oldest history of a home", () => import("./prune.ts"), "prune"),
  history: { summary: "segments, export, verify" },
  "history segments": from("list the segments of a home", history, "segments"),
  "history export": from("write a table of some blocks as an archive", history, "exportArchive"),
  "history verify": from("check an archive, or compare the home with another node", history, "verify"),
  "history fetch": from("fetch the history of another node", () => import("./history-peers.ts"), "fetchFrom"),
  backup: from("back up a home into one file, while it runs", () => import("./backup.ts"), "backup"),
  restore: from("make a home from a backup", () => import("./restore.ts"), "restore"),
  wallet: { summary: "keys, signatures, wallet files", hintWords: 2, leadingFlags: WALLETS },
  "wallet create": from("create a wallet", () => import("./wallet-create.ts"), "create"),
  "wallet import": from("import a wallet from its recovery phrase or a file", wallet, "importWallet"),
  "wallet list": from("list all wallets", wallet, "list"),
  "wallet describe": from("show identifier, kind and version of its keys", wallet, "describe"),
  "wallet rename": from("rename a wallet", wallet, "rename"),
  "wallet delete": from("delete a wallet's file", wallet, "remove"),
  "wallet passphrase": from("change a wallet's passphrase", wallet, "changePassphrase"),
  "wallet upgrade": from("turn a file of the original into one of Lyra's", wallet, "upgrade"),
  "wallet export": from("write a file that the original wallet opens", wallet, "exportWallet"),
  "wallet default": from(
    "set the wallet and the key to use where none is named",
    () => import("./wallet-default.ts"),
    "setDefault",
  ),
  "wallet balance": from(
    "show general accounts, as a node says",
    () => import("./wallet-balance.ts"),
    "balance",
  ),
  "wallet send": from("send an amount of an asset to a key", () => import("./wallet-send.ts"), "send"),
  "wallet key": { summary: "the keys of a wallet" },
  "wallet key generate": from("generate the next key", keys, "generate"),
  "wallet key list": from("list the keys of a wallet", keys, "list"),
  "wallet key describe": from("show a key with its notes", keys, "describe"),
  "wallet key annotate": from("write notes on a key", keys, "annotate"),
  "wallet key taint": from("let a key sign nothing; pages lose it", keys, "taint"),
  "wallet key untaint": from("let a tainted key sign again", keys, "untaint"),
  "wallet key isolate": from("make a wallet with one key alone", keys, "isolate"),
  "wallet key rotate": from("sign a validator's change of keys", keys, "rotate"),
  "wallet message": { summary: "signatures of messages" },
  "wallet message sign": from("sign a message; prints the signature in base64", messages, "sign"),
  "wallet message verify": from("check a signature", messages, "verify"),
  "wallet serve": from(
    "run the JSON-RPC service that pages and programs talk to",
    () => import("./wallet-serve.ts"),
    "serve",
  ),
  "wallet unlock": from("unlock a wallet in the running service", session, "unlock"),
  "wallet lock": from("lock a wallet in the running service", session, "lock"),
  "wallet approvals": from("answer requests of pages from a second terminal", approvals, "approvals"),
  "wallet session": { summary: "connections of the running service, else the kept ones" },
  "wallet session list": from("list the connections", session, "list"),
  "wallet session revoke": from("end the connections of a page", session, "revoke"),
  "wallet session block": from("refuse a site from now on", session, "block"),
  "wallet session unblock": from("let a site ask again", session, "unblock"),
  "wallet session blocked": from("list the sites that are refused", session, "blocked"),
  "wallet session page": from(
    "make the address of the wallet's page",
    () => import("./wallet-page.ts"),
    "page",
  ),
  "wallet permissions": { summary: "permissions of pages to see keys of a wallet" },
  "wallet permissions list": from("list the permissions of all pages", permissions, "list"),
  "wallet permissions describe": from("show the permissions of a page", permissions, "describe"),
  "wallet permissions revoke": from("revoke the permissions of a page", permissions, "revoke"),
  "wallet permissions purge": from("revoke the permissions of all pages", permissions, "purge"),
  "wallet token": { summary: "long-living tokens for programs" },
  "wallet token generate": from("make a token; it is shown once", permissions, "generate"),
  "wallet token list": from("list all tokens", permissions, "listTokens"),
  "wallet token delete": from("end a token", permissions, "remove"),
  "wallet network": { summary: "nodes under a name, for serve --network NAME" },
  "wallet network list": from("list all networks", network, "list"),
  "wallet network describe": from("show the settings of a network", network, "describe"),
  "wallet network add": from("keep nodes under a name", network, "add"),
  "wallet network import": from("keep the network of a file of the original", network, "importNetwork"),
  "wallet network rename": from("rename a network", network, "rename"),
  "wallet network remove": from("remove a network", network, "remove"),
  "wallet network delete": from("remove a network", network, "remove", {
    isHidden: true,
  }),
  "wallet network locate": from("show the file of a network", network, "locate"),
  "wallet policy": { summary: "a file that decides in your place (docs/wallet.md)" },
  "wallet policy hash": from("print the hash of a policy", approvals, "hash"),
  "wallet policy check": from("check a policy, and print its hash", approvals, "check"),
  "wallet policy simulate": from("decide past requests by a policy", approvals, "simulatePolicy"),
  "wallet policy pair": from("make a token for a program to connect with", approvals, "pair"),
  tx: { summary: "build, check, sign, prove, send a transaction" },
  "tx block": from("fetch the last block, for a machine without a network", txOnline, "block"),
  "tx build": from("make the bytes to sign", tx, "build"),
  "tx build order": from(
    "make an order in the market's own decimals",
    () => import("./tx-order.ts"),
    "buildOrder",
    { hintWords: 3 },
  ),
  "tx build transfer": from("make a transfer of an amount as people say it", money, "buildTransfer", {
    hintWords: 3,
  }),
  "tx build withdraw": from("make a withdrawal to an Ethereum address", money, "buildWithdraw", {
    hintWords: 3,
  }),
  "tx build delegate": from("make a delegation of stake to a validator", money, "buildDelegate", {
    hintWords: 3,
  }),
  "tx build vote": from("make a vote on a proposal", money, "buildVote", { hintWords: 3 }),
  "tx check": from("check a command or a transaction against the rules", tx, "check"),
  "tx sign": from("sign it; needs no network", tx, "sign"),
  "tx prove": from("add the proof of work", txOnline, "prove"),
  "tx send": from("send it, once", txOnline, "send"),
  pow: { summary: "make, check and measure proofs of work", leadingFlags: POW_FLAGS },
  "pow solve": from("make a proof of work", pow, "solve"),
  "pow verify": from("check a proof of work", pow, "verify"),
  "pow bench": from("measure proofs of work", pow, "bench"),
  chain: { summary: "compare a chain's state with another node's", isMinor: true },
  "chain diff": from("find where two nodes' states differ", () => import("./chain.ts"), "diff"),
  proto: from("write the interface as .proto files", () => import("./proto.ts"), "proto"),
  explain: from("explain an error, and what to do", () => import("./explain.ts"), "explain"),
  doctor: from("check a home and this machine", () => import("./doctor.ts"), "doctor"),
  completions: {
    summary: "print a shell's completions",
    isMinor: true,
    load: async () => (await import("./completions.ts")).completionsOf(COMMANDS),
  },
  health: from("does a node answer?", () => import("./health.ts"), "health"),
  version: from("print version, commit and interface", () => import("./version.ts"), "version"),
};
