import type { Sentences } from "../../sentences.ts";

const ruleValues: Sentences = {
  "an ISO 3166-1 country code such as DE": "ein Ländercode nach ISO 3166-1 sein, etwa DE",
  "an ISO 3166-2 code such as US-CA": "ein Code nach ISO 3166-2 sein, etwa US-CA",
  "one of AF, AN, AS, EU, NA, OC, SA": "AF, AN, AS, EU, NA, OC oder SA sein",
  "one of Desktop, Mobile, Tablet": "Desktop, Mobile oder Tablet sein",
  "the name of an operating system such as iOS": "der Name eines Betriebssystems sein, etwa iOS",
  "the name of a browser such as Firefox": "der Name eines Browsers sein, etwa Firefox",
  "a language such as de or pt-br": "eine Sprache sein, etwa de oder pt-br",
};

/** Sentences about links, tags, folders and templates. */
export const links: Sentences = {
  ...Object.fromEntries(
    Object.entries(ruleValues).map(([english, right]) => [
      `must be ${english}, or a list of these`,
      `muss ${right}, oder eine Liste solcher Werte`,
    ]),
  ),
  "Only an owner of this workspace can change the links in the folder {}":
    "Nur ein Inhaber dieses Arbeitsbereichs kann die Links im Ordner „{0}“ ändern",
  "is required, because no link has this externalId, so this request creates one":
    "muss angegeben werden: Kein Link hat diese externalId, daher erstellt diese Anfrage einen",
  "must match the one in the path, or be left out; this request creates a link with the one in the path":
    "muss mit dem Wert im Pfad übereinstimmen oder weggelassen werden; diese Anfrage erstellt einen Link mit dem Wert aus dem Pfad",
  "contradicts disabledAt; send only one of them": "widerspricht disabledAt; senden Sie nur eines von beiden",
  "leads to a host that the operator of this service has blocked":
    "führt zu einem Host, den der Betreiber dieses Dienstes gesperrt hat",
  "Only the operator of this service can block or unblock a link":
    "Nur der Betreiber dieses Dienstes kann einen Link sperren oder entsperren",
  "The destinations lead to more than {} other short links of this service, or to very large ones, too many to check for redirect loops; use fewer of them, or save fewer links at once":
    "Die Ziele führen zu mehr als {0} anderen Kurzlinks dieses Dienstes oder zu sehr großen; das sind zu viele, um nach Weiterleitungsschleifen zu suchen. Verwenden Sie weniger davon oder speichern Sie weniger Links auf einmal",
  "leads back to this link, which causes a redirect loop":
    "führt zu diesem Link zurück; das ergibt eine Weiterleitungsschleife",
  "Several of these links have the key {} on {}; each key must be unique":
    "Mehrere dieser Links haben auf {1} den Slug „{0}“; jeder Slug darf nur einmal vorkommen",
  "The root link of {} cannot be deleted; it is deleted with its domain":
    "Der Startlink von {0} kann nicht gelöscht werden; er wird zusammen mit seiner Domain gelöscht",
  "The root link of {} keeps its key and its domain": "Der Startlink von {0} behält seinen Slug und seine Domain",
  "must be a full URL, such as https://example.com/page":
    "muss eine vollständige URL sein, etwa https://example.com/page",
  'must not begin with "{}:"; use a URL such as https://example.com/page':
    "darf nicht mit „{0}:“ beginnen; verwenden Sie eine URL wie https://example.com/page",
  'must not begin with "{}:"; the operator allows {}, as in https://example.com/page':
    "darf nicht mit „{0}:“ beginnen; der Betreiber erlaubt {1}, wie in https://example.com/page",
  "must have at most {} characters including its UTM parameters":
    "darf zusammen mit den UTM-Parametern höchstens {0} Zeichen haben",
  "a link can have at most {} tags": "ein Link darf höchstens {0} Tags haben",
  "this workspace has no tag {}": "dieser Arbeitsbereich hat keinen Tag „{0}“",
  "must begin with ext_, as in ext_12345": "muss mit ext_ beginnen, wie in ext_12345",
  "Identify the link by linkId, externalId, or domain and key":
    "Geben Sie den Link mit linkId, mit externalId oder mit domain und key an",
  "the folder {} already exists in this workspace": "dieser Arbeitsbereich hat bereits einen Ordner „{0}“",
  "the tag {} already exists in this workspace": "dieser Arbeitsbereich hat bereits einen Tag „{0}“",
  "the UTM template {} already exists in this workspace": "dieser Arbeitsbereich hat bereits eine UTM-Vorlage „{0}“",
  "This workspace has {} folders, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} Ordner; mehr sind nicht möglich. Löschen Sie zuerst einen",
  "This workspace has {} tags, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} Tags; mehr sind nicht möglich. Löschen Sie zuerst einen",
  "only the creator of this view can make it private":
    "nur die Person, die diese Ansicht erstellt hat, kann sie privat machen",
  "This workspace has {} shared views, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} geteilte Ansichten; mehr sind nicht möglich. Löschen Sie zuerst eine",
  "You have {} private views in this workspace, which is the limit; delete one first":
    "Sie haben {0} private Ansichten in diesem Arbeitsbereich; mehr sind nicht möglich. Löschen Sie zuerst eine",
  "This workspace has {} UTM templates, which is the limit; delete one first":
    "Dieser Arbeitsbereich hat {0} UTM-Vorlagen; mehr sind nicht möglich. Löschen Sie zuerst eine",
  "{} is reserved, because browsers and crawlers request it from every domain":
    "„{0}“ ist reserviert, weil Browser und Crawler es von jeder Domain abrufen",
  "must not have {} as its first path segment on this domain; this service uses that path itself":
    "darf auf dieser Domain nicht mit dem Pfadabschnitt {0} beginnen; unter diesem Pfad antwortet der Dienst selbst",
  "is too long: the prefix and {} random characters must have at most {} characters":
    "ist zu lang: Das Präfix und {0} zufällige Zeichen dürfen zusammen höchstens {1} Zeichen haben",
  "must have at least one character besides slashes": "muss außer Schrägstrichen mindestens ein Zeichen haben",
  "must contain only letters, digits, hyphens, underscores, slashes, dots and emoji":
    "darf nur Buchstaben, Ziffern, Bindestriche, Unterstriche, Schrägstriche, Punkte und Emojis enthalten",
  "must not begin with an underscore": "darf nicht mit einem Unterstrich beginnen",
  "must not begin with .well-known": "darf nicht mit .well-known beginnen",
  "must not end with .php or .php7": "darf nicht mit .php oder .php7 enden",
  "must not have a path segment of dots only; browsers remove it":
    "darf keinen Pfadabschnitt haben, der nur aus Punkten besteht; Browser entfernen ihn",
  "must have {} to {} variants": "muss {0} bis {1} Varianten haben",
  "must be later than startsAt; otherwise the link is never open":
    "muss nach dem Beginn liegen; sonst wäre der Link nie aktiv",
  "must be later than testStartedAt; otherwise the test never runs":
    "muss nach dem Beginn liegen; sonst liefe der Test nie",
  "is the URL of the link itself, which causes a redirect loop":
    "ist die URL des Links selbst; das ergibt eine Weiterleitungsschleife",
  "a value of more than {} characters cannot be restored, because the history does not store it":
    "ein Wert von mehr als {0} Zeichen kann nicht wiederhergestellt werden, weil der Verlauf ihn nicht enthält",
  "The creation of a link cannot be reverted; delete the link instead":
    "Das Erstellen eines Links kann nicht zurückgenommen werden. Löschen Sie stattdessen den Link",
  "a password that was changed or removed cannot be restored, because it is not stored; set a new one":
    "ein geändertes oder entferntes Passwort kann nicht wiederhergestellt werden, weil es nicht gespeichert wird. Legen Sie ein neues fest",
  "must have 1 to {} values": "muss 1 bis {0} Werte haben",
  "must have 1 to {} parameters": "muss 1 bis {0} Parameter haben",
  "names must have 1 to {} characters, and values at most that many":
    "Namen müssen 1 bis {0} Zeichen haben, Werte höchstens ebenso viele",
  "must not have a field named __proto__": "darf kein Feld namens __proto__ enthalten",
  "must have at most {} rules": "darf höchstens {0} Regeln haben",
  "must be later than after; otherwise no visit matches":
    "muss nach dem Beginn liegen; sonst trifft die Regel auf keinen Besuch zu",
  "must have at least one condition; visitors who match no rule get the link's url":
    "muss mindestens eine Bedingung haben; Besucher, auf die keine Regel zutrifft, gelangen zum Ziel des Links",
  "cannot be combined with startingAfter": "lässt sich nicht mit startingAfter kombinieren",
  "cannot be combined with page": "lässt sich nicht mit page kombinieren",
  "works with sortBy=createdAt only": "funktioniert nur mit sortBy=createdAt",
  "works with sortOrder=desc only": "funktioniert nur mit sortOrder=desc",
  "must be the id of a link of this workspace": "muss die ID eines Links dieses Arbeitsbereichs sein",
  "no unused key was found; request a longer one": "es wurde kein freier Slug gefunden. Wählen Sie einen längeren",
  '"{}" is taken on this domain': "„{0}“ ist auf dieser Domain vergeben",
  '"{}" is reserved until {} for the workspace that used it before':
    "„{0}“ ist bis {1} für den Arbeitsbereich reserviert, der ihn zuvor verwendet hat",
  "This link was deleted, and a deletion is permanent, so its changes cannot be reverted. Create a new link instead":
    "Dieser Link wurde endgültig gelöscht; seine Änderungen können nicht zurückgenommen werden. Erstellen Sie stattdessen einen neuen Link",
  "{} belongs to another link of this workspace": "„{0}“ gehört zu einem anderen Link dieses Arbeitsbereichs",
  "******** stands for a hidden password; send the password itself":
    "******** steht für ein verborgenes Passwort; senden Sie das Passwort selbst",
  "{} links of this workspace are being purged, which is the limit; try again later":
    "Die Klicks von {0} Links dieses Arbeitsbereichs werden gerade entfernt; mehr sind nicht gleichzeitig möglich. Versuchen Sie es später noch einmal",
  "must have at least one link": "muss mindestens einen Link enthalten",
  "must have at most {} links": "darf höchstens {0} Links enthalten",
  "must have at least one link, here or in externalIds":
    "muss mindestens einen Link enthalten, hier oder in externalIds",
  "must be write or read": "muss write oder read sein",
  "is missing; it must be a key": "fehlt; erwartet wird ein Slug",
  "is missing; it must be the URL of a page": "fehlt; erwartet wird die URL einer Seite",
  "Too many pages are being read at once; try again in a few seconds":
    "Gerade werden zu viele Seiten gelesen; versuchen Sie es in einigen Sekunden noch einmal",
  "is missing; it must be the URL that the QR code contains": "fehlt; erwartet wird die URL, die der QR-Code enthält",
  "The QR code could not be drawn; try again":
    "Der QR-Code konnte nicht gezeichnet werden; versuchen Sie es noch einmal",
  "must have at most {} characters at error correction level {}":
    "darf bei der Fehlerkorrekturstufe {1} höchstens {0} Zeichen haben",
  "must be at least {} for a URL of this length, this margin and this style":
    "muss für eine URL dieser Länge, diesen Rand und diesen Stil mindestens {0} sein",
  "must not contain {}, which the font lacks":
    "darf {0} nicht enthalten: Die Schrift hat nur lateinische, griechische und kyrillische Zeichen",
  "You already have an example workspace; delete it first":
    "Sie haben bereits einen Beispiel-Arbeitsbereich. Löschen Sie ihn zuerst",
  "Too many QR codes are being drawn; try again in a few seconds":
    "Gerade werden zu viele QR-Codes gezeichnet; versuchen Sie es in einigen Sekunden noch einmal",
};
