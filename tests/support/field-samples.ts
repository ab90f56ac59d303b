import { expect } from "bun:test";
import type { LinkField } from "../../src/links/field-kinds.ts";
import { type FieldName, fieldEntries } from "../../src/links/fields.ts";

/** Objects of the workspace that samples refer to. */
export type SampleObjects = {
  tag: Record<string, unknown>;
  folder: Record<string, unknown>;
  /** The slug of a second domain. */
  slug: string;
  /** The id of a link of the workspace, and of its share. */
  linkId: unknown;
  shareId?: unknown;
};

/** A value of a field that differs from the object's default, and how the object then shows it. */
export type Sample = {
  value(objects: SampleObjects): unknown;
  /** Other fields that it requires. */
  with?: Record<string, unknown>;
  /** The fields that the object shows; the same field with the same value when absent. */
  shown?(objects: SampleObjects, value: unknown): Record<string, unknown>;
  /** True when only a creation accepts it. */
  isForCreation?: true;
  /** True for fields that the history of a link does not record. */
  cannotRevert?: true;
};

/** How a test creates, changes and reads the objects of an operation. */
type SampledOperation = {
  make: string;
  /** The method that changes an object; undefined for an operation that creates one. */
  change?: "PATCH" | "PUT";
  path(object: Record<string, unknown>): string;
  /** The list that contains the object, if GET on its path does not return it. */
  list?: string;
  /** The fields that a creation requires. */
  required(objects: SampleObjects): Record<string, unknown>;
  samples: Record<string, Sample>;
};

const same = (value: unknown): Sample => ({ value: () => value });
const unique = (prefix = ""): Sample => ({ value: () => `${prefix}${crypto.randomUUID()}` });
const tagged = ({ tag }: SampleObjects) => ({ tags: [tag], tagId: tag["id"] });
const inFuture = "2100-01-01T00:00:00.000Z";

/** A value of every field in the table of links/fields.ts. */
export function sampleFields(): Record<string, unknown> {
  return Object.fromEntries(fieldEntries.map(([name, field]) => [name, sampleValue(name, field)]));
}

function sampleValue(name: FieldName, field: LinkField): unknown {
  switch (field.kind) {
    case "text":
      return textSamples[name] ?? `A ${name} ${crypto.randomUUID()}`;
    case "utm":
      return `a ${name}`;
    case "url":
      return `https://example.com/${name}`;
    case "instant":
      return inFuture;
    case "flag":
    case "nullableFlag":
      return true;
    case "integer":
      return field.min + 1;
    case "choice":
      return field.choices.at(-1);
    case "json":
      return structuredSamples[name] ?? expect.unreachable(`The structured field ${name} needs a sample.`);
  }
}

/** TABLE of samples of texts that need a certain form. */
const textSamples: Partial<Record<FieldName, string>> = {
  image: "https://example.com/image.png",
  video: "https://example.com/video.mp4",
};

/** TABLE of samples of structured fields. */
const structuredSamples: Partial<Record<FieldName, unknown>> = {
  rules: [{ when: { country: "DE", after: inFuture, query: { a: "b" } }, url: "https://example.com/rule" }],
  geo: { DE: "https://example.com/de" },
  testVariants: [
    { url: "https://example.com/a", percentage: 40 },
    { url: "https://example.com/b", percentage: 60 },
  ],
};

/** TABLE of samples of a link's fields. */
export const linkSamples: Record<string, Sample> = {
  ...Object.fromEntries(fieldEntries.map(([name, field]) => [name, { value: () => sampleValue(name, field) }])),
  url: unique("https://example.com/"),
  domain: { value: ({ slug }) => slug },
  key: unique(),
  keyLength: {
    value: () => 23,
    shown: () => ({ key: expect.stringMatching(/^[0-9A-Za-z]{23}$/) }),
    isForCreation: true,
  },
  prefix: {
    value: () => "news",
    shown: () => ({ key: expect.stringMatching(/^news\/[0-9A-Za-z]+$/) }),
    isForCreation: true,
  },
  tagId: { value: ({ tag }) => tag["id"], shown: tagged },
  tagIds: { value: ({ tag }) => [tag["id"]], shown: tagged },
  tagNames: { value: ({ tag }) => [tag["name"]], shown: tagged },
  folderId: { value: ({ folder }) => folder["id"] },
  password: { value: () => "open sesame", shown: () => ({ password: "********" }), cannotRevert: true },
  disabled: { value: () => true, shown: () => ({ disabledAt: expect.any(String) }) },
  ref: { value: () => "friend", shown: () => ({ url: expect.stringMatching(/\?ref=friend$/) }) },
  // Decides the meaning of dates without a time; not stored. See dates-and-texts.test.ts.
  timezone: { value: () => "Asia/Tokyo", shown: () => ({}), cannotRevert: true },
};

