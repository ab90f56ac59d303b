/** The options of an instance without limits. */
export const noInstanceLimits = {
  WAYPOST_MAX_LINKS: undefined,
  WAYPOST_MAX_DOMAINS: undefined,
  WAYPOST_MAX_MEMBERS: undefined,
  WAYPOST_MAX_API_KEYS: undefined,
  WAYPOST_MAX_WORKSPACES: undefined,
  WAYPOST_MAX_RETENTION_DAYS: undefined,
  WAYPOST_DEFAULT_RETENTION_DAYS: undefined,
};
