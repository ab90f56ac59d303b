/** The list of domains, as its URL describes it. */
type DomainsSearch = { archived?: true; q?: string; add?: true };

/** Parses the URL of the list; invalid values are left out. */
export function readDomainsSearch({ archived, q, add }: Record<string, unknown>): DomainsSearch {
  return {
    ...(archived === true && { archived }),
    ...(typeof q === "string" && q !== "" && { q }),
    ...(add === true && { add }),
  };
}

/** The tabs of a domain's page; the first is the default. */
export const domainTabs = ["dns", "settings", "apps"] as const;
type DomainTab = (typeof domainTabs)[number];

/** The open tab; the DNS records by default. */
type DomainSearch = { tab?: DomainTab };

/** Parses the URL of a domain's page; an unknown tab and the first one are left out. */
export function readDomainSearch({ tab }: Record<string, unknown>): DomainSearch {
  const found = domainTabs.find((each) => each === tab);
  return found === undefined || found === "dns" ? {} : { tab: found };
}
