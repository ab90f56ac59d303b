import type { Migration } from "kysely";
import type { Engine } from "../engine.ts";
import { foundation } from "./0001-foundation.ts";
import { tagsAndFolders } from "./0002-tags-and-folders.ts";
import { linkSearch } from "./0003-link-search.ts";
import { members } from "./0004-members.ts";
import { idempotency } from "./0005-idempotency.ts";
import { redirects } from "./0006-redirects.ts";
import { framing } from "./0007-framing.ts";
import { deletedDomains } from "./0008-deleted-domains.ts";
import { inviteMails } from "./0009-invite-mails.ts";
import { retention } from "./0010-retention.ts";
import { sessions } from "./0011-sessions.ts";
import { utmTemplatesAndShares } from "./0012-utm-templates-and-shares.ts";
import { counterCursors } from "./0013-counter-cursors.ts";
import { idempotencyBytes } from "./0014-idempotency-bytes.ts";
import { deletedKeys } from "./0015-deleted-keys.ts";
import { clickStores } from "./0016-click-stores.ts";
import { verifiedEmails } from "./0017-verified-emails.ts";
import { blocks } from "./0018-blocks.ts";
import { blockNames } from "./0019-block-names.ts";

/** All migrations by name; they run in the order of their names, each once. Append only. */
export function migrations(engine: Engine): Record<string, Migration> {
  return {
    "0001-foundation": foundation(engine),
    "0002-tags-and-folders": tagsAndFolders(engine),
    "0003-link-search": linkSearch(engine),
    "0004-members": members(engine),
    "0005-idempotency": idempotency(engine),
    "0006-redirects": redirects(engine),
    "0007-framing": framing(engine),
    "0008-deleted-domains": deletedDomains,
    "0009-invite-mails": inviteMails(engine),
    "0010-retention": retention(engine),
    "0011-sessions": sessions(engine),
    "0012-utm-templates-and-shares": utmTemplatesAndShares(engine),
    "0013-counter-cursors": counterCursors(engine),
    "0014-idempotency-bytes": idempotencyBytes,
    "0015-deleted-keys": deletedKeys,
    "0016-click-stores": clickStores(engine),
    "0017-verified-emails": verifiedEmails(engine),
    "0018-blocks": blocks(engine),
    "0019-block-names": blockNames(engine),
  };
}
