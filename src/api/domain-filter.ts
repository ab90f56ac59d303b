import { z } from "@hono/zod-openapi";
import { pageMax, queryFlag, queryInteger } from "./field-schemas.ts";

const searchCharactersMax = 190;

/** The largest number of domains on a page. */
const domainPageSizeMax = 50;

/** The query parameters that select domains. */
export const domainFilterQuery = {
  archived: queryFlag()
    .optional()
    .openapi({ description: "true selects archived domains, false (the default) the others." }),
  search: z.string().trim().max(searchCharactersMax).optional().openapi({ description: "Matches a part of the slug." }),
};

/** The query parameters of a list of domains. */
export const DomainListQuery = z.object({
  ...domainFilterQuery,
  page: queryInteger(1, pageMax).optional(),
  pageSize: queryInteger(1, domainPageSizeMax).optional(),
});

/** The selected domains, with the fallbacks of a list. */
export function domainSelection(query: z.output<typeof DomainListQuery>) {
  const { archived = false, search, page = 1, pageSize = domainPageSizeMax } = query;
  return { archived, search, page, pageSize };
}
