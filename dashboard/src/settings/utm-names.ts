/** The utm parameters, in the order in which they are filled in. */
export const utmNames = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
