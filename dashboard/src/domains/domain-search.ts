/** What of the list of domains is in its address. */
type DomainsSearch = { archived?: true; q?: string; add?: true };

/** Reads the address of the list; what is no value of a field is left out. */
export function readDomainsSearch({ archived, q, add }: Record<string, unknown>): DomainsSearch {
  return {
    ...(archived === true && { archived }),
    ...(typeof q === "string" && q !== "" && { q }),
    ...(add === true && { add }),
  };
}

/** The parts of a domain's page, the first one being shown unasked. */
export const domainTabs = ["dns", "settings", "apps"] as const;
type DomainTab = (typeof domainTabs)[number];

/** Which part of a domain is shown; its records where none is named. */
type DomainSearch = { tab?: DomainTab };

/** Reads the address of a domain's page; another tab's name, or the first one's, is as none. */
export function readDomainSearch({ tab }: Record<string, unknown>): DomainSearch {
  const found = domainTabs.find((each) => each === tab);
  return found === undefined || found === "dns" ? {} : { tab: found };
}
