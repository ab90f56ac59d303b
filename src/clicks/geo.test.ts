import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "./click.ts";
import { continentOf, countryCodes } from "./continents.ts";
import { openGeo, unknownPlace } from "./geo.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-geo-"));
afterAll(() => rmSync(folder, { recursive: true }));

const shipped = await openGeo(undefined);

function addressRows(): { address: string; country: string }[] {
  const lines = readFileSync(new URL("../../tests/fixtures/addresses.tsv", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.slice(1).map((line) => {
    const [address = "", country = ""] = line.split("\t");
    return { address, country };
  });
}

test("well-known public addresses have their operator's country", () => {
  const expected = addressRows();

  const found = expected.map(({ address }) => ({ address, country: shipped.locate(address).country }));

  expect(found).toEqual(expected);
});

test("the shipped database has a continent for each country", () => {
  for (const { address } of addressRows()) {
    const place = shipped.locate(address);

    expect(place.continent, address).toMatch(/^(?:AF|AN|AS|EU|NA|OC|SA)$/);
  }
});

test("an IPv4 address mapped into IPv6 has the place of the IPv4 address", () => {
  const place = shipped.locate("193.0.6.139");
  expect(place.country).toBe("NL");

  for (const mapped of [
    "::ffff:193.0.6.139",
    "::FFFF:193.0.6.139",
    "::ffff:c100:68b",
    "0:0:0:0:0:ffff:193.0.6.139",
    "0000:0000:0000:0000:0000:ffff:c100:068b",
  ]) {
    expect(shipped.locate(mapped), mapped).toEqual(place);
  }
});

test.each([
  ["private", "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fd00::1 fc00::1"],
  ["loopback or link-local", "127.0.0.1 169.254.1.1 ::1 fe80::1 fe80::1%eth0"],
  ["for documentation or tests", "192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 2001:db8::1 2001:0db8::1 3fff::1"],
  ["no host's", "0.0.0.0 255.255.255.255 224.0.0.1 240.0.0.1 :: ff02::1"],
  ["private in a mapped form", "::ffff:10.0.0.1 ::ffff:192.168.1.1 ::ffff:7f00:1"],
  ["no address", "garbage 1.2.3 1.2.3.4.5 01.2.3.4 8.8.8.8:80 [2001:4860:4860::8888] 999.1.1.1 :::: 1:2:3:4:5:6:7:8:9"],
])("an address that is %s has no place", (_, addresses) => {
  for (const address of addresses.split(" ")) expect(shipped.locate(address), address).toEqual(unknownPlace);
});

test("any text has a place, and no text throws", () => {
  for (const text of ["", " ", " 8.8.8.8", "8.8.8.8\n", "\0", "\ud800", "a".repeat(100_000), "__proto__"]) {
    expect(shipped.locate(text)).toEqual(unknownPlace);
  }
});

test("repeated calls for an address give the same place", () => {
  expect(shipped.locate("8.8.8.8")).toBe(shipped.locate("8.8.8.8"));
});

const california = { country: "US", region: "US-CA", city: "San José", continent: "NA" };
const layouts: [string, Field, Place][] = [
  [
    "MaxMind's city layout",
    {
      continent: { code: "NA" },
      country: { iso_code: "US", names: { en: "United States" } },
      subdivisions: [{ iso_code: "CA", names: { en: "California" } }],
      city: { names: { de: "Saint Joseph", en: "San José" } },
    },
    california,
  ],
  ["MaxMind's country layout", { country: { iso_code: "US" } }, { ...california, region: "", city: "" }],
  [
    "ip-location-db's city layout, whose region is a name",
    { country_code: "US", state1: "California", city: "San José" },
    { ...california, region: "" },
  ],
  ["a flat layout with codes", { country_code: "us", state1: "CA", city: "San José", continent: "NA" }, california],
  ["a flat layout with a whole region", { country: "US", region_code: "US-CA", city: "San José" }, california],
  ["a record without country", { city: "Atlantis", continent: { code: "EU" } }, unknownPlace],
  ["a record of other types", { country: { iso_code: ["US"] }, city: { names: "x" } }, unknownPlace],
];

test.each(layouts)("%s is read", async (_, record, place) => {
  const geo = await openGeo(databaseOf(record, "Test-City"));

  expect(geo.locate("8.8.8.8")).toEqual(place);
  expect(geo.locate("2001:4860:4860::8888")).toEqual(place);
});

test("a database for IPv4 only finds no IPv6 address", async () => {
  const geo = await openGeo(databaseOf({ country_code: "US" }, "country", 4));

  expect(geo.locate("8.8.8.8").country).toBe("US");
  expect(geo.locate("2001:4860:4860::8888")).toEqual(unknownPlace);
});

test("a missing or empty file, a file that is not a database, and a database of networks are refused with the path", async () => {
  const garbage = join(folder, "garbage.mmdb");
  writeFileSync(garbage, "this is no database".repeat(1_000));
  const empty = join(folder, "empty.mmdb");
  writeFileSync(empty, "");
  const networks = databaseOf({ autonomous_system_number: "1" }, "GeoLite2-ASN");

  for (const path of [garbage, empty, folder, networks, join(folder, "missing.mmdb")]) {
    await expect(openGeo(path)).rejects.toThrow(`The geo database "${path}"`);
  }
});

test("every country has one continent", () => {
  expect(countryCodes.size).toBe(250);
  expect([...countryCodes].filter((country) => !/^[A-Z]{2}$/.test(country))).toEqual([]);
  expect(["ZA", "AQ", "JP", "FR", "US", "AU", "BR", "XX", ""].map(continentOf)).toEqual([
    ..."AF AN AS EU NA OC SA".split(" "),
    "",
    "",
  ]);
});

type Field = string | number | readonly Field[] | { readonly [name: string]: Field };

/**
 * Writes a database in which every address has the same record, and returns its path.
 * Shape: one search node whose two sides point to the record; 16 zero bytes; the record; the metadata.
 */
function databaseOf(record: Field, databaseType: string, ipVersion = 6): string {
  const path = join(folder, `${crypto.randomUUID()}.mmdb`);
  const nodeCount = 1;
  const pointer = Buffer.from([0, 0, nodeCount + 16]);
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: databaseType,
    description: {},
    ip_version: ipVersion,
    languages: [],
    node_count: nodeCount,
    record_size: 24,
  };
  const mark = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
  writeFileSync(path, Buffer.concat([pointer, pointer, Buffer.alloc(16), encode(record), mark, encode(metadata)]));
  return path;
}

/** Encodes a field in the mmdb format: the type in three bits, or with another byte from 8 on; the size; the value. */
function encode(field: Field): Buffer {
  if (typeof field === "string") return Buffer.concat([control(2, Buffer.byteLength(field)), Buffer.from(field)]);
  if (typeof field === "number") return Buffer.concat([control(6, 4), Buffer.from([0, 0, field >> 8, field & 0xff])]);
  if (isList(field)) return Buffer.concat([control(11, field.length), ...field.map(encode)]);
  const entries = Object.entries(field);
  return Buffer.concat([control(7, entries.length), ...entries.flat().map(encode)]);
}

function control(type: number, size: number): Buffer {
  const sizeBits = Math.min(size, 29);
  const head = type < 8 ? [(type << 5) | sizeBits] : [sizeBits, type - 7];
  return Buffer.from(size < 29 ? head : [...head, size - 29]);
}

function isList(field: Field): field is readonly Field[] {
  return Array.isArray(field);
}
