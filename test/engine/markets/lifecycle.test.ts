// The life of a market at its edges: states in which it is changed or ended (reference 70, sections 1.4 to 1.7).
import { expect, test } from "bun:test";
import { idOf, type Play } from "./rig.ts";
import { M3, market, VOID } from "./scenario-markets.ts";

const CONFIG = { ...M3, asset: "ETH", linearSlippage: "1", quadraticSlippage: "0" };
const [ACTIVE, DEACTIVATED] = [1, 2];

/** Continuous trading at 1000 between 900 and 1100. */
function opened(more: Parameters<typeof market>[0] = {}, options: Parameters<typeof market>[1] = {}): Play {
  const play = market({ ...CONFIG, ...more }, options);
  play.deposit(100_000_000n, "aux", "aux2", "void", "p1", "p2");
  return play.run(`${VOID}; aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000`).open();
}

/** Statuses of the sources, by id, as they were shown last. */
const sources = ({ rig }: Play): Map<string, number> =>
  new Map(
    rig.events("oracleSpec").map(({ payload }) => {
      const { id, status } = payload.externalDataSourceSpec.spec;
      return [id, status] as const;
    }),
  );

test("a market that is changed after its trading has ended leaves no source behind", () => {
  const play = opened();
  const { rig } = play;
  rig.terminate();
  rig.nextBlock();
  rig.updateMarket("M", { ...CONFIG, oracle: idOf("other") });
  expect([...sources(play).values()].filter((status) => status === ACTIVE)).toHaveLength(2);
  expect(rig.settle(1_000, idOf("other")).text).toBe("");
  expect([...sources(play).values()]).toEqual([DEACTIVATED, DEACTIVATED, DEACTIVATED, DEACTIVATED]);
  expect(rig.terminate(idOf("other")).text).toBe("no market waits for this data from this signer");
});
