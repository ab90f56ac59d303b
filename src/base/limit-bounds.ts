/** The highest limit of links, domains, members, API keys and workspaces; it only keeps numbers within 32 bits. */
export const countLimitMax = 1_000_000_000;
/** The longest retention of clicks in days, that a limit can allow and a workspace can choose. */
export const retentionDaysMax = 3_650;
