// Errors over gRPC: the status in the trailers, with its details as `google.rpc.Status`
// (docs/protocol/10-data-api-serving.md#16-errors).
import { Metadata, type StatusObject } from "@grpc/grpc-js";
import type { ApiError } from "../../http/errors.ts";
import { encodeStatus } from "../../wire/generated/rpc.ts";
import { encodeErrorDetail } from "../../wire/generated/vega.ts";

const DETAILS = "grpc-status-details-bin";

/** The same facts as the error object of HTTP. Without details the message says all, as in the original. */
export function statusOf({ body }: ApiError): StatusObject {
  const { code, message, details } = body;
  const metadata = new Metadata();
  if (details.length > 0) {
    const packed = details.map(({ "@type": typeUrl, ...detail }) => ({
      typeUrl,
      value: encodeErrorDetail(detail),
    }));
    metadata.set(DETAILS, Buffer.from(encodeStatus({ code, message, details: packed })));
  }
  return { code, details: message, metadata };
}
