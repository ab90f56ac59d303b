/**
 * DNS providers: how their forms want a record. The names of fields and menus are those of the English interfaces, and are
 * not translated.
 */

type FieldType = "CNAME" | "A" | "AAAA" | "TXT";

/** A DNS provider and its form for records. */
export type DnsProvider = {
  name: string;
  /** Matches the host names of its name servers; absent when another provider has the same ones. */
  nameServers?: RegExp;
  /** Where its form is: the menus to open, in order. */
  path: readonly string[];
  /** The field for the record's name, which is relative to the zone. */
  nameField: string;
  /** What the name field holds for the zone's own name; "" when the field stays empty. */
  apexName: "@" | "";
  /** The field for the value, by the type of the record. */
  valueField: Record<FieldType, string>;
  /** The record type that points the zone's own name at a host; absent when there is none, so that addresses have to. */
  apexType?: "CNAME" | "ALIAS";
  /** True when the form takes a TXT value in quotation marks. */
  quotesTxt?: true;
  /** True when a host name without a final dot would be read as a name in the zone. */
  needsFinalDot?: true;
  /** True when the form offers a proxy that must be off. */
  hasProxy?: true;
};

function valueFields(all: string, others: Partial<Record<FieldType, string>> = {}): DnsProvider["valueField"] {
  return { CNAME: all, A: all, AAAA: all, TXT: all, ...others };
}

/** TABLE of providers by their id, in the order of the list. */
export const dnsProviders = {
  cloudflare: {
    name: "Cloudflare",
    nameServers: /\.ns\.cloudflare\.com$/,
    path: ["DNS", "Records", "Add record"],
    nameField: "Name",
    apexName: "@",
    valueField: valueFields("Target", { A: "IPv4 address", AAAA: "IPv6 address", TXT: "Content" }),
    apexType: "CNAME",
    hasProxy: true,
  },
  godaddy: {
    name: "GoDaddy",
    nameServers: /\.domaincontrol\.com$/,
    path: ["Domain", "DNS", "Add New Record"],
    nameField: "Name",
    apexName: "@",
    valueField: valueFields("Value"),
  },
  namecheap: {
    name: "Namecheap",
    nameServers: /\.(registrar-servers|namecheaphosting)\.com$/,
    path: ["Domain List", "Manage", "Advanced DNS", "Add New Record"],
    nameField: "Host",
    apexName: "@",
    valueField: valueFields("Value"),
    apexType: "ALIAS",
  },
  route53: {
    name: "Amazon Route 53",
    nameServers: /\.awsdns-\d+\.(com|net|org|co\.uk)$/,
    path: ["Hosted zones", "Create record"],
    nameField: "Record name",
    apexName: "",
    valueField: valueFields("Value"),
    quotesTxt: true,
  },
  squarespace: {
    name: "Squarespace (Google Domains)",
    nameServers: /\.(googledomains|squarespacedns)\.com$/,
    path: ["Domains", "DNS", "DNS Settings", "Custom records", "Add record"],
    nameField: "Name",
    apexName: "@",
    valueField: valueFields("Data"),
  },
  googleCloud: {
    name: "Google Cloud DNS",
    path: ["Cloud DNS", "Zones", "Add standard"],
    nameField: "DNS name",
    apexName: "",
    valueField: valueFields("IPv4 Address", { CNAME: "Canonical name", AAAA: "IPv6 Address", TXT: "TXT data" }),
    quotesTxt: true,
    needsFinalDot: true,
  },
  ionos: {
    name: "IONOS",
    nameServers: /\.ui-dns\.(com|de|org|biz)$/,
    path: ["Domains & SSL", "DNS", "Add record"],
    nameField: "Host name",
    apexName: "@",
    valueField: valueFields("Points to", { TXT: "Value" }),
  },
  hetzner: {
    name: "Hetzner",
    nameServers: /(\.ns\.hetzner\.(com|de)|\.(first|second)-ns\.(com|de))$/,
    path: ["DNS", "Records", "Add record"],
    nameField: "Name",
    apexName: "@",
    valueField: valueFields("Value"),
    needsFinalDot: true,
  },
  ovh: {
    name: "OVHcloud",
    nameServers: /\.(ovh\.(net|ca)|anycast\.me)$/,
    path: ["Domain names", "DNS zone", "Add an entry"],
    nameField: "Sub-domain",
    apexName: "",
    valueField: valueFields("Target", { TXT: "Value" }),
    needsFinalDot: true,
  },
  gandi: {
    name: "Gandi",
    nameServers: /\.gandi\.net$/,
    path: ["Domain", "DNS Records", "Add"],
    nameField: "Name",
    apexName: "@",
    valueField: valueFields("Hostname", { A: "IPv4 address", AAAA: "IPv6 address", TXT: "Text value" }),
    apexType: "ALIAS",
    needsFinalDot: true,
  },
  porkbun: {
    name: "Porkbun",
    nameServers: /\.porkbun\.com$/,
    path: ["Domain Management", "DNS"],
    nameField: "Host",
    apexName: "",
    valueField: valueFields("Answer"),
    apexType: "ALIAS",
  },
  digitalocean: {
    name: "DigitalOcean",
    nameServers: /\.digitalocean\.com$/,
    path: ["Networking", "Domains"],
    nameField: "Hostname",
    apexName: "@",
    valueField: valueFields("Will direct to", { CNAME: "Is an alias of", TXT: "Value" }),
    needsFinalDot: true,
  },
  alibaba: {
    name: "Alibaba Cloud",
    nameServers: /\.(hichina|alidns)\.com$/,
    path: ["Alibaba Cloud DNS", "DNS Settings", "Add Record"],
    nameField: "Hostname",
    apexName: "@",
    valueField: valueFields("Value"),
  },
  dnspod: {
    name: "DNSPod (Tencent Cloud)",
    nameServers: /\.(dnspod\.(net|com)|dnsv\d\.com)$/,
    path: ["My Domains", "Add Record"],
    nameField: "Host",
    apexName: "@",
    valueField: valueFields("Value"),
  },
} as const satisfies Record<string, DnsProvider>;

/** The id of a provider in the table. */
export type DnsProviderId = keyof typeof dnsProviders;

const ids = Object.keys(dnsProviders);

/** True for the id of a provider. */
export function isDnsProvider(id: string): id is DnsProviderId {
  return ids.includes(id);
}

/** The provider with these name servers; undefined for one that the table does not know. */
export function dnsProviderOf(nameServers: readonly string[]): DnsProviderId | undefined {
  return ids.filter(isDnsProvider).find((id) => {
    const { nameServers: pattern }: DnsProvider = dnsProviders[id];
    return nameServers.some((server) => pattern?.test(server) === true);
  });
}
