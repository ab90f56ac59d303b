import { z } from "@hono/zod-openapi";
import { reportTest, testDestinationsMax, testStates } from "../analytics/report-test-results.ts";
import { reportDeps, reportUses } from "./analytics-schemas.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { Reply } from "./http/reply.ts";
import { linkPath } from "./link-schemas.ts";

const endpoint = endpointUsing({ tag: "Analytics", uses: reportUses });

const share = z.number().openapi({ description: "From 0 to 1.", example: 0.5 });
const numbers = { clicks: z.int(), visitors: z.int() };

const TestResults = z
  .object({
    state: z.enum(testStates).openapi({ description: "`none` if the link has no test." }),
    start: timestamp.nullable().openapi({
      description:
        "The start of the counted period: that of the test, or the last change of its variants that was not undone within ten minutes. Null before.",
    }),
    end: timestamp.nullable().openapi({ description: "Now, or the end of the test." }),
    variants: z.array(
      z.object({
        url: z.string(),
        percentage: z.number(),
        plannedShare: share,
        ...numbers,
        share: z.object({ value: share, low: share, high: share }).nullable().openapi({
          description:
            "The variant's share of the visitors of all variants, and its 95 % confidence interval. Null without visitors.",
        }),
      }),
    ),
    other: z
      .object(numbers)
      .openapi({ description: "Clicks of the period with other destinations, such as those of rules." }),
  })
  .openapi("TestResults");

const example: z.input<typeof TestResults> = {
  ...{ state: "running", start: "2026-11-01T00:00:00.000Z", end: "2026-11-20T09:30:00.000Z" },
  variants: [
    {
      ...{ url: "https://example.com/a", percentage: 50, plannedShare: 0.5, clicks: 61, visitors: 50 },
      share: { value: 0.5, low: 0.4038, high: 0.5962 },
    },
    {
      ...{ url: "https://example.com/b", percentage: 50, plannedShare: 0.5, clicks: 58, visitors: 50 },
      share: { value: 0.5, low: 0.4038, high: 0.5962 },
    },
  ],
  other: { clicks: 0, visitors: 0 },
};

/** The operation on the A/B test of a link. */
export const linkTestEndpoints = [
  endpoint({
    method: "get",
    path: "/links/{linkId}/test-results",
    operationId: "reportTest",
    summary: "Report the A/B test of a link",
    description: `Clicks and visitors of each variant, without bots, since the test began or its variants last changed. A click belongs to the variant of its destination. A link with more than ${testDestinationsMax.toLocaleString("en")} destinations, because visits have different queries, leaves out the rarest, with the header \`Waypost-Truncated: true\`.`,
    scope: "analytics.read",
    pathSchema: linkPath,
    mayTruncate: true,
    responseSchema: TestResults,
    responseExample: example,
    async handle({ deps, actor, path }) {
      const { isTruncated, ...results } = await reportTest(reportDeps(deps), actor, path.linkId);
      return new Reply({ kind: "json", value: results }, isTruncated ? { "Waypost-Truncated": "true" } : {});
    },
  }),
];
