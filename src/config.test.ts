import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  ConfigError,
  type OptionName,
  optionNames,
  options,
  readConfig,
  readOption,
  unknownOptions,
} from "./config.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-config-"));
const geoFile = write("places.mmdb", "any");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, contents: string): string {
  const path = join(folder, name);
  writeFileSync(path, contents);
  return path;
}

/** Returns the error message; "" when the environment is accepted. */
function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const ageKey = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

/** For each option: valid texts with their values, and invalid texts. */
const cases: Record<OptionName, { right: [string, unknown][]; wrong: string[] }> = {
  WAYPOST_PORT: {
    right: [
      ["0", 0],
      ["65535", 65_535],
    ],
    wrong: ["-1", "65536", "3e3", "3000.0", "http", " ", "0x50", "٣"],
  },
  WAYPOST_HTTPS_PORT: {
    right: [
      ["0", 0],
      ["443", 443],
    ],
    wrong: ["-1", "65536", "https"],
  },
  WAYPOST_HTTP_PORT: { right: [["80", 80]], wrong: ["65536", "http"] },
  WAYPOST_HOST: {
    right: [
      ["::1", "::1"],
      ["localhost", "localhost"],
    ],
    wrong: ["http://localhost", "a b", "localhost:3000", " "],
  },
  WAYPOST_URL: {
    right: [
      ["https://Links.Example.com", new URL("https://links.example.com/")],
      ["http://[::1]:3000/", new URL("http://[::1]:3000/")],
    ],
    wrong: [
      "links.example.com",
      "ftp://example.com",
      "https://example.com/short",
      "https://example.com?a=1",
      "https://example.com/#a",
      "https://user@example.com",
      "https://:secret@example.com",
      "https://",
    ],
  },
  WAYPOST_DATA: { right: [["./data", resolve("data")]], wrong: [" ", "/srv/a?b"] },
  WAYPOST_CLICKS_URL: {
    right: [
      ["https://user:pass%40word@host:8443/waypost", "https://user:pass%40word@host:8443/waypost"],
      ["http://127.0.0.1:8123/clicks_2", "http://127.0.0.1:8123/clicks_2"],
    ],
    wrong: [
      "clickhouse://host/waypost",
      "https://host",
      "https://host/",
      "https://host/a/b",
      "https://host/a?b=c",
      "not a url",
    ],
  },
  WAYPOST_DRAIN_SECONDS: { right: [["10", 10]], wrong: ["-1", "301", "5s"] },
  WAYPOST_CLICKS_CLUSTER: { right: [["waypost", "waypost"]], wrong: ["two words"] },
  WAYPOST_CLICKS_INTERVAL_MS: { right: [["250", 250]], wrong: ["249", "60001", "1.5"] },
  WAYPOST_DATABASE_URL: {
    right: [
      ["postgres://host/waypost", "postgres://host/waypost"],
      ["postgresql://user:password@host:5432/waypost", "postgresql://user:password@host:5432/waypost"],
    ],
    wrong: ["mysql://db/waypost", "db.example.com", "postgres:///waypost", "postgres://host:port/waypost"],
  },
  WAYPOST_SPOOL_SYNC_MS: { right: [["1", 1]], wrong: ["0", "60001", "50ms"] },
  WAYPOST_STORE_MAX_BYTES: {
    right: [
      ["0", 0],
      ["1000000", 1_000_000],
    ],
    wrong: ["-1", "4GB", "9007199254740993"],
  },
  WAYPOST_SPOOL_MAX_BYTES: { right: [["1048576", 1_048_576]], wrong: ["1048575", "4GB", "9007199254740993"] },
  WAYPOST_AUDIT_LOG_DAYS: { right: [["400", 400]], wrong: ["0", "3651", "a year"] },
  WAYPOST_LIMITED_LINKS_WHILE_DOWN: { right: [["redirect", "redirect"]], wrong: ["503", "Refuse"] },
  WAYPOST_LOOKUP_MAX_BYTES: { right: [["1048576", 1_048_576]], wrong: ["1048575", "4GB"] },
  WAYPOST_EXPORTS_MAX_BYTES: { right: [["1048576", 1_048_576]], wrong: ["1048575", "4GB"] },
  WAYPOST_WORKERS: {
    right: [
      ["0", 0],
      ["64", 64],
    ],
    wrong: ["-1", "65", "1.5", "auto"],
  },
  WAYPOST_TRUSTED_PROXIES: {
    right: [
      ["127.0.0.1, 10.0.0.0/8,", ["127.0.0.1", "10.0.0.0/8"]],
      ["2001:db8::/32", ["2001:db8::/32"]],
    ],
    wrong: ["proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "10.0.0.0/8/8", "::1]/[", "1.2.3.4\n5"],
  },
  WAYPOST_RESOLVERS: {
    right: [["1.1.1.1,1.1.1.1:53,2606:4700::1111,[2606:4700::1111]:53", 4]],
    wrong: ["dns.example.com", "1.1.1.1:0", "1.1.1.1:65536", "[::1", "1.1.1.256", "1.1.1.1:"],
  },
  WAYPOST_CNAME_TARGET: {
    right: [["cname.example.com", "cname.example.com"]],
    wrong: ["https://cname.example.com", "cname.example.com:80", "a b", "-a.example.com"],
  },
  WAYPOST_IPS: {
    right: [["192.0.2.10,2001:db8::10", ["192.0.2.10", "2001:db8::10"]]],
    wrong: ["192.0.2", "192.0.2.0/24", "example.com", "::1]/x"],
  },
  WAYPOST_GEO_DATABASE: { right: [[geoFile, geoFile]], wrong: [join(folder, "absent.mmdb"), folder] },
  WAYPOST_UNVERIFIED_REDIRECTS: {
    right: [
      ["true", true],
      ["false", false],
    ],
    wrong: ["1", "yes", "TRUE"],
  },
  WAYPOST_APP_SCHEMES: { right: [["myapp, fb", ["myapp", "fb"]]], wrong: ["javascript", "My", "my app", "1a", "data"] },
  WAYPOST_MAX_LINKS: { right: [["100000", 100000]], wrong: ["0", "1.5", "none"] },
  WAYPOST_MAX_DOMAINS: { right: [["10", 10]], wrong: ["0", "1.5", "none"] },
  WAYPOST_MAX_MEMBERS: { right: [["25", 25]], wrong: ["0", "1.5", "none"] },
  WAYPOST_MAX_API_KEYS: { right: [["50", 50]], wrong: ["0", "1.5", "none"] },
  WAYPOST_MAX_WORKSPACES: { right: [["5", 5]], wrong: ["0", "1.5", "none"] },
  WAYPOST_MAX_RETENTION_DAYS: { right: [["730", 730]], wrong: ["0", "1.5", "3651"] },
  WAYPOST_DEFAULT_RETENTION_DAYS: { right: [["365", 365]], wrong: ["0", "1.5", "3651"] },
  WAYPOST_RATE_LIMIT_PER_MINUTE: {
    right: [
      ["0", 0],
      ["3000", 3000],
    ],
    wrong: ["-1", "1.5", "many", "10/s", " "],
  },
  WAYPOST_WORKSPACE_RATE_LIMIT_PER_MINUTE: {
    right: [
      ["0", 0],
      ["3000", 3000],
    ],
    wrong: ["-1", "many"],
  },
  WAYPOST_SIGN_UP: {
    right: [
      ["closed", "closed"],
      ["invite", "invite"],
      ["open", "open"],
    ],
    wrong: ["Open", "true", "none"],
  },
  WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR: {
    right: [
      ["true", true],
      ["false", false],
    ],
    wrong: ["1", "no"],
  },
  WAYPOST_SMTP_URL: {
    right: [
      ["smtp://mail.example.com", new URL("smtp://mail.example.com")],
      ["smtps://u%40x:p%2Fw@mail.example.com:2465/", new URL("smtps://u%40x:p%2Fw@mail.example.com:2465/")],
      ["smtp://[::1]:25", new URL("smtp://[::1]:25")],
    ],
    wrong: [
      "mail.example.org",
      "https://mail.example.com",
      "smtp:///x",
      "smtp:mail.example.com",
      "smtp://mail.example.com/x",
      "smtp://mail.example.com?pool=true",
      "smtp://user@mail.example.com",
      "smtp://u:p%zz@mail.example.com",
      "smtp://mail.example.com:99999",
    ],
  },
  WAYPOST_MAIL_FROM: {
    right: [
      ["links@example.com", "links@example.com"],
      [" Acme Links <links@example.com> ", "Acme Links <links@example.com>"],
    ],
    wrong: [
      "Acme",
      "a@b@c",
      "Acme <>",
      "Acme <a@b> x",
      "a@example.com, b@example.com",
      "A\r\nBcc: <a@example.com>",
      " ",
    ],
  },
  WAYPOST_SECRET: { right: [["x".repeat(32), "x".repeat(32)]], wrong: ["x".repeat(31), " ".repeat(40)] },
  WAYPOST_ACME_ACCEPT_TERMS: { right: [["true", true]], wrong: ["yes"] },
  WAYPOST_ACME_DIRECTORY: {
    right: [
      ["https://ca.example.com/directory", new URL("https://ca.example.com/directory")],
      ["http://localhost:14000/dir", new URL("http://localhost:14000/dir")],
    ],
    wrong: ["http://ca.example.com/directory", "ca.example.com", "https://user@ca.example.com/"],
  },
  WAYPOST_OIDC_ISSUER: {
    right: [
      ["https://id.example.com/realms/acme", new URL("https://id.example.com/realms/acme")],
      ["http://127.0.0.1:9000", new URL("http://127.0.0.1:9000")],
    ],
    wrong: ["http://id.example.com", "id.example.com", "https://id.example.com/?a=b", "https://id.example.com/#a"],
  },
  WAYPOST_OIDC_CLIENT_ID: { right: [["waypost", "waypost"]], wrong: ["way post"] },
  WAYPOST_OIDC_CLIENT_SECRET: { right: [["s3cret", "s3cret"]], wrong: ["a secret"] },
  WAYPOST_OIDC_NAME: { right: [[" Acme SSO ", "Acme SSO"]], wrong: [" ", "x".repeat(41)] },
  WAYPOST_OIDC_SCOPES: { right: [["openid  email", "openid email"]], wrong: ["email", 'openid "'] },
  WAYPOST_OIDC_GROUPS_CLAIM: { right: [["roles", "roles"]], wrong: ["my roles"] },
  WAYPOST_OIDC_ROLES: {
    right: [
      ["staff=1:member", [{ group: "staff", workspaceId: 1, role: "member" }]],
      [
        "cn=ops%2Cdc=acme=2:owner, all staff=10:viewer,",
        [
          { group: "cn=ops,dc=acme", workspaceId: 2, role: "owner" },
          { group: "all staff", workspaceId: 10, role: "viewer" },
        ],
      ],
    ],
    wrong: ["staff", "staff=1", "staff=acme:member", "staff=1:admin", "=1:member", "%=1:member", "staff=0:member"],
  },
  WAYPOST_OIDC_CREATE_ACCOUNTS: { right: [["true", true]], wrong: ["yes"] },
  WAYPOST_OIDC_TRUST_SECOND_FACTOR: { right: [["true", true]], wrong: ["yes"] },
  WAYPOST_PASSWORD_SIGN_IN: {
    right: [
      ["on", "on"],
      ["off", "off"],
    ],
    wrong: ["false", "Off"],
  },
  WAYPOST_ACME_EMAIL: { right: [["Operator@Example.com", "operator@example.com"]], wrong: ["operator"] },
  WAYPOST_ACME_EAB_KEY_ID: { right: [["kid-1", "kid-1"]], wrong: ["kid 1"] },
  WAYPOST_ACME_EAB_HMAC_KEY: {
    right: [["zWNDZM6eQGHWpSRTPal5eIUYFTu7", "zWNDZM6eQGHWpSRTPal5eIUYFTu7"]],
    wrong: ["short", "zWNDZM6eQGHWpSRT/al5eIUYFTu7"],
  },
  WAYPOST_ACME_CA: { right: [[geoFile, geoFile]], wrong: ["/no/such/file.pem", folder] },
  WAYPOST_BACKUP_TO: {
    right: [
      ["/backups", { kind: "folder", path: "/backups" }],
      ["backups", { kind: "folder", path: resolve("backups") }],
      ["s3://my-bucket", { kind: "s3", bucket: "my-bucket", prefix: "" }],
      ["s3://my-bucket/a/b", { kind: "s3", bucket: "my-bucket", prefix: "a/b/" }],
      ["s3://my-bucket/a/", { kind: "s3", bucket: "my-bucket", prefix: "a/" }],
    ],
    wrong: [" ", "s3://", "s3:///a", "s3://b", "s3://my_bucket", "s3://my-bucket//a", "https://s3.example.com/b"],
  },
  WAYPOST_BACKUP_EVERY_HOURS: { right: [["6", 6]], wrong: ["0", "8761", "1.5"] },
  WAYPOST_BACKUP_KEEP: { right: [["30", 30]], wrong: ["0", "1001", "all"] },
  WAYPOST_BACKUP_ENCRYPT_TO: {
    right: [[`${ageKey}, ${ageKey}`, [ageKey, ageKey]]],
    wrong: ["age1", "AGE-SECRET-KEY-1", "ssh-ed25519 AAAA"],
  },
  WAYPOST_S3_ENDPOINT: {
    right: [["https://s3.example.com", new URL("https://s3.example.com")]],
    wrong: ["s3.example.com", "https://s3.example.com/bucket"],
  },
  WAYPOST_S3_REGION: { right: [["eu-central-1", "eu-central-1"]], wrong: ["eu central"] },
  WAYPOST_S3_ACCESS_KEY_ID: { right: [["AKIA", "AKIA"]], wrong: ["a b"] },
  WAYPOST_S3_SECRET_ACCESS_KEY: { right: [["a/b+c", "a/b+c"]], wrong: ["a b"] },
  WAYPOST_S3_SESSION_TOKEN: { right: [["AQoD", "AQoD"]], wrong: ["a b"] },
  WAYPOST_METRICS_TOKEN: { right: [["a-long-random-text", "a-long-random-text"]], wrong: [" ", "two words", "tökén"] },
  WAYPOST_ACCESS_LOG: {
    right: [
      ["stdout", "stdout"],
      ["/var/log/access.jsonl", "/var/log/access.jsonl"],
    ],
    wrong: ["access.jsonl", "/var/log/", "on"],
  },
  WAYPOST_LOG_LEVEL: { right: [["warn", "warn"]], wrong: ["WARN", "verbose"] },
  WAYPOST_BOOTSTRAP_EMAIL: {
    right: [["Owner@Example.com", "owner@example.com"]],
    wrong: ["owner", "a b@example.com", `${"a".repeat(250)}@b.example`],
  },
  WAYPOST_BOOTSTRAP_API_KEY: {
    right: [["a".repeat(24), "a".repeat(24)]],
    wrong: ["a".repeat(23), `${"a".repeat(24)} `, "a".repeat(257), `${"a".repeat(24)}é`],
  },
  WAYPOST_BOOTSTRAP_PASSWORD: {
    right: [["correct horse battery", "correct horse battery"]],
    wrong: ["too short", "x".repeat(1_001)],
  },
  WAYPOST_BOOTSTRAP_WORKSPACE: { right: [[" Acme ", "Acme"]], wrong: [" ", "x".repeat(191)] },
};

describe("an option", () => {
  test("is parsed by its rules", () => {
    const read = optionNames.flatMap((name) =>
      cases[name].right.map(([text, expected]) => {
        const value = readConfig({ [name]: text })[name];
        const read: { name: OptionName; text: string; value: unknown } = {
          name,
          text,
          value: typeof expected === "number" && Array.isArray(value) ? value.length : value,
        };
        return read;
      }),
    );

    const expected = optionNames.flatMap((name) => cases[name].right.map(([text, value]) => ({ name, text, value })));
    expect(read).toEqual(expected);
  });

  test("that is invalid is rejected with one line: its name, the reason and an example", () => {
    const unclear = optionNames.flatMap((name) =>
      cases[name].wrong
        .map((text) => ({ text, message: refusal({ [name]: text }) }))
        .filter(({ message }) => {
          const isClear = message.startsWith(name) && message.endsWith(`. Example: ${name}=${options[name].example}`);
          return !isClear || message.includes("\n");
        })
        .map(({ text, message }) => `${name}=${text} → ${message}`),
    );

    expect(unclear).toEqual([]);
  });

  test("that is secret is never shown, even when it is invalid", () => {
    const secret = optionNames.filter((name) => "secret" in options[name]);
    const shown = secret.flatMap((name) =>
      cases[name].wrong.filter((text) => text.trim() !== "" && refusal({ [name]: text }).includes(text)),
    );

    expect(secret).toEqual([
      "WAYPOST_DATABASE_URL",
      "WAYPOST_CLICKS_URL",
      "WAYPOST_SMTP_URL",
      "WAYPOST_SECRET",
      "WAYPOST_ACME_EAB_HMAC_KEY",
      "WAYPOST_OIDC_CLIENT_SECRET",
      "WAYPOST_S3_SECRET_ACCESS_KEY",
      "WAYPOST_S3_SESSION_TOKEN",
      "WAYPOST_METRICS_TOKEN",
      "WAYPOST_BOOTSTRAP_API_KEY",
      "WAYPOST_BOOTSTRAP_PASSWORD",
    ]);
    expect(shown).toEqual([]);
  });

  test("has a valid example", () => {
    const wrong = optionNames
      .filter((name) => name !== "WAYPOST_GEO_DATABASE" && name !== "WAYPOST_ACME_CA")
      .map((name) => refusal({ [name]: options[name].example }))
      .filter(Boolean);

    expect(wrong).toEqual([]);
  });

  test("with an empty value counts as not set", () => {
    const empty = Object.fromEntries(optionNames.map((name) => [name, ""]));

    expect(readConfig(empty)).toEqual(readConfig({}));
  });
});

describe("the _FILE form", () => {
  test("reads the value from a file, without the line break", () => {
    const path = write("key", "file_key_0123456789_0123456789\r\n");

    expect(readConfig({ WAYPOST_BOOTSTRAP_API_KEY_FILE: path }).WAYPOST_BOOTSTRAP_API_KEY).toBe(
      "file_key_0123456789_0123456789",
    );
    expect(readOption("WAYPOST_BOOTSTRAP_API_KEY", { WAYPOST_BOOTSTRAP_API_KEY_FILE: path }).source).toBe("file");
  });

  test("exists for every option", () => {
    for (const name of optionNames) {
      const [text] = cases[name].right[0] ?? [""];
      const path = write(name, text);

      expect(readConfig({ [`${name}_FILE`]: path })[name]).toEqual(readConfig({ [name]: text })[name]);
    }
  });

  test("is overridden by the plain form", () => {
    const path = write("port", "4000");

    expect(readConfig({ WAYPOST_PORT: "5000", WAYPOST_PORT_FILE: path }).WAYPOST_PORT).toBe(5_000);
  });

  test("rejects an unreadable or empty file with one line", () => {
    const absent = join(folder, "absent");
    const empty = write("empty", "\n");

    expect(refusal({ WAYPOST_METRICS_TOKEN_FILE: absent })).toBe(
      `WAYPOST_METRICS_TOKEN_FILE names ${absent}, which cannot be read. Give the path of a readable file.`,
    );
    expect(refusal({ WAYPOST_METRICS_TOKEN_FILE: folder })).toContain("which cannot be read");
    expect(refusal({ WAYPOST_METRICS_TOKEN_FILE: empty })).toBe(
      `WAYPOST_METRICS_TOKEN_FILE names ${empty}, which is empty. Write the value into it, or leave the option out.`,
    );
  });

  test("does not show an invalid secret", () => {
    const path = write("short", "short-key");

    expect(refusal({ WAYPOST_BOOTSTRAP_API_KEY_FILE: path })).not.toContain("short-key");
  });
});

test("the standard variables of AWS are read when an option is not set", () => {
  const standard = { AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "eu-west-2", AWS_SECRET_ACCESS_KEY: "standard" };
  const config = readConfig({ ...standard, WAYPOST_S3_SECRET_ACCESS_KEY: "own" });

  expect(config.WAYPOST_S3_REGION).toBe("eu-west-1");
  expect(config.WAYPOST_S3_SECRET_ACCESS_KEY).toBe("own");
  expect(readConfig({}).WAYPOST_S3_REGION).toBe("us-east-1");
});

describe("the URL of the service", () => {
  test("follows the port by default", () => {
    expect(readConfig({ WAYPOST_PORT: "4000" }).WAYPOST_URL.href).toBe("http://localhost:4000/");
    expect(readOption("WAYPOST_URL", { WAYPOST_PORT: "4000" })).toEqual({
      text: "http://localhost:4000",
      source: "default",
    });
  });

  test("is the configured URL", () => {
    expect(readConfig({ WAYPOST_PORT: "4000", WAYPOST_URL: "https://go.example.com" }).WAYPOST_URL.href).toBe(
      "https://go.example.com/",
    );
  });
});

test("lists unknown names that look like options, except the one of the examples", () => {
  const environment = {
    WAYPOST_PROT: "1",
    WAYPOST_PORT: "1",
    WAYPOST_PORT_FILE: "1",
    WAYPOST_PORT_FILE_FILE: "1",
    WAYPOST_toString: "1",
    WAYPOST_API_KEY: "1",
    PATH: "1",
  };

  expect(unknownOptions(environment)).toEqual(["WAYPOST_PROT", "WAYPOST_PORT_FILE_FILE", "WAYPOST_toString"]);
});

test("two options with the same port are refused, except for port 0", () => {
  expect(refusal({ WAYPOST_PORT: "3471", WAYPOST_HTTPS_PORT: "3471" })).toBe(
    "WAYPOST_HTTPS_PORT: port 3471 is that of WAYPOST_PORT too. Give each a different port.",
  );
  expect(refusal({ WAYPOST_HTTP_PORT: "3000" })).toBe(
    "WAYPOST_HTTP_PORT: port 3000 is that of WAYPOST_PORT too. Give each a different port.",
  );
  expect(refusal({ WAYPOST_HTTP_PORT: "80", WAYPOST_HTTPS_PORT: "80" })).toContain("is that of WAYPOST_HTTP_PORT too");
  expect(refusal({ WAYPOST_PORT: "0", WAYPOST_HTTP_PORT: "0", WAYPOST_HTTPS_PORT: "0" })).toBe("");
});
