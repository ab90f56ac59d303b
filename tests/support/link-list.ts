import type { Page } from "playwright-core";
import { z } from "zod";
import type { TestService } from "./server.ts";

const Link = z.object({
  id: z.string(),
  key: z.string(),
  url: z.string(),
  comments: z.string().nullable(),
  tags: z.array(z.object({ name: z.string() })),
  rules: z.unknown().optional(),
  archived: z.boolean(),
});

type Link = z.infer<typeof Link>;

/** Creates a link as the owner, through the API. */
export async function newLink(server: TestService, body: object): Promise<Link> {
  return Link.parse((await server.call("POST", "/links", { body })).body);
}

/** The link with this key on localhost, as the API returns it; undefined if there is none. */
export async function linkAt(server: TestService, key: string): Promise<Link | undefined> {
  const { body } = await server.call("GET", `/links/info?domain=localhost&key=${encodeURIComponent(key)}`);
  return Link.safeParse(body).data;
}

/** Opens the list at a URL, and resolves when it shows this number of links. */
export async function openList(page: Page, url: string, counted: string): Promise<void> {
  await page.goto(url);
  await page.getByText(counted, { exact: true }).waitFor();
}

/** The row of a link in the list, by its key. */
export function row(page: Page, key: string) {
  return page.getByRole("listitem").filter({ has: page.getByRole("button", { name: new RegExp(`/${key}$`) }) });
}
