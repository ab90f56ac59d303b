import type { Sentences } from "../../sentences.ts";

const setPassword = "waypost user password --email you@example.com";

/** Sentences about people, workspaces, invitations, keys and signing in. */
export const access: Sentences = {
  "This API key has just been revoked": "Dieser API-Schlüssel wurde soeben widerrufen",
  "The account with this e-mail address has just changed; open the link again":
    "Das Konto mit dieser E-Mail-Adresse wurde soeben geändert; öffnen Sie den Link erneut",
  "This link has been used or has expired": "Dieser Link wurde bereits verwendet oder ist abgelaufen",
  "This notification is paused, so no test can be sent":
    "Diese Benachrichtigung ist pausiert, daher kann kein Test gesendet werden",
  "The folder or share of this notification no longer exists":
    "Der Ordner oder die geteilte Seite dieser Benachrichtigung existiert nicht mehr",
  "The mail server did not accept the mail; try again later":
    "Der Mailserver hat die E-Mail nicht angenommen; versuchen Sie es später erneut",
  "Your e-mail address is not verified": "Ihre E-Mail-Adresse ist nicht bestätigt",
  "This person owns as many workspaces as this service allows ({})":
    "Diese Person besitzt so viele Arbeitsbereiche, wie dieser Dienst erlaubt ({0})",
  "This service does not send e-mail": "Dieser Dienst sendet keine E-Mails",
  "This API key lacks the scope {}": "Diesem API-Schlüssel fehlt die Berechtigung {0}",
  "Only members and owners of this workspace can do this; you are a viewer":
    "Nur Mitglieder und Inhaber dieses Arbeitsbereichs können das tun; Sie sind Betrachter",
  "Only an owner of this workspace can do this": "Das kann nur ein Inhaber dieses Arbeitsbereichs",
  "can only be moved to an earlier time; to extend access, create a new key":
    "lässt sich nur auf einen früheren Zeitpunkt ändern. Erstellen Sie für längeren Zugang einen neuen Schlüssel",
  "can only be moved to an earlier time than {}; to extend access, create a new key":
    "lässt sich nur auf einen früheren Zeitpunkt als {0} ändern. Erstellen Sie für längeren Zugang einen neuen Schlüssel",
  "must be among the scopes of your own API key: {}":
    "müssen zu den Berechtigungen Ihres eigenen API-Schlüssels gehören: {0}",
  "must not be later than that of your own API key: {}":
    "darf nicht nach dem Ablauf Ihres eigenen API-Schlüssels liegen: {0}",
  "You have {} API keys in this workspace, which is the limit; revoke one first":
    "Sie haben {0} API-Schlüssel in diesem Arbeitsbereich; mehr sind nicht möglich. Widerrufen Sie zuerst einen",
  "This API key already exists": "Diesen API-Schlüssel gibt es bereits",
  "This API key has a typo: its checksum does not match":
    "Dieser API-Schlüssel enthält einen Tippfehler: Seine Prüfsumme stimmt nicht",
  "The operator of this service has blocked this account": "Der Betreiber dieses Dienstes hat dieses Konto gesperrt",
  "The operator of this service has blocked this workspace":
    "Der Betreiber dieses Dienstes hat diesen Arbeitsbereich gesperrt",
  "The operator of this service has blocked this domain, so it cannot be added, renamed or deleted":
    "Der Betreiber dieses Dienstes hat diese Domain gesperrt; sie lässt sich nicht hinzufügen, umbenennen oder löschen",
  "The operator of this service has blocked a workspace that you own, so you cannot create another one":
    "Der Betreiber dieses Dienstes hat einen Ihrer Arbeitsbereiche gesperrt; Sie können keinen weiteren erstellen",
  "This API key is unknown, expired or revoked": "Dieser API-Schlüssel ist unbekannt, abgelaufen oder widerrufen",
  "API keys cannot do this; sign in to the dashboard":
    "API-Schlüssel können das nicht. Melden Sie sich im Dashboard an",
  "An API key with scopes cannot access its user's account; use one without scopes":
    "Ein API-Schlüssel mit eingeschränkten Berechtigungen hat keinen Zugriff auf das Konto. Verwenden Sie einen mit Vollzugriff",
  "Send your API key in the header Authorization: Bearer <API_KEY>":
    "Senden Sie Ihren API-Schlüssel im Header Authorization: Bearer <API_KEY>",
  'must be "Bearer " followed by an API key': "muss aus „Bearer “ und einem API-Schlüssel bestehen",
  "This access token is unknown or expired, or its session has ended. If you are signed in, POST /app/token returns a new one":
    "Dieses Zugriffstoken ist unbekannt oder abgelaufen, oder seine Sitzung ist beendet. Wenn Sie angemeldet sind, erhalten Sie mit POST /app/token ein neues",
  "You belong to no workspace; create one, or accept an invite":
    "Sie gehören zu keinem Arbeitsbereich. Erstellen Sie einen oder nehmen Sie eine Einladung an",
  "must be the id of a workspace, such as 1": "muss die ID eines Arbeitsbereichs sein, etwa 1",
  "All your API keys together can make {} requests per minute":
    "Alle Ihre API-Schlüssel zusammen können {0} Anfragen pro Minute senden",
  "All your sessions together can make {} requests per minute":
    "Alle Ihre Sitzungen zusammen können {0} Anfragen pro Minute senden",
  "All members and API keys of this workspace together can make {} requests per minute":
    "Alle Mitglieder und API-Schlüssel dieses Arbeitsbereichs zusammen können {0} Anfragen pro Minute senden",
  "This workspace has {} passwords waiting to be hashed, which is the limit; send fewer requests with passwords at once":
    "In diesem Arbeitsbereich warten bereits {0} Passwörter auf ihre Verarbeitung; mehr sind nicht möglich. Senden Sie weniger Anfragen mit Passwörtern auf einmal",
  "Your IP address sent too many invalid API keys; the limit is {} per minute":
    "Von Ihrer IP-Adresse kamen zu viele ungültige API-Schlüssel; erlaubt sind {0} pro Minute",
  "An IP address can make {} requests per minute without an API key":
    "Eine IP-Adresse kann ohne API-Schlüssel {0} Anfragen pro Minute senden",
  "Too many attempts; try again later": "Zu viele Versuche. Versuchen Sie es später noch einmal",
  "must be the workspace's name": "muss der Name des Arbeitsbereichs sein",
  "must be the workspace's name, exactly as written": "muss der Name des Arbeitsbereichs sein, genau so geschrieben",
  "{}, this service's own domain, belongs to this workspace; it cannot be deleted":
    "Zu diesem Arbeitsbereich gehört {0}, die eigene Domain dieses Dienstes; er kann nicht gelöscht werden",
  "Other workspaces have links on {}, so this workspace cannot be deleted":
    "Andere Arbeitsbereiche haben Links auf {0}; dieser Arbeitsbereich kann nicht gelöscht werden",
  "{} is already a member of this workspace": "bereits Mitglied dieses Arbeitsbereichs: {0}",
  "This workspace has invited {} addresses today, which is the limit; continue tomorrow (UTC), or invite without email and send the link yourself":
    "Dieser Arbeitsbereich hat heute {0} Adressen eingeladen; mehr sind nicht möglich. Laden Sie morgen (UTC) weitere ein, oder laden Sie ohne E-Mail-Adresse ein und senden Sie den Link selbst",
  "This invite is for another e-mail address; ask for an invite to yours":
    "Diese Einladung gilt für eine andere E-Mail-Adresse. Bitten Sie um eine für Ihre Adresse",
  "This invite has been used, revoked or has expired; ask for a new one":
    "Diese Einladung wurde bereits verwendet, widerrufen oder ist abgelaufen. Bitten Sie um eine neue",
  "This workspace has {} open invites, which is the limit; revoke one first":
    "Dieser Arbeitsbereich hat {0} offene Einladungen; mehr sind nicht möglich. Widerrufen Sie zuerst eine",
  "{} already has an open invite; revoke it to create another one":
    "es gibt bereits eine offene Einladung für {0}. Widerrufen Sie sie, um eine neue zu erstellen",
  "This API key acts only in the workspace where it was created":
    "Dieser API-Schlüssel gilt nur in dem Arbeitsbereich, in dem er erstellt wurde",
  "must not be true, because a workspace requires a second factor; sign in with a code or a passkey first":
    "darf nicht true sein, weil ein Arbeitsbereich einen zweiten Faktor verlangt; melden Sie sich zuerst mit einem Code oder Passkey an",
  "An API key cannot end the requirement of a second factor; sign in to the dashboard":
    "Ein API-Schlüssel kann die Pflicht zum zweiten Faktor nicht aufheben; melden Sie sich im Dashboard an",
  "must not be true, because this API key acts in one workspace only":
    "darf nicht true sein, weil dieser API-Schlüssel nur in einem Arbeitsbereich gilt",
  "an API key with an expiry or with scopes cannot grant the role owner":
    "ein API-Schlüssel mit Ablaufdatum oder eingeschränkten Berechtigungen kann niemanden zum Inhaber machen",
  "This invite is for an e-mail address that you have not verified; open the link in the mail to that address":
    "Diese Einladung gilt für eine E-Mail-Adresse, die Sie nicht bestätigt haben. Öffnen Sie den Link in der E-Mail an diese Adresse",
  "is wrong for this e-mail address; if you have an account, sign in first":
    "passt nicht zu dieser E-Mail-Adresse. Wenn Sie ein Konto haben, melden Sie sich zuerst an",
  "you are the only owner of workspace {}; do not list it; make another member its owner, or delete the workspace":
    "Sie sind der einzige Inhaber des Arbeitsbereichs {0}. Wählen Sie ihn hier nicht aus; machen Sie ein anderes Mitglied zum Inhaber oder löschen Sie den Arbeitsbereich",
  "You are already a member of this workspace": "Sie sind bereits Mitglied dieses Arbeitsbereichs",
  "This workspace has {} members, which is the limit; remove one first":
    "Dieser Arbeitsbereich hat {0} Mitglieder; mehr sind nicht möglich. Entfernen Sie zuerst eines",
  "A workspace has at least one owner; make another member owner first, or delete the workspace":
    "Ein Arbeitsbereich hat mindestens einen Inhaber; machen Sie zuerst ein anderes Mitglied zum Inhaber oder löschen Sie den Arbeitsbereich",
  "You belong to {} workspaces, which is the limit; leave one first":
    "Sie gehören zu {0} Arbeitsbereichen; mehr sind nicht möglich. Verlassen Sie zuerst einen",
  "Too many passwords are being checked at the moment; try again in a few seconds":
    "Gerade werden zu viele Passwörter geprüft; versuchen Sie es in einigen Sekunden noch einmal",
  "This session has ended; sign in again": "Diese Sitzung ist beendet; melden Sie sich neu an",
  "The password has just been changed; sign in with the new one":
    "Das Passwort wurde gerade geändert; melden Sie sich mit dem neuen an",
  "The e-mail address or password is incorrect": "Die E-Mail-Adresse oder das Passwort ist falsch",
  "Another request changed the password, so this request changed nothing":
    "Eine andere Anfrage hat das Passwort geändert; diese hat nichts geändert",
  "is required; it must be your current password": "ist erforderlich; geben Sie Ihr aktuelles Passwort ein",
  "is not your current password": "das ist nicht Ihr aktuelles Passwort",
  [`This link has been used or has expired. Set the password on the server: ${setPassword}`]: `Dieser Link wurde bereits verwendet oder ist abgelaufen. Legen Sie das Passwort auf dem Server fest: ${setPassword}`,
  "{} already belongs to another user": "gehört bereits zu einem anderen Konto: {0}",
  "No user has the e-mail address {}": "Kein Konto hat die E-Mail-Adresse {0}",
  "You are not signed in": "Sie sind nicht angemeldet",
  "You are not signed in, or your session has ended; sign in again":
    "Sie sind nicht angemeldet, oder Ihre Sitzung ist beendet; melden Sie sich neu an",
  "This service does not send e-mail, so only the operator can verify addresses. On the server: waypost user verify --email you@example.com":
    "Dieser Dienst sendet keine E-Mails, daher kann nur der Betreiber Adressen bestätigen. Auf dem Server: waypost user verify --email you@example.com",
  "Your e-mail address is already verified": "Ihre E-Mail-Adresse ist bereits bestätigt",
  "The mail server did not accept the mail with your link; try again later":
    "Der Mailserver hat die E-Mail mit Ihrem Link nicht angenommen; versuchen Sie es später noch einmal",
  [`This service does not send e-mail. Its operator can set a new password with: ${setPassword}`]: `Dieser Dienst sendet keine E-Mails. Der Betreiber kann ein neues Passwort festlegen mit: ${setPassword}`,
  "must be a whole number of days from 1 to {}, or null to keep clicks forever":
    "muss eine ganze Zahl von Tagen von 1 bis {0} sein, oder null, um Klicks unbegrenzt aufzubewahren",
  "Set up one-time codes or a passkey in your own account first, and sign in with it":
    "Richten Sie zuerst für Ihr eigenes Konto Einmalcodes oder einen Passkey ein, und melden Sie sich damit an",
  "This workspace requires a second factor. Set up one-time codes or a passkey in your account, or sign in again with it":
    "Dieser Arbeitsbereich verlangt einen zweiten Faktor. Richten Sie in Ihrem Konto Einmalcodes oder einen Passkey ein, oder melden Sie sich damit neu an",
  "This workspace requires a second factor, and the owner of this API key has none. The key works again once they set up one-time codes or a passkey in their account":
    "Dieser Arbeitsbereich verlangt einen zweiten Faktor, und das Konto dieses API-Schlüssels hat keinen. Der Schlüssel gilt wieder, sobald für das Konto Einmalcodes oder ein Passkey eingerichtet sind",
  "Only the operator of this service creates accounts. If you have one, use its e-mail address and password":
    "Nur der Betreiber dieses Dienstes erstellt Konten. Wenn Sie eines haben, verwenden Sie dessen E-Mail-Adresse und Passwort",
  "This link is invalid or has expired": "Dieser Link ist ungültig oder abgelaufen",
  "You own as many workspaces as this service allows ({}). Delete one first, or ask an administrator for another":
    "Ihnen gehören so viele Arbeitsbereiche, wie dieser Dienst erlaubt ({0}). Löschen Sie zuerst einen oder bitten Sie einen Administrator um einen weiteren",
  "This workspace has reached its limit of {} links. An administrator of this service can raise it":
    "Dieser Arbeitsbereich hat sein Limit erreicht: {0} Links. Ein Administrator dieses Dienstes kann es erhöhen",
  "This workspace has reached its limit of {} domains. An administrator of this service can raise it":
    "Dieser Arbeitsbereich hat sein Limit erreicht: {0} Domains. Ein Administrator dieses Dienstes kann es erhöhen",
  "This workspace has reached its limit of {} members. An administrator of this service can raise it":
    "Dieser Arbeitsbereich hat sein Limit erreicht: {0} Mitglieder. Ein Administrator dieses Dienstes kann es erhöhen",
  "This workspace has reached its limit of {} API keys. An administrator of this service can raise it":
    "Dieser Arbeitsbereich hat sein Limit erreicht: {0} API-Schlüssel. Ein Administrator dieses Dienstes kann es erhöhen",
  "must be at most {}, the limit of this workspace. An administrator of this service can raise it":
    "darf höchstens {0} sein, das Limit dieses Arbeitsbereichs. Ein Administrator dieses Dienstes kann es erhöhen",
  'must be a whole number from 1 to {}, "unlimited", or null for the limit of the service':
    "muss eine ganze Zahl von 1 bis {0}, „unlimited“ oder null (Limit des Dienstes) sein",
  "Administrators need a second factor. Set up one-time codes or a passkey in your account, or sign in again with it":
    "Administratoren brauchen einen zweiten Faktor. Richten Sie in Ihrem Konto Einmalcodes oder einen Passkey ein, oder melden Sie sich damit neu an",
  "One-time codes have just been turned on; sign in again with a code":
    "Einmalcodes wurden gerade eingeschaltet; melden Sie sich mit einem Code neu an",
  "{} has neither one-time codes nor passkeys": "Das Konto {0} hat weder Einmalcodes noch Passkeys",
  "Sign in again with your second factor to do this": "Melden Sie sich dafür mit Ihrem zweiten Faktor neu an",
  "You signed in a while ago. Sign in again to do this":
    "Ihre Anmeldung liegt eine Weile zurück. Melden Sie sich dafür neu an",
  "is required": "ist erforderlich",
  "One-time codes are already on; turn them off first":
    "Einmalcodes sind schon eingeschaltet. Schalten Sie sie zuerst aus",
  "Begin with a new QR code": "Beginnen Sie mit einem neuen QR-Code",
  "is wrong. Check that the clock of your device is right":
    "ist falsch. Prüfen Sie, ob die Uhr Ihres Geräts richtig geht",
  "People sign in to this service with its identity provider only":
    "Bei diesem Dienst melden Sie sich nur über seinen Identitätsanbieter an",
  "People sign in to this service with {} only, so it cannot be disconnected":
    "Bei diesem Dienst melden sich alle nur mit {0} an; deshalb lässt es sich nicht trennen",
  "You sign in with {} only; set a password or add a passkey before you disconnect it":
    "Sie melden sich nur mit {0} an; legen Sie ein Passwort fest oder fügen Sie einen Passkey hinzu, bevor Sie es trennen",
  "This passkey is your only way to sign in; add another one before you remove it":
    "Sie können sich nur mit diesem Passkey anmelden; fügen Sie einen anderen hinzu, bevor Sie ihn entfernen",
  "{} signs in with no identity provider": "Das Konto {0} ist mit keinem Identitätsanbieter verbunden",
  "One-time codes are off": "Einmalcodes sind ausgeschaltet",
  "This code is wrong, or has already been used": "Dieser Code ist falsch oder wurde schon verwendet",
  "One-time codes cannot be checked. Use a recovery code, or ask the operator":
    "Einmalcodes lassen sich nicht prüfen. Verwenden Sie einen Wiederherstellungscode, oder fragen Sie den Betreiber",
  "Passkeys need HTTPS. The operator of this service can set WAYPOST_URL to an https URL":
    "Passkeys brauchen HTTPS. Der Betreiber dieses Dienstes kann WAYPOST_URL auf eine URL mit https setzen",
  "Passkeys need a host name, not an IP address. The operator of this service can set WAYPOST_URL to one":
    "Passkeys brauchen einen Hostnamen, keine IP-Adresse. Der Betreiber dieses Dienstes kann WAYPOST_URL auf einen Hostnamen setzen",
  "You have {} passkeys, which is the limit; remove one first":
    "Sie haben {0} Passkeys; mehr sind nicht möglich. Entfernen Sie zuerst einen",
  "This took too long, or was begun in another tab. Try again":
    "Das hat zu lange gedauert oder wurde in einem anderen Tab begonnen. Versuchen Sie es noch einmal",
  "The passkey could not be verified. Try again": "Der Passkey ließ sich nicht prüfen. Versuchen Sie es noch einmal",
  "This passkey has already been added": "Dieser Passkey wurde schon hinzugefügt",
  "This passkey has just been removed": "Dieser Passkey wurde gerade entfernt",
  "Signing in took too long. Try again": "Die Anmeldung hat zu lange gedauert. Versuchen Sie es noch einmal",
  "This passkey is unknown here, or could not be verified":
    "Dieser Passkey ist hier unbekannt oder ließ sich nicht prüfen",
  "must be base64url without padding": "muss base64url ohne Füllzeichen sein",
};
