import { withoutWww } from "../domains/domain.ts";
import type { Lookup, RedirectDomain } from "./lookup.ts";

/**
 * The same lookup, in which a domain also answers "www." before its name. No slug begins with it, so that no domain
 * loses a host; the instance's domain, which is part of the app, has no second name. See
 * docs/decisions/0019-www-is-part-of-a-domain.md.
 */
export function answeringWww(lookup: Lookup): Lookup {
  return {
    ...lookup,
    domain(host) {
      const name = withoutWww(host);
      if (name === undefined) return lookup.domain(host);
      const exact = lookup.domain(host);
      if (exact instanceof Promise) return exact.then((found) => found ?? unlessInstance(lookup.domain(name)));
      return exact ?? unlessInstance(lookup.domain(name));
    },
  };
}

type Found = RedirectDomain | undefined;

function unlessInstance(found: Found | Promise<Found>): Found | Promise<Found> {
  if (found instanceof Promise) return found.then(unlessInstance);
  return found?.isInstance === true ? undefined : found;
}
