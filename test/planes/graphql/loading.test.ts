// Loading the library, in a process that has not loaded it yet.
import { expect, test } from "bun:test";

const PROGRAM = `
  const { graphqlRig } = await import("./rig.ts");
  const rig = await graphqlRig();
  const { body } = await rig.ask("{__typename}");
  const { isObjectType } = await import("graphql");
  // In development the library throws for what looks like one of its types and comes from a second copy.
  const foreign = { [Symbol.toStringTag]: "GraphQLObjectType" };
  console.log(JSON.stringify([body.data, isObjectType(foreign), process.env.NODE_ENV ?? null]));
  rig.close();
`;

test.each([undefined, "test"])(
  "the library runs in production mode, and the process in its own: %s",
  async (mode) => {
    const { NODE_ENV: _, ...env } = process.env;
    const child = Bun.spawn([process.execPath, "-e", PROGRAM], {
      cwd: import.meta.dir,
      env: { ...env, ...(mode && { NODE_ENV: mode }) },
      stderr: "inherit",
    });
    expect(JSON.parse(await new Response(child.stdout).text())).toEqual([
      { __typename: "Query" },
      false,
      mode ?? null,
    ]);
  },
);
