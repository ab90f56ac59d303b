import { clickHouseUrl, token, wholeNumber } from "./option-parsers.ts";

/** The part of the table of options (config.ts) about clicks in ClickHouse. */
export const clickHouseOptions = {
  WAYPOST_CLICKS_URL: {
    help: "ClickHouse database for clicks, instead of the file in the data folder; needs WAYPOST_DATABASE_URL",
    example: "https://user:password@host:8443/waypost",
    parse: clickHouseUrl,
    secret: true,
  },
  WAYPOST_CLICKS_CLUSTER: {
    help: "Cluster of ClickHouse whose servers hold the clicks, as replicated and distributed tables; one server when empty",
    example: "waypost",
    parse: token,
  },
  WAYPOST_CLICKS_INTERVAL_MS: {
    help: "With ClickHouse, the time between two inserts of one node, in milliseconds; reports lag behind by as much",
    example: "2000",
    fallback: "2000",
    parse: wholeNumber(250, 60_000),
  },
} as const;
