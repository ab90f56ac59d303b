import { setImmediate } from "node:timers/promises";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../database/database.ts";
import { withoutWww } from "../domains/domain.ts";
import type { DomainRow } from "../domains/domains.ts";
import { isCertifiable } from "./certificate.ts";

/**
 * The host names that may have a certificate: those of the proven domains, and "www." before them, which a domain
 * answers too (decision 0019). The instance's domain has no second name.
 */

/** Proven domains that one query looks at. */
const domainsPerPage = 2_000;
/** Pages of one walk. */
const domainPagesMax = 100;

/**
 * Selects the domains that belong to this instance: the instance's host and those that a workspace has proven. The
 * domains of examples and of deleted workspaces are left out.
 */
function provenDomains(db: Db) {
  return db
    .selectFrom("domains")
    .where("status", "<>", "pending")
    .whereRef("slug", "<>", "id")
    .where("workspaceId", "not in", (where) => where.selectFrom("erasures").select("workspaceId"))
    .where("workspaceId", "not in", (where) => where.selectFrom("examples").select("workspaceId"));
}

/** SQL: true for rows of `certificates` whose name may have one. */
export function isProvenName(db: Db): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isBareName(db)} or ${isWwwName(db)})`;
}

/**
 * SQL: the same without the optional names whose DNS does not point here. These need no certificate, and so are no
 * concern of the operator.
 */
export function needsCertificate(db: Db): RawBuilder<SqlBool> {
  const isUsed = sql<SqlBool>`(certificates."problemKind" is null or certificates."problemKind" <> 'dns')`;
  return sql<SqlBool>`(${isBareName(db)} or (${isUsed} and ${isWwwName(db)}))`;
}

/** The value of workspaceOfName for the instance's host, which belongs to all workspaces. */
export const instanceItself = 0;

/** SQL: the workspace whose proven domain answers the name of a row of `certificates`; null for other names. */
export function workspaceOfName(db: Db): RawBuilder<number | null> {
  const owner = sql<number>`case when "isInstance" = 1 then ${sql.lit(instanceItself)} else "workspaceId" end`.as(
    "owner",
  );
  const bare = provenDomains(db).select(owner).where(sql<SqlBool>`domains.slug = certificates.name`);
  const optional = provenDomains(db)
    .select("workspaceId")
    .where("isInstance", "=", 0)
    .where(isOptional)
    .where(sql<SqlBool>`domains.slug = substr(certificates.name, 5)`);
  return sql<number | null>`coalesce(${bare}, ${optional})`;
}

/** SQL: true for rows of `certificates` with an optional name, or of the instance's host if it begins with "www.". */
export const isOptional = sql<SqlBool>`certificates.name like 'www.%'`;

/** SQL: true for rows of `certificates` whose name no domain has any more, proven or not. */
export const isAbandoned = sql<SqlBool>`(
  not exists (select 1 from domains where slug = certificates.name)
  and not exists (select 1 from domains where certificates.name like 'www.%' and slug = substr(certificates.name, 5))
)`;

/** Returns the domain that answers a host name; undefined when it may have no certificate. */
export async function findProvenDomain(db: Db, name: string): Promise<DomainRow | undefined> {
  const exact = await provenDomains(db).selectAll().where("slug", "=", name).executeTakeFirst();
  const bare = withoutWww(name);
  if (exact !== undefined || bare === undefined) return exact;
  return await provenDomains(db).selectAll().where("slug", "=", bare).where("isInstance", "=", 0).executeTakeFirst();
}

/**
 * Returns certifiable host names without a row in `certificates`, about `limit` at most. Other work of the event loop
 * runs between two pages of domains: all 20,000 at once would delay a visitor by 29 ms.
 */
export async function namesWithoutRow(db: Db, limit: number): Promise<string[]> {
  const names: string[] = [];
  let after = "";
  for (let pages = 0; pages < domainPagesMax && names.length < limit; pages++) {
    const last = await lastSlugOfPage(db, after);
    // The others never get a row, so they must not use up the limit.
    names.push(...(await rowlessNames(db, { after, last })).filter(isCertifiable));
    if (last === undefined) break;
    after = last;
    await setImmediate();
  }
  return names;
}

/** The slug at the end of a page of proven domains; undefined on the last page. */
async function lastSlugOfPage(db: Db, after: string): Promise<string | undefined> {
  const page = provenDomains(db).select("slug").where("slug", ">", after).orderBy("slug");
  return (
    await page
      .limit(1)
      .offset(domainsPerPage - 1)
      .executeTakeFirst()
  )?.slug;
}

type Page = { after: string; last: string | undefined };

async function rowlessNames(db: Db, { after, last }: Page): Promise<string[]> {
  let page = provenDomains(db).where("slug", ">", after);
  if (last !== undefined) page = page.where("slug", "<=", last);
  const isRowless = (name: RawBuilder<unknown>) =>
    sql<SqlBool>`not exists (select 1 from certificates where certificates.name = ${name})`;
  const bare = await page.select("slug").where(isRowless(sql`domains.slug`)).execute();
  const optional = await page
    .select("slug")
    .where("isInstance", "=", 0)
    .where(isRowless(sql`'www.' || domains.slug`))
    .execute();
  return [...bare.map(({ slug }) => slug), ...optional.map(({ slug }) => `www.${slug}`)];
}

function isBareName(db: Db): RawBuilder<SqlBool> {
  const owner = provenDomains(db).select("id").where(sql<SqlBool>`domains.slug = certificates.name`);
  return sql<SqlBool>`exists ${owner}`;
}

function isWwwName(db: Db): RawBuilder<SqlBool> {
  const owner = provenDomains(db)
    .select("id")
    .where("isInstance", "=", 0)
    .where(sql<SqlBool>`domains.slug = substr(certificates.name, 5)`);
  return sql<SqlBool>`(certificates.name like 'www.%' and exists ${owner})`;
}
