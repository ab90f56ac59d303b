import { joined, type Pair, type Sentences } from "../../sentences.ts";

const flaws: Sentences = {
  "is empty": "ist leer",
  "is longer than {} characters": "ist länger als {0} Zeichen",
  "ends in a number, as IP addresses do": "endet mit einer Zahl wie eine IP-Adresse",
  "has a scheme": "beginnt mit einem Protokoll wie https://",
  "has a space": "enthält ein Leerzeichen",
  "has a path or query": "enthält einen Pfad oder eine Query",
  "has an @": "enthält ein @",
  "has a port": "enthält einen Port",
  "has a percent sign": "enthält ein Prozentzeichen",
  "has characters that no domain name can have": "enthält Zeichen, die kein Domainname haben kann",
  "begins with www., which every domain answers too; leave it out":
    "beginnt mit www., worauf jede Domain ebenfalls antwortet; lassen Sie es weg",
  "has no dot": "enthält keinen Punkt",
  "has two dots in a row or begins with a dot": "enthält zwei Punkte nacheinander oder einen Punkt am Anfang",
  "has a part longer than {} characters": "enthält einen Teil von mehr als {0} Zeichen",
  "has an underscore": "enthält einen Unterstrich",
  "has a part that begins or ends with a hyphen": "enthält einen Teil, der mit einem Bindestrich beginnt oder endet",
};

const names = Object.entries(flaws).map((flaw) =>
  joined(
    [
      "must be a domain name such as go.example.com, but this ",
      "muss ein Domainname wie go.example.com sein; der eingegebene Name ",
    ],
    flaw,
  ),
);

const expected: Pair = [
  "Expected a TXT record at _waypost.{} with the value waypost-verify={}, but ",
  "Erwartet wird ein TXT-Eintrag unter _waypost.{0} mit dem Wert waypost-verify={1}, ",
];

const found = [
  ["this name does not exist", "aber diesen Namen gibt es nicht"],
  ["found no TXT record there", "aber dort steht kein TXT-Eintrag"],
  ["found {} and {} more", "aber gefunden wurden {0} und {1} weitere"],
  ["found {}", "aber gefunden wurde {0}"],
] as const;

const sources = [
  ["", ""],
  [" (asked its name server {})", " (gefragt wurde der Nameserver {0})"],
] as const;

const whatFollows = [
  ["", ""],
  [
    ". It has been missing for 7 days, so the domain is pending again and its links no longer redirect",
    ". Er fehlt seit 7 Tagen. Daher ist die Domain wieder ausstehend, und ihre Links leiten nicht mehr weiter",
  ],
  [". Its links redirect until {}", ". Die Links funktionieren noch bis {0}"],
] as const;

const failures: Sentences = {
  "no DNS server answered in time": "kein DNS-Server hat rechtzeitig geantwortet",
  "the name servers of the domain failed to answer (SERVFAIL)":
    "die Nameserver der Domain haben einen Fehler gemeldet (SERVFAIL)",
  "the DNS server refused the query (REFUSED)": "der DNS-Server hat die Abfrage abgelehnt (REFUSED)",
  "the DNS server could not be reached": "der DNS-Server war nicht erreichbar",
  "the DNS server's response was invalid": "die Antwort des DNS-Servers war ungültig",
  "no DNS server is configured": "kein DNS-Server ist konfiguriert",
};

const verdicts = [
  ...found.flatMap((result) =>
    sources.flatMap((source) => whatFollows.map((then) => joined(expected, result, source, then))),
  ),
  ...Object.entries(failures).map((failure) =>
    joined(expected, ["the check failed: ", "aber die Prüfung ist fehlgeschlagen: "], failure, [
      ". Nothing was changed; try again later",
      ". Es wurde nichts geändert. Versuchen Sie es später noch einmal",
    ]),
  ),
];

