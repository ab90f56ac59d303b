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
  "saved view": "keine gespeicherte Ansicht",
  notification: "keine Benachrichtigung",
  "UTM template": "keine UTM-Vorlage",
};

const secondTries: Sentences = {
  "contained a secret, which is shown only once": "zeigte ein Geheimnis, das einmal gezeigt wird",
  "was too large to store": "war zu groß, um aufbewahrt zu werden",
  "is unknown, because the service failed or was stopped before it was stored":
    "ist nicht bekannt, weil der Dienst versagte oder angehalten wurde, bevor sie aufbewahrt war",
  "can no longer be read": "ist nicht mehr zu lesen",
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
      `Idempotency-Key: this POST ran at {}, and its response ${english}. Check what it created (GET /v1{}) before you send it with another key`,
      `Idempotency-Key: Dieser POST wurde am {0} ausgeführt, und seine Antwort ${reason}. Sehen Sie nach, was dabei entstand (GET /v1{1}), bevor Sie ihn unter einem anderen Schlüssel senden`,
    ]),
  ),
  "The server's disk has no space for {} clicks as {}; export a shorter interval. Parquet needs the least space":
    "Die Platte des Servers hat keinen Platz für {0} Klicks als {1}; exportieren Sie eine kürzere Zeit. Parquet braucht am wenigsten Platz",
  "Too many exports are running; a workspace can have {}, and a user as many":
    "Zu viele Exporte laufen; ein Arbeitsbereich kann {0} haben, und ein Konto ebenso viele",
  "Your other export is still being written; try again in a few seconds":
    "Ihr anderer Export wird noch geschrieben; versuchen Sie es in ein paar Sekunden noch einmal",
  "Your exports would use too much of the server's disk; finish downloading the others first, or export a shorter interval":
    "Ihre Exporte würden zu viel Platz auf dem Server belegen; laden Sie zuerst die laufenden herunter oder exportieren Sie einen kürzeren Zeitraum",
  "Running exports use all the disk space that exports may use; try again later":
    "Laufende Exporte belegen so viel Platz auf dem Server, wie sie dürfen; versuchen Sie es später noch einmal",
  "must have a value, or be left out; Unknown matches clicks without a value":
    "muss einen Wert nennen oder weggelassen werden; Unknown findet, was unbekannt ist",
  "must be ISO 3166-1 codes such as DE, or Unknown; {} is not one":
    "muss ISO-3166-1-Codes wie DE enthalten, oder Unknown; {0} ist keiner",
  "must be ISO 3166-1 codes such as DE, or Unknown; for {}, use {}":
    "muss ISO-3166-1-Codes wie DE enthalten, oder Unknown; schreiben Sie {1} statt {0}",
  "must divide the period into at most {} buckets; choose a longer unit":
    "muss den Zeitraum in höchstens {0} Abschnitte teilen; wählen Sie eine längere Einheit",
  "needs compare=custom": "braucht compare=custom",
  "is required with compare=custom": "ist mit compare=custom erforderlich",
  "must be before compareEnd": "muss vor compareEnd liegen",
  "must be {}; {} is not one": "muss einer dieser Werte sein: {0}; {1} gehört nicht dazu",
  "must be an IANA time zone such as Europe/Berlin": "muss eine IANA-Zeitzone wie Europe/Berlin sein",
  "must be an IANA time zone; the nearest is {}": "muss eine IANA-Zeitzone sein; die nächstliegende ist {0}",
  "means the same as {}; send only one of them": "bedeutet dasselbe wie {0}; senden Sie nur eines von beiden",
  "must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from {} to {}":
    "muss ein Datum wie 2026-11-20 oder ein Zeitpunkt wie 2026-11-20T09:30:00Z sein, von {0} bis {1}",
  "must be before end, or before now if there is no end":
    "muss vor dem Ende liegen, oder in der Vergangenheit, wenn es kein Ende gibt",
  "A user can have {} live streams at a time; close one of them":
    "Ein Konto kann Live-Klicks in {0} Tabs zugleich zeigen; schließen Sie einen davon",
  "A workspace can have {} analytics requests waiting; try again in a few seconds":
    "In einem Arbeitsbereich können {0} Fragen zu Klicks warten; versuchen Sie es in einigen Sekunden noch einmal",
  "Too many analytics requests are waiting; try again in a few seconds":
    "Zu viele Fragen zu Klicks warten; versuchen Sie es in einigen Sekunden noch einmal",
  "A workspace can have {} live streams at a time; close one of them":
    "Ein Arbeitsbereich kann Live-Klicks in {0} Tabs zugleich zeigen; schließen Sie einen davon",
  "This service has as many live streams as it allows; try again later":
    "Live-Klicks werden schon in so vielen Tabs gezeigt, wie dieser Dienst zulässt; versuchen Sie es später noch einmal",
  "Too many live streams are waiting for their events; try again in a few seconds":
    "Zu viele Tabs warten auf Live-Klicks; versuchen Sie es in einigen Sekunden noch einmal",
  "The service is stopping; try again in a few seconds":
    "Der Dienst hält gerade an; versuchen Sie es in einigen Sekunden noch einmal",
  "must be an unchanged id of an event of this stream; leave it out to begin with the next click":
    "muss die Kennung eines Ereignisses dieses Stroms sein, so wie sie kam; ohne sie beginnt er mit dem, was jetzt kommt",
  "This share requires a password, or your pass has expired. POST /v1/shared/{shareToken}/access exchanges the password for a pass; send it as Authorization: Bearer <pass>":
    "Diese geteilte Seite fragt nach einem Passwort, oder der Zugang ist abgelaufen. POST /v1/shared/{shareToken}/access nimmt das Passwort und gibt einen Zugang, für Authorization: Bearer <pass>",
  "this share has no password and opens without one": "diese geteilte Seite hat keines und öffnet sich ohne",
  "is not the password of this share": "das ist nicht das dieser geteilten Seite",
  "can group at most {} links with clicks; choose a shorter interval or fewer links":
    "kann höchstens {0} geklickte Links zusammenfassen; fragen Sie nach einer kürzeren Zeit oder weniger Links",
  "requires domain, because each domain has its own keys":
    "braucht die Domain dazu, da jede Domain ihre eigenen Slugs hat",
  "must match at most {} links; choose fewer of them": "darf für höchstens {0} Links stehen; fragen Sie nach weniger",
  "is required, unless folderId is given": "muss angegeben werden, oder sonst folderId",
  "cannot be combined with folderId": "darf nicht zusammen mit folderId angegeben werden",
  "cannot be combined with the kind failingDomain": "darf nicht zusammen mit der Art failingDomain angegeben werden",
  "you already have this notification": "diese Benachrichtigung haben Sie schon",
  "You have {} notifications in this workspace, which is the limit; delete one first":
    "Sie haben in diesem Arbeitsbereich {0} Benachrichtigungen; mehr sind nicht möglich. Löschen Sie zuerst eine",
  "cannot be combined with linkId": "darf nicht zusammen mit linkId angegeben werden",
  "is required if end is given": "muss zusammen mit dem Ende angegeben werden",
  "This workspace has {} shares, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} geteilte Seiten; mehr sind nicht möglich. Widerrufen Sie eine",
  "The export could not be written; request it again":
    "Der Export konnte nicht geschrieben werden; fordern Sie ihn noch einmal an",
  "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit":
    "Die Auswertung kann gerade nicht antworten. Links leiten weiter, und neue Klicks warten, solange Platz ist",
  "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit; clicks dropped since {}: {}":
    "Die Auswertung kann gerade nicht antworten. Links leiten weiter, und neue Klicks warten, solange Platz ist; verlorene Klicks seit {0}: {1}",
  "The database cannot answer at the moment; try again in a few seconds":
    "Die Datenbank kann gerade nicht antworten; versuchen Sie es in einigen Sekunden noch einmal",
  "The database cannot answer this at the moment; try again":
    "Die Datenbank kann das gerade nicht beantworten; versuchen Sie es noch einmal",
  "The service failed unexpectedly. The server's log has the error, under the X-Request-Id":
    "Der Dienst hat unerwartet versagt. Das Protokoll des Servers enthält den Fehler unter der Nummer dieser Anfrage",
  "This path supports the methods {}": "Dieser Pfad hat die Methoden {0}",
  "There is no such path in this API. See /docs": "Diesen Pfad gibt es in dieser API nicht. Siehe /docs",
  "There is no such path in this API. It has an extra slash; use {}":
    "Diesen Pfad gibt es in dieser API nicht. Er hat einen Schrägstrich zu viel: Schreiben Sie ihn als {0}",
  "This path has no ETag, so If-Match can never match; leave it out":
    "Nichts unter diesem Pfad hat ein ETag, darum kann If-Match nicht zutreffen; lassen Sie es weg",
  "If-Match: the object does not exist": "Das Objekt gibt es nicht",
  "If-Match: the object has changed since you read it; get it again":
    "Das Objekt wurde inzwischen geändert; laden Sie es neu und entscheiden Sie noch einmal",
  "If-Match: the object has changed since you read it; get it again. A weak tag (W/) never matches; a compressing proxy may have made yours weak":
    "Das Objekt wurde inzwischen geändert; laden Sie es neu und entscheiden Sie noch einmal. Ein schwaches ETag (W/) passt nie; vielleicht hat ein Proxy, der komprimiert, Ihres dazu gemacht",
  "If-None-Match: the object already exists": "If-None-Match: Das Objekt gibt es schon",
  "If-Match: must be * or up to {} entity tags in double quotes, separated by commas":
    "If-Match: muss * sein, oder bis zu {0} ETags in Anführungszeichen, wie ETag sie gab, mit Kommas dazwischen",
  "If-None-Match: must be * or up to {} entity tags in double quotes, separated by commas":
    "If-None-Match: muss * sein, oder bis zu {0} ETags in Anführungszeichen, wie ETag sie gab, mit Kommas dazwischen",
  "Idempotency-Key: a request with this key is still running; send it again later to get its response":
    "Dieselbe Anfrage läuft schon; fragen Sie noch einmal nach ihrer Antwort",
  "Idempotency-Key: this key was sent before with another query or body; use a new key for each request":
    "Idempotency-Key: Dieser Schlüssel kam schon mit einer anderen Anfrage; nehmen Sie für eine andere einen neuen",
  "Idempotency-Key: must be 1 to 255 ASCII characters without spaces, such as a UUID":
    "Idempotency-Key: muss 1 bis 255 ASCII-Zeichen ohne Leerzeichen haben, wie eine UUID",
  "Idempotency-Key: requires a workspace, and you belong to none; leave it out":
    "Idempotency-Key: braucht einen Arbeitsbereich, und Sie gehören zu keinem; lassen Sie ihn weg",
  "The body is missing; send a JSON object, such as {}":
    "Der Inhalt der Anfrage fehlt; senden Sie ein JSON-Objekt, etwa {0}",
  "The body is not valid UTF-8 JSON": "Der Inhalt der Anfrage ist kein gültiges JSON in UTF-8",
  "Send the body as JSON in UTF-8, with the header Content-Type: application/json":
    "Senden Sie den Inhalt als JSON in UTF-8, mit der Kopfzeile Content-Type: application/json",
  "Send the body as it is, without Content-Encoding": "Senden Sie den Inhalt, wie er ist, ohne Content-Encoding",
  "Each link must have at most {} bytes": "Ein Link darf höchstens {0} Byte haben",
  "Each link must have at most {} values": "Ein Link darf höchstens {0} Werte enthalten",
  "These links have {} bytes, too many to change at once; list fewer links":
    "Diese Links haben {0} Byte, mehr als auf einmal geändert werden können: Nennen Sie weniger",
  "The body must have at most {} bytes": "Der Inhalt der Anfrage darf höchstens {0} Byte haben",
  "The form must have at most {} bytes": "Das Formular darf höchstens {0} Byte haben",
  "The link has changed since; get it again": "Der Link wurde inzwischen geändert; laden Sie ihn neu",
  "These changes have {} bytes, too many to undo at once; list fewer links":
    "Diese Änderungen haben {0} Bytes, zu viele, um sie auf einmal rückgängig zu machen; wählen Sie weniger Links",
  "Changes of this size can be made to at most {} links at once":
    "Änderungen dieser Länge sind an höchstens {0} Links auf einmal möglich",
  "The body must have at most {} values": "Der Inhalt der Anfrage darf höchstens {0} Werte enthalten",
  "The client has disconnected": "Die Verbindung wurde getrennt",
  "The body ended before its end": "Der Inhalt der Anfrage brach vor seinem Ende ab",
  "The query must have at most {} parameters": "Die Abfrage darf höchstens {0} Parameter haben",
  "values must be nested at most {} levels deep": "Werte dürfen höchstens {0} Ebenen tief verschachtelt sein",
  "text must not contain NUL characters or unpaired surrogates":
    "Text darf keine NUL-Zeichen und keine halben Surrogatpaare enthalten",
  "only pages of the dashboard can do this, and they come from {}. Programs call the API with an API key. If you open the dashboard at another URL, set WAYPOST_URL to it":
    "das dürfen nur Seiten dieser Oberfläche, und die kommen von {0}. Programme rufen die API mit einem Schlüssel auf. Ist die Oberfläche unter einer anderen Adresse zu erreichen, setzen Sie WAYPOST_URL darauf",
};
