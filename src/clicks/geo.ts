/**
 * Finds the places of addresses in a database file, which is held in memory.
 *
 * 1. Only public addresses are looked up: the shipped database places 192.168.0.0/16 in Australia.
 * 2. An address mapped into IPv6 (::ffff:1.2.3.4) is looked up as the IPv4 address.
 * 3. locate runs on the redirect's path: it never waits and never throws. It caches places, not addresses: visitors of
 *    a large site come from more addresses than a cache holds.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type CountryResponse, Reader } from "maxmind";
import { LruCache } from "../base/lru-cache.ts";
import { messageOf } from "../base/message-of.ts";
import { AddressTree } from "./address-tree.ts";
import type { Place } from "./click.ts";
import { continentOf } from "./continents.ts";
import { type IpNumbers, publicIp } from "./public-ip.ts";

/** Finds the places of addresses; openGeo creates it. */
export type Geo = {
  /**
   * Returns unknownPlace for a text that is not a public address, and for an address that the database lacks. Returns
   * one object for all addresses of a place while it is cached.
   * Guarantee: never throws.
   */
  locate(ip: string): Place;
};

/** The place of an unknown address. */
export const unknownPlace: Place = Object.freeze({ country: "", region: "", city: "", continent: "" });

/** Size of the caches by record and by name, at about 200 bytes an entry; at most twice as many. */
const cachedRecordsMax = 10_000;

const shippedDatabase = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

/**
 * Reads a database (mmdb; country or city; MaxMind's or ip-location-db's layout) into memory; the shipped country
 * database when no path is given. The file may be replaced while open; the change is seen at the next start.
 * Throws an Error that names the path when the file is missing or is not such a database.
 */
export async function openGeo(path: string | undefined): Promise<Geo> {
  const databasePath = path ?? fileURLToPath(import.meta.resolve(shippedDatabase));
  const { reader, tree } = await read(databasePath);
  refuseForeignKind(reader.metadata.databaseType, databasePath);
  const places = new LruCache<number, Place>(cachedRecordsMax);
  const names = new LruCache<string, Place>(cachedRecordsMax);

  /** The same object for all records of a place. */
  function readPlace(ip: string): Place {
    const place = lookUp(reader, ip);
    const name = `${place.country}/${place.region}/${place.city}/${place.continent}`;
    const known = names.get(name);
    if (known === undefined) names.set(name, place);
    return known ?? place;
  }

  return {
    locate(ip) {
      const numbers = publicIp(ip);
      if (numbers === undefined) return unknownPlace;
      const record = numbers.kind === "ipv4" ? tree.findIpv4(numbers.address) : tree.findIpv6(numbers.groups);
      if (record === undefined) return unknownPlace;
      const known = places.get(record);
      if (known !== undefined) return known;
      const place = readPlace(textOf(ip, numbers));
      places.set(record, place);
      return place;
    },
  };
}

// Records are read as unknown, because a file may hold other values than the library's types say.
async function read(path: string): Promise<{ reader: Reader<CountryResponse>; tree: AddressTree }> {
  try {
    const file = await readFile(path);
    const reader = new Reader<CountryResponse>(file);
    return { reader, tree: new AddressTree(file, reader.metadata) };
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`The geo database "${path}" cannot be read as an mmdb file: ${reason}`, { cause });
  }
}

/** The address in a form that the library reads. */
function textOf(ip: string, numbers: IpNumbers): string {
  if (numbers.kind === "ipv6") return ip;
  const { address } = numbers;
  return [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join(".");
}

function refuseForeignKind(databaseType: string, path: string): void {
  if (/country|city|location/i.test(databaseType)) return;
  if (!/asn|isp|domain|connection|anonymous/i.test(databaseType)) return;
  throw new Error(`The geo database "${path}" holds "${databaseType}", not countries or cities`);
}

function lookUp(reader: Reader<CountryResponse>, address: string): Place {
  try {
    return placeOf(reader.get(address));
  } catch {
    // The record is damaged: the redirect continues, and the click has an unknown place.
    return unknownPlace;
  }
}

function placeOf(record: unknown): Place {
  const country = upperCode(
    text(record, "country", "iso_code") || text(record, "country_code") || text(record, "country"),
  );
  if (country === "") return unknownPlace;
  const continent = text(record, "continent", "code") || text(record, "continent_code") || text(record, "continent");
  return {
    country,
    region: regionOf(record, country),
    city: text(record, "city", "names", "en") || text(record, "city") || text(record, "city_name"),
    continent: upperCode(continent) || continentOf(country),
  };
}

/** A region is stored only as an ISO 3166-2 code: ip-location-db's city files have a name in state1. */
function regionOf(record: unknown, country: string): string {
  const code = text(record, "subdivisions", "0", "iso_code") || text(record, "region_code") || text(record, "state1");
  if (/^[A-Z]{2}-[A-Z\d]{1,3}$/.test(code)) return code;
  return /^[A-Z\d]{1,3}$/.test(code) ? `${country}-${code}` : "";
}

function upperCode(code: string): string {
  return /^[A-Za-z]{2}$/.test(code) ? code.toUpperCase() : "";
}

/** The text at a path of keys in a record; "" when there is none. */
function text(record: unknown, ...keys: readonly string[]): string {
  let value = record;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = Reflect.get(value, key);
  }
  return typeof value === "string" ? value : "";
}
