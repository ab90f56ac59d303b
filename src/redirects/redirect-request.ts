import type { HeaderFields } from "../base/header-fields.ts";

/** A parsed request that may visit a short link. */
export type RedirectRequest = {
  method: string;
  headers: HeaderFields;
  /** The address at the other end of the connection. */
  peer: string;
  /** The path without its leading slash, still percent-encoded. */
  path: string;
  /** The query with its "?", or "". */
  query: string;
  /** Reads the password from a posted form; null for none. Absent where no body is read. */
  formPassword?: () => Promise<string | null>;
  /** Creates the signal that aborts when the visitor disconnects; most visits need none. */
  signal?: () => AbortSignal;
};
