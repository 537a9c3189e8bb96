// Scenes about governance: proposals of every kind that has nothing to do with markets, and their votes.
import type { Init } from "../../wire/codec.ts";
import { type ProposalTerms, VoteValue } from "../../wire/generated/vega.ts";
import { madeUpAddress } from "../keys.ts";
import { ASSETS, type Name, type Stage } from "./stage.ts";

const { VALUE_YES: YES, VALUE_NO: NO } = VoteValue;

type Change = Omit<Init<ProposalTerms>, "closingTimestamp" | "enactmentTimestamp" | "validationTimestamp">;

interface Wish {
  readonly title: string;
  readonly change: Change;
  readonly votes: Readonly<Partial<Record<Name, "yes" | "no">>>;
}

/** Proposes, votes, and waits until it is decided and, where it passed, in force. @returns the proposal's id */
async function decide(stage: Stage, { title, change, votes }: Wish): Promise<string> {
  const now = stage.nowSeconds;
  const isFreeform = "newFreeform" in change;
  const terms = {
    closingTimestamp: now + 5n,
    ...(!isFreeform && { enactmentTimestamp: now + 7n }),
    ...("newAsset" in change && { validationTimestamp: now + 4n }),
    ...change,
  };
  const rationale = { title, description: `${title}: because the demo says so.` };
  const payload = { reference: title.toLowerCase().replaceAll(" ", "-"), terms, rationale };
  const proposalId = await stage.send("alice", { kind: "proposalSubmission", payload });
  await stage.settle();
  for (const [name, vote] of Object.entries(votes)) {
    const value = vote === "yes" ? YES : NO;
    await stage.send(name as Name, { kind: "voteSubmission", payload: { proposalId, value } });
  }
  for (let second = 0; second < 5; second++) await stage.pass(2);
  await stage.settle();
  return proposalId;
}

export async function freeforms(stage: Stage): Promise<void> {
  await decide(stage, {
    title: "A park bench for everybody",
    change: { newFreeform: {} },
    votes: { alice: "yes", bob: "yes", carol: "no" },
  });
  await decide(stage, {
    title: "No more Mondays",
    change: { newFreeform: {} },
    votes: { alice: "yes", bob: "no", carol: "no", dave: "no" },
  });
}

export async function parameterChange(stage: Stage): Promise<void> {
  await decide(stage, {
    title: "Cheaper transfers",
    change: { updateNetworkParameter: { changes: { key: "transfer.fee.factor", value: "0.0005" } } },
    votes: { alice: "yes", bob: "yes", erin: "yes" },
  });
  await stage.refused("carol", {
    kind: "voteSubmission",
    payload: { proposalId: "ff".repeat(32), value: YES },
  });
}

export async function newAssets(stage: Stage): Promise<void> {
  const builtin = await decide(stage, {
    title: "A test franc",
    change: {
      newAsset: {
        changes: {
          name: "Test Franc",
          symbol: "tCHF",
          decimals: 2n,
          quantum: "100",
          builtinAsset: { maxFaucetAmountMint: "1000000" },
        },
      },
    },
    votes: { alice: "yes", bob: "yes" },
  });
  await stage.chain.bridge.deposit(stage.key("judy"), builtin, 500_000n);
  const bridged = await decide(stage, {
    title: "A bridged pound",
    change: {
      newAsset: {
        changes: {
          name: "Devnet Pound",
          symbol: "dGBP",
          decimals: 6n,
          quantum: "1000000",
          erc20: {
            contractAddress: madeUpAddress("token dGBP"),
            lifetimeLimit: "1000000000000",
            withdrawThreshold: "1000000000",
          },
        },
      },
    },
    votes: { alice: "yes", carol: "yes" },
  });
  await stage.chain.bridge.list(bridged);
  await stage.chain.bridge.deposit(stage.key("ivan"), bridged, 9_000_000n);
  await decide(stage, {
    title: "A coin that nobody wants",
    change: {
      newAsset: {
        changes: {
          name: "Nobody's Coin",
          symbol: "NIL",
          decimals: 0n,
          quantum: "1",
          builtinAsset: { maxFaucetAmountMint: "1" },
        },
      },
    },
    votes: { alice: "yes", bob: "no", carol: "no", dave: "no" },
  });
}

export async function assetLimits(stage: Stage): Promise<void> {
  const proposal = await decide(stage, {
    title: "Room for more devnet dollars",
    change: {
      updateAsset: {
        assetId: ASSETS.bridged,
        changes: {
          quantum: "2000000",
          erc20: { lifetimeLimit: "200000000000000", withdrawThreshold: "2000000000000" },
        },
      },
    },
    votes: { alice: "yes", dave: "yes" },
  });
  await stage.chain.bridge.setLimits(proposal);
}
