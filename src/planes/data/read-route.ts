// Routes of resources that are read (docs/protocol/10-data-api-serving.md#12-methods-and-routing).
import { pathParameters } from "../../http/endpoint.ts";
import { wrongMethod } from "../../http/errors.ts";
import { checkUrl, isForm, joinedQuery, splitUrl } from "../../http/http.ts";
import { type HttpApp, RAW } from "../../http/plugin.ts";
import type { RequestFields } from "../../http/query.ts";
import type { DataContext } from "./context.ts";

/** A read may be posted as a form (docs/protocol/10-data-api-serving.md#12-methods-and-routing). */
const READ_METHODS = wrongMethod("GET, POST");

type Answering = Response | Promise<Response>;
type Read = (request: Request, path: RequestFields, query: string) => Answering;

/** Adds a resource that is read: by `GET`, or by its query posted as a form. */
export function readRoute(app: HttpApp, path: string, limits: DataContext["limits"], read: Read): void {
  const empty = Object.fromEntries(pathParameters(path).map((name) => [name, ""]));
  // The framework waits for what is declared to be asynchronous: only then do its errors come to `onError`.
  const answer = async ({
    request,
    params,
  }: {
    request: Request;
    params?: RequestFields;
  }): Promise<Response> => {
    const fields = { ...empty, ...params };
    if (request.method === "GET") {
      checkUrl(request, limits);
      return read(request, fields, splitUrl(request.url).query);
    }
    if (!isForm(request)) throw READ_METHODS;
    return read(request, fields, await joinedQuery(request, limits));
  };
  for (const pattern of patternsOf(path)) app.all(pattern, answer, RAW);
}

/** A path in Elysia's notation, and once more for each parameter without it: an empty one is the resource's to refuse. */
function patternsOf(path: string): string[] {
  const names = pathParameters(path);
  let at = 0;
  const first = path.replace(/\{\w+\}/g, () => `:${names[at++]}`);
  return names.reduce(
    (patterns, name) => patterns.flatMap((one) => [one, one.replace(`:${name}`, "")]),
    [first],
  );
}
