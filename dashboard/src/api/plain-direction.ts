/** U+202D and U+202E, which show the rest of a text from one side to the other, whatever its script. */
const overrides = /[\u202d\u202e]/g;
const json = /^application\/(?:[a-z.]+\+)?json\b/;

/**
 * The response without overrides of the direction in its JSON, so that no title or name is shown reversed, or reverses a
 * sentence around it. Hebrew and Arabic need none. A filter by a visitor's text with an override finds nothing; that would
 * have to change if visitors sent them for a good reason.
 */
export async function withPlainDirection(response: Response): Promise<Response> {
  if (response.body === null || !json.test(response.headers.get("Content-Type") ?? "")) return response;
  const { status, statusText, headers } = response;
  return new Response((await response.text()).replace(overrides, ""), { status, statusText, headers });
}
