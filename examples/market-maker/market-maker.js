// A market maker on lyra/client: quotes both sides around a reference price, follows its fills, and keeps its position within
// a limit. It acts on what the streams say, which open again by themselves: it has no timer and no retry.
const LIVE = new Set(["STATUS_ACTIVE", "STATUS_PARTIALLY_FILLED", "STATUS_PARKED"]);
const least = (a, b) => (a < b ? a : b);
const REFUSED = new Set(["STATUS_REJECTED", "STATUS_STOPPED"]);
/** Codes of a node that is away: the quotes follow when the streams go on. */
const AWAY = new Set(["unreachable", "unavailable", "devnet_unreachable", "devnet_ended"]);

/**
 * @typedef {object} Options prices, sizes and positions in the market's smallest units
 * @property {import("lyra/client").Lyra} lyra
 * @property {import("lyra/devnet").Party} party signs the bot's transactions
 * @property {string} marketId
 * @property {bigint} spread of each quote from the reference price
 * @property {bigint} size of a quote
 * @property {bigint} positionMax long or short
 * @property {(markPrice: bigint) => bigint} [reference] default: the mark price
 * @property {(trade: import("lyra/client").Trade) => void} [onFill]
 * @property {(problem: Error) => void} [onProblem] something that needs a person; quoting goes on with the next change
 */
export class MarketMaker {
  position = 0n;
  orders = new Map(); // own ones on the book, by id
  #markPrice = 0n;
  /** Block of the last quotes: the next ones wait until orders and position are those of one block, this or a later one. */
  #sentAt = 1;
  #heights = { orders: 0, position: 0 };
  #isQuoting = false;
  #isAskedAgain = false;
  /** Quotes that the market rejected: the same are not sent again. */
  #rejected;
  #lastQuotes;

  /** @param {Options} options */
  constructor(options) {
    this.options = { reference: (markPrice) => markPrice, onFill: () => {}, onProblem: () => {}, ...options };
  }

  /** Quotes until the signal is aborted, then takes its orders off the book. */
  async run(signal) {
    const { marketId, onProblem } = this.options;
    const news = [this.#orders, this.#position, this.#fills, this.#prices];
    await Promise.all(news.map((follow) => follow.call(this, signal).catch(onProblem)));
    await this.#send({ orderCancellation: { marketId } });
  }

  /** Brings the book in line with the reference price and the position. Call it when the reference changes by itself. */
  async quote() {
    this.#isAskedAgain = this.#isQuoting;
    const { orders, position } = this.#heights;
    if (this.#isQuoting || orders !== position || orders < this.#sentAt) return;
    const instructions = this.#instructions();
    if (instructions === undefined) return;
    this.#isQuoting = true;
    this.#sentAt = (await this.#send({ batchMarketInstructions: instructions })) ?? this.#sentAt;
    this.#isQuoting = false;
    if (this.#isAskedAgain) await this.quote();
  }

  #instructions() {
    const { marketId } = this.options;
    const quotes = this.#quotes();
    const isSame = (order, { side, price, size }) =>
      order.side === side && order.price === price && order.remaining === size;
    const orders = [...this.orders.values()];
    const cancellations = orders.filter((order) => !quotes.some((quote) => isSame(order, quote)));
    const submissions = quotes.filter((quote) => !orders.some((order) => isSame(order, quote)));
    this.#lastQuotes = JSON.stringify(quotes);
    if (cancellations.length + submissions.length === 0 || this.#lastQuotes === this.#rejected)
      return undefined;
    const form = { marketId, type: "TYPE_LIMIT", timeInForce: "TIME_IN_FORCE_GTC", postOnly: true };
    return {
      cancellations: cancellations.map(({ id: orderId }) => ({ marketId, orderId })),
      submissions: submissions.map((quote) => ({ ...form, ...quote })),
    };
  }

  #quotes() {
    const { reference, spread, size, positionMax } = this.options;
    if (this.#markPrice === 0n) return [];
    const middle = reference(this.#markPrice);
    return [
      { side: "SIDE_BUY", price: middle - spread, size: least(size, positionMax - this.position) },
      { side: "SIDE_SELL", price: middle + spread, size: least(size, positionMax + this.position) },
    ]
      .filter(({ price, size }) => price > 0n && size > 0n)
      .map(({ side, price, size }) => ({ side, price: `${price}`, size: `${size}` }));
  }

  /** @returns the height of its block, also where an order to cancel was filled first; undefined while the node is away */
  async #send(command) {
    const { lyra, party, onProblem } = this.options;
    try {
      const { outcome } = await lyra.send(party, command, { allowRefusal: true });
      if (outcome.height > 0) return outcome.height;
      this.#rejected = this.#lastQuotes;
      onProblem(new Error(outcome.text));
    } catch (error) {
      if (!AWAY.has(error.code)) onProblem(error);
    }
    return undefined;
  }

  async #orders(signal) {
    const { lyra, party, marketId, onProblem } = this.options;
    const onHeight = (height) => this.#hear("orders", height);
    const request = { partyIds: [party.publicKey], marketIds: [marketId] };
    for await (const { snapshot, updates } of lyra.stream.orders(request, { signal, onHeight })) {
      for (const order of (snapshot ?? updates).orders) {
        if (LIVE.has(order.status)) this.orders.set(order.id, order);
        else this.orders.delete(order.id);
        if (!REFUSED.has(order.status)) continue;
        this.#rejected = this.#lastQuotes;
        onProblem(new Error(`a quote was refused: ${order.reason}`));
      }
    }
  }

  async #position(signal) {
    const { lyra, party, marketId } = this.options;
    const onHeight = (height) => this.#hear("position", height);
    const request = { partyId: party.publicKey, marketId };
    for await (const { snapshot, updates } of lyra.stream.positions(request, { signal, onHeight }))
      for (const { openVolume } of (snapshot ?? updates).positions) this.position = BigInt(openVolume);
  }

  #hear(news, height) {
    this.#heights[news] = height;
    void this.quote();
  }

  async #fills(signal) {
    const { lyra, party, marketId, onFill } = this.options;
    const request = { partyIds: [party.publicKey], marketIds: [marketId] };
    for await (const { trades } of lyra.stream.trades(request, { signal })) trades.forEach(onFill);
  }

  async #prices(signal) {
    const { lyra, marketId } = this.options;
    this.#markPrice = BigInt((await lyra.markets.getLatestData({ marketId })).marketData.markPrice);
    void this.quote();
    for await (const { marketData } of lyra.stream.marketsData({ marketIds: [marketId] }, { signal })) {
      this.#markPrice = BigInt(marketData.at(-1).markPrice);
      void this.quote();
    }
  }
}
