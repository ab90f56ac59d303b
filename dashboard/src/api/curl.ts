/** A call of the API as a command that can be pasted into a shell. */
export function curlOf({
  origin,
  key,
  path,
  body,
}: {
  origin: string;
  key: string;
  path: string;
  body?: object;
}): string {
  const lines = [`curl ${quoted(`${origin}/v1${path}`)}`, `-H ${quoted(`Authorization: Bearer ${key}`)}`];
  if (body !== undefined)
    lines.push(`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
