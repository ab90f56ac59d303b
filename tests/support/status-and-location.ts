/** The status and the Location header, if any, as text. */
export async function statusAndLocation(response: Response): Promise<string> {
  await response.arrayBuffer();
  return [response.status, response.headers.get("location")].filter((part) => part !== null).join(" ");
}
