import type { NotificationKind } from "../database/notification-tables.ts";

/** The texts of the page that ends a notification, in one language. */
export type UnsubscribeTexts = {
  kinds: Readonly<Record<NotificationKind, string>>;
  title: string;
  text: (kind: string) => string;
  save: string;
  done: string;
  doneText: string;
  invalid: string;
  invalidText: string;
};

/** TABLE of the texts by the language of the sign-in pages. */
export const unsubscribeTexts: Readonly<Record<string, UnsubscribeTexts>> = {
  en: {
    kinds: {
      weeklyReport: "weekly report",
      monthlyReport: "monthly report",
      spike: "alert about traffic spikes",
      drop: "alert about traffic drops",
      failingDomain: "alert about domain problems",
    },
    title: "Unsubscribe?",
    text: (kind) => `You’ll no longer receive this ${kind}.`,
    save: "Unsubscribe",
    done: "You’re unsubscribed",
    doneText: "You won’t receive this e-mail again. You can turn it back on in the dashboard.",
    invalid: "This link doesn’t work",
    invalidText: "The link may be incomplete. Open it from the e-mail, or manage your notifications in the dashboard.",
  },
  de: {
    kinds: {
      weeklyReport: "diesen Wochenbericht",
      monthlyReport: "diesen Monatsbericht",
      spike: "Hinweise auf ungewöhnlich viele Klicks",
      drop: "Hinweise auf ungewöhnlich wenige Klicks",
      failingDomain: "Hinweise auf Probleme mit Domains",
    },
    title: "Abbestellen?",
    text: (kind) => `Sie erhalten ${kind} dann nicht mehr.`,
    save: "Abbestellen",
    done: "Abbestellt",
    doneText: "Sie erhalten diese E-Mail nicht mehr. Im Dashboard können Sie sie wieder einschalten.",
    invalid: "Dieser Link funktioniert nicht",
    invalidText:
      "Möglicherweise ist er unvollständig. Öffnen Sie ihn direkt aus der E-Mail oder verwalten Sie Ihre Benachrichtigungen im Dashboard.",
  },
  "zh-Hans": {
    kinds: {
      weeklyReport: "周报",
      monthlyReport: "月报",
      spike: "流量激增提醒",
      drop: "流量骤降提醒",
      failingDomain: "域名故障提醒",
    },
    title: "要退订吗？",
    text: (kind) => `您将不再收到此${kind}。`,
    save: "退订",
    done: "已退订",
    doneText: "您不会再收到此邮件。您可以在控制台中重新开启。",
    invalid: "此链接无效",
    invalidText: "链接可能不完整。请从邮件中打开，或在控制台中管理通知。",
  },
};
