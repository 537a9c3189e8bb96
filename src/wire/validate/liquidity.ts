/** Liquidity provision (reference 30, section 4.12). */

import * as say from "../../errors/validation.ts";
import type {
  LiquidityProvisionAmendment,
  LiquidityProvisionCancellation,
  LiquidityProvisionSubmission,
} from "../generated/commands.ts";
import { type LiquidityOrder, PeggedReference } from "../generated/vega.ts";
import { all, type Check, each, first, rule, when } from "./check.ts";
import { identifier, integerSign, isInteger, isNamed, required, shortReference } from "./fields.ts";
import { float64Of } from "./go-numbers.ts";

const { PEGGED_REFERENCE_MID: MID } = PeggedReference;
const { PEGGED_REFERENCE_BEST_BID: BEST_BID, PEGGED_REFERENCE_BEST_ASK: BEST_ASK } = PeggedReference;

interface ShapeRules {
  readonly property: string;
  readonly ownBest: number;
  /** The other side's best price, which the side must not follow; sales report that on `offset`. */
  readonly wrongBest: { readonly reference: number; readonly on: string; readonly message: string };
  readonly offsetTitle: string;
}

/** One side of the shape: what each of its orders follows, how much of the commitment, how far away. */
function shape({ property, ownBest, wrongBest, offsetTitle }: ShapeRules): Check<LiquidityOrder> {
  return all(
    rule(
      `${property}.#.reference`,
      say.IS_NOT_VALID,
      (order) => !isNamed("vega.PeggedReference", order.reference),
    ),
    rule(
      `${property}.#.reference`,
      "order in shape without reference",
      (order) => order.reference === PeggedReference.PEGGED_REFERENCE_UNSPECIFIED,
    ),
    rule(
      `${property}.#.proportion`,
      "order in shape without a proportion",
      (order) => order.proportion === 0,
    ),
    rule(
      `${property}.#.${wrongBest.on}`,
      wrongBest.message,
      (order) => order.reference === wrongBest.reference,
    ),
    when(
      (order) => order.reference === ownBest || order.reference === MID,
      first(
        rule(`${property}.#.offset`, say.NOT_AN_INTEGER, (order) => !isInteger(order.offset)),
        rule(
          `${property}.#.offset`,
          `${offsetTitle} offset must be >= 0`,
          (order) => order.reference === ownBest && integerSign(order.offset) < 0,
        ),
        rule(
          `${property}.#.offset`,
          `${offsetTitle} offset must be > 0`,
          (order) => order.reference === MID && integerSign(order.offset) <= 0,
        ),
      ),
    ),
  );
}

const BUYS = "liquidity_provision_submission.buys";
const SELLS = "liquidity_provision_submission.sells";

const buyOrder = shape({
  property: BUYS,
  ownBest: BEST_BID,
  wrongBest: {
    reference: BEST_ASK,
    on: "reference",
    message: "order in buy side shape with best ask price reference",
  },
  offsetTitle: "order in buy side shape",
});
const sellOrder = shape({
  property: SELLS,
  ownBest: BEST_ASK,
  wrongBest: {
    reference: BEST_BID,
    on: "offset",
    message: "order in sell side shape with best bid price reference",
  },
  offsetTitle: "order in sell shape",
});

interface Shapes {
  readonly buys: readonly LiquidityOrder[];
  readonly sells: readonly LiquidityOrder[];
}
/** An amendment's shapes are reported under the names of a submission (section 13, surprise 12). */
const shapes: Check<Shapes> = all(
  each((command) => command.buys, buyOrder),
  each((command) => command.sells, sellOrder),
);

export const liquidityProvisionSubmission: Check<LiquidityProvisionSubmission> = all(
  identifier("liquidity_provision_submission.market_id", (command) => command.marketId),
  shortReference("liquidity_provision_submission.reference", (command) => command.reference),
  first(
    // A commitment of nothing ends the checks: it once meant a cancellation.
    rule(
      "liquidity_provision_submission.commitment_amount",
      say.IS_NOT_A_NUMBER,
      ({ commitmentAmount }) => isInteger(commitmentAmount) && integerSign(commitmentAmount) <= 0,
    ),
    all(
      first(
        required(
          "liquidity_provision_submission.commitment_amount",
          (command: LiquidityProvisionSubmission) => command.commitmentAmount,
        ),
        rule(
          "liquidity_provision_submission.commitment_amount",
          say.NOT_AN_INTEGER,
          (command) => !isInteger(command.commitmentAmount),
        ),
      ),
      first(
        required(
          "liquidity_provision_submission.fee",
          (command: LiquidityProvisionSubmission) => command.fee,
        ),
        rule(
          "liquidity_provision_submission.fee",
          say.IS_NOT_VALID,
          (command) => float64Of(command.fee) === undefined,
        ),
        rule(
          "liquidity_provision_submission.fee",
          say.MUST_BE_POSITIVE,
          (command) => float64Of(command.fee)! < 0,
        ),
      ),
      rule(BUYS, "empty shape", (command) => command.buys.length === 0),
      rule(SELLS, "empty shape", (command) => command.sells.length === 0),
      shapes,
    ),
  ),
);

export const liquidityProvisionAmendment: Check<LiquidityProvisionAmendment> = first(
  required("liquidity_provision_amendment.market_id", (command) => command.marketId),
  rule(
    "liquidity_provision_amendment",
    say.IS_REQUIRED,
    ({ commitmentAmount, fee, sells, buys, reference }) =>
      commitmentAmount === "" && fee === "" && sells.length === 0 && buys.length === 0 && reference === "",
  ),
  all(
    shortReference(
      "liquidity_provision_amendment.reference",
      (command: LiquidityProvisionAmendment) => command.reference,
    ),
    shapes,
  ),
);

export const liquidityProvisionCancellation: Check<LiquidityProvisionCancellation> = identifier(
  "liquidity_provision_cancellation.market_id",
  (command) => command.marketId,
);
