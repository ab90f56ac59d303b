import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { version } from "@fontsource-variable/inter/package.json";
import { type StaticFile, staticFiles } from "./static-files.ts";

const source = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
const file: StaticFile = {
  read: () => readFile(fileURLToPath(import.meta.resolve(source))),
  type: "font/woff2",
  tag: version,
  // Its URL does not change with its content.
  cacheControl: "public, max-age=86400",
};
const files = staticFiles();

/** The font of the sign-in pages; the dashboard has its own copy in its build. */
export async function font(request: Request): Promise<Response> {
  return await files.answer("inter.woff2", file, request);
}
