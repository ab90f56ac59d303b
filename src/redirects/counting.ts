import type { HeaderFields } from "../base/header-fields.ts";
import { botKind, requestBotKind } from "../clicks/bots.ts";
import { botSignals } from "../clicks/capture.ts";
import type { BotKind } from "../clicks/click.ts";
import { type Decision, type PageName, pageNames } from "./destination.ts";
import { hasParameter } from "./forward-query.ts";

/** Why an answer is no click: what was answered in place of the destination, the visitor's own wish, or no human. */
export const notCountedReasons = [...pageNames, "noTrack", "bot"] as const;
export type NotCounted = { reason: PageName | "noTrack" } | { reason: "bot"; bot: BotKind };

/** The parts of a request that tell whether a click counts. */
export type CountedRequest = { method: string; query: string; headers: HeaderFields };

/** Whether a decision is recorded: it leads where the link leads. What is recorded of bots is kept apart from clicks. */
export function isRecorded(
  decision: Decision,
  request: Pick<CountedRequest, "query" | "headers">,
): decision is Extract<Decision, { kind: "destination" | "frame" | "preview" }> {
  return isDestination(decision) && !asksNotToBeCounted(request);
}

/** Why this answer is no click; undefined when it is one. Pure. */
export function whyNotCounted(decision: Decision, { method, query, headers }: CountedRequest): NotCounted | undefined {
  if (!isDestination(decision)) return { reason: decision.page };
  if (asksNotToBeCounted({ query, headers })) return { reason: "noTrack" };
  const bot = requestBotKind(botSignals(method, headers)) || botKind(headers["user-agent"] ?? "");
  return bot === "" ? undefined : { reason: "bot", bot };
}

/** By a parameter or a header field, whatever its value. */
function asksNotToBeCounted({ query, headers }: Pick<CountedRequest, "query" | "headers">): boolean {
  return headers["dub-no-track"] !== undefined || hasParameter(query, "dub-no-track");
}

/** Whether a decision would be another one for a link that is used up. */
export function dependsOnLimit(decision: Decision): boolean {
  return isDestination(decision) || decision.page === "password";
}

function isDestination(
  decision: Decision,
): decision is Extract<Decision, { kind: "destination" | "frame" | "preview" }> {
  return decision.kind !== "page" && decision.kind !== "fallback";
}
