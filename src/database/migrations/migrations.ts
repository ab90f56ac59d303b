import type { Kysely, Migration } from "kysely";
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
import { searchTitles } from "./0020-search-titles.ts";
import { destinationIcons } from "./0021-destination-icons.ts";
import { savedViews } from "./0024-saved-views.ts";
import { examples } from "./0039-examples.ts";
import { notifications } from "./0042-notifications.ts";
import { qrStyle } from "./0043-qr-style.ts";
import { userAvatars } from "./0044-user-avatars.ts";
import { certificates } from "./0050-certificates.ts";
import { httpsSettings } from "./0060-https-settings.ts";
import { domainChecks } from "./0080-domain-checks.ts";
import { ownerAlerts } from "./0081-owner-alerts.ts";
import { people } from "./0094-people.ts";
import { secondFactors } from "./0097-second-factors.ts";
import { auditLog } from "./0100-audit-log.ts";
import { workspaceLimits } from "./0101-workspace-limits.ts";
import { magicLinks } from "./0110-magic-links.ts";
import { identities } from "./0111-identities.ts";
import { passkeys } from "./0112-passkeys.ts";
import { identityDetails } from "./0114-identity-details.ts";
import { linkCounts } from "./0116-link-counts.ts";
import { eventTransactions } from "./0120-event-transactions.ts";
import { clickBatches } from "./0121-click-batches.ts";
import { nodes } from "./0122-nodes.ts";
import { usedChallenges } from "./0123-used-challenges.ts";
import { linkCountChanges } from "./0124-link-count-changes.ts";
import { userLanguage } from "./0125-user-language.ts";
import { framingTurns } from "./0126-framing-turns.ts";
import { storeOfBatches } from "./0127-store-of-batches.ts";
import { certificateOrders } from "./0128-certificate-orders.ts";
import { type ColumnTypes, columnTypes } from "./column-types.ts";
import type { ReportMigration } from "./report-migration.ts";

type Step = (db: Kysely<unknown>, types: ColumnTypes, report: ReportMigration) => Promise<void>;

/** TABLE of migrations; they run in the order of their names, each once. Append only. */
const steps: Readonly<Record<string, Step>> = {
  "0001-foundation": foundation,
  "0002-tags-and-folders": tagsAndFolders,
  "0003-link-search": linkSearch,
  "0004-members": members,
  "0005-idempotency": idempotency,
  "0006-redirects": redirects,
  "0007-framing": framing,
  "0008-deleted-domains": deletedDomains,
  "0009-invite-mails": inviteMails,
  "0010-retention": retention,
  "0011-sessions": sessions,
  "0012-utm-templates-and-shares": utmTemplatesAndShares,
  "0013-counter-cursors": counterCursors,
  "0014-idempotency-bytes": idempotencyBytes,
  "0015-deleted-keys": deletedKeys,
  "0016-click-stores": clickStores,
  "0017-verified-emails": verifiedEmails,
  "0018-blocks": blocks,
  "0019-block-names": blockNames,
  "0020-search-titles": searchTitles,
  "0021-destination-icons": destinationIcons,
  "0024-saved-views": savedViews,
  "0039-examples": examples,
  "0042-notifications": notifications,
  "0043-qr-style": qrStyle,
  "0044-user-avatars": userAvatars,
  "0050-certificates": certificates,
  "0060-https-settings": httpsSettings,
  "0080-domain-checks": domainChecks,
  "0081-owner-alerts": ownerAlerts,
  "0094-people": people,
  "0097-second-factors": secondFactors,
  "0100-audit-log": auditLog,
  "0101-workspace-limits": workspaceLimits,
  "0110-magic-links": magicLinks,
  "0111-identities": identities,
  "0112-passkeys": passkeys,
  "0114-identity-details": identityDetails,
  "0116-link-counts": linkCounts,
  "0120-event-transactions": eventTransactions,
  "0121-click-batches": clickBatches,
  "0122-nodes": nodes,
  "0123-used-challenges": usedChallenges,
  "0124-link-count-changes": linkCountChanges,
  "0125-user-language": userLanguage,
  "0126-framing-turns": framingTurns,
  "0127-store-of-batches": storeOfBatches,
  "0128-certificate-orders": certificateOrders,
};

/** The migrations of an engine, by name; `report` receives the progress of long ones. */
export function migrations(engine: Engine, report: ReportMigration = () => {}): Record<string, Migration> {
  const types = columnTypes(engine);
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [name, { up: (db) => step(db, types, report) }]),
  );
}
