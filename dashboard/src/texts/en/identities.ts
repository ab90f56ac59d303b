/** The identity providers that sign a person in, and API keys of people without a second factor. */
export const identities = {
  title: "Single sign-on",
  about: "The provider that signs you in to this service.",
  signInWith: (provider: string) => `Sign-in with ${provider}`,
  since: (when: string) => `Connected on ${when}`,
  former: "No longer used",
  onlyWay: "Your only way to sign in",
  none: (provider: string) =>
    `Not connected. Sign in with ${provider} to connect it; it must know you by the same verified e-mail address.`,
  disconnect: "Disconnect",
  disconnectOne: (provider: string) => `Disconnect ${provider}`,
  disconnectTitle: (provider: string) => `Disconnect ${provider}?`,
  disconnectText: (provider: string) =>
    `Browsers where you signed in with ${provider} are signed out, except this one. Signing in with it again connects it again.`,
  disconnected: (provider: string) => `${provider} is disconnected.`,
  keyRefused: "Refused",
  keyRefusedHint:
    "This workspace requires two-factor authentication, and the key’s owner hasn’t turned it on. The key works again once they turn it on or add a passkey in their security settings, or sign in with a provider that asks for a second factor.",
};
