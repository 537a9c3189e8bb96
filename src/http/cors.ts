import { Elysia } from "elysia";

/** Lets a page of another origin read every answer of the plane that uses it. */
export const cors = new Elysia({ name: "cors" }).onRequest(({ request, set }) => {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  set.headers["access-control-allow-origin"] = origin;
  set.headers["access-control-expose-headers"] = "*";
});
