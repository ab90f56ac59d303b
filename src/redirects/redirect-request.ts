import type { HeaderFields } from "../base/header-fields.ts";

/** The password in a posted form, null for none; or a form that is too long to be read. */
export type FormPassword = { kind: "read"; password: string | null } | { kind: "tooLong" };

/** The port that a request arrived on: WAYPOST_PORT, WAYPOST_HTTP_PORT or WAYPOST_HTTPS_PORT. */
export type PortKind = "plain" | "http" | "https";

/** A parsed request that may visit a short link. */
export type RedirectRequest = {
  method: string;
  headers: HeaderFields;
  /** The address at the other end of the connection. */
  peer: string;
  port: PortKind;
  /** The path without its leading slash, still percent-encoded. */
  path: string;
  /** The query with its "?", or "". */
  query: string;
  /** Reads the password from a posted form. Absent where no body is read. */
  formPassword?: () => Promise<FormPassword>;
  /** Creates the signal that aborts when the visitor disconnects; most visits need none. */
  signal?: () => AbortSignal;
  /** True once the visitor can get no answer, for example because it took too long. */
  hasEnded?: () => boolean;
};
