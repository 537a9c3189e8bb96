// lyra wallet unlock, lock: the wallets of a running service. Commands on files need neither.
import { wipe } from "../crypto/secrets.ts";
import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { walletUnknown } from "../wallet/errors.ts";
import { COMMON, readArguments } from "./arguments.ts";
import { green, say } from "./terminal.ts";
import { print, takeWords, WALLET_FLAGS } from "./wallet-opening.ts";
import { readPassphrase, serviceText } from "./wallet-secrets.ts";
import { askService } from "./wallet-socket.ts";

export async function runUnlock(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, WALLET_FLAGS);
  const [wallet] = takeWords("wallet", positionals, "NAME");
  const home = values.home ?? defaultHome();
  // Nobody types a passphrase for nothing.
  const { wallets } = await askService<{ wallets: string[] }>(home, "admin.list_wallets");
  if (!wallets.includes(wallet)) throw walletUnknown();
  const bytes = await readPassphrase(values, wallet);
  try {
    const passphrase = serviceText(bytes);
    await askService(home, "admin.unlock_wallet", { wallet, passphrase });
  } finally {
    wipe(bytes);
  }
  if (values.json) print({ unlocked: wallet });
  else if (!values.quiet) say(green(`${wallet} is unlocked in the service`));
  return ExitCode.done;
}

export async function runLock(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  const [wallet] = takeWords("wallet", positionals, "NAME");
  const { wasUnlocked } = await askService<{ wasUnlocked: boolean }>(
    values.home ?? defaultHome(),
    "service.lock_wallet",
    { wallet },
  );
  if (values.json) print({ locked: wallet });
  else if (!values.quiet) say(green(`${wallet} is locked${wasUnlocked ? "" : " already"}`));
  return ExitCode.done;
}
