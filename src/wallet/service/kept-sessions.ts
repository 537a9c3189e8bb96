// The sessions that outlive the service, for as long as it does not run: then its file alone knows them.
import type { JsonFile } from "./json-file.ts";
import type { Session, SessionsDocument } from "./sessions.ts";

export type WhichSessions = Pick<Session, "hostname"> & Partial<Pick<Session, "wallet">>;

export function isOf({ hostname, wallet }: WhichSessions) {
  return (session: Pick<Session, "hostname" | "wallet">): boolean =>
    session.hostname === hostname && (wallet === undefined || session.wallet === wallet);
}

/** Takes sessions out of the file, so that no service brings them back. @returns how many */
export async function revokeKept(file: JsonFile<SessionsDocument>, which: WhichSessions): Promise<number> {
  const isRevoked = isOf(which);
  // What is not there needs no file, and no lock.
  if (!(await file.read()).sessions.some(isRevoked)) return 0;
  let count = 0;
  await file.update(({ sessions }) => {
    const left = sessions.filter((session) => !isRevoked(session));
    count = sessions.length - left.length;
    return { version: 1, sessions: left };
  });
  return count;
}