const folderOperation = {
  make: "/folders",
  path: ({ id }) => `/folders/${id}`,
  required: () => ({ name: crypto.randomUUID() }),
  samples: { name: unique(), description: same("A description"), accessLevel: same("read") },
} satisfies SampledOperation;

const tagOperation = {
  make: "/tags",
  path: ({ id }) => `/tags/${id}`,
  required: () => ({ name: crypto.randomUUID(), color: "red" }),
  samples: { name: unique(), color: same("blue"), tag: { ...unique(), shown: (_, tag) => ({ name: tag }) } },
} satisfies SampledOperation;

const domainOperation = {
  make: "/domains",
  path: ({ slug }) => `/domains/${slug}`,
  required: () => ({ slug: `${crypto.randomUUID()}.example.com` }),
  samples: {
    slug: { value: () => `${crypto.randomUUID()}.example.com` },
    expiredUrl: same("https://example.com/expired"),
    notFoundUrl: same("https://example.com/missing"),
    placeholder: same("https://example.com/placeholder"),
    logo: same("https://example.com/logo.png"),
    assetLinks: same("[]"),
    appleAppSiteAssociation: same("{}"),
    honorDoNotTrack: same(true),
    httpsRedirect: same(false),
    hstsMaxAgeSeconds: same(86_400),
  },
} satisfies SampledOperation;

const templateOperation = {
  make: "/utm-templates",
  path: ({ id }) => `/utm-templates/${id}`,
  required: () => ({ name: crypto.randomUUID() }),
  samples: {
    name: unique(),
    utm_source: same("source"),
    utm_medium: same("medium"),
    utm_campaign: same("campaign"),
    utm_term: same("term"),
    utm_content: same("content"),
  },
} satisfies SampledOperation;

const viewOperation = {
  make: "/saved-views",
  path: ({ id }) => `/saved-views/${id}`,
  required: () => ({ name: crypto.randomUUID(), query: "" }),
  samples: {
    name: unique(),
    query: same("search=poster"),
    shared: same(true),
  },
} satisfies SampledOperation;

const shareOperation = {
  make: "/shares",
  path: ({ id }) => `/shares/${id}`,
  required: ({ linkId }: SampleObjects) => ({ linkId }),
  samples: {
    name: same("A name"),
    password: { value: () => "open sesame", shown: () => ({ hasPassword: true }) },
    expiresAt: same(inFuture),
  },
} satisfies SampledOperation;

const keyOperation = {
  make: "/api-keys",
  path: ({ id }) => `/api-keys/${id}`,
  list: "/api-keys",
  required: () => ({ name: crypto.randomUUID() }),
  samples: { name: unique(), expiresAt: same(inFuture) },
} satisfies SampledOperation;

/** A placeholder for the id of the objects' workspace. */
export const ownWorkspace = "{workspaceId}";

const qrStyleSample = {
  ...{ fgColor: "#1d4ed8", bgColor: "#ffffff", dots: "rounded", corners: "circle" },
  ...{ frame: "banner", frameText: "Scan me", hideLogo: true },
};

