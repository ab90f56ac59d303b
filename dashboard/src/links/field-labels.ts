import type { Texts } from "../texts/en/en.ts";

/** The label of a link's field by its API name; undefined for a field without one. */
export function fieldLabel(name: string, texts: Texts["links"]): string | undefined {
  const { editor, filters, limits, targets, card, redirect, advanced, utm } = texts;
  const labels: Record<string, string> = {
    ...{ url: editor.url, domain: editor.domain, key: editor.key, comments: editor.comments },
    ...{ tags: filters.tags, tagIds: filters.tags, folderId: filters.folder, password: texts.password.label },
    ...{ startsAt: limits.startsAt, expiresAt: limits.expiresAt, expiredUrl: limits.expiredUrl },
    ...{ maxClicks: limits.maxClicks, ios: targets.ios, android: targets.android, geo: targets.countries },
    ...{ rules: texts.rules.title, testVariants: texts.test.title, testStartedAt: texts.test.startedAt },
    ...{ testCompletedAt: texts.test.completedAt, title: card.cardTitle, description: card.description },
    ...{ image: card.imageFile, video: card.video, proxy: card.proxy, rewrite: redirect.rewrite },
    ...{ redirectStatus: redirect.status, forwardPath: redirect.forwardPath, doIndex: redirect.doIndex },
    ...{ externalId: advanced.externalId, tenantId: advanced.tenantId, trackConversion: advanced.trackConversion },
    archived: advanced.archived,
    disabledAt: texts.list.disabled,
    ...utm.fields,
  };
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}
