// The page of a wallet, on its own port.
import { render } from "preact";
import { WalletApp } from "./wallet/app.tsx";
import { startSession } from "./wallet/session.ts";

render(<WalletApp />, document.getElementById("app")!);
startSession();