/** TABLE of the other operations that write fields, by operationId. */
export const samplesOf: Record<string, SampledOperation> = {
  createFolder: folderOperation,
  updateFolder: { ...folderOperation, change: "PATCH" },
  createTag: tagOperation,
  updateTag: { ...tagOperation, change: "PATCH" },
  putTag: { ...tagOperation, change: "PUT" },
  createDomain: {
    ...domainOperation,
    samples: {
      ...domainOperation.samples,
      // As in Dub's API, a domain is never archived when it is added.
      archived: { value: () => true, shown: () => ({ archived: false }) },
      caseSensitive: same(true),
    },
  },
  updateDomain: {
    ...domainOperation,
    change: "PATCH",
    samples: {
      ...domainOperation.samples,
      archived: same(true),
      // Fixed at creation.
      caseSensitive: { value: () => false, shown: () => ({}) },
    },
  },
  createUtmTemplate: templateOperation,
  updateUtmTemplate: { ...templateOperation, change: "PATCH" },
  createSavedView: viewOperation,
  updateSavedView: { ...viewOperation, change: "PATCH" },
  createShare: {
    ...shareOperation,
    samples: {
      ...shareOperation.samples,
      linkId: { value: ({ linkId }) => linkId },
      folderId: { value: ({ folder }) => folder["id"], with: { linkId: undefined } },
    },
  },
  updateShare: { ...shareOperation, change: "PATCH" },
  createNotification: {
    make: "/notifications",
    path: ({ id }) => `/notifications/${id}`,
    required: () => ({ kind: "weeklyReport" }),
    // A user has each notification once, so they differ in kind or subject.
    samples: {
      kind: same("monthlyReport"),
      folderId: { value: ({ folder }) => folder["id"] },
      shareId: { value: ({ shareId }) => shareId },
      timeZone: same("Europe/Berlin"),
      language: { ...same("de"), with: { kind: "spike" } },
    },
  },
  updateNotification: {
    make: "/notifications",
    change: "PATCH",
    path: ({ id }) => `/notifications/${id}`,
    required: ({ folder }) => ({ kind: "drop", folderId: folder["id"] }),
    // Each change leaves the kind and subject of the next new notification free, and the last one may keep them.
    samples: {
      kind: same("monthlyReport"),
      folderId: same(null),
      shareId: { value: ({ shareId }) => shareId },
      timeZone: { ...same("Europe/Berlin"), with: { kind: "spike" } },
      language: same("de"),
    },
  },
  createApiKey: {
    ...keyOperation,
    samples: { ...keyOperation.samples, scopes: same(["links.read"]), allWorkspaces: same(true) },
  },
  updateApiKey: { ...keyOperation, change: "PATCH" },
  createInvite: {
    make: `/workspaces/${ownWorkspace}/invites`,
    path: ({ id }) => `/workspaces/${ownWorkspace}/invites/${id}`,
    list: `/workspaces/${ownWorkspace}/invites`,
    required: () => ({}),
    samples: {
      email: { value: () => `${crypto.randomUUID()}@example.com` },
      role: same("viewer"),
      expiresAt: { value: () => new Date(Date.now() + 3_600_000).toISOString() },
    },
  },
  createWorkspace: {
    make: "/workspaces",
    path: ({ id }) => `/workspaces/${id}`,
    required: () => ({ name: "A workspace" }),
    samples: { name: unique() },
  },
  updateWorkspace: {
    make: "/workspaces",
    change: "PATCH",
    path: ({ id }) => `/workspaces/${id}`,
    required: () => ({ name: "A workspace" }),
    samples: {
      name: unique(),
      clickRetentionDays: same(30),
      qrStyle: same(qrStyleSample),
      // Only an owner with a second factor can require it: one-time-codes.test.ts.
      requiresSecondFactor: same(false),
    },
  },
};

/** A body that sets every field that a link can have and change. */
export function fullLinkBody(objects: SampleObjects): Record<string, unknown> {
  // `disabled` is another way to write disabledAt.
  const fields = Object.entries(linkSamples).flatMap(([name, { value, isForCreation }]) =>
    isForCreation === true || name === "disabled" ? [] : [[name, value(objects)]],
  );
  // The test and the link both end after they start.
  const later = "2101-01-01T00:00:00.000Z";
  return { ...Object.fromEntries(fields), testCompletedAt: later, expiresAt: later };
}
