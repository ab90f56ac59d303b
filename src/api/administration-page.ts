import { z } from "@hono/zod-openapi";
import { pageRowsMax, searchCharactersMax } from "../administration/page.ts";

const cursorCharactersMax = 100;
const pageRowsMin = 1;
const limitExpected = `must be a whole number from ${pageRowsMin} to ${pageRowsMax}`;

/** The query of a list of the whole instance, whose cursor is the id of the row before. */
export function administrationPage(searched: string) {
  return z.object({
    search: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(searchCharactersMax, `must have at most ${searchCharactersMax} characters`)
      .optional()
      .openapi({ description: searched, example: "ann" }),
    after: z
      .string()
      .max(cursorCharactersMax, `must have at most ${cursorCharactersMax} characters`)
      .optional()
      .openapi({ description: "The id of the last row of the page before." }),
    limit: z.coerce
      .number()
      .int(limitExpected)
      .min(pageRowsMin, limitExpected)
      .max(pageRowsMax, limitExpected)
      .default(pageRowsMax)
      .openapi({ type: "integer", description: "The rows of a page.", example: 50 }),
  });
}
