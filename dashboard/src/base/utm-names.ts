/** The UTM parameters, in the order in which people fill them in. */
export const utmNames = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
/** The name of a UTM parameter. */
export type UtmName = (typeof utmNames)[number];
