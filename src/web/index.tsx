// The page of a node.
import { render } from "preact";
import { connect } from "./data/node.ts";
import { App } from "./shell/app.tsx";

render(<App />, document.getElementById("app")!);
connect();
