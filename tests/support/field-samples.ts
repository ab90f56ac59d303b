import { expect } from "bun:test";

/** Objects of the workspace that samples name. */
export type SampleObjects = {
  tag: Record<string, unknown>;
  folder: Record<string, unknown>;
  /** Of a second domain. */
  slug: string;
  /** Of a link of the workspace. */
  linkId: unknown;
};

/** A value of a field that differs from what an object has by default, and how the object then shows it. */
export type Sample = {
  value(objects: SampleObjects): unknown;
  /** Fields that are needed beside it. */
  with?: Record<string, unknown>;
  /** What the object shows; the same field with the same value when absent. */
  shown?(objects: SampleObjects, value: unknown): Record<string, unknown>;
  /** True when only a new object takes it. */
  isForCreation?: true;
  /** True for what the history of a link does not keep. */
  cannotRevert?: true;
};

/** How the objects of an operation are made, changed and read. */
export type SampledOperation = {
  make: string;
  /** The method that changes one; undefined for an operation that makes one. */
  change?: "PATCH" | "PUT";
  path(object: Record<string, unknown>): string;
  /** The list that it is read from, where GET on the path does not read it. */
  list?: string;
  /** The fields without which none is made. */
  required(objects: SampleObjects): Record<string, unknown>;
  samples: Record<string, Sample>;
};

const same = (value: unknown): Sample => ({ value: () => value });
const unique = (prefix = ""): Sample => ({ value: () => `${prefix}${crypto.randomUUID()}` });
const tagged = ({ tag }: SampleObjects) => ({ tags: [tag], tagId: tag["id"] });
const inFuture = "2100-01-01T00:00:00.000Z";

/** TABLE of samples of a link's fields. */
export const linkSamples: Record<string, Sample> = {
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
  externalId: unique(),
  tenantId: same("tenant"),
  programId: same("program"),
  partnerId: same("partner"),
  tagId: { value: ({ tag }) => tag["id"], shown: tagged },
  tagIds: { value: ({ tag }) => [tag["id"]], shown: tagged },
  tagNames: { value: ({ tag }) => [tag["name"]], shown: tagged },
  folderId: { value: ({ folder }) => folder["id"] },
  comments: same("a comment"),
  password: { value: () => "open sesame", shown: () => ({ password: "********" }), cannotRevert: true },
  title: same("A title"),
  description: same("A description"),
  image: same("https://example.com/image.png"),
  video: same("https://example.com/video.mp4"),
  proxy: same(true),
  rewrite: same(true),
  doIndex: same(true),
  publicStats: same(true),
  trackConversion: same(true),
  archived: same(true),
  startsAt: same(inFuture),
  expiresAt: same(inFuture),
  expiredUrl: same("https://example.com/expired"),
  disabledAt: same("2026-11-20T09:30:00.000Z"),
  disabled: { value: () => true, shown: () => ({ disabledAt: expect.any(String) }) },
  redirectStatus: same(307),
  ios: same("https://example.com/ios"),
  android: same("https://example.com/android"),
  geo: same({ DE: "https://example.com/de" }),
  testVariants: {
    value: () => [
      { url: "https://example.com/a", percentage: 40 },
      { url: "https://example.com/b", percentage: 60 },
    ],
    with: { trackConversion: true },
  },
  testStartedAt: same(inFuture),
  testCompletedAt: same(inFuture),
  utm_source: same("source"),
  utm_medium: same("medium"),
  utm_campaign: same("campaign"),
  utm_term: same("term"),
  utm_content: same("content"),
  ref: { value: () => "friend", shown: () => ({ url: expect.stringMatching(/\?ref=friend$/) }) },
  maxClicks: same(7),
  // Says what dates without a time mean; not stored. See dates-and-texts.test.ts.
  timezone: { value: () => "Asia/Tokyo", shown: () => ({}), cannotRevert: true },
  forwardPath: same(true),
  rules: same([{ when: { country: "DE", after: inFuture, query: { a: "b" } }, url: "https://example.com/rule" }]),
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

/** Stands for the id of the workspace that the objects are in. */
export const ownWorkspace = "{workspaceId}";

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
  createShare: {
    ...shareOperation,
    samples: {
      ...shareOperation.samples,
      linkId: { value: ({ linkId }) => linkId },
      folderId: { value: ({ folder }) => folder["id"], with: { linkId: undefined } },
    },
  },
  updateShare: { ...shareOperation, change: "PATCH" },
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
    samples: { name: unique(), clickRetentionDays: same(30) },
  },
};
