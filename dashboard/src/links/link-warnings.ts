import { answerOf, type Schemas, type Waypost } from "../../../sdk/client.ts";
import { warningCodes } from "../api/warnings.ts";

/** A reason why visitors do not reach a link. */
type LinkWarning = Schemas["LinkWarning"];

/** A link as the API returns it, with the reasons why visitors do not reach it, if any. */
export type WarnedLink = Schemas["Link"] & { warnings?: readonly LinkWarning[] };

/** Warning codes that require a further call; "more" means that the header left some out. */
const askedCodes = ["blocked", "domain_not_verified", "more"];

/**
 * Adds the reasons to the links of a response. It makes a further call only for the few responses that have such a
 * warning.
 */
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
