import type { Texts } from "../en/en.ts";
import { lazyTranslations } from "../lazy-translations.ts";

export const problems: Texts["problems"] = {
  translate: () => undefined,
  load: lazyTranslations(() => import("./problems/sentences.ts")),
  fullStop: ".",
  unexpectedStatus: (status) => `Der Server hat mit ${status} geantwortet.`,
  fallbackByCode: {
    bad_request: "Die Anfrage war nicht zu lesen.",
    unauthorized: "Sie sind nicht angemeldet, oder die Anmeldung gilt nicht mehr.",
    forbidden: "Das dürfen Sie nicht.",
    not_found: "Das gibt es hier nicht.",
    method_not_allowed: "So lässt sich das hier nicht tun.",
    conflict: "Das verträgt sich nicht mit dem, was schon da ist.",
    precondition_failed: "Das wurde inzwischen geändert.",
    payload_too_large: "Das ist zu groß.",
    request_headers_too_large: "Die Kopfzeilen der Anfrage sind zu groß.",
    unsupported_media_type: "In dieser Form nimmt der Server das nicht an.",
    unprocessable_entity: "Ein Wert stimmt nicht.",
    rate_limit_exceeded: "Das waren zu viele Anfragen; warten Sie etwas.",
    internal_server_error: "Auf dem Server ging etwas schief.",
    unavailable: "Der Dienst kann gerade nicht antworten; versuchen Sie es gleich noch einmal.",
  },
};
