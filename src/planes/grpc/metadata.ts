import { Metadata } from "@grpc/grpc-js";

export function metadataOf(entries: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const name in entries) metadata.set(name, entries[name]!);
  return metadata;
}
