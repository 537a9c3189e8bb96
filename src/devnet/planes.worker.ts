// The HTTP thread of a devnet: it reads the store itself and calls the chain by messages, so that neither waits for the
// other. An extra entry point of the compiled executable (scripts/build.ts lists it).
/// <reference lib="webworker" />

import { Reading } from "../node/reading.ts";
import { FeedInlet, type FeedMessage, type FeedOrder } from "../store/event-feed.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import { type CallMessage, type ChainMessage, type ErrorText, errorText } from "./chain-messages.ts";
import { DEVNET_PARTIES, type PartiesChoice } from "./keys.ts";
import { reportParties } from "./parties.ts";
import { Planes, type PlanesOptions } from "./planes.ts";
import { RemoteChain } from "./remote-chain.ts";

interface Listening {
  readonly url: string;
  readonly port: number;
}

/** A port of gRPC, with its target as clients take it. */
interface ListeningGrpc {
  readonly address: string;
  readonly port: number;
}

export type ThreadOptions = Omit<PlanesOptions, "notReady"> & { readonly parties: PartiesChoice };

export type ToPlanes =
  | ChainMessage
  | { readonly kind: "serve"; readonly options: ThreadOptions }
  | { readonly kind: "renewContext"; readonly parties: PartiesChoice }
  /** Events of the blocks that are committed. */
  | { readonly kind: "feed"; readonly message: FeedMessage }
  /** To be answered with `caughtUp`, when everything before it was read. */
  | { readonly kind: "catchUp" }
  | { readonly kind: "stop" };

export interface PlaneAddresses {
  readonly node: Listening;
  readonly data: Listening;
  readonly faucet: Listening;
  readonly comet: Listening | undefined;
  readonly grpcNode: ListeningGrpc | undefined;
  readonly grpcData: ListeningGrpc | undefined;
}

export type FromPlanes =
  | CallMessage
  | ({ readonly kind: "listening" } & PlaneAddresses)
  | { readonly kind: "failed"; readonly error: ErrorText }
  /** Streams want events, or have read some. */
  | { readonly kind: "feed"; readonly order: FeedOrder }
  | { readonly kind: "caughtUp" }
  | { readonly kind: "stopped" };

declare const self: Worker;

const post = (message: FromPlanes) => self.postMessage(message);
const chain = new RemoteChain(post);
const feed = new FeedInlet((order) => post({ kind: "feed", order }));
let reading: Reading | undefined;
let planes: Planes | undefined;
let parties = DEVNET_PARTIES;

async function serve({ parties: first, ...options }: ThreadOptions): Promise<void> {
  parties = first;
  try {
    const opened = new Reading(options.home, options.limits);
    reading = opened;
    opened.plane.streams.feed = feed;
    planes = new Planes(
      { ...options, notReady: () => chain.status.halted ?? chain.status.consensus?.notReady },
      opened,
    );
    const { node, data, faucet } = planes.serve(chain, () => reportParties(parties, opened.reader));
    const comet = await planes.serveComet(chain);
    const place = ({ url, port }: Listening): Listening => ({ url, port });
    const places = { node: place(node), data: place(data), faucet: place(faucet) };
    const { grpcNode, grpcData } = await planes.serveGrpc();
    const target = ({ address, port }: ListeningGrpc): ListeningGrpc => ({ address, port });
    post({
      kind: "listening",
      ...places,
      comet: comet && place(comet),
      grpcNode: grpcNode && target(grpcNode),
      grpcData: grpcData && target(grpcData),
    });
  } catch (error) {
    post({ kind: "failed", error: errorText(error) });
  }
}

async function stop(): Promise<void> {
  await planes?.close();
  chain.close();
  reading?.close();
  post({ kind: "stopped" });
}

limitGarbage();

self.onmessage = ({ data }: MessageEvent<ToPlanes>) => {
  if (data.kind === "serve") void serve(data.options);
  else if (data.kind === "renewContext") {
    parties = data.parties;
    reading?.renewContext();
  } else if (data.kind === "feed") feed.receive(data.message);
  else if (data.kind === "catchUp") post({ kind: "caughtUp" });
  else if (data.kind === "stop") void stop();
  else chain.receive(data);
};
