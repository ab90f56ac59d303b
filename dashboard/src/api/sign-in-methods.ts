/** How people can sign in on this instance: see src/site/sign-in-methods.ts. */
type SignInMethods = { hasLinks: boolean };

/** The methods that the server wrote into the page. */
export function signInMethods(): SignInMethods {
  const written = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content ?? "{}";
  const methods: Partial<SignInMethods> = JSON.parse(written);
  return { hasLinks: methods.hasLinks === true };
}
