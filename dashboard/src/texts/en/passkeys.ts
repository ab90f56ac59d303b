/** Signing in with passkeys. */
export const passkeys = {
  title: "Passkeys",
  about: "Sign in with your fingerprint, face or screen lock, without a password or code.",
  signIn: "Sign in with a passkey",
  none: "You have no passkeys yet.",
  add: "Add passkey",
  addTitle: "Add a passkey",
  addText:
    "Your browser then asks where to keep it: on this device, in your password manager, on your phone or on a security key.",
  name: "Name",
  nameHint: "Tells your passkeys apart.",
  next: "Continue",
  addedDone: (name: string) => `The passkey “${name}” was added.`,
  added: (day: string) => `Added on ${day}`,
  used: (when: string) => `Last used ${when}`,
  neverUsed: "Not used yet",
  otherHost: (host: string) => `Works only at ${host}`,
  actionsFor: (name: string) => `Actions for ${name}`,
  rename: "Rename",
  renameTitle: "Rename passkey",
  remove: "Remove",
  removeTitle: (name: string) => `Remove “${name}”?`,
  removeText:
    "It no longer signs you in, and other browsers that you signed in to with it are signed out. Also delete it on your device or in your password manager.",
  removed: (name: string) => `The passkey “${name}” was removed.`,
  /** Why the page cannot use passkeys; each gets the service's URL. */
  hindrances: {
    needsHttps: (_url: string) =>
      "Passkeys need HTTPS, which this service doesn’t use yet. Its operator can set WAYPOST_URL to an https URL.",
    needsHostName: (_url: string) =>
      "Passkeys need a host name, and this service has an IP address. Its operator can set WAYPOST_URL to a host name.",
    off: (_url: string) => "People sign in to this service with its identity provider only, so passkeys are off.",
    otherUrl: (url: string) => `Passkeys only work at ${url}. Open the dashboard there.`,
    unsupported: (_url: string) => "This browser doesn’t support passkeys.",
  },
  failures: {
    cancelled: "No passkey was used. Try again, or choose another way.",
    present: "This device or password manager already has a passkey of your account.",
    failed: "This browser could not use a passkey.",
  },
};
