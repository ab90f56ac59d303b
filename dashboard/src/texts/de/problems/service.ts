import type { Sentences } from "../../sentences.ts";

const things: Sentences = {
  workspace: "kein Arbeitsbereich",
  member: "kein Mitglied",
  session: "keine Sitzung",
  invite: "keine Einladung",
  domain: "keine Domain",
  tag: "kein Tag",
  folder: "kein Ordner",
  link: "kein Link",
  change: "keine Änderung",
  "API key": "kein API-Schlüssel",
  share: "keine geteilte Seite",
  user: "kein Konto",
  "UTM template": "keine UTM-Vorlage",
};

const secondTries: Sentences = {
  "showed a secret, which is shown once": "zeigte ein Geheimnis, das einmal gezeigt wird",
  "was too large to keep": "war zu groß, um aufbewahrt zu werden",
  "is not known, because the service failed or was stopped before it was kept":
    "ist nicht bekannt, weil der Dienst versagte oder angehalten wurde, bevor sie aufbewahrt war",
  "cannot be read any more": "ist nicht mehr zu lesen",
};

/** Sentences about analytics, shares and exports, and about the service and its calls. */
export const service: Sentences = {
  ...Object.fromEntries(
    Object.entries(things).map(([noun, none]) => [
      `No ${noun} was found here with that identifier`,
      `Hier wurde ${none} mit dieser Kennung gefunden`,
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(secondTries).map(([english, reason]) => [
      `Idempotency-Key: this POST was carried out at {}, and its answer ${english}. See what it made (GET /v1{}) before sending it under another key`,
      `Idempotency-Key: Dieser POST wurde am {0} ausgeführt, und seine Antwort ${reason}. Sehen Sie nach, was dabei entstand (GET /v1{1}), bevor Sie ihn unter einem anderen Schlüssel senden`,
    ]),
  ),
  "The server's disk has no room for {} clicks as {}; export a shorter time. Parquet takes the least room":
    "Die Platte des Servers hat keinen Platz für {0} Klicks als {1}; exportieren Sie eine kürzere Zeit. Parquet braucht am wenigsten Platz",
  "Too many exports are under way; a workspace may have {}, and a user too":
    "Zu viele Exporte laufen; ein Arbeitsbereich kann {0} haben, und ein Konto ebenso viele",
  "Your exports would take too much of the server's disk; take those under way first, or export a shorter time":
    "Ihre Exporte würden zu viel Platz auf dem Server belegen; laden Sie zuerst die laufenden herunter oder exportieren Sie einen kürzeren Zeitraum",
  "Exports under way take as much of the server's disk as they may; try again in a while":
    "Laufende Exporte belegen so viel Platz auf dem Server, wie sie dürfen; versuchen Sie es später noch einmal",
  "must name a value, or be left out; Unknown finds the unknown":
    "muss einen Wert nennen oder weggelassen werden; Unknown findet, was unbekannt ist",
  "must hold ISO 3166-1 codes such as DE, or Unknown; {} is none":
    "muss ISO-3166-1-Codes wie DE enthalten, oder Unknown; {0} ist keiner",
  "must hold ISO 3166-1 codes such as DE, or Unknown; for {} write {}":
    "muss ISO-3166-1-Codes wie DE enthalten, oder Unknown; schreiben Sie {1} statt {0}",
  "must be an IANA time zone such as Europe/Berlin": "muss eine IANA-Zeitzone wie Europe/Berlin sein",
  "must be an IANA time zone; the nearest is {}": "muss eine IANA-Zeitzone sein; die nächstliegende ist {0}",
  "means the same as {}; send one of the two": "bedeutet dasselbe wie {0}; senden Sie nur eines von beiden",
  "may name at most {} values": "darf höchstens {0} Werte nennen",
  "must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from {} to {}":
    "muss ein Datum wie 2026-11-20 oder ein Zeitpunkt wie 2026-11-20T09:30:00Z sein, von {0} bis {1}",
  "must lie before end, or before now when there is no end":
    "muss vor dem Ende liegen, oder in der Vergangenheit, wenn es kein Ende gibt",
  "A user may have {} live streams at a time; end one of them":
    "Ein Konto kann Live-Klicks in {0} Tabs zugleich zeigen; schließen Sie einen davon",
  "A workspace may have {} questions about clicks waiting; try again in a few seconds":
    "In einem Arbeitsbereich können {0} Fragen zu Klicks warten; versuchen Sie es in einigen Sekunden noch einmal",
  "Too many questions about clicks are waiting; try again in a few seconds":
    "Zu viele Fragen zu Klicks warten; versuchen Sie es in einigen Sekunden noch einmal",
  "A workspace may have {} live streams at a time; end one of them":
    "Ein Arbeitsbereich kann Live-Klicks in {0} Tabs zugleich zeigen; schließen Sie einen davon",
  "There are as many live streams as this service can have; try again in a while":
    "Live-Klicks werden schon in so vielen Tabs gezeigt, wie dieser Dienst zulässt; versuchen Sie es später noch einmal",
  "Too many live streams wait for their events": "Zu viele Tabs warten auf Live-Klicks",
  "The service is stopping; try again in a few seconds":
    "Der Dienst hält gerade an; versuchen Sie es in einigen Sekunden noch einmal",
  "must be the id of an event of this stream as it came; leave it out to begin with what comes now":
    "muss die Kennung eines Ereignisses dieses Stroms sein, so wie sie kam; ohne sie beginnt er mit dem, was jetzt kommt",
  "This share asks for a password, or the pass has expired. POST /v1/shared/{shareToken}/access takes the password and gives a pass, for Authorization: Bearer <pass>":
    "Diese geteilte Seite fragt nach einem Passwort, oder der Zugang ist abgelaufen. POST /v1/shared/{shareToken}/access nimmt das Passwort und gibt einen Zugang, für Authorization: Bearer <pass>",
  "this share has none, and opens without": "diese geteilte Seite hat keines und öffnet sich ohne",
  "this is not the share's": "das ist nicht das dieser geteilten Seite",
  "is not the share's": "gehört nicht zu dieser geteilten Seite",
  "can fold at most {} clicked links; ask about a shorter time or fewer links":
    "kann höchstens {0} geklickte Links zusammenfassen; fragen Sie nach einer kürzeren Zeit oder weniger Links",
  "needs domain beside it, since every domain has its own keys":
    "braucht die Domain dazu, da jede Domain ihre eigenen Kurznamen hat",
  "may stand for at most {} links; ask about fewer of them":
    "darf für höchstens {0} Links stehen; fragen Sie nach weniger",
  "must be given, or else folderId": "muss angegeben werden, oder sonst folderId",
  "must not be given beside linkId": "darf nicht zusammen mit linkId angegeben werden",
  "must be given beside end": "muss zusammen mit dem Ende angegeben werden",
  "This workspace has {} shares, the most there can be; delete one":
    "Dieser Arbeitsbereich hat {0} geteilte Seiten; mehr sind nicht möglich. Widerrufen Sie eine",
  "The export could not be written; ask for it again":
    "Der Export konnte nicht geschrieben werden; fordern Sie ihn noch einmal an",
  "The click store cannot answer at the moment. Links redirect, and new clicks wait while there is room":
    "Die Auswertung kann gerade nicht antworten. Links leiten weiter, und neue Klicks warten, solange Platz ist",
  "The click store cannot answer at the moment. Links redirect, and new clicks wait while there is room; clicks dropped since {}: {}":
    "Die Auswertung kann gerade nicht antworten. Links leiten weiter, und neue Klicks warten, solange Platz ist; verlorene Klicks seit {0}: {1}",
  "The database cannot answer at the moment; try again in a few seconds":
    "Die Datenbank kann gerade nicht antworten; versuchen Sie es in einigen Sekunden noch einmal",
  "The database cannot answer this at the moment; try again":
    "Die Datenbank kann das gerade nicht beantworten; versuchen Sie es noch einmal",
  "Something went wrong on our side. The server's log knows it by the X-Request-Id":
    "Auf unserer Seite ging etwas schief. Im Protokoll des Servers steht es unter der Nummer dieser Anfrage",
  "This path has the methods {}": "Dieser Pfad hat die Methoden {0}",
  "There is no such path in this API. See /docs": "Diesen Pfad gibt es in dieser API nicht. Siehe /docs",
  "There is no such path in this API. It has a slash too much: write it as {}":
    "Diesen Pfad gibt es in dieser API nicht. Er hat einen Schrägstrich zu viel: Schreiben Sie ihn als {0}",
  "Nothing at this path has an ETag, so If-Match cannot hold; leave it out":
    "Nichts unter diesem Pfad hat ein ETag, darum kann If-Match nicht zutreffen; lassen Sie es weg",
  "If-Match: the object does not exist": "Das Objekt gibt es nicht",
  "If-Match: the object has changed since you read it; get it again":
    "Das Objekt wurde inzwischen geändert; laden Sie es neu und entscheiden Sie noch einmal",
  "If-Match: the object has changed since you read it; get it again. A weak tag (W/) never matches; a proxy that compresses may have made yours one":
    "Das Objekt wurde inzwischen geändert; laden Sie es neu und entscheiden Sie noch einmal. Ein schwaches ETag (W/) passt nie; vielleicht hat ein Proxy, der komprimiert, Ihres dazu gemacht",
  "If-None-Match: the object exists already": "If-None-Match: Das Objekt gibt es schon",
  "If-Match: must be * or up to {} tags in double quotes as ETag gave them, with commas between":
    "If-Match: muss * sein, oder bis zu {0} ETags in Anführungszeichen, wie ETag sie gab, mit Kommas dazwischen",
  "If-None-Match: must be * or up to {} tags in double quotes as ETag gave them, with commas between":
    "If-None-Match: muss * sein, oder bis zu {0} ETags in Anführungszeichen, wie ETag sie gab, mit Kommas dazwischen",
  "Idempotency-Key: the same call is under way; ask again for its answer":
    "Dieselbe Anfrage läuft schon; fragen Sie noch einmal nach ihrer Antwort",
  "Idempotency-Key: this key came with another query or body before; use a new key for another call":
    "Idempotency-Key: Dieser Schlüssel kam schon mit einer anderen Anfrage; nehmen Sie für eine andere einen neuen",
  "Idempotency-Key: must be 1 to 255 ASCII characters without spaces, such as a UUID":
    "Idempotency-Key: muss 1 bis 255 ASCII-Zeichen ohne Leerzeichen haben, wie eine UUID",
  "Idempotency-Key: needs a workspace, and you belong to none; leave it out":
    "Idempotency-Key: braucht einen Arbeitsbereich, und Sie gehören zu keinem; lassen Sie ihn weg",
  "The body is missing; send a JSON object, such as {}":
    "Der Inhalt der Anfrage fehlt; senden Sie ein JSON-Objekt, etwa {0}",
  "The body is not valid UTF-8 JSON": "Der Inhalt der Anfrage ist kein gültiges JSON in UTF-8",
  "Send the body as JSON in UTF-8, with the header Content-Type: application/json":
    "Senden Sie den Inhalt als JSON in UTF-8, mit der Kopfzeile Content-Type: application/json",
  "Send the body as it is, without Content-Encoding": "Senden Sie den Inhalt, wie er ist, ohne Content-Encoding",
  "One link may have at most {} bytes": "Ein Link darf höchstens {0} Byte haben",
  "One link may hold at most {} values": "Ein Link darf höchstens {0} Werte enthalten",
  "These links have {} bytes, more than can be changed at once: name fewer":
    "Diese Links haben {0} Byte, mehr als auf einmal geändert werden können: Nennen Sie weniger",
  "The body may have at most {} bytes": "Der Inhalt der Anfrage darf höchstens {0} Byte haben",
  "Changes of this length can be made to at most {} links at once":
    "Änderungen dieser Länge sind an höchstens {0} Links auf einmal möglich",
  "The body may hold at most {} values": "Der Inhalt der Anfrage darf höchstens {0} Werte enthalten",
  "The client has disconnected": "Die Verbindung wurde getrennt",
  "The body ended before its end": "Der Inhalt der Anfrage brach vor seinem Ende ab",
  "The query may have at most {} parameters": "Die Abfrage darf höchstens {0} Parameter haben",
  "values may be nested at most {} deep": "Werte dürfen höchstens {0} Ebenen tief verschachtelt sein",
  "text may not hold NUL characters or half a surrogate pair":
    "Text darf keine NUL-Zeichen und keine halben Surrogatpaare enthalten",
  "only pages of the dashboard may do this, and those come from {}. Programs call the API with a key. Is the dashboard reached at another address, set WAYPOST_URL to it":
    "das dürfen nur Seiten dieser Oberfläche, und die kommen von {0}. Programme rufen die API mit einem Schlüssel auf. Ist die Oberfläche unter einer anderen Adresse zu erreichen, setzen Sie WAYPOST_URL darauf",
};
