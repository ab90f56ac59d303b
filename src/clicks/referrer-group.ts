import { sha256 } from "../base/ids.ts";
import { type Channel, channels, referrerServices } from "./referrer-table.ts";

/** The version of this file's rules. Raise it when a host's group can change without a change of the table. */
const rulesVersion = 1;

/** Identifies the rules and the table by which hosts are grouped; stored beside the groups that they gave. */
export const referrerTableVersion = `${rulesVersion}-${sha256(JSON.stringify(referrerServices))}`;

/** The group of a referrer, and its channel. */
type ReferrerGroup = {
  /** The name of a service, such as "Google", or the host; "" without a referrer. */
  refererGroup: string;
  channel: Channel;
};

const noReferrer: ReferrerGroup = { refererGroup: "", channel: "direct" };

/** The group of a referrer's host, as it is stored with clicks: in lower case and without "www.". */
export function referrerGroupOf(host: string): ReferrerGroup {
  if (host === "") return noReferrer;
  const general = host.replace(countryDomain, ".*");
  const exact = byHost.get(host) ?? byHost.get(general);
  if (exact !== undefined) return exact;
  // A host has at most 127 labels, and each step removes one.
  for (let start = 0; start >= 0; start = afterDot(host, start)) {
    const domain = byDomain.get(host.slice(start)) ?? byDomain.get(general.slice(start));
    if (domain !== undefined) return domain;
  }
  return { refererGroup: host, channel: "referral" };
}

/** The group with a name in any case, such as "google"; undefined for a name that is in no table. */
export function groupNamed(name: string): ReferrerGroup | undefined {
  return byName.get(name.toLowerCase());
}

/** True for the name of a channel. */
export function isChannel(name: string): name is Channel {
  return channels.some((channel) => channel === name);
}

/** The end of a host that `.*` stands for: ".com", or the domain of a country, such as ".de", ".co.uk" and ".com.br". */
const countryDomain = /\.(?:com|(?:com?\.)?[a-z]{2})$/;

/** The start of the next label; -1 after the last one. */
function afterDot(host: string, start: number): number {
  const dot = host.indexOf(".", start);
  return dot === -1 ? -1 : dot + 1;
}

const byHost = new Map<string, ReferrerGroup>();
const byDomain = new Map<string, ReferrerGroup>();
const byName = new Map<string, ReferrerGroup>();
for (const channel of channels) {
  if (channel === "direct") continue;
  for (const [refererGroup, { hosts = "", domains = "" }] of Object.entries(referrerServices[channel])) {
    const group = { refererGroup, channel };
    byName.set(refererGroup.toLowerCase(), group);
    for (const host of wordsOf(hosts)) byHost.set(host, group);
    for (const domain of wordsOf(domains)) byDomain.set(domain, group);
  }
}

function wordsOf(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
