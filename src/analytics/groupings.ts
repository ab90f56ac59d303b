import type { Dimension } from "../clicks/query.ts";

/** How the rows of a grouping are computed. */
export type GroupingPlan =
  /** One object instead of rows. */
  | { kind: "count" }
  | { kind: "timeseries" }
  /** By hour of the week. */
  | { kind: "weekdayHours" }
  /** By a dimension of the clicks; `row` names the fields of the value and of the wider values that contain it. */
  | { kind: "values"; dimension: Dimension; within: readonly Dimension[]; emptyLabel: string | undefined; row: RowOf }
  /** By properties of links and domains in the relational database. */
  | { kind: "links" }
  | { kind: "domains" }
  | { kind: "folders" }
  | { kind: "tags" }
  /** Waypost has no data for it. */
  | { kind: "none" };

/** The fields of a row that name its subject. */
type RowOf = (value: string, within: readonly string[]) => Record<string, string>;

/** The value of a narrower field in a row about a whole country or region. */
const whole = "*";

/** TABLE of the groupings of `GET /analytics`. */
export const groupings = {
  count: { kind: "count" },
  timeseries: { kind: "timeseries" },
  weekday_hours: { kind: "weekdayHours" },
  continents: values("continent", (continent) => ({ continent })),
  countries: values("country", (country) => ({ country, region: whole, city: whole })),
  regions: values("region", (region, [country = ""]) => ({ country, region, city: whole }), ["country"]),
  cities: values("city", (city, [region = "", country = ""]) => ({ country, region, city }), ["region", "country"]),
  devices: values("device", (device) => ({ device })),
  browsers: values("browser", (browser) => ({ browser })),
  os: values("os", (os) => ({ os })),
  languages: values("language", (language) => ({ language })),
  trigger: values("trigger", (trigger) => ({ trigger })),
  triggers: values("trigger", (trigger) => ({ trigger })),
  referers: values("referer", (referer) => ({ referer }), [], "(direct)"),
  channels: values("channel", (channel) => ({ channel })),
  referer_groups: values("refererGroup", (refererGroup) => ({ refererGroup }), [], "(direct)"),
  referer_urls: values("refererUrl", (refererUrl) => ({ refererUrl }), [], "(direct)"),
  bots: values("bot", (bot) => ({ bot })),
  top_links: { kind: "links" },
  top_urls: values("url", (url) => ({ url })),
  top_base_urls: values("baseUrl", (url) => ({ url })),
  top_domains: { kind: "domains" },
  top_folders: { kind: "folders" },
  top_link_tags: { kind: "tags" },
  utm_sources: values("utm_source", (utm_source) => ({ utm_source })),
  utm_mediums: values("utm_medium", (utm_medium) => ({ utm_medium })),
  utm_campaigns: values("utm_campaign", (utm_campaign) => ({ utm_campaign })),
  utm_terms: values("utm_term", (utm_term) => ({ utm_term })),
  utm_contents: values("utm_content", (utm_content) => ({ utm_content })),
  top_partners: { kind: "none" },
  top_groups: { kind: "none" },
  top_partner_tags: { kind: "none" },
} as const satisfies Record<string, GroupingPlan>;

/** A grouping by its plural name; groupingNamed also takes the singular. */
export type AnalyticsGrouping = keyof typeof groupings;

/** The names of the groupings, in the order of the reference. */
export const analyticsGroupings = Object.keys(groupings).filter(isGrouping);

/** TABLE of the singular names of groupings. */
const singulars = {
  weekday_hour: "weekday_hours",
  continent: "continents",
  country: "countries",
  region: "regions",
  city: "cities",
  device: "devices",
  browser: "browsers",
  language: "languages",
  referer: "referers",
  channel: "channels",
  referer_group: "referer_groups",
  referer_url: "referer_urls",
  bot: "bots",
  top_link: "top_links",
  top_url: "top_urls",
  top_base_url: "top_base_urls",
  top_domain: "top_domains",
  top_folder: "top_folders",
  top_link_tag: "top_link_tags",
  utm_source: "utm_sources",
  utm_medium: "utm_mediums",
  utm_campaign: "utm_campaigns",
  utm_term: "utm_terms",
  utm_content: "utm_contents",
  top_partner: "top_partners",
  top_group: "top_groups",
  top_partner_tag: "top_partner_tags",
} as const satisfies Record<string, AnalyticsGrouping>;

/** A grouping by either of its names. */
type GroupingName = AnalyticsGrouping | keyof typeof singulars;

/** The names of these groupings, in the order of the reference, then the singular names. */
export function namesOf(allowed: readonly AnalyticsGrouping[]): GroupingName[] {
  return [...allowed, ...Object.keys(singulars).filter(isSingular)].filter((name) =>
    allowed.includes(groupingNamed(name)),
  );
}

/** The grouping with a name. */
export function groupingNamed(name: GroupingName): AnalyticsGrouping {
  return isGrouping(name) ? name : singulars[name];
}

function isSingular(name: string): name is keyof typeof singulars {
  return Object.hasOwn(singulars, name);
}

function isGrouping(name: string): name is AnalyticsGrouping {
  return Object.hasOwn(groupings, name);
}

/** Without `emptyLabel`, clicks whose value is unknown have no row. */
function values(
  dimension: Dimension,
  row: RowOf,
  within: readonly Dimension[] = [],
  emptyLabel: string | undefined = undefined,
): GroupingPlan {
  return { kind: "values", dimension, within, emptyLabel, row };
}
