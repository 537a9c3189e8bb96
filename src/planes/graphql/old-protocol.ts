/**
 * The first protocol of subscriptions (`graphql-ws`, of the abandoned library subscriptions-transport-ws):
 * its messages as those of the later one and back, so that one server serves both
 * (docs/protocol/95-graphql-subscriptions.md#8-websocket).
 */

const KEEP_ALIVE_MS = 10_000;
/** Closed as the original closes a socket that breaks the protocol. */
const PROTOCOL_ERROR = 1002;
const NORMAL = 1000;
/** Codes of the later protocol, with the message that the original sends before it closes. */
const FAULTS: Readonly<Record<number, readonly [message: string, reason: string]>> = {
  4400: ["invalid json", "decoding error"],
  4401: ["unexpected message start", "unexpected message"],
  4429: ["unexpected message init", "unexpected message"],
};
/** Replaces a missing id, which the later protocol requires. */
const NO_ID = "\u0000";

type Wire = { id?: string; type?: string; payload?: unknown };

interface Socket {
  send(text: string): Promise<void>;
  close(code: number, reason: string): void;
}

export class OldProtocol {
  private readonly active = new Set<string>();
  private keepAlive: ReturnType<typeof setInterval> | undefined;

  /** @param receive takes a message of the later protocol */
  constructor(
    private readonly socket: Socket,
    private readonly receive: (text: string) => void,
  ) {}

  /** A message of the client. */
  receiveText(text: string): void {
    const message = parsed(text);
    const id = message?.id ?? NO_ID;
    if (message === undefined) this.receive(text);
    else if (message.type === "connection_terminate") this.socket.close(NORMAL, "terminated");
    else if (message.type === "start") this.start(id, message.payload);
    else if (message.type === "stop") this.stop(id);
    else this.receive(text);
  }

  /** A message of the server. */
  async sendText(text: string): Promise<void> {
    const { id, type, payload } = JSON.parse(text) as Wire;
    if (type === "connection_ack") {
      await this.send({ type });
      await this.send({ type: "ka" });
      this.keepAlive = setInterval(() => void this.send({ type: "ka" }), KEEP_ALIVE_MS);
      this.keepAlive.unref();
    } else if (type === "next") await this.send({ payload, id, type: "data" });
    else if (type === "error") {
      await this.send({ payload, id, type });
      await this.end(id!);
    } else if (type === "complete") await this.end(id!);
  }

  close(code: number, reason: string): void {
    const fault = FAULTS[code];
    if (fault === undefined) this.socket.close(code, reason);
    else {
      const [message, closing] = fault;
      void this.send({ payload: { message }, type: "connection_error" });
      this.socket.close(PROTOCOL_ERROR, closing);
    }
  }

  drop(): void {
    clearInterval(this.keepAlive);
  }

  private start(id: string, payload: unknown): void {
    // A repeated id replaces the subscription.
    if (this.active.has(id)) this.receive(JSON.stringify({ id, type: "complete" }));
    this.active.add(id);
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
      void this.send({ payload: [{ message: "invalid json" }], id, type: "error" }).then(() => this.end(id));
      return;
    }
    this.receive(JSON.stringify({ id, type: "subscribe", payload }));
  }

  private stop(id: string): void {
    this.receive(JSON.stringify({ id, type: "complete" }));
    void this.end(id);
  }

  private async end(id: string): Promise<void> {
    if (this.active.delete(id)) await this.send({ id, type: "complete" });
  }

  private send({ id, ...message }: Wire): Promise<void> {
    return this.socket.send(JSON.stringify(id === undefined || id === NO_ID ? message : { ...message, id }));
  }
}

/** undefined for text that is not a JSON object. */
function parsed(text: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
