// Events that a key of the node's operator hands in for the chain
// (docs/protocol/30-node-api-endpoints.md#51-coreservice). The core takes them from the keys of its configuration
// alone, and by default from none: so this node has none either.
import { ED25519_KEY_BYTES, ED25519_SIGNATURE_BYTES, ed25519VerifySubmitted } from "../../crypto/ed25519.ts";
import { sha3Of } from "../../crypto/sha.ts";
import { type ApiError, invalidArgument, permissionDenied } from "../../http/errors.ts";
import { WireError } from "../../wire/errors.ts";
import { decodeChainEvent } from "../../wire/generated/commands.ts";
import { hexBytes } from "../../wire/identifiers.ts";
import { unroutedCall } from "./context.ts";

export const propagateChainEvent = unroutedCall({
  request: "vega.api.v1.PropagateChainEventRequest",
  response: "vega.api.v1.PropagateChainEventResponse",
  async handle(_context, { event, pubKey, signature }) {
    if (event.length === 0) throw invalidArgument("malformed request");
    const key = hexBytes(pubKey);
    if (key?.length !== ED25519_KEY_BYTES)
      throw invalidSignature("the public key is not 64 hexadecimal digits");
    if (
      signature.length !== ED25519_SIGNATURE_BYTES ||
      !ed25519VerifySubmitted(key, sha3Of(event), signature)
    )
      throw invalidSignature("it was not made by this key over this event");
    try {
      decodeChainEvent(event);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw invalidArgument(`not a valid chain event: ${error.message}`);
    }
    throw permissionDenied("pubkey not allowlisted");
  },
});

function invalidSignature(reason: string): ApiError {
  return invalidArgument(`not a valid signature: ${reason}`);
}
