/** The header fields that redirects read, by lower-case name. */
export type FieldName =
  | "host"
  | "user-agent"
  | "referer"
  | "accept-language"
  | "x-forwarded-for"
  | "x-forwarded-proto"
  | "sec-purpose"
  | "purpose"
  | "x-purpose"
  | "x-moz"
  | "dnt"
  | "sec-gpc"
  | "dub-no-track";

/** The header fields of a request; the values of a repeated field are joined with commas. */
export type HeaderFields = { readonly [Name in FieldName]?: string | undefined };

/**
 * Returns the header fields of a request. Reads all at once: in Bun 1.4.5, seven calls of `headers.get` take longer
 * than `toJSON`.
 */
export function headerFields(request: Request): HeaderFields {
  const fields: Record<string, string> = request.headers.toJSON();
  return fields;
}
