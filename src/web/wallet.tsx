// The page of a wallet, on its own port.
import { render } from "preact";
import { Empty } from "./components/states.tsx";
import "./shell/theme.ts";

function Wallet() {
  return (
    <main id="main">
      <Empty title="This page opens by a link" command="lyra wallet serve">
        The command prints it; each link works once.
      </Empty>
    </main>
  );
}

render(<Wallet />, document.getElementById("app")!);
