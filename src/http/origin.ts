// Requests as they were received. The runtime knows only these, where a plane works with a copy.

const origins = new WeakMap<Request, Request>();

/** The request as received, by which the server finds the socket. */
export function originOf(request: Request): Request {
  return origins.get(request) ?? request;
}

/** @returns the copy */
export function copyOfOrigin(request: Request, copy: Request): Request {
  origins.set(copy, originOf(request));
  return copy;
}
