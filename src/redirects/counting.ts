import type { HeaderFields } from "../base/header-fields.ts";
import { botKind, requestBotKind } from "../clicks/bots.ts";
import { botSignals } from "../clicks/capture.ts";
import type { BotKind } from "../clicks/click.ts";
import { type Decision, type DestinationDecision, type PageName, pageNames } from "./decision.ts";
import { hasParameter } from "./forward-query.ts";

/** Why a visit does not count: a page or fallback was shown, the visitor asked not to be tracked, or it was a bot. */
export const notCountedReasons = [...pageNames, "noTrack", "bot"] as const;
export type NotCounted = { reason: PageName | "noTrack" } | { reason: "bot"; bot: BotKind };

/** The parts of a request that tell whether a click counts. */
type CountedRequest = { method: string; query: string; headers: HeaderFields };

/** True when a visit is recorded: it gets the destination, and the visitor may be tracked. Bots are recorded too. */
export function isRecorded(
  decision: Decision,
  request: Pick<CountedRequest, "query" | "headers">,
): decision is DestinationDecision {
  return isDestination(decision) && !optsOutOfTracking(request);
}

/** Why a visit does not count; undefined if it does. Pure. */
export function whyNotCounted(decision: Decision, { method, query, headers }: CountedRequest): NotCounted | undefined {
  if (!isDestination(decision)) return { reason: decision.page };
  if (optsOutOfTracking({ query, headers })) return { reason: "noTrack" };
  const bot = requestBotKind(botSignals(method, headers)) || botKind(headers["user-agent"] ?? "");
  return bot === "" ? undefined : { reason: "bot", bot };
}

/** The header field or parameter may have any value. */
function optsOutOfTracking({ query, headers }: Pick<CountedRequest, "query" | "headers">): boolean {
  return headers["dub-no-track"] !== undefined || hasParameter(query, "dub-no-track");
}

/** True when the decision would differ for a link whose maxClicks are used up. */
export function dependsOnLimit(decision: Decision): boolean {
  return isDestination(decision) || decision.page === "password";
}

function isDestination(decision: Decision): decision is DestinationDecision {
  return decision.kind !== "page" && decision.kind !== "fallback";
}
