// Errors of the HTTP planes: `{code, message, details}` (docs/protocol/10-data-api-serving.md#16-errors and
// #17-numbered-error-catalogue).
import { DETAIL_NUMBERS } from "../errors/detail-codes.ts";
import { classText, Grpc, httpStatusOf } from "../errors/statuses.ts";

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

/** HTTP's own facts of an error, beside its gRPC number. */
interface HttpFacts {
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
    return this.http.status ?? httpStatusOf(this.grpc);
  }

  get allow(): string | undefined {
    return this.http.allow;
  }

  get body(): ErrorBody {
    return { code: this.grpc, message: this.message, details: this.details };
  }
}

/** The error object of a service: class text outside, catalogue number, message and cause inside. */
function serviceError(grpc: number, message: string, inner = ""): ApiError {
  const detail = { "@type": DETAIL_TYPE, code: DETAIL_NUMBERS.get(message) ?? UNMAPPED_CODE, message, inner };
  return new ApiError(grpc, classText(grpc) ?? message, [detail]);
}

export function invalidArgument(message: string, inner = ""): ApiError {
  return serviceError(Grpc.invalidArgument, message, inner);
}

export function permissionDenied(message: string): ApiError {
  return serviceError(Grpc.permissionDenied, message);
}

export function notFound(message: string, inner = "no resource corresponding to this id"): ApiError {
  return serviceError(Grpc.notFound, message, inner);
}

export function internal(message: string, inner = ""): ApiError {
  return serviceError(Grpc.internal, message, inner);
}

/** A request that the gateway itself refuses (docs/protocol/10-data-api-serving.md#14-query-parameter-parsing): 400 and no details. */
export function badRequest(message: string): ApiError {
  return new ApiError(Grpc.invalidArgument, message, [], true);
}

/** 501, as in the original, for a resource that has other methods. @param methods such as `GET, POST`; HEAD goes with GET */
export function wrongMethod(methods: string): ApiError {
  const allow = methods.replace("GET", "GET, HEAD");
  return new ApiError(Grpc.unimplemented, "Method Not Allowed", [], true, { allow });
}

const BODY_TOO_LARGE = 413;
const REQUEST_TIMEOUT = 408;

/** A request that is not whole in time. */
export function requestTooSlow(): ApiError {
  const text = "the request body comes too slowly";
  return new ApiError(Grpc.deadlineExceeded, text, [], true, { status: REQUEST_TIMEOUT });
}

export function bodyTooLarge(bytesMax: number): ApiError {
  const text = `the request body is longer than ${bytesMax} bytes`;
  return new ApiError(Grpc.invalidArgument, text, [], true, { status: BODY_TOO_LARGE });
}
