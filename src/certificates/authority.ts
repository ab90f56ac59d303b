import { readFileSync } from "node:fs";
import { CallFailure } from "../base/calls.ts";
import { Thread } from "../base/thread.ts";
import { minuteMs } from "../base/time.ts";
import { type Config, ConfigError } from "../config.ts";
import type { AcmeProblem, AcmeResult, AcmeVerbs, AuthorityOptions } from "./acme-calls.ts";

/** Timeout of a call: several requests to the authority, and waiting for those of other orders. */
const callTimeMaxMs = 2 * minuteMs;
/** The thread ends after this time without calls, and gives back its memory. */
const idleMsMax = 5 * minuteMs;

/** A verb that reaches the authority. */
type Verb = Exclude<keyof AcmeVerbs & string, "start" | "close">;
/** The result of a verb that succeeds. */
type Value<Name extends Verb> = AcmeVerbs[Name]["result"] extends AcmeResult<infer Result> ? Result : never;

/** The certificate authority. */
export type Authority = {
  readonly directory: string;
  /** Calls the authority. Throws AuthorityProblem when it refuses or cannot be reached. */
  call<Name extends Verb>(verb: Name, argument: AcmeVerbs[Name]["argument"]): Promise<Value<Name>>;
  close(): void;
};

/** Why a call did not succeed. */
export class AuthorityProblem extends Error {
  override readonly name = "AuthorityProblem";
  readonly problem: AcmeProblem;

  constructor(problem: AcmeProblem) {
    super(problem.text);
    this.problem = problem;
  }
}

type AcmeConfig = Pick<
  Config,
  "WAYPOST_ACME_DIRECTORY" | "WAYPOST_ACME_CA" | "WAYPOST_ACME_EAB_KEY_ID" | "WAYPOST_ACME_EAB_HMAC_KEY"
>;

/** Opens the authority of the configuration; the first call starts its thread. Throws ConfigError. */
export function openAuthority(config: AcmeConfig): Authority {
  const options = authorityOptions(config);
  let thread: Thread<AcmeVerbs> | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let running = 0;

  function end(): void {
    clearTimeout(idle);
    thread?.terminate();
    thread = undefined;
  }

  return {
    directory: options.directory,
    async call(verb, argument) {
      clearTimeout(idle);
      thread ??= new Thread<AcmeVerbs>(new URL("./acme-worker.ts", import.meta.url), callTimeMaxMs, options);
      running++;
      try {
        const result = await thread.call(verb, argument);
        if (result.kind !== "done") throw new AuthorityProblem(result);
        // The result has the type of the verb's row in the table.
        return result.value as Value<typeof verb>;
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        throw new AuthorityProblem({ kind: "unreachable", text: error.message, retryAfterMs: null });
      } finally {
        running--;
        if (running === 0) {
          idle = setTimeout(end, idleMsMax);
          idle.unref();
        }
      }
    },
    close: end,
  };
}

function authorityOptions(config: AcmeConfig): AuthorityOptions {
  const { WAYPOST_ACME_EAB_KEY_ID: keyId, WAYPOST_ACME_EAB_HMAC_KEY: hmacKey, WAYPOST_ACME_CA: roots } = config;
  if ((keyId === undefined) !== (hmacKey === undefined)) {
    throw new ConfigError(
      "WAYPOST_ACME_EAB_KEY_ID and WAYPOST_ACME_EAB_HMAC_KEY belong together. Set both, or leave both out.",
    );
  }
  return {
    directory: config.WAYPOST_ACME_DIRECTORY.href,
    roots: roots === undefined ? undefined : readFileSync(roots, "utf8"),
    externalAccount: keyId === undefined || hmacKey === undefined ? undefined : { keyId, hmacKey },
  };
}
