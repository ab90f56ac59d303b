/**
 * Where an address is, from a database file in memory.
 *
 * 1. Only public addresses are looked up: the shipped database places 192.168.0.0/16 in Australia.
 * 2. An address mapped into IPv6 (::ffff:1.2.3.4) is looked up as the IPv4 address it stands for.
 * 3. locate runs on the redirect's path, so it never waits, never throws and remembers recent answers.
 */
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { type CountryResponse, open, type Reader } from "maxmind";
import { LruCache } from "../base/lru-cache.ts";
import type { Place } from "./click.ts";
import { continentOf } from "./continents.ts";

/** Tells places from addresses; made by openGeo. */
export type Geo = {
  /**
   * Guarantee: never throws; what is no public address, or not in the database, has an empty place. Addresses of one
   * place get the same object, as long as it is remembered. The text is kept: it must be no part of a much longer one.
   */
  locate(ip: string): Place;
};

/** The place of an address nothing is known about. */
export const unknownPlace: Place = Object.freeze({ country: "", region: "", city: "", continent: "" });

/** Addresses remembered, at about 150 bytes each; twice as many at most. */
const recentAddressesMax = 50_000;
/** Places remembered, at about 200 bytes each; twice as many at most. */
const recentPlacesMax = 10_000;

const shippedDatabase = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

/**
 * Reads a database (mmdb; country or city; MaxMind's or ip-location-db's layout) into memory; the shipped country
 * database when no path is given. The file may be replaced while open; the change is seen at the next start.
 * Throws an Error naming the path when there is no such file, or it is no such database.
 */
export async function openGeo(path: string | undefined): Promise<Geo> {
  const databasePath = path ?? fileURLToPath(import.meta.resolve(shippedDatabase));
  const reader = await read(databasePath);
  refuseForeignKind(reader.metadata.databaseType, databasePath);
  const isIpv4Only = reader.metadata.ipVersion === 4;
  const recent = new LruCache<string, Place>(recentAddressesMax, { keepsKeys: true });
  const places = new LruCache<string, Place>(recentPlacesMax);

  return {
    locate(ip) {
      const known = recent.get(ip);
      if (known !== undefined) return known;
      const address = publicAddress(ip);
      if (address === "" || (isIpv4Only && address.includes(":"))) return unknownPlace;
      const found = lookUp(reader, address);
      const name = `${found.country}/${found.region}/${found.city}/${found.continent}`;
      const place = places.get(name) ?? found;
      if (place === found) places.set(name, place);
      recent.set(ip, place);
      return place;
    },
  };
}

// Records are read as unknown: what a file holds is not what a library's type says it holds.
async function read(path: string): Promise<Reader<CountryResponse>> {
  try {
    return await open<CountryResponse>(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The geo database "${path}" cannot be read as an mmdb file: ${reason}`, { cause });
  }
}

function refuseForeignKind(databaseType: string, path: string): void {
  if (/country|city|location/i.test(databaseType)) return;
  if (!/asn|isp|domain|connection|anonymous/i.test(databaseType)) return;
  throw new Error(`The geo database "${path}" holds "${databaseType}", not countries or cities`);
}

/** Loose, because the text is known to be an IPv6 address: only its last three groups are looked at. */
const mappedIpv4 = /^[0:]+:ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i;

/** The address to look up, or "" when the text is no public address. */
function publicAddress(ip: string): string {
  const version = isIP(ip);
  if (version === 4) return isPublicIpv4(ip) ? ip : "";
  if (version !== 6) return "";
  const mapped = mappedIpv4.exec(ip);
  if (mapped === null) return isPublicIpv6(ip) ? ip : "";
  const ipv4 = mapped[1] ?? dotted(Number.parseInt(mapped[2] ?? "", 16), Number.parseInt(mapped[3] ?? "", 16));
  return isPublicIpv4(ipv4) ? ipv4 : "";
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}

/** The blocks IANA keeps for special purposes, as first octet and condition on the second and third. */
function isPublicIpv4(ip: string): boolean {
  const [first = 0, second = 0, third = 0] = ip.split(".", 3).map(Number);
  if (first === 0 || first === 10 || first === 127 || first >= 224) return false;
  if (first === 100) return second < 64 || second > 127;
  if (first === 169) return second !== 254;
  if (first === 172) return second < 16 || second > 31;
  if (first === 192) return second !== 168 && !(second === 0 && (third === 0 || third === 2));
  if (first === 198) return second !== 18 && second !== 19 && !(second === 51 && third === 100);
  return !(first === 203 && second === 0 && third === 113);
}

/** Public IPv6 is all within 2000::/3; 2001:db8::/32 and 3fff::/20 in it are for documentation. */
function isPublicIpv6(ip: string): boolean {
  return /^[23][\da-f]{3}:/i.test(ip) && !/^(?:2001:0?db8:|3fff:0?[\da-f]{0,3}:)/i.test(ip);
}

function lookUp(reader: Reader<CountryResponse>, address: string): Place {
  try {
    return placeOf(reader.get(address));
  } catch {
    // A record the file has damaged: the redirect goes on, and the click counts as from an unknown place.
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

/** A region is kept only as a code: ip-location-db's city files give a name in state1, which is no ISO 3166-2. */
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
