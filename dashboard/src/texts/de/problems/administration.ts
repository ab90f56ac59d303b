import type { Sentences } from "../../sentences.ts";

/** Sentences about the administration of the instance, and the end of accounts. */
export const administration: Sentences = {
  "The operator of this service has disabled this account":
    "Der Betreiber dieses Dienstes hat dieses Konto deaktiviert",
  "must be your e-mail address, exactly as in your profile": "muss Ihre E-Mail-Adresse sein, genau wie in Ihrem Profil",
  "You are the only owner of {}. Make another member owner there, or delete the workspace":
    "Sie sind der einzige Inhaber von {0}. Machen Sie dort ein anderes Mitglied zum Inhaber oder löschen Sie den Arbeitsbereich",
  "Only an administrator of this service can do this": "Das kann nur ein Administrator dieses Dienstes",
  "There are {} blocks, which is the limit; end one first":
    "Es gibt {0} Sperren; mehr sind nicht möglich. Heben Sie zuerst eine auf",
  "{} is already blocked": "Bereits gesperrt: {0}",
  "{} is not blocked": "Nicht gesperrt: {0}",
  "There is no short link {}": "Es gibt keinen Kurzlink {0}",
  "There is no domain {}": "Es gibt keine Domain {0}",
  "{} is not a host, such as example.com": "Kein Host wie zum Beispiel example.com: {0}",
  "{} is this service's own domain; block links or workspaces on it":
    "Die Domain {0} gehört dem Dienst selbst. Sperren Sie Links oder Arbeitsbereiche auf ihr",
  "{} is not just a host. A block covers a whole host with all its subdomains; to block it, enter {}":
    "Das ist nicht nur ein Host: {0}. Eine Sperre gilt für einen ganzen Host mit allen Subdomains. Geben Sie dafür {1} ein",
  "{} has no dot, so the block would cover every host below it. Enter a host such as example.{}":
    "Der Name {0} hat keinen Punkt, deshalb würde die Sperre für alle Hosts darunter gelten. Geben Sie einen Host wie example.{1} ein",
  "You cannot do this to your own account; another administrator can":
    "Das geht nicht mit Ihrem eigenen Konto; ein anderer Administrator kann es tun",
  "There is no user {}": "Es gibt kein Konto {0}",
  "The account {} is already disabled": "Das Konto {0} ist bereits deaktiviert",
  "The account {} is not disabled": "Das Konto {0} ist nicht deaktiviert",
  "{} has no e-mail address. Add one and verify it: waypost user email <user> <email>, waypost user verify --email <email>":
    "Keine E-Mail-Adresse: {0}. Fügen Sie eine hinzu und bestätigen Sie sie: waypost user email <user> <email>, waypost user verify --email <email>",
  "The address of {} is not verified. Verify it first: waypost user verify --email <email>":
    "Die Adresse von {0} ist nicht bestätigt. Bestätigen Sie sie zuerst: waypost user verify --email <email>",
  "{} is already an administrator": "Bereits Administrator: {0}",
  "{} is not an administrator": "Kein Administrator: {0}",
  "{} is already the only owner of workspace {}":
    "Das Konto {0} ist bereits der einzige Inhaber des Arbeitsbereichs {1}",
  "There is no workspace {}": "Es gibt keinen Arbeitsbereich {0}",
  "must be the number of a workspace": "muss die Nummer eines Arbeitsbereichs sein",
  "This user is the only owner of {}. Transfer or delete the workspace first":
    "Dieses Konto ist der einzige Inhaber von {0}. Übertragen oder löschen Sie zuerst den Arbeitsbereich",
};
