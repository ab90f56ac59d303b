/** What a service without a mail server offers instead of links by e-mail. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openDashboard, ownerPassword, ownerSignIn } from "./support/dashboard.ts";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService(ownerPassword);
});
afterAll(() => server.remove());

test("a link to sign in is refused, and the sign-in page does not offer one", async () => {
  const page = openDashboard(server);

  const answer = await page.send("POST", "/magic-link", { email: ownerSignIn.email });
  const shell = await (await page.visit("/sign-in")).text();

  expect(refusalOf(answer)).toBe("422 unprocessable_entity");
  expect(shell).toContain("&quot;hasLinks&quot;:false");
});

test("the response to a forgotten password names the command that sets one", async () => {
  const answer = await openDashboard(server).send("POST", "/password-reset", { email: ownerSignIn.email });

  expect(refusalOf(answer)).toBe("422 unprocessable_entity");
  expect(JSON.stringify(answer.body)).toContain("waypost user password --email");
});

test("a user's e-mail address changes, and the response names the command that verifies it", async () => {
  const dashboard = openDashboard(server);
  await dashboard.signIn();
  const body = { email: `${crypto.randomUUID()}@example.com`, currentPassword: ownerSignIn.password };

  const changed = await server.call("PATCH", "/user", { key: await dashboard.token(), body });

  expect(changed.body).toMatchObject({ email: body.email, emailVerified: false });
  expect(changed.headers.get("Waypost-Warning")).toContain("waypost user verify --email");
});
