import { html } from "hono/html";
import { type Answer, answerOf } from "./answer.ts";
import { cardStyle } from "./page-style.ts";
import { textsFor } from "./page-texts.ts";
import { languageFields, layout, pageFields } from "./pages.ts";

/** What a preview shows about a link. */
type Preview = {
  linkId: string;
  shortLink: string;
  url: string;
  title: string | null;
  description: string | null;
  /** http and https URLs; others are left out, since crawlers cannot fetch them. An uploaded image is served by us. */
  image: string | null;
  video: string | null;
  isIndexed: boolean;
  acceptLanguage: string | undefined;
};

/**
 * The page from which messengers and social networks build a preview of the link: OpenGraph and Twitter tags, and a
 * link to the destination for people. It does not redirect: some preview bots behave like browsers and would show the
 * destination's preview instead.
 */
export function previewAnswer(preview: Preview): Answer {
  const { url, title, description, isIndexed, acceptLanguage } = preview;
  const texts = textsFor(acceptLanguage);
  const host = new URL(url).host;
  const heading = title ?? (host === "" ? url : host);
  const body = html`<h1>${heading}</h1>${description === null ? "" : html`<p>${description}</p>`}
<p class="more"><a href="${url}">${texts.proceed}${host === "" ? "" : `: ${host}`}</a></p>`;
  const fields = isIndexed ? indexedFields : unindexedFields;
  const page = String(layout(heading, body, { language: texts.language, head: tags(preview, heading) }));
  return answerOf(200, { ...fields, ...languageFields(texts.language) }, page);
}

const sources = "img-src data:";
const indexedFields = pageFields(cardStyle, sources, true);
const unindexedFields = pageFields(cardStyle, sources);

function tags({ linkId, shortLink, description, image, video }: Preview, title: string) {
  const imageUrl = imageUrlOf(linkId, image, shortLink);
  const videoUrl = fetchable(video);
  const properties: [string, string | null][] = [
    ["og:type", "website"],
    ["og:url", shortLink],
    ["og:title", title],
    ["og:description", description],
    ["og:image", imageUrl],
    ["og:video", videoUrl],
  ];
  const names: [string, string | null][] = [
    ["description", description],
    ["twitter:card", imageUrl === null ? "summary" : "summary_large_image"],
    ["twitter:title", title],
    ["twitter:description", description],
    ["twitter:image", imageUrl],
  ];
  return html`<link rel="canonical" href="${shortLink}">
${withValues(properties).map(([name, value]) => html`<meta property="${name}" content="${value}">`)}
${withValues(names).map(([name, value]) => html`<meta name="${name}" content="${value}">`)}`;
}

function withValues(tags: [string, string | null][]): [string, string][] {
  return tags.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value]]));
}

/** Prefix of the paths of uploaded images on the link's own domain; no link has such a key. */
const imagePath = "/.well-known/waypost/image-";

/** Each image has its own URL, since crawlers cache what they fetch. */
function imageUrlOf(linkId: string, image: string | null, shortLink: string): string | null {
  if (image === null || !image.startsWith("data:")) return fetchable(image);
  return new URL(`${imagePath}${linkId}-${Bun.hash(image).toString(36)}`, shortLink).href;
}

function fetchable(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
}
