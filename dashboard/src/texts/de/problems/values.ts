import { boundsOf, joined, type Sentences } from "../../sentences.ts";

const kinds: Sentences = {
  "must be text": "muss ein Text sein",
  "must be a number": "muss eine Zahl sein",
  "must be a whole number": "muss eine ganze Zahl sein",
  "must be true or false": "muss true oder false sein",
  "must be a list": "muss eine Liste sein",
  "must be a JSON object": "muss ein JSON-Objekt sein",
  "must be null": "muss null sein",
  "must be left out": "muss weggelassen werden",
  "must be a date": "muss ein Datum sein",
  "must be {}": "muss {0} sein",
};

/** The relations, for a number and for a count. */
const relations = [
  { english: "exactly", size: "genau", count: "genau" },
  { english: "at least", size: "mindestens", count: "mindestens" },
  { english: "more than", size: "größer als", count: "mehr als" },
  { english: "at most", size: "höchstens", count: "höchstens" },
  { english: "less than", size: "kleiner als", count: "weniger als" },
];

const units: Sentences = {
  character: "Zeichen",
  characters: "Zeichen",
  entry: "Eintrag",
  entries: "Einträge",
  field: "Feld",
  fields: "Felder",
  byte: "Byte",
  bytes: "Byte",
};

const bounds = boundsOf(relations, units, {
  size: (relation) => `muss ${relation} {0} sein`,
  count: (relation, unit) => `muss ${relation} {0} ${unit} haben`,
});

const missing = Object.entries(kinds).map((kind) => joined(["is missing; it ", "fehlt und "], kind));

