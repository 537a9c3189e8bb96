// lyra wallet serve: the JSON-RPC service that pages and programs talk to.
import { join } from "node:path";
import { runningDevnet } from "../devnet/home.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { DEFAULT_WALLET_PORT } from "../http/wallet-address.ts";
import { defaultHome } from "../node/config.ts";
import {
  networksFolder,
  type RunningWalletService,
  serviceFiles,
  startWalletService,
} from "../planes/wallet/start.ts";
import type { Approver } from "../wallet/approvals/approver.ts";
import { ApproveAll } from "../wallet/approvals/approver.ts";
import { ApprovalDesk } from "../wallet/approvals/desk.ts";
import { answerInTerminal, DeskSource } from "../wallet/approvals/terminal.ts";
import { epochMsOf, loadPolicy } from "../wallet/policies/policy.ts";
import { PolicyApprover } from "../wallet/policies/policy-approver.ts";
import { EpochUsage } from "../wallet/policies/usage.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import { chainIdOf, Networks } from "../wallet/service/networks.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { command, type Flags, option, toggle, type ValuesOf } from "./command/command.ts";
import { usageError, wholeNumber } from "./command/usage-error.ts";
import { CONFIG_OUT, NETWORK, NODE_URLS } from "./flags.ts";
import { writeConfigOut } from "./serve.ts";
import { bold, dim, red, say, waitForSignal } from "./terminal.ts";
import { processTerminal } from "./wallet-approvals.ts";
import { storeOf, unlockWallet, WALLET_FLAGS } from "./wallet-opening.ts";
import { openInBrowser } from "./wallet-page.ts";

const DEFAULT_NODE = "http://127.0.0.1:3003";
const IDLE_LOCK_MINUTES = 30;

const SERVE_FLAGS = {
  "node-url": {
    ...NODE_URLS["node-url"],
    text: "node to send to; may come again (default: $LYRA_NODE_URL, the devnet of this home, else port 3003)",
  },
  network: { ...NETWORK.network, text: "those of a network that is kept" },
  "chain-id": option("ID", "the only chain to send to"),
  unlock: option("NAME", "unlocks a wallet at once; else its passphrase is asked for when a page wants it"),
  "wallet-approve": option("WHO", "ask (default: you are asked) or policy"),
  policy: option("FILE", "a policy that decides"),
  "policy-hash": option("HASH", "its hash: lyra wallet policy hash"),
  "idle-lock": option("MINUTES", "without use (default 30; 0: never)"),
  open: toggle("start the browser with the wallet's page"),
  "keep-sessions": toggle("connections outlive the service"),
  "sole-user": toggle("no other wallet uses these keys: use all of a block"),
  wait: option("SECONDS", "for a block with room (default 20)"),
  "wallet-port": option("N", "default 1789; 0: a free one"),
  "wallet-host": option("H", "address to listen on; others than 127.0.0.1 need --wallet-allow-remote", {
    aliases: ["host"],
    isMinor: true,
  }),
  "wallet-allow-remote": toggle("listen where other machines reach it", { isMinor: true }),
  "wallet-allow-host": option("NAME", "another name that requests may be sent to; may come again", {
    multiple: true,
    isMinor: true,
  }),
  ...CONFIG_OUT,
  ...WALLET_FLAGS,
} as const satisfies Flags;

type ServeValues = ValuesOf<typeof SERVE_FLAGS>;

export const serve = command({
  flags: SERVE_FLAGS,
  json: "{walletUrl, walletPort, socket, home, pid} once it listens; `--config-out FILE` writes the same",
  async run({ values, typed }) {
    const home = values.home ?? defaultHome();
    const { approver, desk } = approverOf(values, home);
    const host = values["wallet-host"];
    const { addresses, chainId } = nodesOf(values, typed, home);
    const idleMinutes = whole("--idle-lock", values["idle-lock"] ?? IDLE_LOCK_MINUTES, 100_000);
    const waitSeconds = values.wait === undefined ? undefined : whole("--wait", values.wait, 3_600);
    const store = storeOf(values);
    const unlocked: UnlockedWallet[] = [];
    if (values.unlock !== undefined) unlocked.push(await unlockWallet(store, values.unlock, values));
    const signal = waitForSignal();
    const running = await startWalletService({
      store,
      nodes: addresses.map((address) => new HttpNode(address)),
      approver,
      home,
      unlocked,
      ...(desk !== undefined && { desk }),
      ...(chainId !== undefined && { chainId }),
      ...(host !== undefined && { host }),
      port: whole("--wallet-port", values["wallet-port"] ?? DEFAULT_WALLET_PORT, 65_535),
      allowRemote: values["wallet-allow-remote"] === true,
      allowedHosts: allowedHostsOf(values),
      keepSessions: values["keep-sessions"] === true,
      isSoleUser: values["sole-user"] === true,
      ...(idleMinutes > 0 && { idleLockMs: idleMinutes * 60_000 }),
      ...(waitSeconds !== undefined && { waitMs: waitSeconds * 1_000 }),
      onTrouble: (sentence) => say(red(sentence), { trouble: sentence }),
    });
    const where = {
      walletUrl: running.url,
      walletPort: running.port,
      socket: running.socket,
      home,
      pid: process.pid,
    };
    try {
      writeConfigOut(values["config-out"], where);
    } catch (error) {
      await running.close();
      throw error;
    }
    if (values.json) process.stdout.write(`${JSON.stringify(where)}\n`);
    const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
    const page = running.pageLink();
    const removeFile = values.open ? openInBrowser(home, page) : () => {};
    if (!values.quiet) {
      const facts = { nodes: addresses, home, isAsking: desk !== undefined, page };
      if (isTerminal) say(walletBanner(running, facts));
      else say("listening", where);
      warnWithoutNode(running);
    }
    const source = desk !== undefined && isTerminal ? new DeskSource(desk) : undefined;
    // A failed prompt must not end the service: a second terminal can still answer.
    if (source !== undefined)
      answerInTerminal(source, processTerminal).catch(() => say(red("no more prompts here")));
    const name = await signal;
    if (!values.quiet) say(dim(`${name}: stopping`), { signal: name });
    source?.end();
    removeFile();
    await running.close();
    return name === "SIGINT" ? ExitCode.interrupted : ExitCode.done;
  },
});

