/**
 * The socket that a consensus engine dials (ABCI 2.0): four connections, of which nothing but their requests says what
 * each is for. Requests come in advance of their answers, which go back in order; an engine that meets anything else
 * ends itself, and starts again with four new connections.
 */

import { chmodSync, existsSync, lstatSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { Socket } from "bun";
import { logFailure } from "../errors/log.ts";
import { codeOf, NodeError, reasonOf } from "../errors/node-error.ts";
import type { Init } from "../wire/codec.ts";
import { WireError } from "../wire/errors.ts";
import { decodeRequest, encodeResponse, type Request, type Response } from "../wire/generated/abci.ts";
import { FrameFault, FrameSplitter, frameOf } from "./frames.ts";

/** Four of an engine, and those of one that was just killed. */
const CONNECTIONS_MAX = 32;
/** Requests that wait for the one before them, and their bytes: with more of them nothing is read until they are answered. */
const WAITING_MAX = 1_024;
const WAITING_BYTES_MAX = 128 * 1024 * 1024;
/** Bytes of answers that the engine has not taken: with more of them nothing is answered until it has. */
const UNSENT_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of answers that are sent at once. */
const SEND_BYTES = 1024 * 1024;
/** Only this user's processes reach a Unix socket. */
const SOCKET_MODE = 0o600;
const KEEP_ALIVE_MS = 10_000;

export type Answer = Init<Response>;

/** A request with what it is: exactly one member of `Request` is set. */
type RequestKind = keyof Request;

export interface AbciHandler {
  /** Answers a request; an error that it throws ends the engine. @param connection the same object for one connection */
  answer(request: Request, connection: object): Answer | Promise<Answer>;
  /** A connection begins. */
  opened?(): void;
  /** A connection is closed: what belongs to it goes with it. */
  closed?(connection: object): void;
}

export type AbciAddress = { readonly host: string; readonly port: number } | { readonly path: string };

interface Connection {
  splitter: FrameSplitter;
  /** Requests that wait for the answer of the one before them. */
  waiting: Uint8Array[];
  waitingBytes: number;
  isAnswering: boolean;
  /** Bytes of answers that the socket did not take. */
  unsent: Uint8Array[];
  unsentBytes: number;
  /** Nothing is read: the engine waits meanwhile. */
  isPaused: boolean;
}

type Peer = Socket<Connection>;

/** `unix:PATH`, `unix:///PATH` or `tcp://HOST:PORT`; undefined for another text. */
export function abciAddress(text: string): AbciAddress | undefined {
  const path = /^unix:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { path };
  const place = /^tcp:\/\/(\[[^\]]+\]|[^:/]+):(\d{1,5})$/.exec(text);
  const port = Number(place?.[2]);
  if (place == null || port > 65_535) return undefined;
  return { host: place[1]!.replace(/^\[|\]$/g, ""), port };
}

export class AbciServer {
  private listener: { stop(closeActive?: boolean): void; readonly port?: number } | undefined;
  private readonly peers = new Set<Peer>();

  constructor(private readonly handler: AbciHandler) {}

  /** Connections that are open. */
  get connections(): number {
    return this.peers.size;
  }

  /** @returns the port, 0 for a path. @throws NodeError `port_in_use`, `cannot_listen` */
  listen(address: AbciAddress): number {
    const socket = {
      binaryType: "uint8array",
      open: (peer: Peer) => this.opened(peer),
      data: (peer: Peer, bytes: Uint8Array) => this.received(peer, bytes),
      drain: (peer: Peer) => this.drained(peer),
      close: (peer: Peer) => this.closed(peer),
      error: (peer: Peer) => peer.terminate(),
    } as const;
    const data = emptyConnection();
    try {
      if ("path" in address) {
        if (existsSync(address.path) && lstatSync(address.path).isSocket()) unlinkSync(address.path);
        const before = process.umask(0o777 & ~SOCKET_MODE);
        try {
          this.listener = Bun.listen<Connection>({ unix: address.path, socket, data });
        } finally {
          process.umask(before);
        }
        chmodSync(address.path, SOCKET_MODE);
        return 0;
      }
      const { host: hostname, port } = address;
      const listener = Bun.listen<Connection>({ hostname, port, socket, data });
      this.listener = listener;
      return listener.port;
    } catch (error) {
      throw listenError(address, error);
    }
  }

  stop(): void {
    this.listener?.stop(true);
    this.listener = undefined;
    for (const peer of [...this.peers]) peer.terminate();
  }

  private opened(peer: Peer): void {
    peer.data = emptyConnection();
    if (this.peers.size >= CONNECTIONS_MAX) {
      this.refuse(peer, `there are ${CONNECTIONS_MAX} connections already`);
      return;
    }
    this.peers.add(peer);
    peer.setNoDelay(true);
    peer.setKeepAlive(true, KEEP_ALIVE_MS);
    this.handler.opened?.();
  }

  private received(peer: Peer, bytes: Uint8Array): void {
    const { data } = peer;
    if (!this.peers.has(peer)) return;
    try {
      for (const frame of data.splitter.push(bytes)) {
        data.waiting.push(frame);
        data.waitingBytes += frame.length;
      }
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      this.refuse(peer, error.message);
      return;
    }
    this.answerWaiting(peer);
  }

