// Entries of the data API.
import { entriesFor } from "../../http/endpoint.ts";
import type { DataContext } from "./context.ts";

export const { endpoint, resource } = entriesFor<DataContext>();
