import { languagesOf } from "../base/accept-language.ts";
import { parameterText, parameterTexts } from "../base/parameter-texts.ts";
import { type Agent, parseAgent } from "../clicks/agent.ts";
import type { Place } from "../clicks/click.ts";
import type { Geo } from "../clicks/geo.ts";
import type { PasswordCheck } from "./password-check.ts";
import type { RedirectRequest } from "./redirect-request.ts";

/**
 * What decides which page or destination a visitor gets. Place, agent, language and parameters are read on first use.
 */
export class VisitorAttributes {
  readonly now: number;
  /** The query with its "?", or "". */
  readonly query: string;
  readonly address: string;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  readonly passwordCheck: PasswordCheck;
  /** True when the link's maxClicks are used up; only set for links with maxClicks. */
  isUsedUp = false;
  readonly #geo: Pick<Geo, "locate">;
  #place: Place | undefined;
  #agent: Agent | undefined;
  #language: string | undefined;
  #parameters: ReadonlySet<string> | undefined;

  /** `address` is the visitor's, from clientAddress. */
  constructor(
    { headers, query }: Pick<RedirectRequest, "headers" | "query">,
    { now, address, passwordCheck }: Pick<VisitorAttributes, "now" | "address" | "passwordCheck">,
    geo: Pick<Geo, "locate">,
  ) {
    this.now = now;
    this.query = query;
    this.address = address;
    this.userAgent = headers["user-agent"] ?? "";
    this.acceptLanguage = headers["accept-language"] ?? "";
    this.passwordCheck = passwordCheck;
    this.#geo = geo;
  }

  get place(): Place {
    this.#place ??= this.#geo.locate(this.address);
    return this.#place;
  }

  get agent(): Agent {
    this.#agent ??= parseAgent(this.userAgent);
    return this.#agent;
  }

  /** The visitor's preferred language, "" for none. Every link has a language too, so second choices do not count. */
  get language(): string {
    this.#language ??= languagesOf(this.acceptLanguage)[0] ?? "";
    return this.#language;
  }

  /**
   * True when the query has this parameter with this value. Parsed once into a set: the rules of a link may name a
   * thousand parameters, and scanning a query of 16 KiB for each of them would occupy the thread for 30 ms.
   */
  hasParameter(name: string, value: string): boolean {
    this.#parameters ??= parameterTexts(new URLSearchParams(this.query));
    return this.#parameters.has(parameterText(name, value));
  }
}
