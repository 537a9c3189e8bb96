// Fields that the core node answers: statistics and the last block. Without a core node, as for a recording, they are made
// from the last block of the store.
import { ApiError } from "../../http/errors.ts";
import type { ChainHead } from "../../store/head.ts";
import { ChainStatus } from "../../wire/generated/vega.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import type { DataPlane } from "../data/plane.ts";
import { CHAIN_ENDPOINTS } from "../node/endpoints.ts";
import type { NodePlane } from "../node/plane.ts";
import type { Message } from "./reads.ts";

/** Methods by the root field that needs them. */
const METHOD_OF_FIELD: Readonly<Record<string, string>> = {
  statistics: "Statistics",
  lastBlockHeight: "LastBlockHeight",
};
const NO_BLOCK = "Failed to get last block height server is initialising";

/** Answers of the core node by the name of their method, fetched before the query reads the store. */
export type ChainAnswers = ReadonlyMap<string, Message | ApiError>;

export class ChainAnswering {
  constructor(
    private readonly data: DataPlane,
    private readonly node: NodePlane | undefined,
  ) {}

  /** @returns undefined where the fields need nothing of the chain */
  answersFor(rootFields: ReadonlySet<string>): Promise<ChainAnswers> | undefined {
    const methods = Object.entries(METHOD_OF_FIELD).filter(([field]) => rootFields.has(field));
    if (methods.length === 0) return undefined;
    const answers = methods.map(async ([, method]) => [method, await this.answer(method)] as const);
    return Promise.all(answers).then((all) => new Map(all));
  }

  private async answer(method: string): Promise<Message | ApiError> {
    const { node } = this;
    if (node === undefined) return fromHead(method, this.data);
    const endpoint = CHAIN_ENDPOINTS.find(({ request }) => request === `vega.api.v1.${method}Request`)!;
    try {
      return await endpoint.handle(node.context, {});
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
}

function fromHead(method: string, data: DataPlane): Message | ApiError {
  const head = data.head();
  if (head === undefined) return new ApiError(2, NO_BLOCK);
  return method === "LastBlockHeight"
    ? { height: BigInt(head.height) }
    : { statistics: statistics(head, data) };
}

function statistics(head: ChainHead, { context }: DataPlane): Message {
  const time = rfc3339Nano(BigInt(head.timeUs) * 1_000n);
  const first = context.blocks.timeUs(1);
  return {
    blockHeight: BigInt(head.height),
    blockHash: head.hash,
    chainId: head.chainId,
    vegaTime: time,
    currentTime: time,
    genesisTime: rfc3339Nano(BigInt(first) * 1_000n),
    upTime: time,
    status: ChainStatus.CHAIN_STATUS_CONNECTED,
    appVersion: context.build.version,
    appVersionHash: context.build.commit,
    blockDuration: 0n,
  };
}
