/**
 * Stands in for the program in a test network of `empty-application.ts`: an application that says yes to everything and keeps
 * nothing, at the address that `lyra validator` would have. There is no Ethereum: nothing asks it.
 *
 *   bun bench/empty-validator.ts validator --abci unix:PATH
 */
import { type AbciHandler, AbciServer, abciAddress } from "../src/abci/server.ts";
import {
  ResponseOfferSnapshotResult as OfferResult,
  ResponseProcessProposalProposalStatus as ProposalStatus,
} from "../src/wire/generated/abci.ts";
import { argument } from "./support.ts";

const APP_HASH = new Uint8Array(32);
let height = 0n;

const yes: AbciHandler = {
  answer(request) {
    if (request.info)
      return { info: { appVersion: 1n, lastBlockHeight: height, lastBlockAppHash: APP_HASH } };
    if (request.initChain) return { initChain: { appHash: APP_HASH } };
    if (request.checkTx) return { checkTx: {} };
    if (request.query) return { query: {} };
    if (request.prepareProposal) return { prepareProposal: { txs: request.prepareProposal.txs } };
    if (request.processProposal) return { processProposal: { status: ProposalStatus.ACCEPT } };
    if (request.finalizeBlock) {
      height = request.finalizeBlock.height;
      const txResults = request.finalizeBlock.txs.map(() => ({}));
      return { finalizeBlock: { txResults, appHash: APP_HASH } };
    }
    if (request.commit) return { commit: {} };
    if (request.listSnapshots) return { listSnapshots: {} };
    return { offerSnapshot: { result: OfferResult.REJECT } };
  },
};

if (process.argv[2] === "validator") new AbciServer(yes).listen(abciAddress(argument("--abci")!)!);
// Its end is that of its supervisor.
process.stdin.on("end", () => process.exit(0)).resume();
