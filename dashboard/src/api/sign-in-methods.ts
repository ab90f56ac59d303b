/** How people can sign in and sign up on this instance: see src/site/sign-in-methods.ts. */
type SignInMethods = {
  /** False until the first person has set up a way to sign in. */
  isSetUp: boolean;
  signUp: "open" | "invite" | "closed" | "provider";
  hasPasswords: boolean;
  hasLinks: boolean;
  linkLifeMinutes: number;
  /** The name of the identity provider; null without one. */
  provider: string | null;
  /** Whether passkeys work, and why not. */
  passkeys: "on" | "needsHttps" | "needsHostName" | "off";
  /** The origin of the service's URL; only its pages can use passkeys. */
  origin: string;
};

/** The methods that the server wrote into the page. */
export function signInMethods(): SignInMethods {
  const written = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content;
  if (written === undefined) throw new Error("The page lacks the meta element sign-in.");
  const methods: SignInMethods = JSON.parse(written);
  return methods;
}
