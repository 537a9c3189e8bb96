/**
 * States that tests begin with. A fixture's state is that of its base with what its setup does on top; the base is another
 * fixture, or the devnet's root state: the one at the first use of any fixture of that devnet. So a test begins with the same
 * state in whatever order tests run.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { codeOf, NodeError } from "../errors/node-error.ts";

/** A devnet, or the chain of one in this process. */
export interface Revertible {
  snapshot(): Promise<string>;
  revert(snapshot: string): Promise<unknown>;
}

export interface Fixture<D extends Revertible, T> {
  /** Takes the devnet to the fixture's state. @returns what the setup returned */
  (): Promise<T>;
  /** A fixture whose setup continues from this one's state. */
  extend<U>(setup: (devnet: D, value: T) => U | Promise<U>): Fixture<D, U>;
}

interface Root {
  /** Undefined before the first use. */
  snapshot: string | undefined;
  /** The last use: the next one begins after it. */
  turn: Promise<unknown>;
}

/** Takes the devnet to a state; it is its caller's alone meanwhile. */
type Enter<D, T> = (devnet: D, root: Root) => Promise<T>;

const roots = new WeakMap<object, Root>();
/** Fixtures whose setup is under way, the outermost first. */
const running = new AsyncLocalStorage<readonly object[]>();

/**
 * Runs a setup once and takes the devnet back to the state behind it at each call, which answers what the setup returned. It
 * runs again only when its snapshot is gone: after a revert to something earlier, by another fixture or a test. A setup may
 * call other fixtures, before it does anything else.
 * @param devnet a devnet, or a function that gives it, for one that starts later
 * @throws NodeError `usage` for a setup that calls its own fixture; what the setup throws: then the next call runs it again
 */
export function fixture<D extends Revertible, T>(
  devnet: D | (() => D | Promise<D>),
  setup: (devnet: D) => T | Promise<T>,
): Fixture<D, T> {
  const given = async () => (typeof devnet === "function" ? devnet() : devnet);
  return fixtureOn(given, enterRoot, setup);
}

function fixtureOn<D extends Revertible, B, T>(
  given: () => Promise<D>,
  enterBase: Enter<D, B>,
  setup: (devnet: D, value: B) => T | Promise<T>,
): Fixture<D, T> {
  const self = {};
  let done: { readonly of: D; readonly snapshot: string; readonly value: T } | undefined;

  async function enter(of: D, root: Root): Promise<T> {
    if (done?.of === of && (await isReverted(of, done.snapshot))) return done.value;
    done = undefined;
    const base = await enterBase(of, root);
    const outer = running.getStore() ?? [];
    const value = await running.run([...outer, self], async () => setup(of, base));
    done = { of, snapshot: await of.snapshot(), value };
    return value;
  }

  async function use(): Promise<T> {
    const of = await given();
    const root = roots.get(of) ?? { snapshot: undefined, turn: Promise.resolve() };
    roots.set(of, root);
    const outer = running.getStore() ?? [];
    if (outer.includes(self)) throw callsItself();
    // The outermost one has the devnet to itself until its setup is done.
    if (outer.length > 0) return enter(of, root);
    const entered = root.turn.then(() => enter(of, root));
    root.turn = entered.catch(() => {});
    return entered;
  }

  return Object.assign(use, {
    extend: <U>(next: (devnet: D, value: T) => U | Promise<U>) => fixtureOn(given, enter, next),
  });
}

async function enterRoot(devnet: Revertible, root: Root): Promise<void> {
  if (root.snapshot !== undefined && (await isReverted(devnet, root.snapshot))) return;
  root.snapshot = await devnet.snapshot();
}

/** Takes the devnet back, if it still has the snapshot. */
async function isReverted(devnet: Revertible, snapshot: string): Promise<boolean> {
  try {
    await devnet.revert(snapshot);
    return true;
  } catch (error) {
    if (codeOf(error) === "snapshot_unknown") return false;
    throw error;
  }
}

function callsItself(): NodeError {
  const hint = "move what both need into a fixture of its own";
  return new NodeError("devnet.fixture", "usage", "the setup of a fixture calls the fixture itself", hint);
}
