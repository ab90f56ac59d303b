/** Why signing in with the identity provider failed: see src/site/oidc.ts. */
const signInProblems = [
  "disabled",
  "expired",
  "noAccount",
  "otherIdentity",
  "refused",
  "tooMany",
  "unreachable",
  "unverifiedAccount",
  "unverifiedEmail",
] as const;
export type SignInProblem = (typeof signInProblems)[number];

/** The problem with this name; undefined for another value. */
export function readSignInProblem(name: unknown): SignInProblem | undefined {
  return signInProblems.find((problem) => problem === name);
}
