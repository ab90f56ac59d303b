import type { Sentences } from "../../sentences.ts";

const objects: Sentences = {
  workspace: "kein Arbeitsbereich",
  member: "kein Mitglied",
  session: "keine Sitzung",
  identity: "kein verbundener Anbieter",
  passkey: "kein Passkey",
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
  "contained a secret, which is shown only once": "enthielt ein Geheimnis, das nur einmal angezeigt wird",
  "was too large to store": "war zu groß, um gespeichert zu werden",
  "is unknown, because the service failed or was stopped before it was stored":
    "ist unbekannt, weil der Dienst ausfiel oder gestoppt wurde, bevor sie gespeichert war",
  "can no longer be read": "kann nicht mehr gelesen werden",
};

/** Sentences about analytics, shares and exports, and about the service and its calls. */
export const service: Sentences = {
  ...Object.fromEntries(
    Object.entries(objects).map(([noun, none]) => [
      `No ${noun} was found here with that identifier`,
      `Hier wurde ${none} mit dieser ID gefunden`,
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(secondTries).map(([english, reason]) => [
      `Idempotency-Key: this POST ran at {}, and its response ${english}. Check what it created (GET /v1{}) before you send it with another key`,
      `Idempotency-Key: Dieser POST wurde am {0} ausgeführt, und seine Antwort ${reason}. Prüfen Sie, was dabei erstellt wurde (GET /v1{1}), bevor Sie ihn mit einem anderen Schlüssel senden`,
    ]),
  ),
  "The server's disk has no space for {} clicks as {}; export a shorter interval. Parquet needs the least space":
    "Der Datenträger des Servers hat keinen Platz für {0} Klicks als {1}. Exportieren Sie einen kürzeren Zeitraum. Parquet braucht am wenigsten Platz",
  "Too many exports are running; the limit is {} per workspace and per user":
    "Es laufen zu viele Exporte; möglich sind {0} pro Arbeitsbereich und pro Konto",
  "The server is busy with other exports; try again in a few seconds":
    "Der Server ist mit anderen Exporten beschäftigt; versuchen Sie es in einigen Sekunden noch einmal",
  "Your other export is still being written; try again in a few seconds":
    "Ihr anderer Export wird noch geschrieben; versuchen Sie es in einigen Sekunden noch einmal",
  "Your exports would use too much of the server's disk; finish downloading the others first, or export a shorter interval":
    "Ihre Exporte würden zu viel Platz auf dem Server belegen; laden Sie zuerst die laufenden herunter oder exportieren Sie einen kürzeren Zeitraum",
  "Running exports use all the disk space that exports may use; try again later":
    "Die laufenden Exporte belegen den gesamten Speicherplatz, der für Exporte vorgesehen ist; versuchen Sie es später noch einmal",
  "must have a value, or be left out; Unknown matches clicks without a value":
    "muss einen Wert haben oder weggelassen werden; Unknown findet Klicks ohne Wert",
  "must be ISO 3166-1 codes such as DE, or Unknown; {} is not one":
    "muss ISO-3166-1-Codes wie DE enthalten, oder Unknown; {0} ist keiner",
  "must be ISO 3166-1 codes such as DE, or Unknown; for {}, use {}":
    "muss ISO-3166-1-Codes wie DE enthalten, oder Unknown; verwenden Sie {1} statt {0}",
  "must divide the period into at most {} buckets; choose a longer unit":
    "muss den Zeitraum in höchstens {0} Abschnitte teilen; wählen Sie eine längere Einheit",
  "requires compare=custom": "erfordert compare=custom",
  "is required with compare=custom": "ist mit compare=custom erforderlich",
  "must be before compareEnd": "muss vor compareEnd liegen",
  "must be {}; {} is not one": "muss einer dieser Werte sein: {0}; {1} gehört nicht dazu",
  "must be an IANA time zone such as Europe/Berlin": "muss eine IANA-Zeitzone wie Europe/Berlin sein",
  "must be an IANA time zone; the nearest is {}": "muss eine IANA-Zeitzone sein; die nächstliegende ist {0}",
  "means the same as {}; send only one of them": "bedeutet dasselbe wie {0}; senden Sie nur eines von beiden",
  "must be a date such as 2026-11-20 or a date-time such as 2026-11-20T09:30:00Z, from {} to {}":
    "muss ein Datum wie 2026-11-20 oder ein Zeitpunkt wie 2026-11-20T09:30:00Z sein, von {0} bis {1}",
  "must be before end, or before now if there is no end": "muss vor end liegen, ohne end in der Vergangenheit",
  "A user can have {} live streams at a time; close one of them":
    "Ein Konto kann Live-Klicks in {0} Tabs gleichzeitig anzeigen. Schließen Sie einen davon",
  "A workspace can have {} analytics requests waiting; try again in a few seconds":
    "In einem Arbeitsbereich können {0} Anfragen an die Auswertung warten; versuchen Sie es in einigen Sekunden noch einmal",
  "Too many analytics requests are waiting; try again in a few seconds":
    "Zu viele Anfragen an die Auswertung warten; versuchen Sie es in einigen Sekunden noch einmal",
  "A workspace can have {} lists and counts of links waiting; try again in a few seconds":
    "In einem Arbeitsbereich können {0} Listen und Zählungen von Links warten; versuchen Sie es in einigen Sekunden noch einmal",
  "Too many lists and counts of links are waiting; try again in a few seconds":
    "Zu viele Listen und Zählungen von Links warten; versuchen Sie es in einigen Sekunden noch einmal",
  "A workspace can have {} live streams at a time; close one of them":
    "Ein Arbeitsbereich kann Live-Klicks in {0} Tabs gleichzeitig anzeigen. Schließen Sie einen davon",
  "This service has reached its limit of live streams; try again later":
    "Live-Klicks sind bereits in so vielen Tabs geöffnet, wie dieser Dienst zulässt; versuchen Sie es später noch einmal",
  "Too many live streams are waiting for their events; try again in a few seconds":
    "Zu viele Tabs warten auf Live-Klicks; versuchen Sie es in einigen Sekunden noch einmal",
  "The service is stopping; try again in a few seconds":
    "Der Dienst wird gerade beendet; versuchen Sie es in einigen Sekunden noch einmal",
  "must be an unchanged id of an event of this stream; leave it out to begin with the next click":
    "muss die unveränderte ID eines Ereignisses dieses Streams sein; ohne die Angabe beginnt er mit dem nächsten Klick",
  "This share requires a password, or your pass has expired. POST /v1/shared/{shareToken}/access exchanges the password for a pass; send it as Authorization: Bearer <pass>":
    "Diese geteilte Seite erfordert ein Passwort, oder Ihr Zugang ist abgelaufen. POST /v1/shared/{shareToken}/access tauscht das Passwort gegen einen Zugang; senden Sie ihn als Authorization: Bearer <pass>",
  "this share has no password and opens without one":
    "diese geteilte Seite hat kein Passwort und lässt sich ohne öffnen",
  "is not the password of this share": "das ist nicht das Passwort dieser geteilten Seite",
  "is not the id of an entry of this audit log": "das ist nicht die ID eines Eintrags dieses Protokolls",
  "can group at most {} links with clicks; choose a shorter interval or fewer links":
    "kann höchstens {0} Links mit Klicks gruppieren; wählen Sie einen kürzeren Zeitraum oder weniger Links",
  "requires domain, because each domain has its own keys": "erfordert domain, weil jede Domain ihre eigenen Slugs hat",
  "must match at most {} links; choose fewer of them": "darf auf höchstens {0} Links zutreffen; wählen Sie weniger",
  "must match at most {} links together with the other filters; choose fewer of them":
    "darf zusammen mit den anderen Filtern auf höchstens {0} Links zutreffen; wählen Sie weniger",
  "is required, unless folderId is given": "ist erforderlich, wenn folderId fehlt",
  "cannot be combined with folderId": "lässt sich nicht mit folderId kombinieren",
  "cannot be combined with the kind failingDomain": "lässt sich nicht mit der Art failingDomain kombinieren",
  "you already have this notification": "diese Benachrichtigung haben Sie bereits",
  "You have {} notifications in this workspace, which is the limit; delete one first":
    "Sie haben in diesem Arbeitsbereich {0} Benachrichtigungen; mehr sind nicht möglich. Löschen Sie zuerst eine",
  "cannot be combined with linkId": "lässt sich nicht mit linkId kombinieren",
  "is required if end is given": "ist erforderlich, wenn end angegeben ist",
  "This workspace has {} shares, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} Freigabelinks; mehr sind nicht möglich. Widerrufen Sie zuerst einen",
  "The export could not be written; request it again":
    "Der Export konnte nicht geschrieben werden; fordern Sie ihn noch einmal an",
  "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit":
    "Die Auswertung ist gerade nicht verfügbar. Links leiten weiter, und neue Klicks warten auf dem Datenträger, solange Platz ist",
  "The click store cannot answer at the moment. Links still redirect, and new clicks wait on disk, up to a limit; clicks dropped since {}: {}":
    "Die Auswertung ist gerade nicht verfügbar. Links leiten weiter, und neue Klicks warten auf dem Datenträger, solange Platz ist; verlorene Klicks seit {0}: {1}",
  "The answer needs more memory than the click store may use; choose a shorter interval, add a filter, or group by something with fewer different values":
    "Die Auswertung braucht mehr Arbeitsspeicher, als ihr zusteht; wählen Sie einen kürzeren Zeitraum, filtern Sie, oder gruppieren Sie nach etwas mit weniger verschiedenen Werten",
  "The database cannot answer at the moment; try again in a few seconds":
    "Die Datenbank antwortet gerade nicht; versuchen Sie es in einigen Sekunden noch einmal",
  "The data was moved to another database. Nothing can be changed until the operator restarts the service":
    "Die Daten sind in eine andere Datenbank umgezogen. Änderungen sind erst möglich, wenn der Betreiber den Dienst neu startet",
  "The database cannot answer this at the moment; try again":
    "Die Datenbank kann das gerade nicht beantworten; versuchen Sie es noch einmal",
  "The service failed unexpectedly. The server's log has the error, under the X-Request-Id":
    "Im Dienst ist ein unerwarteter Fehler aufgetreten. Er steht im Protokoll des Servers unter der X-Request-Id",
  "This path supports the methods {}": "Dieser Pfad unterstützt die Methoden {0}",
  "There is no such path in this API. See /docs": "Diesen Pfad gibt es in dieser API nicht. Siehe /docs",
  "There is no such path in this API. It has an extra slash; use {}":
    "Diesen Pfad gibt es in dieser API nicht. Er hat einen Schrägstrich zu viel; verwenden Sie {0}",
  "This path has no ETag, so If-Match can never match; leave it out":
    "Dieser Pfad hat kein ETag, daher kann If-Match nie zutreffen; lassen Sie es weg",
  "If-Match: the object does not exist": "Das Objekt existiert nicht",
  "If-Match: the object has changed since you read it; get it again":
    "Das Objekt wurde inzwischen geändert; rufen Sie es neu ab",
  "If-Match: the object has changed since you read it; get it again. A weak tag (W/) never matches; a compressing proxy may have made yours weak":
    "Das Objekt wurde inzwischen geändert; rufen Sie es neu ab. Ein schwaches ETag (W/) trifft nie zu; möglicherweise hat ein komprimierender Proxy Ihres abgeschwächt",
  "If-None-Match: the object already exists": "If-None-Match: Das Objekt existiert bereits",
  "If-Match: must be * or up to {} entity tags in double quotes, separated by commas":
    "If-Match: muss * sein oder aus bis zu {0} ETags in doppelten Anführungszeichen bestehen, durch Kommas getrennt",
  "If-None-Match: must be * or up to {} entity tags in double quotes, separated by commas":
    "If-None-Match: muss * sein oder aus bis zu {0} ETags in doppelten Anführungszeichen bestehen, durch Kommas getrennt",
  "Idempotency-Key: a request with this key is still running; send it again later to get its response":
    "Eine Anfrage mit diesem Schlüssel läuft noch; senden Sie sie später erneut, um ihre Antwort zu erhalten",
  "Idempotency-Key: this key was sent before with another query or body; use a new key for each request":
    "Idempotency-Key: Dieser Schlüssel wurde bereits mit anderer Query oder anderem Body gesendet; verwenden Sie für jede Anfrage einen neuen",
  "Idempotency-Key: must be 1 to 255 ASCII characters without spaces, such as a UUID":
    "Idempotency-Key: muss 1 bis 255 ASCII-Zeichen ohne Leerzeichen haben, etwa eine UUID",
  "Idempotency-Key: requires a workspace, and you belong to none; leave it out":
    "Idempotency-Key: erfordert einen Arbeitsbereich, und Sie gehören zu keinem; lassen Sie ihn weg",
  "The body is missing; send a JSON object, such as {}":
    "Der Body der Anfrage fehlt; senden Sie ein JSON-Objekt, etwa {0}",
  "The body is not valid UTF-8 JSON": "Der Body der Anfrage ist kein gültiges JSON in UTF-8",
  "Send the body as JSON in UTF-8, with the header Content-Type: application/json":
    "Senden Sie den Body als JSON in UTF-8 mit dem Header Content-Type: application/json",
  "Send the body as it is, without Content-Encoding": "Senden Sie den Body unverändert, ohne Content-Encoding",
  "Each link must have at most {} bytes": "Ein Link darf höchstens {0} Byte haben",
  "Each link must have at most {} values": "Ein Link darf höchstens {0} Werte enthalten",
  "These links have {} bytes, too many to change at once; list fewer links":
    "Diese Links haben {0} Byte, zu viele, um sie auf einmal zu ändern; wählen Sie weniger Links",
  "The body must have at most {} bytes": "Der Body der Anfrage darf höchstens {0} Byte haben",
  "The form must have at most {} bytes": "Das Formular darf höchstens {0} Byte haben",
  "The link has changed since; get it again": "Der Link wurde inzwischen geändert; rufen Sie ihn neu ab",
  "These changes have {} bytes, too many to undo at once; list fewer links":
    "Diese Änderungen haben {0} Byte, zu viele, um sie auf einmal rückgängig zu machen; wählen Sie weniger Links",
  "Changes of this size can be made to at most {} links at once":
    "Änderungen dieser Größe sind an höchstens {0} Links auf einmal möglich",
  "The body must have at most {} values": "Der Body der Anfrage darf höchstens {0} Werte enthalten",
  "The client has disconnected": "Der Client hat die Verbindung getrennt",
  "The body ended early": "Der Body der Anfrage brach vorzeitig ab",
  "The query must have at most {} parameters": "Die Query darf höchstens {0} Parameter haben",
  "values must be nested at most {} levels deep": "Werte dürfen höchstens {0} Ebenen tief verschachtelt sein",
  "text must not contain NUL characters or unpaired surrogates":
    "Text darf keine NUL-Zeichen und keine unvollständigen Surrogatpaare enthalten",
  "only pages of the dashboard can do this, and they come from {}. Programs call the API with an API key. If you open the dashboard at another URL, set WAYPOST_URL to it":
    "das können nur Seiten des Dashboards, und diese kommen von {0}. Programme verwenden die API mit einem API-Schlüssel. Wenn Sie das Dashboard unter einer anderen URL öffnen, setzen Sie WAYPOST_URL darauf",
};
