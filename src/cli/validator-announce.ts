// lyra validator announce: tells the chain of a node that wants to become a validator.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExitCode } from "../errors/node-error.ts";
import { announcementOf } from "../validator/announcement.ts";
import { readKeysOf } from "../validator/key-file.ts";
import { serializeTransaction, signTransaction } from "../wire/transaction.ts";
import { command, option } from "./command/command.ts";
import { usageError, wholeNumber } from "./command/usage-error.ts";
import { green, say } from "./terminal.ts";
import { NODE_FLAGS, online, onlineAddresses } from "./tx-online.ts";
import { print } from "./wallet-opening.ts";

const PLACE = "validator announce";
const TEXT_MAX = 200;
const EPOCH_MAX = 1_000_000_000;

export const announce = command({
  flags: {
    keys: option("FILE", "the node's own keys: validator-keys.json (required)", { hasVariable: true }),
    name: option("NAME", "of the node, for people (required)"),
    "info-url": option("URL", "a page about it (required)"),
    "avatar-url": option("URL", "a picture (else the page)"),
    country: option("CODE", "two letters, ISO 3166 (ZZ)"),
    "from-epoch": option("N", "heartbeats begin with it (the running epoch)", { isMinor: true }),
    ...NODE_FLAGS,
  },
  notes: `  The node runs by then: it answers with heartbeats, and becomes a validator at
  an epoch's end when it has stake. Both of its keys sign. Exit codes are those
  of lyra tx send.`,
  json: "{nodeId, vegaPublicKey, fromEpoch, chainId, transactionHash, height, node: {host}}",
  async run({ values, typed }) {
    const { keys: path, name, "info-url": infoUrl } = values;
    const { "avatar-url": avatarUrl = infoUrl, country = "ZZ", "from-epoch": epochText } = values;
    if (path === undefined) throw usageError(PLACE, "give --keys FILE: the node's validator-keys.json");
    if (name === undefined || infoUrl === undefined || avatarUrl === undefined)
      throw usageError(PLACE, "give --name NAME and --info-url URL: the chain takes no node without them");
    const profile = { name, infoUrl, avatarUrl, country };
    checkProfile(profile);
    const firstEpoch = epochText && wholeNumber(PLACE, "--from-epoch", epochText, EPOCH_MAX, 1);
    const addresses = onlineAddresses(values, typed);
    // A ledger of what was sent is of no use to a key that sends this alone.
    const home = mkdtempSync(join(tmpdir(), "lyra-announce-"));
    try {
      return await online({ ...values, home }, addresses, async ({ sender, signal }) => {
        const { chainId } = await sender.destination();
        const keys = readKeysOf(path, chainId);
        const { nodeId, vegaPublicKey: publicKey } = keys.identity;
        const running = await sender.epoch(publicKey);
        const fromEpoch = firstEpoch ? BigInt(firstEpoch) : running > 0n ? running : 1n;
        sender.pin(chainId);
        const { hash, height, host } = await sender.send(
          {
            ...{ publicKey, signal },
            command: {
              kind: "announceNode",
              payload: announcementOf(keys, keys.consensusPublicKey, profile, fromEpoch),
            },
            sign({ inputData, ...content }) {
              const transaction = signTransaction(inputData, keys.vega(1), content);
              return { transaction, bytes: serializeTransaction(transaction) };
            },
          },
          "TYPE_COMMIT",
        );
        if (values.json)
          print({
            ...{ nodeId, vegaPublicKey: publicKey, fromEpoch: fromEpoch.toString(), chainId },
            ...{ transactionHash: hash, height: height.toString(), node: { host } },
          });
        else {
          process.stdout.write(`${nodeId}\n`);
          if (!values.quiet)
            say(green(`announced in block ${height}`), { nodeId, height: height.toString() });
        }
        return ExitCode.done;
      });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});

/** @throws NodeError with exit code 2 */
function checkProfile(profile: Readonly<Record<string, string>>): void {
  for (const [member, text] of Object.entries(profile))
    if (text.trim() === "" || text.length > TEXT_MAX)
      throw usageError(PLACE, `the ${FLAG_OF[member]} must have 1 to ${TEXT_MAX} characters`);
  if (!/^[A-Z]{2}$/.test(profile.country!)) throw usageError(PLACE, "--country must be two capital letters");
  for (const member of ["infoUrl", "avatarUrl"])
    if (!/^https?:\/\//.test(profile[member]!) || !URL.canParse(profile[member]!))
      throw usageError(PLACE, `the ${FLAG_OF[member]} must be an address such as https://example.org`);
}

const FLAG_OF: Readonly<Record<string, string>> = {
  name: "--name",
  infoUrl: "--info-url",
  avatarUrl: "--avatar-url",
  country: "--country",
};
