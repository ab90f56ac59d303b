import type { Sentences } from "../../sentences.ts";

const setPassword = "waypost user password --email you@example.com";

/** Sentences about people, workspaces, invitations, keys and signing in. */
export const access: Sentences = {
  "This API key lacks the scope {}": "Diesem API-Schlüssel fehlt das Recht {0}",
  "You are a viewer of this workspace, and viewers only read; a member or owner can do this":
    "Sie sind Betrachter dieses Arbeitsbereichs, und Betrachter lesen nur; ein Mitglied oder Inhaber kann das tun",
  "Only an owner of this workspace can do this": "Das kann nur ein Inhaber dieses Arbeitsbereichs",
  "a key can only be ended earlier; for one that lasts longer, make a new one":
    "ein Schlüssel kann nur früher enden; für einen, der länger gilt, legen Sie einen neuen an",
  "a key can only be ended earlier than {}; for one that lasts longer, make a new one":
    "ein Schlüssel kann nur früher enden als {0}; für einen, der länger gilt, legen Sie einen neuen an",
  "a key can only make keys with scopes it has itself: {}":
    "ein Schlüssel kann nur Schlüssel mit Rechten anlegen, die er selbst hat: {0}",
  "a key can only make keys that end no later than itself: {}":
    "ein Schlüssel kann nur Schlüssel anlegen, die nicht später enden als er selbst: {0}",
  "You have {} API keys in this workspace, the most there can be; revoke one":
    "Sie haben {0} API-Schlüssel in diesem Arbeitsbereich; mehr sind nicht möglich. Widerrufen Sie einen",
  "That API key is in use already": "Dieser API-Schlüssel ist schon in Gebrauch",
  "This API key has a slip in it: its checksum does not fit":
    "In diesem API-Schlüssel ist ein Fehler: Seine Prüfsumme stimmt nicht",
  "The operator of this service has blocked this account": "Der Betreiber dieses Dienstes hat dieses Konto gesperrt",
  "The operator of this service has blocked this workspace":
    "Der Betreiber dieses Dienstes hat diesen Arbeitsbereich gesperrt",
  "The operator of this service has blocked this domain, so it cannot be added, renamed or deleted":
    "Der Betreiber dieses Dienstes hat diese Domain gesperrt; sie lässt sich nicht hinzufügen, umbenennen oder löschen",
  "The operator of this service has blocked a workspace that you own, so you cannot create another one":
    "Der Betreiber dieses Dienstes hat einen Arbeitsbereich gesperrt, den Sie besitzen; Sie können keinen weiteren anlegen",
  "This API key is unknown, expired or revoked": "Dieser API-Schlüssel ist unbekannt, abgelaufen oder widerrufen",
  "API keys cannot do this; sign in to the dashboard":
    "API-Schlüssel können das nicht; melden Sie sich an der Oberfläche an",
  "This API key is limited by scopes, and those do not reach its user":
    "Dieser API-Schlüssel ist auf Rechte beschränkt, und die reichen nicht bis zu seinem Konto",
  "Send your API key in the header Authorization: Bearer <API_KEY>":
    "Senden Sie Ihren API-Schlüssel in der Kopfzeile Authorization: Bearer <API_KEY>",
  'the value must be "Bearer " and an API key': "der Wert muss „Bearer “ und ein API-Schlüssel sein",
  "This access token is unknown or has expired, or its session has ended. POST /app/token gives a new one to who is signed in":
    "Dieses Zugriffstoken ist unbekannt oder abgelaufen, oder seine Sitzung ist beendet. POST /app/token gibt ein neues, wenn Sie angemeldet sind",
  "You belong to no workspace; make one, or accept an invite":
    "Sie gehören zu keinem Arbeitsbereich; legen Sie einen an, oder nehmen Sie eine Einladung an",
  "must be the number of a workspace": "muss die Nummer eines Arbeitsbereichs sein",
  "All your API keys together may make {} calls a minute":
    "Alle Ihre API-Schlüssel zusammen dürfen {0} Anfragen in der Minute stellen",
  "All your sessions together may make {} calls a minute":
    "Alle Ihre Sitzungen zusammen dürfen {0} Anfragen in der Minute stellen",
  "All members and API keys of this workspace together may make {} calls a minute":
    "Alle Mitglieder und API-Schlüssel dieses Arbeitsbereichs zusammen dürfen {0} Anfragen in der Minute stellen",
  "This workspace has {} passwords waiting to be hashed; send fewer calls with passwords at once":
    "In diesem Arbeitsbereich werden schon {0} weitere Passwörter verarbeitet; senden Sie weniger Anfragen mit Passwörtern gleichzeitig",
  "Too many API keys that open nothing came from your address; {} a minute may":
    "Von Ihrer Adresse kamen zu viele API-Schlüssel, die nichts öffnen; {0} in der Minute sind erlaubt",
  "An address may make {} calls a minute without a key":
    "Eine Adresse darf ohne Schlüssel {0} Anfragen in der Minute stellen",
  "There were too many attempts; wait a while before the next one":
    "Es waren zu viele Versuche; warten Sie etwas vor dem nächsten",
  "must be the workspace's name": "muss der Name des Arbeitsbereichs sein",
  "must be the workspace's name, exactly as it is written":
    "muss der Name des Arbeitsbereichs sein, genau so geschrieben",
  "{}, this instance's own domain, belongs to this workspace; it cannot be deleted":
    "zu diesem Arbeitsbereich gehört {0}, die eigene Domain dieses Dienstes; er kann nicht gelöscht werden",
  "Other workspaces have links on {}; this workspace cannot be deleted":
    "Andere Arbeitsbereiche haben Links auf {0}; dieser Arbeitsbereich kann nicht gelöscht werden",
  "{} is a member of this workspace already": "schon Mitglied dieses Arbeitsbereichs ist {0}",
  "This workspace has invited {} addresses today, the most there can be; go on tomorrow (UTC), or invite without email and pass the link on yourself":
    "Dieser Arbeitsbereich hat heute {0} Adressen eingeladen; mehr sind nicht möglich. Laden Sie morgen (UTC) weitere ein, oder laden Sie ohne E-Mail ein und geben Sie den Link selbst weiter",
  "This invite is for another e-mail address than yours; ask for one of your own":
    "Diese Einladung gilt für eine andere E-Mail-Adresse als Ihre; bitten Sie um eine eigene",
  "This invite was used, revoked or has expired; ask for another one":
    "Diese Einladung wurde schon angenommen oder zurückgezogen, oder sie ist abgelaufen; bitten Sie um eine neue",
  "This workspace has {} open invites, the most there can be; revoke one":
    "Dieser Arbeitsbereich hat {0} offene Einladungen; mehr sind nicht möglich. Ziehen Sie eine zurück",
  "{} has an open invite already; revoke it to make another one":
    "es gibt schon eine offene Einladung für {0}; ziehen Sie sie zurück, um eine andere zu erstellen",
  "This API key acts only in the workspace where it was created":
    "Dieser API-Schlüssel gilt nur in dem Arbeitsbereich, in dem er angelegt wurde",
  "a key that acts in one workspace can only make keys that do as well":
    "ein Schlüssel für einen Arbeitsbereich kann nur ebensolche Schlüssel anlegen",
  "an API key that expires or is limited by scopes cannot make owners":
    "ein API-Schlüssel, der abläuft oder auf Rechte beschränkt ist, kann niemanden zum Inhaber machen",
  "This invite names an e-mail address that you have not verified; open the link that was mailed there":
    "Diese Einladung nennt eine E-Mail-Adresse, die Sie nicht bestätigt haben; öffnen Sie den Link in der E-Mail, die dorthin ging",
  "does not go with this e-mail address; if you have an account, sign in first":
    "passt nicht zu dieser E-Mail-Adresse; wenn Sie ein Konto haben, melden Sie sich erst an",
  "you are the only owner of workspace {}; keep it, then make another member its owner or delete it":
    "Sie sind der einzige Inhaber des Arbeitsbereichs {0}; behalten Sie ihn, und machen Sie dann ein anderes Mitglied zum Inhaber, oder löschen Sie ihn",
  "You are a member of this workspace already": "Sie sind schon Mitglied dieses Arbeitsbereichs",
  "This workspace has {} members, the most there can be":
    "Dieser Arbeitsbereich hat {0} Mitglieder; mehr sind nicht möglich",
  "A workspace has at least one owner; make another member owner first, or delete the workspace":
    "Ein Arbeitsbereich hat mindestens einen Inhaber; machen Sie zuerst jemand anderen zum Inhaber, oder löschen Sie den Arbeitsbereich",
  "You belong to {} workspaces, the most there can be; leave one":
    "Sie gehören zu {0} Arbeitsbereichen; mehr sind nicht möglich. Verlassen Sie einen",
  "Too many passwords are being checked at the moment; try again in a few seconds":
    "Gerade werden zu viele Passwörter geprüft; versuchen Sie es in einigen Sekunden noch einmal",
  "This session has ended; sign in again": "Diese Sitzung ist beendet; melden Sie sich neu an",
  "The password was changed just now; sign in with the new one":
    "Das Passwort wurde gerade geändert; melden Sie sich mit dem neuen an",
  "This e-mail address and password do not belong together":
    "Diese E-Mail-Adresse und dieses Passwort gehören nicht zusammen",
  "Another call changed the password; this call changed nothing":
    "Ein anderer Aufruf hat das Passwort geändert; dieser hat nichts geändert",
  "must be your present password, where the e-mail is to change":
    "muss Ihr jetziges Passwort sein, wenn sich die E-Mail ändern soll",
  "this is not your present password": "das ist nicht Ihr jetziges Passwort",
  [`This link was used or has expired. Set the password on the server: ${setPassword}`]: `Dieser Link wurde schon verwendet oder ist abgelaufen. Legen Sie das Passwort auf dem Server fest: ${setPassword}`,
  "{} belongs to another user already": "zu einem anderen Konto gehört schon {0}",
  "No user has the e-mail address {}": "Kein Konto hat die E-Mail-Adresse {0}",
  "Nobody is signed in here": "Hier ist niemand angemeldet",
  "Nobody is signed in here, or the session has ended; sign in again":
    "Hier ist niemand angemeldet, oder die Sitzung ist beendet; melden Sie sich neu an",
  "This instance sends no mail, so only the operator verifies addresses. On the server: waypost user verify --email you@example.com":
    "Dieser Dienst sendet keine E-Mails, daher bestätigt nur der Betreiber Adressen. Auf dem Server: waypost user verify --email you@example.com",
  "Your e-mail address is verified already": "Ihre E-Mail-Adresse ist schon bestätigt",
  "The mail server did not take the mail with your link; try again later":
    "Der Mailserver hat die E-Mail mit Ihrem Link nicht angenommen; versuchen Sie es später noch einmal",
  [`This instance sends no mail. Its operator sets a new password with: ${setPassword}`]: `Dieser Dienst sendet keine E-Mails. Wer ihn betreibt, legt ein neues Passwort fest mit: ${setPassword}`,
  "must be a whole number of days from 1 to {}, or null to keep clicks for ever":
    "muss eine ganze Zahl von Tagen von 1 bis {0} sein, oder null, um Klicks für immer zu behalten",
};
