import { compactUrl } from "../api/short-link.ts";
import type { Format } from "../base/format.ts";
import { type Domain, type StateFields, stateOf } from "../domains/domain-state.ts";
import type { Texts } from "../texts/en/en.ts";
import type { Link } from "./links-api.ts";

type CreatedLink = Pick<Link, "shortLink" | "domain" | "expiresAt" | "startsAt">;

/** The message about a new link: whether it works yet. An unknown domain is not mentioned. */
export function createdText(
  { shortLink: url, domain, expiresAt, startsAt }: CreatedLink,
  domains: readonly (StateFields & Pick<Domain, "slug">)[],
  { created, now, instant }: { created: Texts["links"]["created"]; now: number } & Pick<Format, "instant">,
): string {
  const shortLink = compactUrl(url);
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return created.expired(shortLink);
  const found = domains.find(({ slug }) => slug === domain);
  if (found !== undefined && stateOf(found, now).kind === "pending") return created.unverified(shortLink, domain);
  if (startsAt !== undefined && Date.parse(startsAt) > now) return created.notStarted(shortLink, instant(startsAt));
  return created.live(shortLink);
}
