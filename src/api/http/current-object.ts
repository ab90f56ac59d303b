import type { App } from "../../app.ts";
import { Problem } from "../../base/problem.ts";
import type { Endpoint, UnparsedCall } from "./endpoint.ts";
import { prepare } from "./prepare.ts";

/** An endpoint that changes an object, and `reader`: the GET endpoint on the same path. */
type Change = { endpoint: Endpoint; reader: Endpoint };

/** A call without the resources for its handler, which `prepare` adds. */
export type UnpreparedCall = Omit<UnparsedCall, "deps">;

/**
 * Returns the object that a call changes, as GET on the same path returns it to the same actor; undefined if it does
 * not exist and the call creates it.
 */
export async function readCurrentObject(
  { endpoint, reader }: Change,
  app: App,
  call: UnpreparedCall,
): Promise<{ value: unknown } | undefined> {
  try {
    const read = await prepare(reader, app, { ...call, warn: undefined, query: {}, body: undefined });
    const { content } = await read();
    return { value: content.kind === "json" ? content.value : content.kind };
  } catch (error) {
    if (endpoint.createsMissing && error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}
