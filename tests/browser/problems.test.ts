/** Problems that the service returns, shown in the language of the user. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ownerSignIn } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const minuteMs = 60_000;

const world = openWalks();

test(
  "field errors, conflicts and other problems are shown in German, with names and numbers",
  async () => {
    const page = await world.newPage({ locale: "de-DE" });
    await world.server.call("POST", "/links", { body: { url: "https://example.com/", key: "sommer" } });

    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "Neuer Link" });
    await drawer.getByRole("textbox", { name: "Ziel" }).fill("https://example.com/neu");
    const key = drawer.getByRole("textbox", { name: "Slug" });
    await key.fill("sommer");
    await drawer.getByRole("button", { name: "Link erstellen" }).click();
    await drawer.getByText("„sommer“ ist auf dieser Domain vergeben.").waitFor();
    await key.fill("robots.txt");
    await drawer.getByRole("button", { name: "Link erstellen" }).click();
    await drawer.getByText("„robots.txt“ ist reserviert, weil Browser und Crawler").waitFor();

    await page.goto(world.url("/account/security"));
    await page.getByLabel("Aktuelles Passwort").fill("not the one at all");
    await page.getByLabel("Neues Passwort").fill("long enough for anybody");
    await page.getByRole("button", { name: "Passwort ändern" }).click();
    await page.getByText("Das ist nicht Ihr aktuelles Passwort.").waitFor();

    await page.goto(world.url("/settings"));
    await page.getByRole("button", { name: "Arbeitsbereich verlassen" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Arbeitsbereich verlassen" }).click();
    await page.getByText("Ein Arbeitsbereich hat mindestens einen Inhaber;").waitFor();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "text without a translation is quoted in English after a Chinese sentence",
  async () => {
    const page = await world.newPage({ locale: "zh-CN" }, null);
    await page.route("**/app/session", (route) =>
      route.fulfill({ status: 409, json: { error: { code: "conflict", message: "The moon is in the way." } } }),
    );

    await signIn(page, { email: "邮箱", password: "密码", action: "登录" });

    await page.getByText("与已有内容冲突。").waitFor();
    expect(await page.locator("q[lang=en]").innerText()).toContain("The moon is in the way");
  },
  walkMsMax,
);

test(
  "a wrong password and an error page of a proxy are reported in German",
  async () => {
    const page = await world.newPage({ locale: "de-DE" }, null);
    const labels = { email: "E-Mail", password: "Passwort", action: "Anmelden" };

    await signIn(page, labels);
    await page.getByText("Die E-Mail-Adresse oder das Passwort ist falsch.").waitFor();
    await page.route("**/app/session", (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }));
    await signIn(page, labels);

    await page.getByText("Waypost ist nicht erreichbar.").waitFor();
    expect(await page.getByText("Bad Gateway").count()).toBe(0);
  },
  walkMsMax,
);

test(
  "both errors of a field are shown, and replaced by the next error",
  async () => {
    const page = await world.newPage({ locale: "en-US" });
    await page.clock.install();
    let message = "search: must be text; search: must not be empty";
    await page.goto(world.url("/links"));
    await page.getByRole("list", { name: "Links" }).waitFor();
    await page.route("**/v1/links/count*", (route) =>
      route.fulfill({ status: 422, json: { error: { code: "unprocessable_entity", message } } }),
    );

    await page.clock.fastForward(minuteMs);
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    const note = page.getByRole("alert");
    await note.getByText("search: must be text; search: must not be empty").waitFor();
    message = "domain: must be a domain";
    await note.getByRole("button", { name: "Try again" }).click();
    await note.getByText("domain: must be a domain").waitFor();

    expect(await note.locator("p").allInnerTexts()).toEqual(["domain: must be a domain"]);
  },
  walkMsMax,
);

type Labels = { email: string; password: string; action: string };

async function signIn(page: Page, { email, password, action }: Labels): Promise<void> {
  await page.goto(`${world.server.url}/app/sign-in`);
  await page.getByLabel(email, { exact: true }).fill(ownerSignIn.email);
  await page.getByLabel(password, { exact: true }).fill("not the one at all");
  await page.getByRole("button", { name: action, exact: true }).click();
}