/** Sentences about domains and their checks. */
export const domains: Sentences = {
  "{} is not verified, so new links on it would not redirect. Verify it first: GET /v1/domains/{}/dns shows the missing record":
    "Die Domain {0} ist nicht bestätigt; neue Links auf ihr würden nicht weiterleiten. Bestätigen Sie sie zuerst: GET /v1/domains/{=1}/dns zeigt, welcher Eintrag fehlt",
  ...Object.fromEntries([...names, ...verdicts]),
  "The certificate authority limits orders or is unavailable. The next attempt is possible at {}":
    "Die Zertifizierungsstelle begrenzt die Bestellungen oder ist nicht erreichbar. Der nächste Versuch ist ab {0} möglich",
  "Waypost limits how often an order is repeated. The next attempt is possible at {}":
    "Waypost begrenzt, wie oft eine Bestellung wiederholt wird. Der nächste Versuch ist ab {0} möglich",
  "{} is verified: its TXT record was found at _waypost.{}":
    "Die Domain {0} ist bestätigt: Der TXT-Eintrag wurde unter _waypost.{1} gefunden",
  "{} is verified: its name server {} has the TXT record. Other DNS servers see it within {} seconds":
    "Die Domain {0} ist bestätigt: Ihr Nameserver {1} hat den TXT-Eintrag. Andere DNS-Server sehen ihn innerhalb von {2} Sekunden",
  "{} is verified: its name server {} has the TXT record. Other DNS servers still have an older answer":
    "Die Domain {0} ist bestätigt: Ihr Nameserver {1} hat den TXT-Eintrag. Andere DNS-Server haben noch eine ältere Antwort",
  "{} was changed during this check. Nothing was stored; check again":
    "Während dieser Prüfung wurde {0} geändert. Es wurde nichts gespeichert. Prüfen Sie noch einmal",
  "The TXT record was found, but {} is already verified in another workspace, so it stays pending here":
    "Der TXT-Eintrag wurde gefunden, aber {0} ist bereits in einem anderen Arbeitsbereich bestätigt und bleibt hier daher ausstehend",
  "{} is this service's own domain; it needs no record":
    "Die Domain {0} ist die eigene dieses Dienstes; sie braucht keinen Eintrag",
  "{} is this service's own domain; it cannot be deleted":
    "Die Domain {0} ist die eigene dieses Dienstes; sie kann nicht gelöscht werden",
  "This workspace has {} domains, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} Domains; mehr sind nicht möglich. Löschen Sie zuerst eine",
  "the domain {} is in use": "die Domain {0} wird bereits verwendet",
  "this workspace already has {}": "dieser Arbeitsbereich hat {0} bereits",
  "Other workspaces have links on {}, so it cannot be deleted or renamed":
    "Andere Arbeitsbereiche haben Links auf {0}; sie kann weder gelöscht noch umbenannt werden",
  "this workspace has no domain; add one first": "dieser Arbeitsbereich hat keine Domain; fügen Sie zuerst eine hinzu",
  "this workspace does not have this domain. Add it first, or leave it out":
    "dieser Arbeitsbereich hat diese Domain nicht. Fügen Sie sie zuerst hinzu oder lassen Sie die Angabe weg",
  "can only be set when the domain is created": "lässt sich nur beim Hinzufügen der Domain wählen",
  "the service's own domain is set by WAYPOST_URL and cannot be renamed here":
    "die eigene Domain dieses Dienstes wird durch WAYPOST_URL festgelegt und lässt sich hier nicht umbenennen",
  "must be an http or https URL such as https://example.com/video.mp4":
    "muss eine http- oder https-URL sein, etwa https://example.com/video.mp4",
  "must be an http or https URL such as https://example.com/a-long-page":
    "muss eine http- oder https-URL sein, etwa https://example.com/a-long-page",
  "must be an http or https URL such as https://example.com/gone":
    "muss eine http- oder https-URL sein, etwa https://example.com/gone",
};
