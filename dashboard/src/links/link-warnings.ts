import { answerOf, type Schemas, type Waypost } from "../../../sdk/client.ts";
import { warningCodes } from "../api/warnings.ts";

/** What keeps visitors from a link. */
type LinkWarning = Schemas["LinkWarning"];

/** A link as the API answers it, and what keeps visitors from it, where anything does. */
export type WarnedLink = Schemas["Link"] & { warnings?: readonly LinkWarning[] };

/** Codes of a response that has more to tell about its links; "more" stands for those that its header left out. */
const askedCodes = ["blocked", "domain_not_verified", "more"];

/** Adds to links of a response what keeps visitors from each. Asks only where the response warns, which few do. */
export async function withWarnings(
  api: Waypost,
  links: readonly Schemas["Link"][],
  { response, signal }: { response: Response; signal?: AbortSignal },
): Promise<WarnedLink[]> {
  if (!warningCodes(response).some((code) => askedCodes.includes(code))) return [...links];
  const query = { linkIds: links.map(({ id }) => id) };
  const all = await answerOf(api.GET("/links/warnings", { params: { query }, signal: signal ?? null }));
  return links.map((link) => ({ ...link, warnings: all.filter(({ linkId }) => linkId === link.id) }));
}
