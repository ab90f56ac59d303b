import type { Actor } from "../access/actor.ts";
import { clientGone, passwordHashOf } from "../access/password-hash.ts";
import { limitReached, roomFor } from "../access/workspace-limits.ts";
import { Problem, type ProblemCode } from "../base/problem.ts";
import { mapInSlices, yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import type { DomainRow } from "../domains/domains.ts";
import { checkTargets } from "./check-targets.ts";
import { randomKeyAttemptsMax } from "./key.ts";
import { keyColumns, type Link, type LinkRow, type NewLink, toLink } from "./link.ts";
import { findTagsAndFolders, placeLink, unplaced } from "./link-placement.ts";
import {
  chooseDomain,
  chooseKey,
  draftLink,
  externalIdConflict,
  insertLinks,
  isKeyTaken,
  type KeyAndPlacement,
  keyConflict,
  type LinkDeps,
  type LinkDraft,
  newLink,
  writtenKey,
} from "./new-links.ts";
import { findReleases, KeyHeld, warnOfReuse } from "./released-keys.ts";

/**
 * Creates many links in one transaction with few statements. It reads the taken keys and externalIds before the insert,
 * so that the conflict of one link does not fail the others: PostgreSQL ends a transaction at its first violation. When
 * another transaction takes a key in between, everything is rolled back and tried again.
 */

/** Links that one call may create, change or delete by a list. */
export const bulkLinksMax = 100;
/** Attempts at a batch while other calls take keys or externalIds of it. */
const triesMax = 5;

/** A link of a batch that was not created, and the reason. */
type LinkRefusal = { input: NewLink; problem: { code: ProblemCode; message: string } };

/** The result of a batch; both lists are in the order of the input. */
type CreatedLinks = { links: Link[]; refusals: LinkRefusal[] };

/**
 * Creates links in the actor's workspace. Each is created or refused separately, as by createLink; all created links
 * become visible at the same moment.
 * Throws "bad_request" when two of them name the same domain and key.
 */
export async function createLinks(deps: LinkDeps, actor: Actor, inputs: readonly NewLink[]): Promise<CreatedLinks> {
  const entries = await draftAll(deps, actor, inputs);
  for (let tries = 1; ; tries++) {
    try {
      return await transact(deps.db, (tx) => createAll(tx, deps, actor, entries));
    } catch (error) {
      if (tries >= triesMax || !(isKeyTaken(error) || violatedIndex(error) === "linkExternalId")) throw error;
    }
  }
}

type Entry = { input: NewLink; draft: LinkDraft | Problem };
/** A valid draft, with the domain and the key that it may get. */
type Candidate = { draft: LinkDraft; link: LinkRow; domain: DomainRow };

/**
 * Drafts the links one after the other. Links with the same password share its hash, which takes tens of milliseconds.
 */
async function draftAll(deps: LinkDeps, actor: Actor, inputs: readonly NewLink[]): Promise<Entry[]> {
  const hashFor = { workspaceId: actor.workspaceId, signal: deps.signal };
  const hashes = new Map<string, string>();
  return await mapInSlices(inputs, async (input): Promise<Entry> => {
    const hashOf = async (password: string) => {
      const hash = hashes.get(password) ?? (await passwordHashOf(password, hashFor));
      hashes.set(password, hash);
      return hash;
    };
    const draft = await orProblem(() => draftLink(deps, input, hashOf));
    if (deps.signal?.aborted) throw clientGone();
    return { input, draft };
  });
}

async function createAll(tx: Tx, deps: LinkDeps, actor: Actor, entries: readonly Entry[]): Promise<CreatedLinks> {
  const now = deps.now();
  const problems = new Map<NewLink, Problem>();
  const drafts = { entries, domains: await findDomains(tx, deps, actor, entries) };
  const candidates = await chooseKeys(tx, actor, drafts, problems, (...made) => newLink(deps, actor, ...made, now));
  refuseTwins(candidates);
  const settled = await settleAll(tx, actor, candidates, problems, now);
  const links = await withinLimit(tx, actor, settled, problems);
  warnOfReuse(deps.warn, await insertLinks(tx, actor, links, now));
  await checkTargets(tx, links, deps.config.WAYPOST_URL);
  return {
    links: await mapInSlices(links, toLink),
    refusals: entries.flatMap(({ input }) => {
      const problem = problems.get(input);
      return problem === undefined ? [] : [{ input, problem: { code: problem.code, message: problem.message } }];
    }),
  };
}

/** The domain that each input names, or why it cannot have it. */
type NamedDomains = Map<string | undefined, DomainRow | Problem>;

/** Gives each draft its domain, a first key and a placement, and notes the problems of the others. */
async function chooseKeys(
  tx: Tx,
  actor: Actor,
  { entries, domains }: { entries: readonly Entry[]; domains: NamedDomains },
  problems: Map<NewLink, Problem>,
  make: (draft: LinkDraft, chosen: KeyAndPlacement) => LinkRow,
): Promise<Candidate[]> {
  const tagsAndFolders = await findTagsAndFolders(
    tx,
    actor.workspaceId,
    entries.map(({ input }) => input),
  );
  const candidates: Candidate[] = [];
  for (const { input, draft } of entries) {
    await yieldIfSliceSpent();
    const domain = domains.get(input.domain);
    const outcome = await orProblem(() => {
      if (draft instanceof Problem) throw draft;
      if (domain instanceof Problem || domain === undefined) throw domain;
      const key = chooseKey(input, domain, 1);
      const placement = placeLink(tagsAndFolders, actor, unplaced, input);
      return { draft, link: make(draft, { domain, key, placement }), domain };
    });
    if (outcome instanceof Problem) problems.set(input, outcome);
    else candidates.push(outcome);
  }
  return candidates;
}

async function findDomains(tx: Tx, deps: LinkDeps, actor: Actor, entries: readonly Entry[]): Promise<NamedDomains> {
  const domains: NamedDomains = new Map();
  for (const slug of new Set(entries.map(({ input }) => input.domain))) {
    domains.set(slug, await orProblem(() => chooseDomain(tx, deps, actor, slug)));
  }
  return domains;
}

function refuseTwins(candidates: readonly Candidate[]): void {
  const domainKeys = new Set<string>();
  for (const { link, draft } of candidates) {
    if (writtenKey(draft.input) === undefined) continue;
    const domainKey = domainAndKey(link);
    if (domainKeys.has(domainKey)) {
      throw new Problem(
        "bad_request",
        `Several of these links have the key ${link.key} on ${link.domain}; each key must be unique.`,
      );
    }
    domainKeys.add(domainKey);
  }
}

/** The links whose key and externalId are free, with new random keys for those that were taken. */
async function settleAll(
  tx: Tx,
  actor: Actor,
  candidates: readonly Candidate[],
  problems: Map<NewLink, Problem>,
  now: number,
): Promise<SettledLink[]> {
  const externalIds = await takenExternalIds(tx, actor, candidates);
  const taken = new Set<string>();
  const released = new Map<string, number | null>();
  const settled = new Map<NewLink, LinkRow>();
  let open = [...candidates];
  for (let attempt = 1; open.length > 0; attempt++) {
    for (const domainKey of await takenKeys(tx, open)) taken.add(domainKey);
    for (const [domainKey, until] of await releasedKeys(tx, actor, open, now)) released.set(domainKey, until);
    const again: Candidate[] = [];
    for (const { draft, link, domain } of open) {
      const { input } = draft;
      const domainKey = domainAndKey(link);
      const heldUntil = released.get(domainKey);
      const isWritten = writtenKey(input) !== undefined;
      if (link.externalId !== null && externalIds.has(link.externalId)) {
        problems.set(input, externalIdConflict(link.externalId));
      } else if (!taken.has(domainKey) && (heldUntil === undefined || (isWritten && heldUntil === null))) {
        settled.set(input, link);
        taken.add(domainKey);
        if (link.externalId !== null) externalIds.add(link.externalId);
      } else if (isWritten || attempt >= randomKeyAttemptsMax) {
        const cause = typeof heldUntil === "number" && !taken.has(domainKey) ? new KeyHeld(heldUntil) : undefined;
        problems.set(input, keyConflict(writtenKey(input), cause));
      } else {
        const key = chooseKey(input, domain, attempt + 1);
        again.push({ draft, domain, link: { ...link, ...keyColumns(domain, key) } });
      }
    }
    open = again;
  }
  return candidates.flatMap(({ draft: { input } }) => {
    const link = settled.get(input);
    return link === undefined ? [] : [{ input, link }];
  });
}

type SettledLink = { input: NewLink; link: LinkRow };

/** The first links for which the workspace has room; the others get a problem. */
async function withinLimit(
  tx: Tx,
  { workspaceId }: Actor,
  settled: readonly SettledLink[],
  problems: Map<NewLink, Problem>,
): Promise<LinkRow[]> {
  if (settled.length === 0) return [];
  const { room, max } = await roomFor(tx, workspaceId, "links", settled.length);
  for (const { input } of settled.slice(room)) problems.set(input, limitReached("links", max));
  return settled.slice(0, room).map(({ link }) => link);
}

async function takenExternalIds(tx: Tx, actor: Actor, candidates: readonly Candidate[]): Promise<Set<string>> {
  const externalIds = candidates.flatMap(({ link }) => link.externalId ?? []);
  if (externalIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("links")
    .select("externalId")
    .where("workspaceId", "=", actor.workspaceId)
    .where("externalId", "in", externalIds)
    .execute();
  return new Set(rows.flatMap(({ externalId }) => externalId ?? []));
}

async function takenKeys(tx: Tx, candidates: readonly Candidate[]): Promise<string[]> {
  const domainKeys: string[] = [];
  for (const [domainId, foldedKeys] of keysByDomain(candidates)) {
    const rows = await tx
      .selectFrom("links")
      .select("foldedKey")
      .where("domainId", "=", domainId)
      .where("foldedKey", "in", foldedKeys)
      .execute();
    for (const { foldedKey } of rows) domainKeys.push(domainAndKey({ domainId, foldedKey }));
  }
  return domainKeys;
}

/** Released keys: the instant until which another workspace holds each, or null for keys of deleted links. */
async function releasedKeys(
  tx: Tx,
  { workspaceId }: Actor,
  candidates: readonly Candidate[],
  now: number,
): Promise<[string, number | null][]> {
  const domainKeys: [string, number | null][] = [];
  for (const [domainId, foldedKeys] of keysByDomain(candidates)) {
    const releases = await findReleases(tx, { domainId, foldedKeys, workspaceId }, now);
    for (const [foldedKey, until] of releases) domainKeys.push([domainAndKey({ domainId, foldedKey }), until]);
  }
  return domainKeys;
}

function keysByDomain(candidates: readonly Candidate[]): [string, string[]][] {
  const byDomain = Map.groupBy(candidates, ({ link }) => link.domainId);
  return [...byDomain].map(([domainId, onDomain]) => [domainId, onDomain.map(({ link }) => link.foldedKey)]);
}

function domainAndKey({ domainId, foldedKey }: Pick<LinkRow, "domainId" | "foldedKey">): string {
  return `${domainId}/${foldedKey}`;
}

/** Problems that concern the whole batch: too many passwords are being hashed. */
const stopsBatch: ReadonlySet<ProblemCode> = new Set(["unavailable", "rate_limit_exceeded"]);

/** The result of the work, or the problem that refuses it. Other failures stop the whole batch. */
async function orProblem<Result>(work: () => Result | Promise<Result>): Promise<Result | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && !stopsBatch.has(error.code)) return error;
    throw error;
  }
}
