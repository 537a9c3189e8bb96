// Messages around the services: status, bodies of files, health and reflection, as their public definitions number them.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const protobuf: PackageSchema = {
  name: "google.protobuf",
  file: "protobuf",
  messages: { Any: "1 type_url string; 2 value bytes" },
  enums: {},
};

export const rpc: PackageSchema = {
  name: "google.rpc",
  file: "rpc",
  messages: { Status: "1 code int32; 2 message string; 3 details google.protobuf.Any[]" },
  enums: {},
};

export const httpBody: PackageSchema = {
  name: "google.api",
  file: "http-body",
  messages: { HttpBody: "1 content_type string; 2 data bytes; 3 extensions google.protobuf.Any[]" },
  enums: {},
};

export const health: PackageSchema = {
  name: "grpc.health.v1",
  file: "health",
  messages: {
    HealthCheckRequest: "1 service string",
    HealthCheckResponse: "1 status HealthCheckResponse.ServingStatus",
    HealthListRequest: "",
    HealthListResponse: "1 statuses map<HealthCheckResponse>",
  },
  enums: {
    "HealthCheckResponse.ServingStatus": "0 UNKNOWN; 1 SERVING; 2 NOT_SERVING; 3 SERVICE_UNKNOWN",
  },
};

const reflectionMessages: PackageSchema["messages"] = {
  ServerReflectionRequest: `1 host string; 3 file_by_filename string @message_request;
    4 file_containing_symbol string @message_request; 5 file_containing_extension ExtensionRequest @message_request;
    6 all_extension_numbers_of_type string @message_request; 7 list_services string @message_request`,
  ExtensionRequest: "1 containing_type string; 2 extension_number int32",
  ServerReflectionResponse: `1 valid_host string; 2 original_request ServerReflectionRequest;
    4 file_descriptor_response FileDescriptorResponse @message_response;
    5 all_extension_numbers_response ExtensionNumberResponse @message_response;
    6 list_services_response ListServiceResponse @message_response; 7 error_response ErrorResponse @message_response`,
  FileDescriptorResponse: "1 file_descriptor_proto bytes[]",
  ExtensionNumberResponse: "1 base_type_name string; 2 extension_number int32[]",
  ListServiceResponse: "1 service ServiceResponse[]",
  ServiceResponse: "1 name string",
  ErrorResponse: "1 error_code int32; 2 error_message string",
};

export const reflection: PackageSchema = {
  name: "grpc.reflection.v1",
  file: "reflection",
  messages: reflectionMessages,
  enums: {},
};

/** The same bytes under the name that older tools ask for. */
export const reflectionAlpha: PackageSchema = {
  ...reflection,
  name: "grpc.reflection.v1alpha",
  file: "reflection-alpha",
};
