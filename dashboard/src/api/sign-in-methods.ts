/** How people can sign in on this instance: see src/site/sign-in-methods.ts. */
type SignInMethods = {
  hasPasswords: boolean;
  hasLinks: boolean;
  /** The name of the identity provider; null without one. */
  provider: string | null;
};

/** The methods that the server wrote into the page. */
export function signInMethods(): SignInMethods {
  const json = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content ?? "{}";
  const methods: Partial<SignInMethods> = JSON.parse(json);
  const { hasPasswords = true, hasLinks = false, provider = null } = methods;
  return { hasPasswords, hasLinks, provider };
}
