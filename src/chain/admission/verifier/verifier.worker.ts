// One thread that verifies signatures. An extra entry point of the compiled executable (scripts/build.ts lists it).
import { type Places, SignatureBoard } from "./signature-board.ts";

/** The first message is `awake`; every other one tells what has been verified. */
export type FromVerifier = "awake" | Places;

declare const self: Worker;

const say = (message: FromVerifier) => self.postMessage(message);

self.onmessage = ({ data: memory }: MessageEvent<SharedArrayBuffer>) => {
  const board = new SignatureBoard(memory);
  say("awake");
  for (let places = board.take(); places !== undefined; places = board.take()) {
    board.verify(places);
    say(places);
  }
};
