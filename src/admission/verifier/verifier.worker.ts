// A thread that verifies signatures. An extra entry point of the compiled executable (scripts/build.ts lists it).
import { verifyPacked } from "./batch.ts";

export interface VerifyRequest {
  readonly batch: number;
  readonly packed: Uint8Array<ArrayBuffer>;
}

export interface VerifyAnswer {
  /** -1: the thread is awake. */
  readonly batch: number;
  readonly answers: Uint8Array<ArrayBuffer>;
}

declare const self: Worker;

const answer = (message: VerifyAnswer) => self.postMessage(message, [message.answers.buffer]);

self.onmessage = ({ data }: MessageEvent<VerifyRequest>) => {
  answer({ batch: data.batch, answers: verifyPacked(data.packed) });
};

answer({ batch: -1, answers: new Uint8Array(0) });
