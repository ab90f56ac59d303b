import type { App } from "../../app.ts";
import { Problem } from "../../base/problem.ts";
import type { Db } from "../../database/database.ts";
import { withTransactionHook } from "../../database/transact.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import { matchesVersion, readTags, type TagList, versionOf } from "./entity-tag.ts";
import type { Reply } from "./reply.ts";

/**
 * If-Match and If-None-Match of a call that changes an object.
 *
 * - The object is read as GET on the same path answers it, with the same actor: who may not see it gets 404.
 * - It is read once before the work, so that most refusals cost nothing, and again at the beginning of each of its
 *   transactions, in a way in which no other change fits between that look and the write; see database/transact.ts.
 */

type Preconditions = { ifMatch: TagList | undefined; ifNoneMatch: TagList | undefined };

/**
 * Runs the work if the object is as the request expects it.
 * `reader` is GET on the endpoint's path; undefined where there is none, and thus nothing that a tag could stand for.
 * Throws "precondition_failed", "bad_request" for a malformed header, and what the reader throws.
 */
export async function withPreconditions(
  { endpoint, reader }: { endpoint: Endpoint; reader: Endpoint | undefined },
  call: Call<unknown, unknown, unknown>,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const preconditions = readPreconditions(call.request);
  if (preconditions === undefined) return await work();
  if (reader === undefined) {
    // As RFC 9110 has it (13.1): where there is no representation, no tag matches, and none is there to be overwritten.
    if (preconditions.ifMatch === undefined) return await work();
    throw new Problem(
      "precondition_failed",
      "Nothing at this path has an ETag, so If-Match cannot hold; leave it out.",
    );
  }
  const check = async (db: Db) => requirePreconditions(preconditions, await currentVersion(endpoint, reader, call, db));
  await check(call.app.db);
  // A change that this call has made itself, in an earlier transaction of several, is not one to refuse.
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

/** undefined for an object that is not there, and that the endpoint would make. */
async function currentVersion(
  { createsMissing }: Endpoint,
  reader: Endpoint,
  call: Call<unknown, unknown, unknown>,
  db: Db,
): Promise<string | undefined> {
  const app: App = { ...call.app, db };
  try {
    const read = await reader.prepare({ ...call, app, warn: undefined, query: {}, body: undefined });
    const { content } = await read();
    return versionOf(content.kind === "json" ? content.value : content.kind);
  } catch (error) {
    if (createsMissing && error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

function requirePreconditions({ ifMatch, ifNoneMatch }: Preconditions, version: string | undefined): void {
  if (version === undefined) {
    if (ifMatch === undefined) return;
    throw new Problem("precondition_failed", "If-Match: the object does not exist.");
  }
  if (ifMatch !== undefined && !matchesVersion(ifMatch, version)) {
    const isWeak = ifMatch.kind === "tags" && ifMatch.tags.every((tag) => tag.isWeak);
    const hint = isWeak ? "A weak tag (W/) never matches; a proxy that compresses may have made yours one." : undefined;
    throw new Problem(
      "precondition_failed",
      "If-Match: the object has changed since; get it again and decide anew.",
      hint === undefined ? {} : { hint },
    );
  }
  if (ifNoneMatch !== undefined && matchesVersionWeakly(ifNoneMatch, version)) {
    throw new Problem("precondition_failed", "If-None-Match: the object exists already.");
  }
}

function matchesVersionWeakly(list: TagList, version: string): boolean {
  return list.kind === "any" || list.tags.some(({ opaqueTag }) => opaqueTag.split(".")[0] === version);
}
