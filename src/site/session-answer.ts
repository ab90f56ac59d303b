import type { ApiResponse } from "../api/http/reply.ts";

/** A request and its peer's address. */
export type SessionRequest = { request: Request; peer: string };

/** An answer, and a cookie besides that of the session. */
export type SessionAnswer = ApiResponse & { cookie?: string };
