import type { App } from "../../app.ts";
import { Problem } from "../../base/problem.ts";
import type { Db } from "../../database/database.ts";
import { withTransactionHook } from "../../database/transact.ts";
import { readCurrentObject, type UnpreparedCall } from "./current-object.ts";
import type { Endpoint } from "./endpoint.ts";
import { matchesVersion, readTags, type TagList, versionOf } from "./entity-tag.ts";

/**
 * If-Match and If-None-Match of a call that changes an object.
 *
 * - The object is read as GET on the same path returns it to the same actor, so a foreign object is 404.
 * - It is read once before the work, so that most refusals are cheap, and again at the beginning of each transaction of
 *   the work, so that no other change fits between this read and the write; see database/transact.ts.
 */

type Preconditions = { ifMatch: TagList | undefined; ifNoneMatch: TagList | undefined };

/**
 * Runs the work if the object is as the request expects it.
 * `reader` is GET on the endpoint's path; undefined if there is none, so that no tag can match.
 * Throws "precondition_failed", "bad_request" for a malformed header, and what the reader throws.
 */
export async function withPreconditions<Result>(
  { endpoint, reader }: { endpoint: Endpoint; reader: Endpoint | undefined },
  app: App,
  call: UnpreparedCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const preconditions = readPreconditions(call.request);
  if (preconditions === undefined) return await work();
  if (reader === undefined) {
    // RFC 9110, 13.1: without a representation no tag matches, and nothing can be overwritten.
    if (preconditions.ifMatch === undefined) return await work();
    throw new Problem("precondition_failed", "This path has no ETag, so If-Match can never match; leave it out.");
  }
  const check = async (db: Db) => {
    const current = await readCurrentObject({ endpoint, reader }, { ...app, db }, call);
    requirePreconditions(preconditions, current === undefined ? undefined : versionOf(current.value));
  };
  await check(app.db);
  // Of several transactions, only the first is checked: the call itself has changed the object after it.
  let isUnchanged = true;
  const hook = {
    isRepeatableRead: true,
    before: async (tx: Db) => {
      if (isUnchanged) await check(tx);
    },
    committed: () => {
      isUnchanged = false;
    },
  };
  return await withTransactionHook(hook, work);
}

function readPreconditions({ method, headers }: Request): Preconditions | undefined {
  if (method !== "PATCH" && method !== "PUT" && method !== "DELETE") return undefined;
  const [ifMatch, ifNoneMatch] = [headers.get("if-match"), headers.get("if-none-match")];
  if (ifMatch === null && ifNoneMatch === null) return undefined;
  return {
    ifMatch: ifMatch === null ? undefined : readTags("If-Match", ifMatch),
    ifNoneMatch: ifNoneMatch === null ? undefined : readTags("If-None-Match", ifNoneMatch),
  };
}

function requirePreconditions({ ifMatch, ifNoneMatch }: Preconditions, version: string | undefined): void {
  if (version === undefined) {
    if (ifMatch === undefined) return;
    throw new Problem("precondition_failed", "If-Match: the object does not exist.");
  }
  if (ifMatch !== undefined && !matchesVersion(ifMatch, version)) {
    const isWeak = ifMatch.kind === "tags" && ifMatch.tags.every((tag) => tag.isWeak);
    const hint = isWeak ? "A weak tag (W/) never matches; a compressing proxy may have made yours weak." : undefined;
    throw new Problem(
      "precondition_failed",
      "If-Match: the object has changed since you read it; get it again.",
      hint === undefined ? {} : { hint },
    );
  }
  if (ifNoneMatch !== undefined && matchesVersionWeakly(ifNoneMatch, version)) {
    throw new Problem("precondition_failed", "If-None-Match: the object already exists.");
  }
}

function matchesVersionWeakly(list: TagList, version: string): boolean {
  return list.kind === "any" || list.tags.some(({ opaqueTag }) => opaqueTag.split(".")[0] === version);
}
