/**
 * The thread that speaks ACME. Loading the client takes a second and 40 MB, and signing a request for a certificate
 * tens of milliseconds, in which a redirect would wait. It keeps no state, so it may end at any time.
 */
import assert from "node:assert";
import { type Authorization, axios, Client, crypto, type Order } from "acme-client";
import { messageOf } from "../base/message-of.ts";
import { serveThread } from "../base/thread.ts";
import type {
  AcmeAccount,
  AcmeAuthorization,
  AcmeOrder,
  AcmeResult,
  AcmeVerbs,
  AuthorityOptions,
  ChallengeType,
} from "./acme-calls.ts";
import { AcmeFailure, nonceRefused, problemOf, send } from "./acme-transport.ts";
import { makeChallengeCertificate } from "./challenge-certificate.ts";

/** The lowest priority: a certificate can wait, visitors cannot. */
const niceness = 19;
/** Attempts at work whose nonces the authority refuses; in each, the client sends a request up to six times. */
const nonceAttemptsMax = 5;

let options: AuthorityOptions | undefined;

axios.defaults.adapter = async (config) => {
  const { status, headers, body } = await send({
    url: config.url ?? "",
    method: (config.method ?? "get").toUpperCase(),
    headers: { "Content-Type": String(config.headers["Content-Type"]), "User-Agent": "Waypost" },
    body: typeof config.data === "string" ? config.data : undefined,
    roots: options?.roots,
  });
  // Node's fields of a response have no other values than texts and lists of texts.
  const fields = Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return { data: body, status, statusText: "", headers: fields, config };
};

serveThread<AcmeVerbs>(niceness, {
  async start(argument) {
    options = argument;
    return undefined;
  },
  close: () => Promise.resolve(undefined),
  caaIdentities: () => settle(readCaaIdentities),
  register: ({ email, ...account }) =>
    settle(async () => {
      const client = clientOf(account);
      const contact = email === undefined ? [] : [`mailto:${email}`];
      await client.createAccount({ termsOfServiceAgreed: true, contact });
      return client.getAccountUrl();
    }),
  createOrder: ({ name, ...account }) =>
    settle(async () => orderOf(await clientOf(account).createOrder({ identifiers: [{ type: "dns", value: name }] }))),
  readOrder: ({ url, ...account }) => settle(async () => orderOf(await readOrder(account, url))),
  readAuthorization: ({ orderUrl, type, ...account }) =>
    settle(async () => {
      const client = clientOf(account);
      const [authorization] = await client.getAuthorizations(await readOrder(account, orderUrl));
      assert(authorization !== undefined, "the order has no authorization");
      return await authorizationOf(client, authorization, type);
    }),
  completeChallenge: ({ url, ...account }) =>
    settle(async () => {
      // The client reads nothing but the URL.
      await clientOf(account).completeChallenge({ type: "http-01", token: "", url, status: "pending" });
      return null;
    }),
  finalize: ({ orderUrl, name, key, ...account }) =>
    settle(async () => {
      const order = await readOrder(account, orderUrl);
      if (order.status !== "ready") return orderOf(order);
      const [, request] = await crypto.createCsr({ altNames: [name] }, key);
      return orderOf(await clientOf(account).finalizeOrder(order, request));
    }),
  download: ({ orderUrl, ...account }) =>
    settle(async () => await clientOf(account).getCertificate(await readOrder(account, orderUrl))),
});

/**
 * Repeats work whose nonces the authority refuses. It may do so: the authority has not acted on the refused request, and
 * what a verb requests before its last one only reads, or finds the account that it registered.
 */
async function settle<Value>(work: () => Promise<Value>): Promise<AcmeResult<Value>> {
  for (let attempts = 1; ; attempts++) {
    const result = await settleOnce(work);
    if (result.kind === "done" || result.text !== nonceRefused || attempts === nonceAttemptsMax) return result;
  }
}

async function settleOnce<Value>(work: () => Promise<Value>): Promise<AcmeResult<Value>> {
  try {
    return { kind: "done", value: await work() };
  } catch (error) {
    if (error instanceof AcmeFailure) return error.problem;
    // The client throws errors with a text only, for responses that it does not understand.
    const text = messageOf(error);
    if (text === nonceRefused) return { kind: "unreachable", text, retryAfterMs: null };
    return { kind: "refused", type: "", text, retryAfterMs: null };
  }
}

function authority(): AuthorityOptions {
  assert(options !== undefined, "the thread was not started");
  return options;
}

function clientOf({ accountKey, accountUrl }: AcmeAccount): Client {
  const { directory, externalAccount } = authority();
  return new Client({
    directoryUrl: directory,
    accountKey,
    ...(accountUrl === undefined ? {} : { accountUrl }),
    ...(externalAccount === undefined
      ? {}
      : { externalAccountBinding: { kid: externalAccount.keyId, hmacKey: externalAccount.hmacKey } }),
  });
}

/** The client does not offer the directory's other fields. */
async function readCaaIdentities(): Promise<string[] | null> {
  const { directory, roots } = authority();
  const headers = { "User-Agent": "Waypost" };
  const { body } = await send({ url: directory, method: "GET", headers, body: undefined, roots });
  const parsed: unknown = JSON.parse(body);
  const meta = typeof parsed === "object" && parsed !== null && "meta" in parsed ? parsed.meta : undefined;
  const names = typeof meta === "object" && meta !== null && "caaIdentities" in meta ? meta.caaIdentities : undefined;
  if (!Array.isArray(names) || names.length === 0) return null;
  return names.filter((name) => typeof name === "string").map((name) => name.toLowerCase());
}

async function readOrder(account: AcmeAccount, url: string): Promise<Order> {
  // The client reads nothing but the URL.
  return await clientOf(account).getOrder({
    url,
    status: "pending",
    identifiers: [],
    authorizations: [],
    finalize: "",
  });
}

function orderOf({ url, status, error }: Order): AcmeOrder {
  const { type, detail } = problemOf(error);
  return { url, status, problem: status === "invalid" ? { type, text: detail } : null };
}

async function authorizationOf(
  client: Client,
  authorization: Authorization,
  type: ChallengeType | null,
): Promise<AcmeAuthorization> {
  const { url, status, challenges } = authorization;
  if (status === "valid") return { url, status };
  const failed = challenges.find((challenge) => challenge.status === "invalid");
  if (failed !== undefined || status !== "pending") {
    const { type: problemType, detail } = problemOf(failed?.error);
    const text = detail === "" ? `The authorization is ${status}.` : detail;
    return { url, status: "invalid", problem: { type: problemType, text } };
  }
  if (type === null) return { url, status: "processing" };
  // The client's type leaves out tls-alpn-01, which it supports.
  const challenge = challenges.find((offered) => String(offered.type) === type);
  if (challenge === undefined) {
    return { url, status: "invalid", problem: { type: "", text: `The authority offers no ${type} challenge.` } };
  }
  if (challenge.status === "processing") return { url, status: "processing" };
  const keyAuthorization = await client.getChallengeKeyAuthorization(challenge);
  const shown = { type, token: challenge.token, keyAuthorization };
  if (type === "http-01") {
    return { url, status, challengeUrl: challenge.url, challenge: { ...shown, certificate: null } };
  }
  const certificate = await makeChallengeCertificate(authorization.identifier.value, keyAuthorization);
  return { url, status, challengeUrl: challenge.url, challenge: { ...shown, certificate } };
}
