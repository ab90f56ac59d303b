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
      `must be ${english}, or a list of such`,
      `muss ${right}, oder eine Liste solcher Werte`,
    ]),
  ),
  "Only an owner of this workspace can change the links in the folder {}":
    "Nur ein Eigentümer dieses Arbeitsbereichs kann die Links im Ordner „{0}“ ändern",
  "is required, because no link has this externalId and this call would create one":
    "muss angegeben werden: Kein Link hat diese externe Kennung, also wird einer angelegt",
  "must be the one in the path, or left out: no link has that one, so it is made":
    "muss die aus dem Pfad sein oder fehlen: Kein Link hat jene, also wird er angelegt",
  "contradicts disabledAt; send one of them": "widerspricht disabledAt; senden Sie nur eines von beiden",
  "leads to a host that the operator of this service has blocked":
    "führt zu einem Host, den der Betreiber dieses Dienstes gesperrt hat",
  "Only the operator of this service can block or unblock a link":
    "Nur der Betreiber dieses Dienstes kann einen Link sperren oder entsperren",
  "The targets lead on to more than {} short links of this service, or to very large ones, too many to look for circles among them: lead to fewer, or save fewer links at once":
    "Die Ziele führen zu mehr als {0} Kurzlinks dieses Dienstes oder zu sehr großen weiter, zu viele, um unter ihnen nach Kreisen zu suchen: Nennen Sie weniger, oder speichern Sie weniger Links auf einmal",
  "leads back to this link, so that visitors would go round in circles":
    "führt zu diesem Link zurück, sodass Besucher im Kreis liefen",
  "Two of the links have the key {} on {}; send each once":
    "Zwei der Links haben auf {1} den Kurznamen „{0}“; senden Sie jeden einmal",
  "The root link of {} cannot be deleted; it goes with its domain":
    "Der Startlink von {0} kann nicht gelöscht werden; er geht mit seiner Domain",
  "The root link of {} keeps its key and its domain": "Der Startlink von {0} behält seinen Kurznamen und seine Domain",
  "must be a URL such as https://example.com/page": "muss eine Adresse wie https://example.com/page sein",
  "has neither a scheme nor a dot; it must be a URL such as https://example.com/page":
    "hat weder ein Schema noch einen Punkt; nötig ist eine Adresse wie https://example.com/page",
  "must not begin with {}:; use a URL such as https://example.com/page":
    "darf nicht mit {0}: beginnen; nehmen Sie eine Adresse wie https://example.com/page",
  "must not begin with {}:; the operator allows {}, as in https://example.com/page":
    "darf nicht mit {0}: beginnen; der Betreiber erlaubt {1}, wie in https://example.com/page",
  "may have at most {} characters together with its utm parameters":
    "darf zusammen mit den UTM-Parametern höchstens {0} Zeichen haben",
  "a link may have at most {} tags": "ein Link darf höchstens {0} Tags haben",
  "this workspace has no tag {}": "dieser Arbeitsbereich hat keinen Tag „{0}“",
  "must begin with ext_, as in ext_12345": "muss mit ext_ beginnen, wie in ext_12345",
  "Name a link by linkId, by externalId, or by domain and key":
    "Benennen Sie einen Link durch linkId, durch externalId oder durch domain und key",
  "this workspace has a folder {} already": "dieser Arbeitsbereich hat schon einen Ordner „{0}“",
  "this workspace has a tag {} already": "dieser Arbeitsbereich hat schon einen Tag „{0}“",
  "this workspace has a UTM template {} already": "dieser Arbeitsbereich hat schon eine UTM-Vorlage „{0}“",
  "This workspace has {} folders, the most there can be":
    "Dieser Arbeitsbereich hat {0} Ordner; mehr sind nicht möglich",
  "This workspace has {} tags, the most there can be": "Dieser Arbeitsbereich hat {0} Tags; mehr sind nicht möglich",
  "This workspace has {} UTM templates, the most there can be":
    "Dieser Arbeitsbereich hat {0} UTM-Vorlagen; mehr sind nicht möglich",
  "{} is kept free, because browsers and crawlers ask every domain for it":
    "„{0}“ bleibt frei, weil Browser und Suchmaschinen jede Domain danach fragen",
  "its first path segment must not be {} here; this instance serves that path itself":
    "der erste Teil des Pfades darf hier nicht {0} sein; unter diesem Pfad antwortet der Dienst selbst",
  "leaves no room for a key of {} in {} characters": "lässt keinen Platz für einen Kurznamen von {0} in {1} Zeichen",
  "must have at least one character besides slashes": "muss außer Schrägstrichen mindestens ein Zeichen haben",
  "may hold letters, digits, hyphens, underscores, slashes, dots and emoji only":
    "darf nur Buchstaben, Ziffern, Bindestriche, Unterstriche, Schrägstriche, Punkte und Emojis enthalten",
  "must not begin with an underscore": "darf nicht mit einem Unterstrich beginnen",
  "must not begin with .well-known": "darf nicht mit .well-known beginnen",
  "must not end with .php or .php7": "darf nicht mit .php oder .php7 enden",
  "must have no segment of dots alone; browsers resolve it away":
    "darf keinen Abschnitt nur aus Punkten haben; Browser lösen ihn auf",
  "must be from {} to {} variants": "müssen {0} bis {1} Varianten sein",
  "must be later than the start (startsAt); the link would never be open":
    "muss nach dem Beginn liegen; sonst wäre der Link nie offen",
  "must be later than the start (testStartedAt); the test would never run":
    "muss nach dem Beginn liegen; sonst liefe der Test nie",
  "is the link's own address, which would send visitors in circles":
    "ist die Adresse des Links selbst, sodass Besucher im Kreis liefen",
  "one of more than {} characters cannot be restored, because it is not kept":
    "eines von mehr als {0} Zeichen kann nicht wiederhergestellt werden, weil es nicht aufbewahrt wird",
  "The creation of a link cannot be reverted; delete the link instead":
    "Das Anlegen eines Links kann nicht zurückgenommen werden; löschen Sie stattdessen den Link",
  "a password that was changed or cleared cannot be restored, because it is not kept; set a new one":
    "ein geändertes oder entferntes Passwort kann nicht wiederhergestellt werden, weil es nicht aufbewahrt wird; setzen Sie ein neues",
  "must list from 1 to {} values": "muss 1 bis {0} Werte nennen",
  "must name from 1 to {} parameters": "muss 1 bis {0} Parameter nennen",
  "names and values may have at most {} characters, and names not none":
    "Namen und Werte dürfen höchstens {0} Zeichen haben, und Namen nicht leer sein",
  "may have at most {} rules": "darf höchstens {0} Regeln haben",
  "may hold at most {} rules": "darf höchstens {0} Regeln enthalten",
  "may not hold a field named __proto__": "darf kein Feld namens __proto__ enthalten",
  "must be later than after; no visit would fit both":
    "muss nach dem Beginn liegen; sonst passt kein Besuch auf beides",
  "must hold at least one condition; what holds for everybody is the link's own url":
    "muss mindestens eine Bedingung enthalten; was für alle gilt, ist das Ziel des Links selbst",
  "cannot be combined with startingAfter": "geht nicht zusammen mit startingAfter",
  "cannot be combined with page": "geht nicht zusammen mit page",
  "works with sortBy=createdAt only": "geht nur mit sortBy=createdAt",
  "works with sortOrder=desc only": "geht nur mit sortOrder=desc",
  "must be the id of a link of this workspace": "muss die Kennung eines Links dieses Arbeitsbereichs sein",
  "no free key was found; ask for a longer one": "kein freier Kurzname wurde gefunden; wählen Sie einen längeren",
  '"{}" is taken on this domain': "„{0}“ ist auf dieser Domain vergeben",
  '"{}" is reserved until {} for the workspace that had it':
    "„{0}“ ist bis {1} für den Arbeitsbereich reserviert, der ihn hatte",
  "This link was deleted, and deletion is permanent: nothing of it can be reverted. Create a new link instead":
    "Dieser Link wurde gelöscht, und das ist endgültig: Nichts an ihm kann zurückgenommen werden. Legen Sie stattdessen einen neuen Link an",
  "{} belongs to another link of this workspace": "„{0}“ gehört zu einem anderen Link dieses Arbeitsbereichs",
  "******** stands for a password that is not shown; give the password itself":
    "******** steht für ein Passwort, das nicht gezeigt wird; geben Sie das Passwort selbst an",
  "{} links of this workspace are being purged; wait for them":
    "Die Klicks von {0} Links dieses Arbeitsbereichs werden gerade entfernt; warten Sie darauf",
  "name at least one link": "nennen Sie mindestens einen Link",
  "must hold at least one link": "muss mindestens einen Link enthalten",
  "may hold at most {} links": "darf höchstens {0} Links enthalten",
  "name at least one link, here or in externalIds": "nennen Sie mindestens einen Link, hier oder in externalIds",
  "must be write or read": "muss write oder read sein",
  "must be given: the url to show": "muss angegeben werden: die Adresse, die gezeigt werden soll",
  "The QR code could not be drawn; try again":
    "Der QR-Code konnte nicht gezeichnet werden; versuchen Sie es noch einmal",
  "may have at most {} characters at level {}": "darf bei Stufe {1} höchstens {0} Zeichen haben",
  "must be at least {} for a url of this length and this margin":
    "muss für eine Adresse dieser Länge und diesen Rand mindestens {0} sein",
  "Too many QR codes are being drawn; try again in a few seconds":
    "Gerade werden zu viele QR-Codes gezeichnet; versuchen Sie es in einigen Sekunden noch einmal",
};
