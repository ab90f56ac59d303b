/** What of the list of domains is in its address. */
export type DomainsSearch = { archived?: true; q?: string; add?: true };

export function readDomainsSearch({ archived, q, add }: Record<string, unknown>): DomainsSearch {
  return {
    ...(archived === true && { archived }),
    ...(typeof q === "string" && q !== "" && { q }),
    ...(add === true && { add }),
  };
}

export const domainTabs = ["dns", "settings", "apps"] as const;
export type DomainTab = (typeof domainTabs)[number];

/** Which part of a domain is shown; its records where none is named. */
export type DomainSearch = { tab?: DomainTab };

export function readDomainSearch({ tab }: Record<string, unknown>): DomainSearch {
  const found = domainTabs.find((each) => each === tab);
  return found === undefined || found === "dns" ? {} : { tab: found };
}
