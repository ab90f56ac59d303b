import { Problem } from "../base/problem.ts";

/** The most streams: of the service, per workspace, and per user across all workspaces. */
export type StreamLimits = { streamsMax: number; workspaceStreamsMax: number; userStreamsMax: number };

/** The workspace and user whose limits a stream counts towards. */
export type StreamOwner = { workspaceId: number; userId: string };

/** A stream usually ends when its user leaves the page. */
const retryAfterSeconds = 30;

/**
 * Throws "rate_limit_exceeded" when the user or the workspace has reached its limit, "unavailable" when the service has.
 */
export function requireStreamCapacity(
  { streamsMax, workspaceStreamsMax, userStreamsMax }: StreamLimits,
  open: readonly StreamOwner[],
  { workspaceId, userId }: StreamOwner,
): void {
  if (open.filter((owner) => owner.userId === userId).length >= userStreamsMax) {
    const message = `A user can have ${userStreamsMax} live streams at a time; close one of them.`;
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  if (open.filter((owner) => owner.workspaceId === workspaceId).length >= workspaceStreamsMax) {
    const message = `A workspace can have ${workspaceStreamsMax} live streams at a time; close one of them.`;
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  if (open.length >= streamsMax) {
    const message = "This service has reached its limit of live streams; try again later.";
    throw new Problem("unavailable", message, { retryAfterSeconds });
  }
}
