import { linkFromSummary } from "../links/link.ts";
import { serializeLink } from "./link-schemas.ts";

/** A link as an answer shows it, for the reference. */
export const linkExample = serializeLink(
  {
    ...linkFromSummary({
      id: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
      workspaceId: 1,
      domainId: "",
      domain: "go.example.com",
      key: "spring",
      url: "https://example.com/sale?utm_source=mail",
      createdAt: Date.UTC(2026, 10, 20, 9, 30),
    }),
    userId: "user_01KAFXTZ5B8C6D3E2F1G0H9J7K",
    tags: [{ id: "tag_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", name: "Newsletter", color: "blue" }],
    utm_source: "mail",
  },
  new URL("https://links.example.com"),
);
