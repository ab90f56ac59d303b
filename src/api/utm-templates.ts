import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import { utmCharactersMax, utmFields } from "../links/destination-url.ts";
import {
  createUtmTemplate,
  deleteUtmTemplate,
  findUtmTemplate,
  listUtmTemplates,
  type UtmTemplate as StoredTemplate,
  updateUtmTemplate,
  utmTemplateNameCharactersMax,
  utmTemplatesPerWorkspaceMax,
} from "../links/utm-templates.ts";
import { name, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "UTM templates", uses: ["db", "now"] });

const value = z.string().nullable();
const UtmTemplate = z
  .object({
    id: z.string(),
    name: z.string(),
    utm_source: value,
    utm_medium: value,
    utm_campaign: value,
    utm_term: value,
    utm_content: value,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("UtmTemplate");

const example: z.input<typeof UtmTemplate> = {
  id: "utm_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  name: "Newsletter",
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: null,
  utm_term: null,
  utm_content: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

/** Trimmed; empty means null. */
const given = z
  .string()
  .trim()
  .max(utmCharactersMax, `must have at most ${utmCharactersMax} characters`)
  .nullable()
  .transform((text) => (text === "" ? null : text))
  .openapi({ type: ["string", "null"] });
const parameter = given.optional();
const parameters = {
  utm_source: parameter,
  utm_medium: parameter,
  utm_campaign: parameter,
  utm_term: parameter,
  utm_content: parameter,
};
const templateName = name(utmTemplateNameCharactersMax).openapi({
  description: "Unique in the workspace, ignoring case.",
});
const TemplateBody = z.object({ name: templateName, ...parameters }).openapi("UtmTemplateFields");
const TemplateChange = z.object({ name: templateName.optional(), ...parameters }).openapi("UtmTemplateChange");
const bodyExample = { name: "Newsletter", utm_source: "newsletter", utm_medium: "email" };
const templatePath = z.object({ id: z.string().openapi({ example: example.id }) });

/** The operations on UTM templates. */
export const utmTemplateEndpoints = [
  endpoint({
    method: "post",
    path: "/utm-templates",
    operationId: "createUtmTemplate",
    summary: "Create a UTM template",
    description: `Named utm parameters to fill into links. A workspace has at most ${utmTemplatesPerWorkspaceMax}.`,
    scope: "links.write",
    bodySchema: TemplateBody,
    bodyExample,
    status: 201,
    responseSchema: UtmTemplate,
    responseExample: example,
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const fields = { name: body.name, ...withEvery(body) };
      return serialize(await createUtmTemplate(deps, actor, fields));
    },
  }),
  endpoint({
    method: "get",
    path: "/utm-templates",
    operationId: "listUtmTemplates",
    summary: "List UTM templates",
    description: "All templates, ordered by name.",
    scope: "links.read",
    responseSchema: z.array(UtmTemplate),
    responseExample: [example],
    handle: async ({ deps, actor }) => (await listUtmTemplates(deps, actor)).map(serialize),
  }),
  endpoint({
    method: "get",
    path: "/utm-templates/{id}",
    operationId: "getUtmTemplate",
    summary: "Retrieve a UTM template",
    scope: "links.read",
    pathSchema: templatePath,
    responseSchema: UtmTemplate,
    responseExample: example,
    handle: async ({ deps, actor, path }) => serialize(await findUtmTemplate(deps, actor, path.id)),
  }),
  endpoint({
    method: "patch",
    path: "/utm-templates/{id}",
    operationId: "updateUtmTemplate",
    summary: "Update a UTM template",
    description: "Omitted fields stay unchanged; null removes a parameter. Links do not change.",
    scope: "links.write",
    pathSchema: templatePath,
    bodySchema: TemplateChange,
    bodyExample,
    responseSchema: UtmTemplate,
    responseExample: example,
    problems: ["conflict"],
    handle: async ({ deps, actor, path, body }) => serialize(await updateUtmTemplate(deps, actor, path.id, body)),
  }),
  endpoint({
    method: "delete",
    path: "/utm-templates/{id}",
    operationId: "deleteUtmTemplate",
    summary: "Delete a UTM template",
    scope: "links.write",
    pathSchema: templatePath,
    responseSchema: z.object({ id: z.string() }),
    responseExample: { id: example.id },
    handle: ({ deps, actor, path }) => deleteUtmTemplate(deps, actor, path.id),
  }),
];

type Parameters = Record<(typeof utmFields)[number], string | null>;

/** At creation, omitted parameters are null. */
function withEvery(body: Partial<{ [Field in keyof Parameters]: string | null | undefined }>): Parameters {
  const none: Parameters = {
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
  };
  for (const field of utmFields) none[field] = body[field] ?? null;
  return none;
}

function serialize({ createdAt, updatedAt, ...template }: StoredTemplate): z.input<typeof UtmTemplate> {
  return { ...template, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
