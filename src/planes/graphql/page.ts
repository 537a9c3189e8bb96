// The page that a browser gets at `/graphql`: GraphiQL out of the executable. It may reach no other host.
import stylePath from "graphiql/graphiql.css" with { type: "file" };
import graphiqlPath from "../../../node_modules/graphiql/graphiql.min.js" with { type: "file" };
import reactPath from "../../../node_modules/react/umd/react.production.min.js" with { type: "file" };
import reactDomPath from "../../../node_modules/react-dom/umd/react-dom.production.min.js" with {
  type: "file",
};
import { compressedNow } from "../../http/compression.ts";
import { asset, NO_ICON, once, policy, respond, type Served, serve } from "../../http/served.ts";
import { GRAPHQL_PATH } from "../data/observe/routes.ts";

const PAGE_PREFIX = `${GRAPHQL_PATH}/`;
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

const QUERY = `{
  statistics {
    chainId
    blockHeight
    vegaTime
  }
  marketsConnection {
    edges {
      node {
        id
        state
        tradableInstrument {
          instrument {
            name
            code
          }
        }
      }
    }
  }
}
`;
const START = `
const url = new URL("/graphql", location.href);
const sockets = new URL(url);
sockets.protocol = location.protocol === "https:" ? "wss:" : "ws:";
const fetcher = GraphiQL.createFetcher({ url: url.href, subscriptionUrl: sockets.href });
const element = React.createElement(GraphiQL, { fetcher, defaultQuery: ${JSON.stringify(QUERY)} });
ReactDOM.createRoot(document.getElementById("graphiql")).render(element);
`;
const HEIGHT = "html, body, #graphiql { height: 100%; margin: 0; }";

/** Parts of the page by their names below its path. */
const PARTS: Readonly<Record<string, () => Promise<Served>>> = {
  "react.js": once(() => asset(reactPath, SCRIPT)),
  "react-dom.js": once(() => asset(reactDomPath, SCRIPT)),
  "graphiql.js": once(() => asset(graphiqlPath, SCRIPT)),
  "graphiql.css": once(() => asset(stylePath, STYLE)),
  "start.js": once(() => serve(START, SCRIPT, compressedNow)),
  "page.css": once(() => serve(HEIGHT, STYLE, compressedNow)),
};

const page = once(async () => {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphQL</title>
${NO_ICON}
<link rel="stylesheet" href="${PAGE_PREFIX}graphiql.css">
<link rel="stylesheet" href="${PAGE_PREFIX}page.css">
</head>
<body>
<div id="graphiql"></div>
${["react.js", "react-dom.js", "graphiql.js", "start.js"].map((name) => `<script src="${PAGE_PREFIX}${name}"></script>`).join("\n")}
</body>
</html>
`;
  // Fonts stand in the style sheet itself.
  const allowed = policy(html, "data:");
  return serve(html, "text/html; charset=UTF-8", compressedNow, { "content-security-policy": allowed });
});

/** The page, or a part of it. @param path below `/graphql/` */
export async function answerPage(path: string, request: Request): Promise<Response> {
  const part = Object.hasOwn(PARTS, path) ? PARTS[path]! : page;
  return respond(await part(), request);
}
