import { parameterTexts } from "../base/parameter-texts.ts";

/** A variant's URL, its different parameters, and how specific it is. */
type VariantUrl = { url: URL; parameters: ReadonlySet<string>; rank: number };

/**
 * Returns a function that finds the variant of an A/B test to which a click's destination belongs, and returns its
 * index. In addition to what the variant has, the destination may have the link's UTM parameters, the visitor's query
 * and, with forwardPath, further segments of a path.
 *
 * 1. If only one variant has the destination's page, the destination belongs to it.
 * 2. Among several, it belongs to the most specific one whose parameters and fragment are all in the destination.
 * 3. If two of them are equally specific, as when the visitor's query has replaced the parameter that differs, the
 *    result is undefined.
 */
export function variantFinder(
  urls: readonly string[],
  { forwardPath }: { forwardPath: boolean },
): (destination: string) => number | undefined {
  const variants = urls.map((text): VariantUrl | undefined => {
    const url = URL.parse(text);
    return url === null ? undefined : { url, parameters: parameterTexts(url.searchParams), rank: rankOf(url) };
  });
  return (destination) => {
    const url = URL.parse(destination);
    if (url === null) return undefined;
    const onSamePage = variants.flatMap((variant, index) =>
      variant !== undefined && isSamePage(variant.url, url, forwardPath) ? [{ variant, index }] : [],
    );
    if (onSamePage.length <= 1) return onSamePage[0]?.index;
    // A variant may have 8,000 parameters: scanning the destination for each of them would occupy the thread that answers
    // visitors for 160 ms, for each of thousands of destinations.
    const parameters = parameterTexts(url.searchParams);
    const ranked = onSamePage
      .filter(({ variant }) => contains({ url, parameters }, variant))
      .map(({ variant: { rank }, index }) => ({ index, rank }))
      .sort((one, other) => other.rank - one.rank);
    const [best, next] = ranked;
    return best !== undefined && best.rank !== next?.rank ? best.index : undefined;
  };
}

function isSamePage(variant: URL, { origin, protocol, host, pathname }: URL, forwardPath: boolean): boolean {
  // The origin of an app's URL is "null", so its parts are compared.
  if (variant.origin !== origin || variant.protocol !== protocol || variant.host !== host) return false;
  if (variant.pathname === pathname) return true;
  return forwardPath && pathname.startsWith(variant.pathname.endsWith("/") ? variant.pathname : `${variant.pathname}/`);
}

function contains(destination: Omit<VariantUrl, "rank">, { url, parameters }: VariantUrl): boolean {
  if (url.hash !== "" && url.hash !== destination.url.hash) return false;
  return parameters.isSubsetOf(destination.parameters);
}

function rankOf({ pathname, searchParams, hash }: URL): number {
  // A longer path is more specific than any number of parameters: with forwardPath, /a/b is also below /a.
  const parametersMax = 1_000;
  return pathname.length * parametersMax + searchParams.size + (hash === "" ? 0 : 1);
}
