// Errors of the HTTP planes: `{code, message, details}` (reference 10, sections 1.6 and 1.7).

/** gRPC status numbers that occur, with the HTTP status each one becomes. */
export const Grpc = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

const HTTP_STATUS: Readonly<Record<number, number>> = {
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  8: 429,
  9: 412,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
};
const CLASS_TEXT: Readonly<Record<number, string>> = {
  3: "InvalidArgument error",
  5: "NotFound error",
  13: "Internal error",
};

/** Number of each message in the catalogue; what is not here has 10000. */
export const CATALOGUE: ReadonlyMap<string, number> = new Map([
  ["empty or missing market ID", 10003],
  ["empty or missing party ID", 10006],
  ["missing orderID parameter", 10012],
  ["missing party id", 10014],
  ["malformed request", 10015],
  ["missing asset ID", 10017],
  ["proposal id is a required parameter", 10021],
  ["missing proposal ID or reference", 10022],
  ["missing proposal id and party id", 10023],
  ["missing proposal id or party id", 10024],
  ["missing resource ID", 10025],
  ["missing price", 10026],
  ["invalid order price", 10027],
  ["invalid pagination", 10028],
  ["candle id is a required parameter", 10030],
  ["missing oracle spec ID", 10031],
  ["missing node id", 10034],
  ["invalid order side", 10035],
  ["failed to parse epoch id", 10036],
  ["invalid asset ID", 10038],
  ["failed to get order versions", 20005],
  ["order not found", 20006],
  ["failed to get orders", 20007],
  ["failed to get market for ID", 30002],
  ["failed to get market data", 30004],
  ["failed to get all markets paged", 30005],
  ["failed to get market data history", 30006],
  ["failed to get trades for market", 40001],
  ["failed to list trades", 40005],
  ["failed to get parties", 50001],
  ["failed to get party for ID", 50002],
  ["failed to get candle data", 60001],
  ["failed to get candles for market", 60003],
  ["failed to get margin levels", 70001],
  ["missing withdrawal ID", 80003],
  ["missing deposit ID", 80004],
  ["failed to get accounts", 80006],
  ["failed to get balances", 90004],
  ["failed to get network limits", 100001],
  ["failed to get network parameters", 100002],
  ["failed to get nodes", 110001],
  ["failed to get node data", 110002],
  ["invalid erc20 token contract address", 120001],
  ["failed to get delegation", 130001],
  ["failed to get summary", 140001],
  ["failed to get withdrawal", 150001],
  ["failed to get positions for party", 160001],
  ["failed to get proposal", 170001],
  ["failed to get proposals", 170002],
  ["failed to get votes", 170003],
  ["failed to get notary for resource ID", 180001],
  ["failed retrieve data for oracle spec", 190001],
  ["failed retrieve data for oracle specs", 190002],
  ["failed retrieve data for oracle data", 190003],
  ["failed to get assets", 200001],
  ["failed to get asset for ID", 200002],
  ["failed to get deposit", 210001],
  ["failed to get transfer", 220001],
  ["failed to get rewards", 230001],
  ["failed to get connected peer addresses", 240001],
  ["failed to get most recent history segment", 240002],
  ["failed to list all history segments", 240003],
  ["failed to get epoch", 250001],
  ["failed to query ledger entries", 260001],
  ["failed to export ledger entries", 260002],
  ["failed to get added multisig events", 270001],
  ["failed to get removed multisig events", 270002],
  ["failed to get liquidity provision", 280001],
  ["failed to get checkpoint", 290001],
  ["failed to get stake linking", 300001],
  ["failed to get risk factor", 310001],
  ["failed to list core snapshots", 320001],
  ["failed to list protocol upgrade proposals", 330001],
  ["failed to get key rotations for node", 340001],
  ["failed to get all key rotations", 340002],
  ["failed to get ethereum key rotations for node", 350001],
  ["failed to get last block", 360001],
]);

const UNMAPPED_CODE = 10000;
const DETAIL_TYPE = "type.googleapis.com/vega.ErrorDetail";

export interface ErrorDetail {
  readonly "@type": string;
  readonly code: number;
  readonly message: string;
  readonly inner: string;
}

export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** What HTTP knows of an error beside its gRPC number. */
export interface HttpFacts {
  /** In place of the number's own status. */
  readonly status?: number;
  /** Methods that the resource has, for `Allow`. */
  readonly allow?: string;
}

/** An answer that is an error. `fromGateway` ones never reached the service: they carry no block headers. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly grpc: number,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    readonly fromGateway = false,
    private readonly http: HttpFacts = {},
  ) {
    super(message);
  }

  get status(): number {
    return this.http.status ?? HTTP_STATUS[this.grpc] ?? 500;
  }

  get allow(): string | undefined {
    return this.http.allow;
  }

  get body(): ErrorBody {
    return { code: this.grpc, message: this.message, details: this.details };
  }
}

/** The error object of a service: class text outside, catalogue number, message and cause inside. */
export function serviceError(grpc: number, message: string, inner = ""): ApiError {
  const detail = { "@type": DETAIL_TYPE, code: CATALOGUE.get(message) ?? UNMAPPED_CODE, message, inner };
  return new ApiError(grpc, CLASS_TEXT[grpc] ?? message, [detail]);
}

export function invalidArgument(message: string, inner = ""): ApiError {
  return serviceError(Grpc.invalidArgument, message, inner);
}

export function notFound(message: string, inner = "no resource corresponding to this id"): ApiError {
  return serviceError(Grpc.notFound, message, inner);
}

export function internal(message: string, inner = ""): ApiError {
  return serviceError(Grpc.internal, message, inner);
}

/** A request that the gateway itself refuses (reference 10, section 1.4): 400 and no details. */
export function badRequest(message: string): ApiError {
  return new ApiError(Grpc.invalidArgument, message, [], true);
}

/** 501, as in the original, for a resource that has other methods. @param allow such as `GET, POST` */
export function wrongMethod(allow: string): ApiError {
  return new ApiError(Grpc.unimplemented, "Method Not Allowed", [], true, { allow });
}

const BODY_TOO_LARGE = 413;

export function bodyTooLarge(bytesMax: number): ApiError {
  const text = `the request body is longer than ${bytesMax} bytes`;
  return new ApiError(Grpc.invalidArgument, text, [], true, { status: BODY_TOO_LARGE });
}
