/** POSTs with an Idempotency-Key that were processed; kept for idempotencyMs. */
export type IdempotentCallsTable = {
  /** SHA-256 of user, workspace, path and key. */
  id: string;
  workspaceId: number;
  /** SHA-256 of query and body. */
  contents: string;
  /**
   * "done": processed, the response is not stored (yet); "secret", "tooLarge": processed, the response is never stored.
   */
  state: "done" | "answered" | "secret" | "tooLarge";
  /** The response, only of "answered"; its body is JSON text. */
  status: number | null;
  body: string | null;
  /** Bytes of the body; 0 without one. */
  bytes: number;
  at: number;
};
