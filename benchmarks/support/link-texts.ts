import { seededRandom } from "../../tests/support/clicks.ts";
import { keyAlphabet, linkWords } from "../synthetic/names.ts";

const random = seededRandom(42);

const hosts = ["www.example.com", "shop.example.com", "blog.example.org", "www.acme-store.example", "news.example.net"];
const sources = ["newsletter", "twitter", "facebook", "google", "linkedin"];

/** Returns a realistic key and URL of about 90 characters; the key is unique for each number. */
export function randomLink(number: number): { key: string; url: string } {
  const isWord = random() < 0.3;
  const start = isWord ? `${one(linkWords)}-${one(linkWords)}-` : "";
  const letters = Array.from({ length: isWord ? 0 : 4 }, () => one(keyAlphabet.split(""))).join("");
  const path = `${one(linkWords)}/${one(linkWords)}-${one(linkWords)}-${Math.floor(random() * 1e6)}`;
  const utm =
    random() < 0.5
      ? `?utm_source=${one(sources)}&utm_medium=email&utm_campaign=${one(linkWords)}_${one(linkWords)}`
      : "";
  const host = random() < 0.5 ? "www.example.com" : one(hosts);
  return { key: start + letters + number.toString(36), url: `https://${host}/${path}${utm}` };
}

function one(values: readonly string[]): string {
  return values[Math.floor(random() * values.length)] ?? "";
}
