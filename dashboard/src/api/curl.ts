/** A call of the API as a command that can be pasted into a shell. */
export function curlOf({
  method,
  origin,
  key,
  path,
  body,
}: {
  /** Where it is neither GET without a body nor POST with one, as which curl sends by itself. */
  method?: "PUT";
  origin: string;
  key: string;
  path: string;
  body?: object;
}): string {
  const named = method === undefined ? "" : `-X ${method} `;
  const lines = [`curl ${named}${quoted(`${origin}/v1${path}`)}`, `-H ${quoted(`Authorization: Bearer ${key}`)}`];
  if (body !== undefined)
    lines.push(`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
