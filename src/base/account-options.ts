import { countLimitMax, retentionDaysMax } from "./limit-bounds.ts";
import { flag, oneOf, wholeNumber } from "./option-parsers.ts";

/** The options about accounts and the limits of workspaces, for the table of options. */
export const accountOptions = {
  WAYPOST_SIGN_UP: {
    help: "Who can create an account: closed (only you, with the command line), invite (also people with an invitation), open (also anyone who verifies an e-mail address; needs WAYPOST_SMTP_URL)",
    example: "open",
    fallback: "invite",
    parse: oneOf("closed", "invite", "open"),
  },
  WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR: {
    help: "false lets administrators open the administration area after signing in with the password alone",
    example: "false",
    fallback: "true",
    parse: flag,
  },
  WAYPOST_MAX_LINKS: {
    help: "Links that a workspace may have, unless an administrator sets another limit for it",
    example: "100000",
    parse: wholeNumber(1, countLimitMax),
  },
  WAYPOST_MAX_DOMAINS: {
    help: "Domains that a workspace may have, unless an administrator sets another limit for it",
    example: "10",
    parse: wholeNumber(1, countLimitMax),
  },
  WAYPOST_MAX_MEMBERS: {
    help: "Members that a workspace may have, unless an administrator sets another limit for it",
    example: "25",
    parse: wholeNumber(1, countLimitMax),
  },
  WAYPOST_MAX_API_KEYS: {
    help: "API keys that a workspace may have, unless an administrator sets another limit for it",
    example: "50",
    parse: wholeNumber(1, countLimitMax),
  },
  WAYPOST_MAX_WORKSPACES: {
    help: "Workspaces that a user may own; administrators of this service have no such limit",
    example: "5",
    parse: wholeNumber(1, countLimitMax),
  },
  WAYPOST_MAX_RETENTION_DAYS: {
    help: "Days that a workspace may keep individual clicks, unless an administrator sets another limit for it",
    example: "730",
    parse: wholeNumber(1, retentionDaysMax),
  },
  WAYPOST_DEFAULT_RETENTION_DAYS: {
    help: "Days that a new workspace keeps individual clicks; its owners can change them",
    example: "365",
    parse: wholeNumber(1, retentionDaysMax),
  },
} as const;
