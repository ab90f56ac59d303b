import { expect, test } from "bun:test";
import { currentZoneName, isZoneMatch, offsetText, timeZones } from "./time-zones.ts";

test("zones are listed once, by their current names, UTC first and the others sorted", () => {
  const zones = timeZones();

  expect(zones[0]).toBe("UTC");
  expect(zones.slice(1)).toEqual(zones.slice(1).toSorted());
  expect(new Set(zones).size).toBe(zones.length);
  for (const zone of ["Asia/Kolkata", "Europe/Kyiv", "Europe/Berlin"]) expect(zones).toContain(zone);
  expect(zones).not.toContain("Asia/Calcutta");
});

test("a current name means the same zone as the former one", () => {
  const old = ["Asia/Calcutta", "Europe/Kiev", "Asia/Saigon", "Pacific/Truk", "Pacific/Enderbury", "America/Godthab"];
  const noon = Date.UTC(2026, 6, 1, 12);
  for (const zone of old) {
    const clock = (timeZone: string) => new Date(noon).toLocaleString("en", { timeZone });
    expect(clock(currentZoneName(zone))).toBe(clock(zone));
  }
});

test("a browser that does not know a zone's current name keeps the former one", () => {
  const { DateTimeFormat } = Intl;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct(format, [locales, options]: ConstructorParameters<typeof DateTimeFormat>) {
      if (options?.timeZone === "Europe/Kyiv") throw new RangeError("Invalid time zone specified: Europe/Kyiv");
      return new format(locales, options);
    },
  });

  const zones = ["Europe/Kiev", "Asia/Calcutta"].map(currentZoneName);
  Intl.DateTimeFormat = DateTimeFormat;

  expect(zones).toEqual(["Europe/Kiev", "Asia/Kolkata"]);
});

/** TABLE of searches, and the zones they find. */
const searches = {
  kolkata: ["Asia/Kolkata"],
  Calcutta: ["Asia/Kolkata"],
  kiev: ["Europe/Kyiv"],
  "new york": ["America/New_York"],
  "America/New_York": ["America/New_York"],
  "dakota north": ["America/North_Dakota/Beulah"],
  zav: ["Africa/Brazzaville"],
  zzzz: [],
};

test.each(Object.entries(searches))(
  "a search for %s finds exactly the zones with its words in a name",
  (search, found) => {
    const few = [
      "Africa/Brazzaville",
      "America/New_York",
      "America/North_Dakota/Beulah",
      "Asia/Kolkata",
      "Europe/Kyiv",
    ];

    expect(few.filter((zone) => isZoneMatch(zone, search))).toEqual(found);
  },
);

test("the offset of a zone has hours and minutes", () => {
  expect(["UTC", "Asia/Kolkata", "America/Phoenix"].map(offsetText)).toEqual(["UTC", "UTC+05:30", "UTC-07:00"]);
});
