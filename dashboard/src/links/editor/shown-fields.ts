import { refusedIn } from "../../api/problem.ts";
import type { Draft } from "./draft.ts";

/** Fields that are there whatever the link has. */
const always = [
  ...["url", "domain", "key", "tagIds", "folderId", "comments", "startsAt", "expiresAt", "expiredUrl", "maxClicks"],
  ...["password", "ios", "android", "geo", "rules", "title", "description", "image", "video", "redirectStatus"],
  ...["externalId", "tenantId", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"],
  ...["testVariants", "testStartedAt", "testCompletedAt"],
];

/** The API's names of the fields that show in the form what is wrong with them. */
export function shownFields({ rules, geo, testVariants }: Draft): string[] {
  return [
    ...always,
    ...geo.map(({ country }) => geoField(country)),
    ...rules.flatMap(({ conditions }, index) => [
      `rules.${index}.url`,
      ...conditions.map(({ field }) => `rules.${index}.when.${field}`),
    ]),
    ...testVariants.flatMap((_, index) => [`testVariants.${index}.url`, `testVariants.${index}.percentage`]),
  ];
}

/** The API's name of the destination of a country. */
export function geoField(country: string): string {
  return `geo.${country.trim()}`;
}

/** Whether it is the code that is wrong and not the destination: the API has one name for both. */
export function isCountryRefused(error: unknown, country: string): boolean {
  return refusedIn(error).some(({ field, what }) => field === geoField(country) && what.includes("country code"));
}
