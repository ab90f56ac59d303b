import { flag, oneOf, secureUrl, token } from "./option-parsers.ts";

/** Lines of WAYPOST_OIDC_ROLES. */
const groupRolesMax = 500;
const roles = ["owner", "member", "viewer"] as const;

/** Members of a group of the identity provider have a role in a workspace. */
export type GroupRole = { group: string; workspaceId: number; role: (typeof roles)[number] };

/** The part of the table of options (config.ts) about signing in with an identity provider, by OpenID Connect. */
export const oidcOptions = {
  WAYPOST_OIDC_ISSUER: {
    help: "Issuer of the OpenID Connect provider that people can sign in with; none when empty",
    example: "https://id.example.com/realms/acme",
    parse: issuer,
  },
  WAYPOST_OIDC_CLIENT_ID: {
    help: "Client id of Waypost at the provider; its redirect URI is /app/oidc/callback below WAYPOST_URL",
    example: "waypost",
    parse: token,
  },
  WAYPOST_OIDC_CLIENT_SECRET: {
    help: "Client secret of Waypost at the provider; without one, Waypost is a public client",
    example: "a-long-random-text",
    parse: token,
    secret: true,
  },
  WAYPOST_OIDC_NAME: {
    help: "Name of the provider on the sign-in page",
    example: "Acme",
    fallback: "SSO",
    parse: providerName,
  },
  WAYPOST_OIDC_SCOPES: {
    help: "Scopes to request, separated by spaces; openid and email are needed",
    example: "openid profile email groups",
    fallback: "openid profile email",
    parse: scopes,
  },
  WAYPOST_OIDC_GROUPS_CLAIM: {
    help: "Claim of the provider that lists a person's groups",
    example: "groups",
    fallback: "groups",
    parse: token,
  },
  WAYPOST_OIDC_ROLES: {
    help: "Roles of the provider's groups, comma-separated: GROUP=WORKSPACE_ID:ROLE. In a group, write a comma as %2C",
    example: "engineering=1:member,ops=1:owner",
    fallback: "",
    parse: groupRoles,
  },
  WAYPOST_OIDC_CREATE_ACCOUNTS: {
    help: "true creates an account for everyone whom the provider signs in; otherwise only for members of the groups in WAYPOST_OIDC_ROLES, and if sign-up is open",
    example: "true",
    fallback: "false",
    parse: flag,
  },
  WAYPOST_OIDC_TRUST_SECOND_FACTOR: {
    help: "true counts each sign-in with the provider as one with a second factor; otherwise only if its amr claim contains mfa",
    example: "true",
    fallback: "false",
    parse: flag,
  },
  WAYPOST_PASSWORD_SIGN_IN: {
    help: "off leaves the provider as the only way to sign in: no passwords, no passkeys, no links by mail",
    example: "off",
    fallback: "on",
    parse: oneOf("on", "off"),
  },
} as const;

function issuer(value: string): URL {
  const url = secureUrl(value);
  if (url.search + url.hash !== "") throw new Error("it must be a URL without a query and a fragment");
  return url;
}

function providerName(value: string): string {
  const name = value.trim();
  if (name === "" || name.length > 40) throw new Error("it must have 1 to 40 characters");
  return name;
}

function scopes(value: string): string {
  const names = value.trim().split(/\s+/);
  if (!names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))) throw new Error("it must be names of scopes");
  if (!names.includes("openid")) throw new Error("it must contain openid");
  return names.join(" ");
}

function groupRoles(value: string): GroupRole[] {
  const entries = value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (entries.length > groupRolesMax) throw new Error(`it must have at most ${groupRolesMax} entries`);
  return entries.map(groupRole);
}

function groupRole(entry: string): GroupRole {
  const [, name = "", id = "", roleName = ""] = /^(.+)=([1-9]\d{0,9}):(\w+)$/.exec(entry) ?? [];
  const role = roles.find((each) => each === roleName);
  const group = decoded(name);
  if (group === undefined || role === undefined) {
    throw new Error("it must be entries such as engineering=1:member, with the roles owner, member and viewer");
  }
  return { group, workspaceId: Number(id), role };
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name.trim()) || undefined;
  } catch {
    return undefined;
  }
}
