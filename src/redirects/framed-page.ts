import { html, raw } from "hono/html";
import { type Answer, answerOf } from "./answer.ts";
import { frameStyle } from "./page-style.ts";
import { textsFor } from "./page-texts.ts";
import { languageFields, noIcon, pageFields } from "./pages.ts";

/** What a framed page shows. */
type FramedPage = {
  /** The destination, http or https. */
  url: string;
  /** The link's title. Default: the destination's host. */
  title: string | null;
  isIndexed: boolean;
  acceptLanguage: string | undefined;
};

/**
 * The answer that shows the destination in a frame as large as the window, so that the browser keeps the short link's
 * address. A small link leads to the destination, for browsers whose frame stays empty: neither the page, which has no
 * script, nor the server can tell. Destinations that refuse frames are detected before (check-framing.ts).
 */
export function frameAnswer({ url, title, isIndexed, acceptLanguage }: FramedPage): Answer {
  const texts = textsFor(acceptLanguage);
  const name = title ?? new URL(url).host;
  const page = html`<!doctype html>
<html lang="${texts.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title><link rel="icon" href="${noIcon}"><style>${frameStyleText}</style></head>
<body><main><h1>${name}</h1><iframe src="${url}" title="${name}" allow="fullscreen"></iframe>
<a href="${url}">${texts.frameFails}</a></main></body></html>`;
  const fields = isIndexed ? indexedFields : unindexedFields;
  return answerOf(200, { ...fields, ...languageFields(texts.language) }, String(page));
}

const frameStyleText = raw(frameStyle);

// Any host: the destination may redirect inside its frame, where its own policy applies to scripts and images.
const sources = "img-src data:; frame-src http: https:";
/** The destination gets the origin as referrer, as after a redirect, but not the query, which may contain `pw`. */
const referrer = { "Referrer-Policy": "strict-origin" };
const indexedFields = { ...pageFields(frameStyle, sources, true), ...referrer };
const unindexedFields = { ...pageFields(frameStyle, sources), ...referrer };
