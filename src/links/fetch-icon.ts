import { fetchBody, type SafeFetchDeps } from "../base/safe-fetch.ts";
import { type IconImage, readIconImage } from "./icon-image.ts";

/** Time limit of one request, redirects included. */
const requestBudgetMs = 5_000;
/** Bytes of a file that may hold an icon: ICO files with several sizes are large. */
const fileBytesMax = 256 * 1024;
/** Bytes of a page in which links to icons are looked for; the head of a page comes first. */
const pageBytesMax = 128 * 1024;
/** Icons of a page that are tried. */
const candidatesMax = 2;
/** Links in a page that are considered. */
const linksMax = 100;

const requestHeaders = {
  // Contains "bot", so that a destination that counts its visitors ignores this request.
  "User-Agent": "Mozilla/5.0 (compatible; Waypost-bot; reads the icon of a site)",
  "Accept-Encoding": "identity",
  Connection: "close",
};

type Deps = { safeFetch: SafeFetchDeps; signal: AbortSignal };

/**
 * The icon of a site, from /favicon.ico or else from the links of its home page; undefined when it has none that is
 * usable. Sends at most 2 + candidatesMax requests, each with its redirects.
 */
export async function fetchIcon(deps: Deps, origin: string): Promise<IconImage | undefined> {
  const icon = await fetchImage(deps, `${origin}/favicon.ico`);
  if (icon !== undefined || deps.signal.aborted) return icon;
  for (const url of await linkedIcons(deps, `${origin}/`)) {
    const linked = await fetchImage(deps, url);
    if (linked !== undefined) return linked;
  }
  return undefined;
}

async function fetchImage({ safeFetch, signal }: Deps, url: string): Promise<IconImage | undefined> {
  const headers = { ...requestHeaders, Accept: "image/png,image/webp,image/x-icon,image/*;q=0.5" };
  const options = { url, headers, budgetMs: requestBudgetMs, signal, bytesMax: fileBytesMax };
  const fetched = await fetchBody(safeFetch, options);
  if (fetched.kind !== "answered" || fetched.status !== 200 || !fetched.isComplete) return undefined;
  return readIconImage(fetched.body);
}

async function linkedIcons({ safeFetch, signal }: Deps, url: string): Promise<string[]> {
  const headers = { ...requestHeaders, Accept: "text/html" };
  const options = { url, headers, budgetMs: requestBudgetMs, signal, bytesMax: pageBytesMax };
  const fetched = await fetchBody(safeFetch, options);
  if (fetched.kind !== "answered" || fetched.status !== 200) return [];
  return iconUrls(Buffer.from(fetched.body).toString("utf8"), fetched.url);
}

/** The URLs of the icons that a page links to, small icons before large ones. */
export function iconUrls(page: string, pageUrl: string): string[] {
  const found: { href: string; isLarge: boolean }[] = [];
  let links = 0;
  new HTMLRewriter()
    .on("link", {
      element(link) {
        if (++links > linksMax) return;
        const attribute = (name: string) => link.getAttribute(name)?.trim().replaceAll("&amp;", "&");
        const relations = attribute("rel")?.toLowerCase().split(/\s+/) ?? [];
        const isLarge = relations.includes("apple-touch-icon");
        const href = attribute("href");
        if (href === undefined || !(isLarge || relations.includes("icon"))) return;
        const isVector = attribute("type")?.includes("svg") || /\.svg(?:$|[?#])/i.test(href);
        if (!isVector && URL.canParse(href, pageUrl)) found.push({ href: new URL(href, pageUrl).href, isLarge });
      },
    })
    .transform(page);
  const small = found.filter(({ isLarge }) => !isLarge);
  return [...small, ...found.filter(({ isLarge }) => isLarge)].map(({ href }) => href).slice(0, candidatesMax);
}
