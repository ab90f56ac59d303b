/**
 * A real OpenID Connect provider in its own process, for tests. Arguments: its issuer, its port, and a shift of its clock
 * in milliseconds. POST /test-accounts sets the claims of an account; a person signs in with the account's id.
 */
import { createServer } from "node:http";
import Provider, { type KoaContextWithOIDC } from "oidc-provider";

const [issuer = "", port = "0", shiftMs = "0"] = process.argv.slice(2);
const realNow = Date.now;
Date.now = () => realNow() + Number(shiftMs);

const accounts = new Map<string, Record<string, unknown>>();
const provider: Provider = new Provider(issuer, {
  clients: [{ client_id: "waypost", client_secret: "a-client-secret", redirect_uris: ["http://localhost/unused"] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  scopes: ["openid", "email", "profile", "groups"],
  features: { devInteractions: { enabled: true } },
  cookies: { keys: ["test"] },
  pkce: { required: () => true },
  findAccount: (_context: unknown, id: string) => ({
    accountId: id,
    claims: () => ({ ...accounts.get(id), sub: id }),
  }),
  // Nobody is asked for consent.
  async loadExistingGrant({ oidc }: KoaContextWithOIDC) {
    const { client, session } = oidc;
    if (client === undefined || session?.accountId === undefined) return undefined;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope("openid email profile groups");
    await grant.save();
    return grant;
  },
});
// The port of the tested server is not known before it starts.
provider.Client.prototype.redirectUriAllowed = () => true;

const answer = provider.callback();
createServer((request, response) => {
  if (request.url !== "/test-accounts") return answer(request, response);
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const posted: Record<string, Record<string, unknown>> = JSON.parse(Buffer.concat(chunks).toString());
    for (const [id, claims] of Object.entries(posted)) accounts.set(id, claims);
    response.writeHead(204).end();
  });
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