/** Warns at the start that nothing can be sent, before a page asks and a person approves. */
function warnWithoutNode({ service }: RunningWalletService): void {
  service.parts.sender.chainId().catch((error: unknown) => {
    const sentence = `${reasonOf(error)}: pages can connect, and nothing is sent until that changes`;
    say(red(sentence), { trouble: sentence });
  });
}

export interface BannerFacts {
  readonly nodes: readonly string[];
  readonly home: string;
  readonly isAsking: boolean;
  /** Opens the page, once. */
  readonly page: string;
}

/** The banner: a pure function of the facts. */
function walletBanner(
  { url, approval }: Pick<RunningWalletService, "url" | "approval">,
  { nodes, home, isAsking, page }: BannerFacts,
): string {
  return [
    "",
    `  ${bold("Lyra wallet")}`,
    "",
    `  for pages     ${url}`,
    `  your page     ${page}`,
    "                (works once, for ten minutes; a new one: lyra wallet session page)",
    `  nodes         ${nodes.join(", ")}`,
    `  approvals     ${approval === "ask" ? "you are asked, here and in: lyra wallet approvals" : approval}`,
    ...(isAsking && approval !== "ask" ? ["                what it leaves open is asked here"] : []),
    `  home          ${home}`,
    "",
    dim("  Ctrl-C stops."),
    "",
  ].join("\n");
}

function approverOf(values: ServeValues, home: string): { approver: Approver; desk?: ApprovalDesk } {
  const how = values["wallet-approve"] ?? (values.policy === undefined ? "ask" : "policy");
  const desk = new ApprovalDesk();
  if (how === "ask") {
    if (values.policy !== undefined) throw usageError("wallet", "--policy goes with --wallet-approve policy");
    return { approver: desk, desk };
  }
  // The node may be any, so the rule for devnets does not apply.
  if (how === "all") return { approver: new ApproveAll({ isDevnet: false }) };
  if (how !== "policy") throw usageError("wallet", "--wallet-approve is ask or policy");
  const { policy, hash } = pinnedPolicy(values);
  const journal = serviceFiles(home).usage;
  const usage = new EpochUsage(epochMsOf(policy), journal, journal.read());
  return { approver: new PolicyApprover({ policy, hash, person: desk, usage }), desk };
}

function pinnedPolicy(values: ServeValues) {
  const { policy: path, "policy-hash": pinned } = values;
  if (path === undefined) throw usageError("wallet", "say which policy: --policy FILE");
  const { policy, hash } = loadPolicy(path);
  if (pinned === undefined) {
    throw usageError("wallet", `pin the policy, so that nobody changes it unseen: --policy-hash ${hash}`);
  }
  if (pinned !== hash) {
    throw new NodeError(
      "wallet.serve",
      "policy_changed",
      `the policy is not the one that was pinned: its hash is ${hash}`,
      "read it, then pin it again",
    );
  }
  return { policy, hash };
}

/** Nodes of the flags, of a network's settings, or of the devnet of this home. */
function nodesOf(
  values: ServeValues,
  typed: ServeValues,
  home: string,
): { addresses: readonly string[]; chainId: string | undefined } {
  const chainId = values["chain-id"];
  // A flag wins over a variable: LYRA_NODE_URL does not count beside --network.
  const urls = values.network === undefined ? values["node-url"] : typed["node-url"];
  if (urls !== undefined) {
    if (values.network !== undefined)
      throw usageError("wallet", "--node-url and --network both name nodes: say one of them");
    return { addresses: urls, chainId };
  }
  if (values.network !== undefined) {
    const network = new Networks(networksFolder(home)).get(values.network);
    const { hosts } = network.api.rest;
    if (hosts.length === 0) {
      throw usageError(
        "wallet",
        `the network ${values.network} names no REST host: lyra wallet network describe`,
      );
    }
    return { addresses: hosts, chainId: chainId ?? chainIdOf(network) };
  }
  const devnet = runningDevnet([home, join(home, "devnet")]);
  return { addresses: [devnet?.nodeUrl ?? DEFAULT_NODE], chainId: chainId ?? devnet?.chainId };
}

const HOST_NAME = /^(?:[\w.-]+|\[[\da-f:.]+\]|[\da-f]*:[\da-f:.]+)$/i;

/** Host names in lower case, without a final dot. A name that cannot match is refused. */
function allowedHostsOf(values: ServeValues): string[] {
  return (values["wallet-allow-host"] ?? []).map((name) => {
    const host = name.toLowerCase().replace(/\.$/, "");
    const isPort = /^[^:]*:\d+$/.test(host);
    if (HOST_NAME.test(host) && !isPort) return host;
    throw usageError("wallet", "--wallet-allow-host is a name or an address, without a port");
  });
}

const whole = (flag: string, text: string | number, most: number) =>
  wholeNumber("wallet", flag, String(text), most);