  /** Answers what has come; goes on later where an answer takes its time, or the engine does not take the answers. */
  private answerWaiting(peer: Peer): void {
    const { data } = peer;
    while (
      data.waiting.length > 0 &&
      !data.isAnswering &&
      data.unsentBytes < UNSENT_BYTES_MAX &&
      this.peers.has(peer)
    )
      this.answerSome(peer);
    const isFull =
      data.waiting.length > WAITING_MAX ||
      data.waitingBytes > WAITING_BYTES_MAX ||
      data.unsentBytes >= UNSENT_BYTES_MAX;
    if (isFull === data.isPaused || !this.peers.has(peer)) return;
    data.isPaused = isFull;
    if (isFull) peer.pause();
    else peer.resume();
  }

  /** Answers of the next requests, sent at once. */
  private answerSome(peer: Peer): void {
    const { data } = peer;
    const answers: Uint8Array[] = [];
    let bytes = 0;
    while (data.waiting.length > 0 && bytes < SEND_BYTES) {
      const frame = data.waiting.shift()!;
      data.waitingBytes -= frame.length;
      const answer = this.answerTo(peer, frame);
      if (answer instanceof Promise) {
        data.isAnswering = true;
        void answer.then((later) => {
          data.isAnswering = false;
          if (!this.peers.has(peer) || later === undefined) return;
          this.send(peer, [later]);
          this.answerWaiting(peer);
        });
        break;
      }
      if (answer === undefined) break;
      answers.push(answer);
      bytes += answer.length;
    }
    this.send(peer, answers);
  }

  /** @returns undefined when the connection was closed for it */
  private answerTo(peer: Peer, frame: Uint8Array): Uint8Array | Promise<Uint8Array | undefined> | undefined {
    let request: Request;
    try {
      request = decodeRequest(frame);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.refuse(peer, `a request cannot be read: ${error.message}`);
      return undefined;
    }
    const kind = kindOf(request);
    if (kind === undefined) {
      this.refuse(peer, "a request has no kind that is known");
      return undefined;
    }
    if (kind === "flush") return frameOf(encodeResponse({ flush: {} }));
    if (kind === "echo") return frameOf(encodeResponse({ echo: { message: request.echo!.message } }));
    const failed = (error: unknown) => {
      logFailure(requestFailure(kind, error));
      return frameOf(encodeResponse({ exception: { error: reasonOf(error) } }));
    };
    try {
      const answer = this.handler.answer(request, peer.data);
      if (answer instanceof Promise)
        return answer.then((later) => frameOf(encodeResponse(later))).catch(failed);
      return frameOf(encodeResponse(answer));
    } catch (error) {
      return failed(error);
    }
  }

  private send(peer: Peer, answers: readonly Uint8Array[]): void {
    if (answers.length === 0 || !this.peers.has(peer)) return;
    const { data } = peer;
    for (const answer of answers) {
      data.unsent.push(answer);
      data.unsentBytes += answer.length;
    }
    this.sendUnsent(peer);
  }

  private drained(peer: Peer): void {
    this.sendUnsent(peer);
    this.answerWaiting(peer);
  }

  /** Keeps what the socket does not take, and goes on when it has room. */
  private sendUnsent(peer: Peer): void {
    const { data } = peer;
    if (data.unsent.length === 0) return;
    const all = data.unsent.length === 1 ? data.unsent[0]! : Buffer.concat(data.unsent);
    const sent = Math.max(0, peer.write(all));
    data.unsent = sent < all.length ? [all.subarray(sent)] : [];
    data.unsentBytes = all.length - sent;
  }

  private refuse(peer: Peer, reason: string): void {
    logFailure(
      new NodeError(
        "validator.abci",
        "abci_invalid",
        `a connection of the consensus engine was closed: ${reason}`,
        "look which program dials the address of --abci; it takes CometBFT 0.38 alone",
      ),
    );
    peer.data.waiting = [];
    peer.terminate();
  }

  private closed(peer: Peer): void {
    if (this.peers.delete(peer)) this.handler.closed?.(peer.data);
  }
}

function emptyConnection(): Connection {
  return {
    splitter: new FrameSplitter(),
    waiting: [],
    waitingBytes: 0,
    isAnswering: false,
    unsent: [],
    unsentBytes: 0,
    isPaused: false,
  };
}

function kindOf(request: Request): RequestKind | undefined {
  for (const kind in request) if (request[kind as RequestKind] !== undefined) return kind as RequestKind;
  return undefined;
}

function requestFailure(kind: RequestKind, error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  return new NodeError(
    "validator.abci",
    "abci_failed",
    `a request of the consensus engine failed (${kind}): ${reasonOf(error)}`,
    "The engine ends itself, and goes on from the last block that is stored once it is started again; report it.",
  );
}

function listenError(address: AbciAddress, error: unknown): NodeError {
  const code = codeOf(error) ?? "unknown";
  if ("path" in address && !existsSync(dirname(address.path)))
    return new NodeError(
      "validator.abci",
      "cannot_listen",
      `cannot listen on the socket ${address.path} (there is no folder ${dirname(address.path)})`,
      "make the folder, for its user alone, or give another --abci",
    );
  if ("path" in address)
    return new NodeError(
      "validator.abci",
      "cannot_listen",
      `cannot listen on the socket ${address.path} (${code})`,
      "give another --abci; a path has at most 107 bytes",
    );
  const { host, port } = address;
  if (code === "EADDRINUSE")
    return new NodeError(
      "validator.abci",
      "port_in_use",
      `port ${port} on ${host} is in use`,
      "stop what uses it, or give another --abci",
    );
  return new NodeError(
    "validator.abci",
    "cannot_listen",
    `cannot listen on ${host} port ${port} (${code})`,
    "give another --abci",
  );
}
