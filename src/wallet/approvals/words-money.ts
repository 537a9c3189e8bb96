// Words for commands that move tokens: transfers, withdrawals, stake.
import { amountText, exactAmountText, exactStakeText, stakeText } from "./amounts.ts";
import { named } from "./plain-text.ts";
import { type Describe, enumWord, line, said, timeWord, type WordsContext, words } from "./words-helpers.ts";

const account = (type: number | undefined) => enumWord("vega.AccountType", type, "ACCOUNT_TYPE_");
/** The party that stands for the network in transfers (reference 30, section 4.2). */
const NETWORK = /^0{64}$/;

const transfer: Describe<"transfer"> = (
  { amount = "", asset = "", to = "", fromAccountType, toAccountType, reference, oneOff, recurring },
  context,
) => {
  const what = amountText(amount, asset, context.assets);
  const receiver = receiverOf(to, toAccountType, context);
  const title = recurring ? `Send ${what} every epoch to ${receiver}` : `Send ${what} to ${receiver}`;
  const end = recurring?.endEpoch;
  return words(
    title,
    [
      line("amount", exactAmountText(amount, asset, context.assets)),
      line("to", to),
      line("from account", account(fromAccountType)),
      line("to account", account(toAccountType)),
      line("delivered on", oneOff ? (timeWord(oneOff.deliverOn, "s") ?? "at once") : undefined),
      recurring && line("from epoch", recurring.startEpoch),
      recurring && line("to epoch", end ?? "never: until it is cancelled"),
      recurring && line("each time multiplied by", recurring.factor),
      recurring?.dispatchStrategy &&
        line(
          "shared out by",
          `${enumWord("vega.DispatchMetric", recurring.dispatchStrategy.metric, "DISPATCH_METRIC_")} in ${recurring.dispatchStrategy.markets?.length || "all"} markets`,
        ),
      said("reference", reference),
    ],
    recurring && end === undefined ? ["it goes on without end until you cancel it"] : [],
  );
};

function receiverOf(to: string, toAccountType: number | undefined, { publicKey }: WordsContext): string {
  if (to === publicKey) return "your own key";
  if (to === "" || NETWORK.test(to)) return `the network (${account(toAccountType)})`;
  return named(to);
}

const withdrawSubmission: Describe<"withdrawSubmission"> = ({ amount = "", asset = "", ext }, { assets }) => {
  const what = amountText(amount, asset, assets);
  const receiver = ext?.erc20?.receiverAddress;
  return words(
    `Withdraw ${what} from the network to ${receiver ? `the Ethereum address ${named(receiver)}` : "outside"}`,
    [line("amount", exactAmountText(amount, asset, assets)), line("to the address", receiver)],
    ["whoever has that address has the tokens; the network cannot bring them back"],
  );
};

const delegateSubmission: Describe<"delegateSubmission"> = (
  { nodeId = "", amount = "" },
  { stakeAsset, assets },
) => {
  const what = stakeText(amount, stakeAsset, assets);
  return words(`Delegate ${what} to validator ${named(nodeId)}`, [
    line("validator", nodeId),
    line("amount", exactStakeText(amount, stakeAsset, assets)),
  ]);
};

const undelegateSubmission: Describe<"undelegateSubmission"> = (
  { nodeId = "", amount = "", method },
  { stakeAsset, assets },
) => {
  const what = /^0*$/.test(amount) ? "all stake" : stakeText(amount, stakeAsset, assets);
  return words(`Take ${what} back from validator ${named(nodeId)}`, [
    line("validator", nodeId),
    line("amount", what === "all stake" ? what : exactStakeText(amount, stakeAsset, assets)),
    line("when", enumWord("vega.commands.v1.UndelegateSubmission.Method", method, "METHOD_")),
  ]);
};

const cancelTransfer: Describe<"cancelTransfer"> = ({ transferId = "" }) =>
  words(`Cancel the recurring transfer ${named(transferId)}`, [line("transfer", transferId)]);

export const moneyWords = {
  transfer,
  withdrawSubmission,
  delegateSubmission,
  undelegateSubmission,
  cancelTransfer,
};