/** Sentences about values of the wrong type, length or format. */
export const values: Sentences = {
  ...kinds,
  ...Object.fromEntries([...bounds, ...missing]),
  "must be text, or a list": "muss ein Text oder eine Liste sein",
  "must be text, or a list of at most {} texts": "muss ein Text oder eine Liste von höchstens {0} Texten sein",
  "must be a list of texts, or one text with commas between the values":
    "muss eine Liste von Texten sein oder ein Text, der die Werte durch Kommas trennt",
  "must be one text, not a list": "muss ein einzelner Text sein, keine Liste",
  "must be a multiple of {}": "muss ein Vielfaches von {0} sein",
  "must begin with {}": "muss mit {0} beginnen",
  "must end with {}": "muss mit {0} enden",
  "must contain {}": "muss {0} enthalten",
  "must have the form {}": "muss die Form {0} haben",
  "must be a URL such as https://example.com/page": "geben Sie eine gültige URL ein, etwa https://example.com/page",
  "must be an e-mail address such as you@example.com": "muss eine E-Mail-Adresse wie you@example.com sein",
  "must be a date and time such as 2027-01-31T12:00:00Z": "muss ein Zeitpunkt wie 2027-01-31T12:00:00Z sein",
  "must be from 1970 to 9999, in UTC": "muss in UTC in den Jahren 1970 bis 9999 liegen",
  "must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z":
    "muss ein Datum wie 2027-01-31 oder 2027-01-31T12:00:00Z sein",
  "must be a date such as 2027-01-31": "muss ein Datum wie 2027-01-31 sein",
  "must be a date such as 2026-11-20": "muss ein Datum wie 2026-11-20 sein",
  "must be a time such as 12:00:00": "muss eine Uhrzeit wie 12:00:00 sein",
  "must be a UUID such as 123e4567-e89b-42d3-a456-426614174000":
    "muss eine UUID wie 123e4567-e89b-42d3-a456-426614174000 sein",
  "must be an IPv4 address such as 192.0.2.10": "muss eine IPv4-Adresse wie 192.0.2.10 sein",
  "must be an IPv6 address such as 2001:db8::10": "muss eine IPv6-Adresse wie 2001:db8::10 sein",
  "must be an IP address such as 203.0.113.7": "muss eine IP-Adresse wie 203.0.113.7 sein",
  "must be text in base64": "muss ein Text in Base64 sein",
  "must be text that contains JSON": "muss ein Text sein, der JSON enthält",
  "must not have the field {}": "darf das Feld {0} nicht haben",
  "unknown field": "unbekanntes Feld",
  "unknown field; did you mean {}?": "unbekanntes Feld; meinten Sie {0}?",
  "unknown query parameter": "unbekannter Query-Parameter",
  "unknown query parameter; did you mean {}?": "unbekannter Query-Parameter; meinten Sie {0}?",
  "is read-only; leave it out, or send its current value":
    "ist schreibgeschützt; lassen Sie es weg oder senden Sie den aktuellen Wert",
  "has an invalid name: it {}": "enthält einen ungültigen Namen; er {=0}",
  "has an invalid name: it is not allowed": "enthält einen ungültigen Namen; er ist nicht zulässig",
  "has an invalid element: it {}": "enthält einen ungültigen Wert; er {=0}",
  "has an invalid element: it is not allowed": "enthält einen ungültigen Wert; er ist nicht zulässig",
  "is not valid; see the reference at /docs": "ist ungültig; siehe die Referenz unter /docs",
  "must be one of {}": "muss einer dieser Werte sein: {0}",
  "must be one of the numbers {}": "muss eine dieser Zahlen sein: {0}",
  "must be a whole number from {} to {}": "muss eine ganze Zahl von {0} bis {1} sein",
  "must be a whole number from {} to {}; beyond it, use startingAfter":
    "muss eine ganze Zahl von {0} bis {1} sein; verwenden Sie darüber hinaus startingAfter",
  "must be from {} to {}": "muss zwischen {0} und {1} liegen",
  "must have {} to {} characters": "muss {0} bis {1} Zeichen haben",
  "must have 1 to {} characters": "muss 1 bis {0} Zeichen haben",
  "must have at most {} characters in total": "darf insgesamt höchstens {0} Zeichen haben",
  "must have at most {} values": "darf höchstens {0} Werte enthalten",
  "must not be empty": "darf nicht leer sein",
  "must not be empty; null means none": "darf nicht leer sein; null bedeutet keinen Wert",
  "must not be empty; leave it out to include all":
    "darf nicht leer sein; lassen Sie die Angabe weg, um alle einzuschließen",
  "must be in the future": "muss in der Zukunft liegen",
  "must be in the future, at most {} days from now": "muss in der Zukunft liegen, höchstens {0} Tage ab jetzt",
  "must be an ISO 3166-1 country code such as DE": "muss ein Ländercode nach ISO 3166-1 sein, etwa DE",
  "must be an ISO 3166-2 code such as US-CA": "muss ein Code nach ISO 3166-2 sein, etwa US-CA",
  "must be a hex color of 6 digits such as #1A2B3C": "muss eine Farbe aus 6 Hexadezimalziffern sein, etwa #1A2B3C",
  "must be a hex color of 3, 6 or 8 digits such as #1A2B3C; in a URL, # is written %23":
    "muss eine Farbe aus 3, 6 oder 8 Hexadezimalziffern sein, etwa #1A2B3C; in einer URL wird # als %23 geschrieben",
  "must be a PNG, JPEG or WebP image of at most {} bytes and {} pixels a side, as a base64 data URL such as data:image/png;base64,iVBORw0KG…":
    "muss ein PNG-, JPEG- oder WebP-Bild von höchstens {0} Byte und {1} Pixeln je Seite als Data-URL in Base64 sein, etwa data:image/png;base64,iVBORw0KG…",
  "must be an image as a data URL (PNG, JPEG, GIF or WebP in base64), or an http or https URL":
    "muss ein Bild als Data-URL (PNG, JPEG, GIF oder WebP in Base64) oder eine http- oder https-URL sein",
  "must be an image of at most {} bytes": "muss ein Bild von höchstens {0} Byte sein",
};
