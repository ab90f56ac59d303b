/** An API call as a command to paste into a shell. */
export function curlOf({
  method,
  origin,
  key,
  path,
  body,
}: {
  /** Only for methods other than GET without a body and POST with one, which curl sends by default. */
  method?: "PUT";
  origin: string;
  key: string;
  path: string;
  body?: object;
}): string {
  const methodOption = method === undefined ? "" : `-X ${method} `;
  const lines = [
    `curl ${methodOption}${quoted(`${origin}/v1${path}`)}`,
    `-H ${quoted(`Authorization: Bearer ${key}`)}`,
  ];
  if (body !== undefined)
    lines.push(`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
