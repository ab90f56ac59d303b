import type { SeededRandom } from "./seeded-random.ts";

const firstNames = (
  "Amber Bright Cedar Clear Copper Coral Crystal Delta Ember Fair Field Golden Grand Green Harbor Hazel Iron Ivory " +
  "Juniper Lake Maple Meadow Mint Noble North Ocean Olive Opal Pine Prime Quartz River Silver Solar South Stone Summit " +
  "Timber Velvet West"
).split(" ");
const lastNames = (
  "Works Labs Studio Supply Foods Travel Books Media Health Sports Garden Coffee Motors Music Fashion Homes Energy " +
  "Games Tools Outdoor Finance Academy Bakery Optics Logistics"
).split(" ");
/** The words of URLs and keys. */
export const linkWords = (
  "spring summer autumn winter sale offer product shop blog news event launch guide video webinar report download " +
  "pricing contact about careers team docs support account login signup campaign partner gift card shoes shirt jacket " +
  "phone laptop camera travel hotel flight rental insurance health fitness recipe music movie book game sport review " +
  "compare best release feature story customer success newsletter"
).split(" ");
const sources = ["newsletter", "instagram", "facebook", "google", "linkedin", "twitter", "tiktok", "partner"];
const mediums = ["email", "social", "cpc", "affiliate", "print"];
/** The characters of random keys: digits and lower-case letters that are not easily confused. */
export const keyAlphabet = "23456789abcdefghijkmnpqrstuvwxyz";
const idAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The name of a workspace and the host name of its domains; distinct for indexes below 1,000. */
export function workspaceName(index: number): { name: string; host: string } {
  const first = firstNames[index % firstNames.length] ?? "";
  const last = lastNames[Math.floor(index / firstNames.length)] ?? "";
  return { name: `${first} ${last}`, host: `${first}-${last}.example`.toLowerCase() };
}

/** A realistic key and URL, about 80 characters together; the key is unique per number. */
export function linkTexts(number: number, host: string, random: SeededRandom): { key: string; url: string } {
  const start =
    random.next() < 0.3 ? `${random.one(linkWords)}-${random.one(linkWords)}-` : letters(4, keyAlphabet, random);
  const path = `${random.one(linkWords)}/${random.one(linkWords)}-${random.one(linkWords)}-${random.below(100_000)}`;
  return { key: `${start}${number.toString(36)}`, url: `https://www.${host}/${path}${utm(random)}` };
}

/** UTM parameters on half of the destinations, with a term or content on some of them. */
function utm(random: SeededRandom): string {
  if (random.next() < 0.5) return "";
  const pairs = [
    `utm_source=${random.one(sources)}`,
    `utm_medium=${random.one(mediums)}`,
    `utm_campaign=${random.one(linkWords)}_${random.one(linkWords)}`,
  ];
  if (random.next() < 0.15) pairs.push(`utm_term=${random.one(linkWords)}+${random.one(linkWords)}`);
  if (random.next() < 0.25) pairs.push(`utm_content=${random.one(linkWords)}_${1 + random.below(4)}`);
  return `?${pairs.join("&")}`;
}

/** The random end of an id, after the time. */
export function idEnd(random: SeededRandom): string {
  return letters(16, idAlphabet, random);
}

function letters(count: number, alphabet: string, random: SeededRandom): string {
  let text = "";
  while (text.length < count) text += alphabet.charAt(random.below(alphabet.length));
  return text;
}
