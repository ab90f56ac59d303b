/** How operations on the caller are accessed: with a session, also by people without a workspace. */
export const sessionAccess = { isAboutUser: true, allowsNoWorkspace: true, scope: "session" } as const;
