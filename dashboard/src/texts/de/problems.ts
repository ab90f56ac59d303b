import type { Texts } from "../en/en.ts";
import { lazyTranslations } from "../lazy-translations.ts";

export const problems: Texts["problems"] = {
  translate: () => undefined,
  load: lazyTranslations(() => import("./problems/sentences.ts")),
  fullStop: ".",
  unexpectedStatus: (status) => `Der Server hat mit dem Status ${status} geantwortet.`,
  fallbackByCode: {
    bad_request: "Die Anfrage konnte nicht gelesen werden.",
    unauthorized: "Sie sind nicht angemeldet oder Ihre Anmeldung ist abgelaufen.",
    forbidden: "Dazu sind Sie nicht berechtigt.",
    not_found: "Das wurde hier nicht gefunden.",
    method_not_allowed: "Diese Methode wird hier nicht unterstützt.",
    conflict: "Das widerspricht dem aktuellen Stand.",
    precondition_failed: "Das wurde inzwischen geändert.",
    payload_too_large: "Das ist zu groß.",
    request_headers_too_large: "Die Header der Anfrage sind zu groß.",
    unsupported_media_type: "Dieses Format wird nicht unterstützt.",
    unprocessable_entity: "Ein Wert ist ungültig.",
    rate_limit_exceeded: "Zu viele Anfragen. Versuchen Sie es gleich noch einmal.",
    internal_server_error: "Auf dem Server ist ein Fehler aufgetreten.",
    unavailable: "Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.",
  },
};
