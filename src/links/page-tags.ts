/**
 * The title, description and image that a web page states about itself, for link previews.
 *
 * 1. Open Graph tags come first, then those for Twitter, then the page's own title and description.
 * 2. Texts are decoded, on one line, and cut to the limits of a link's fields, so that a client can use them for a link.
 * 3. The cost is bounded by the size of the text: one pass of a streaming parser.
 */
import { cutText } from "./field-kinds.ts";
import { descriptionCharactersMax, titleCharactersMax } from "./fields.ts";

/** What a page states about itself; null for what is missing. */
export type PageTags = { title: string | null; description: string | null; image: string | null };

/** The result for a page that cannot be read. */
export const noPageTags: PageTags = { title: null, description: null, image: null };

/** Longer URLs of images are left out. */
const imageCharactersMax = 2_000;
/** Longer texts in tags are cut before they are decoded. */
const textCharactersMax = 4_000;

/** Reads the tags of a page. `url` is the page's own URL, which relative images refer to. */
export function readPageTags(html: string, url: string): PageTags {
  const found = collectTags(html);
  const first = (...names: string[]) => names.map((name) => oneLine(found.get(name) ?? "")).find((text) => text !== "");
  return {
    title: fieldText(first("og:title", "twitter:title", "<title>"), titleCharactersMax),
    description: fieldText(first("og:description", "twitter:description", "description"), descriptionCharactersMax),
    image: imageUrl(
      first("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"),
      url,
    ),
  };
}

/** The first value of each named meta tag, and of the title element as "<title>". */
function collectTags(html: string): Map<string, string> {
  const found = new Map<string, string>();
  let title = "";
  let isTitleRead = false;
  new HTMLRewriter()
    .on("meta", {
      element(element) {
        const name = (element.getAttribute("property") ?? element.getAttribute("name") ?? "").trim().toLowerCase();
        const content = element.getAttribute("content") ?? "";
        if (wanted.has(name) && !found.has(name)) found.set(name, content.slice(0, textCharactersMax));
      },
    })
    .on("title", {
      text(chunk) {
        // Later titles belong to pictures inside the page.
        if (isTitleRead || title.length >= textCharactersMax) return;
        title += chunk.text;
        if (chunk.lastInTextNode) isTitleRead = title.trim() !== "";
      },
    })
    .transform(html);
  found.set("<title>", title.slice(0, textCharactersMax));
  return found;
}

const wanted: ReadonlySet<string> = new Set([
  ...["og:title", "twitter:title", "og:description", "twitter:description", "description"],
  ...["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"],
]);

function oneLine(text: string): string {
  return decodeReferences(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

function fieldText(text: string | undefined, charactersMax: number): string | null {
  return text === undefined ? null : cutText(text, charactersMax).trim();
}

function imageUrl(text: string | undefined, page: string): string | null {
  if (text === undefined || !URL.canParse(text, page)) return null;
  const { href, protocol } = new URL(text, page);
  return (protocol === "https:" || protocol === "http:") && href.length <= imageCharactersMax ? href : null;
}

/** Decodes the character references of HTML: numbers, and the names that texts use. Others stay as written. */
function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d*));/gi, (reference, decimal, hex, name) => {
    if (name !== undefined) return named.get(name) ?? named.get(String(name).toLowerCase()) ?? reference;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "";
  });
}

/** The names of the characters 160 to 255, in order. */
const latinNames =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";

/** TABLE of the named characters. */
const named: ReadonlyMap<string, string> = new Map([
  ...latinNames.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
  ...Object.entries({
    ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", hellip: "…", mdash: "—", ndash: "–", minus: "−" },
    ...{ lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", lsaquo: "‹", rsaquo: "›" },
    ...{ bull: "•", trade: "™", euro: "€", thinsp: " ", ensp: " ", emsp: " ", rarr: "→", larr: "←" },
    ...{ OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", Yuml: "Ÿ" },
  }),
]);
