import type { Page } from "playwright-core";
import { z } from "zod";
import type { TestServer } from "./server.ts";

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

/** Makes a link as the owner, past the page. */
export async function newLink(server: TestServer, body: object): Promise<Link> {
  return Link.parse((await server.call("POST", "/links", { body })).body);
}

/** The link of this key of localhost, as the API tells it; undefined where there is none. */
export async function linkAt(server: TestServer, key: string): Promise<Link | undefined> {
  const { body } = await server.call("GET", `/links/info?domain=localhost&key=${encodeURIComponent(key)}`);
  return Link.safeParse(body).data;
}

/** Opens the list at this address, and returns when it says this about how many links it has. */
export async function openList(page: Page, url: string, counted: string): Promise<void> {
  await page.goto(url);
  await page.getByText(counted, { exact: true }).waitFor();
}

/** A link's row in the list, by its key. */
export function row(page: Page, key: string) {
  return page.getByRole("listitem").filter({ has: page.getByRole("button", { name: new RegExp(`/${key}$`) }) });
}
