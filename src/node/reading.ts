// The data API over a home, before anybody listens: what the planes serve, and what the bridge reads by.
import type { Database } from "bun:sqlite";
import type { Limits } from "../http/limits.ts";
import { DataContext } from "../planes/data/context.ts";
import { DataPlane } from "../planes/data/plane.ts";
import { openReader } from "../store/database.ts";
import { BUILD } from "./build.ts";
import { type ClientReader, readerOf } from "./client-reader.ts";

export class Reading {
  readonly db: Database;
  readonly plane: DataPlane;
  readonly reader: ClientReader;

  constructor(home: string, limits: Limits) {
    this.db = openReader(home);
    this.plane = new DataPlane(new DataContext(this.db, { limits, build: BUILD, home }));
    this.reader = readerOf(this.plane);
  }

  /** The chain took blocks back. */
  forget(): void {
    this.plane.forget();
  }

  close(): void {
    this.db.close();
  }
}
