// lyra wallet session: the connections of a running service.
import { ExitCode } from "../errors.ts";
import { defaultHome } from "../node/config.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import { COMMON, readArguments } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { print, takeWords } from "./wallet-opening.ts";
import { askService } from "./wallet-socket.ts";
import { pickVerb } from "./wallet-verbs.ts";

export const runSession = (argv: string[]): Promise<number> => pickVerb("session", argv, { list, revoke });

interface Connections {
  readonly activeConnections: readonly { readonly hostname: string; readonly wallet: string }[];
}

async function list(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  takeWords("wallet", positionals);
  const { activeConnections } = await askService<Connections>(
    values.home ?? defaultHome(),
    "admin.list_connections",
  );
  if (values.json) print({ sessions: activeConnections });
  else {
    for (const { hostname, wallet } of activeConnections)
      process.stdout.write(`${plain(hostname)}  ${wallet}\n`);
    if (activeConnections.length === 0 && !values.quiet) say(dim("nobody is connected"));
  }
  return ExitCode.done;
}

/** Ends a hostname's sessions, what it asks for, and what it is doing, at once. */
async function revoke(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, { ...COMMON, wallet: { type: "string" } });
  const [hostname] = takeWords("wallet", positionals, "HOSTNAME");
  const home = values.home ?? defaultHome();
  const { wallet } = values;
  if (wallet === undefined) await askService(home, "admin.close_connections_to_hostname", { hostname });
  else await askService(home, "admin.close_connection", { hostname, wallet });
  if (values.json) print({ revoked: hostname });
  else if (!values.quiet) {
    say(green(`${plain(hostname)} is out`));
    say(dim("it may ask again; lyra wallet permissions revoke makes it ask for the keys as well"));
  }
  return ExitCode.done;
}
