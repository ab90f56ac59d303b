/**
 * A member of a workspace who creates, changes and deletes links, tags and domains, one call after another, and knows
 * what each call must have changed.
 */
import { z } from "zod";
import { pick, type Random } from "../clicks.ts";
import type { Tenant } from "../tenants.ts";
import { SoakClient } from "./soak-client.ts";
import type { SoakModel } from "./soak-model.ts";
import type { SoakWorld } from "./soak-world.ts";
import { destinationOf, type LinkKind, linkKinds, newSoakedLink, pickKind, type SoakedLink } from "./soaked-link.ts";

/** An editor deletes more links than it creates, beyond these. */
const linksMax = 120;
const tagsMax = 12;
const bulkLinks = 4;

const Created = z.object({ id: z.string(), key: z.string() });
const Entry = z.union([Created, z.object({ error: z.string() })]);
const Saved = z.object({ id: z.string(), updatedAt: z.string() });

/** `inWorkspace` is set when the key was created in another workspace. */
type SoakEditorOptions = {
  tenant: Pick<Tenant, "workspaceId" | "apiKey">;
  host: string;
  random: Random;
  inWorkspace?: number;
};

/** A member with the model of a workspace; see the top of this file. */
export class SoakEditor {
  readonly workspaceId: number;
  readonly client: SoakClient;
  readonly links: SoakedLink[] = [];
  readonly tags = new Map<string, string>();
  readonly domains = new Map<string, string | null>();
  readonly #world: SoakWorld;
  readonly #model: SoakModel;
  readonly #random: Random;
  readonly #host: string;
  #names = 0;

  constructor(world: SoakWorld, model: SoakModel, { tenant, host, random, inWorkspace }: SoakEditorOptions) {
    this.workspaceId = tenant.workspaceId;
    this.client = new SoakClient(world, { key: tenant.apiKey, workspaceId: inWorkspace }, random);
    this.#world = world;
    this.#model = model;
    this.#random = random;
    this.#host = host;
  }

  /** The links that exist. */
  get liveLinks(): SoakedLink[] {
    return this.links.filter(({ state }) => state === "live");
  }

  /** Does one random thing. */
  async step(): Promise<void> {
    const live = this.liveLinks;
    const link = live.length === 0 ? undefined : pick(this.#random, live);
    if (link === undefined || (live.length < linksMax && this.#random() < 0.2)) return await this.createLink();
    const roll = this.#random() * (live.length > linksMax ? 0.6 : 1);
    if (roll < 0.05) return await this.#createLinks();
    if (roll < 0.1) return await this.#deleteLink(link);
    if (roll < 0.13) return await this.#deleteLinks(live.slice(0, 3));
    if (roll < 0.16) return await this.#recreateLink();
    if (roll < 0.19) return await this.#purge(link);
    if (roll < 0.24) return await this.#changeTags();
    if (roll < 0.27) return await this.#changeDomains();
    if (roll < 0.33) return await this.#tagLink(link);
    if (roll < 0.38) return await this.#undo(link);
    if (roll < 0.43) return await this.#commentLinks(live.slice(-bulkLinks));
    if (roll < 0.48) return await this.#readForeign();
    return await this.#moveLink(link);
  }

  /** Creates a link of a random or given kind. */
  async createLink(kind: LinkKind = pickKind(this.#random), key?: string): Promise<void> {
    const link = this.#newLink(kind, key);
    const answer = await this.client.settle("POST", "/links", bodyOf(link));
    const id = answer.isDoneUnseen ? await this.#idOf(link) : this.#parse(Created, answer)?.id;
    this.#created(link, id);
  }

  async #createLinks(): Promise<void> {
    const links = Array.from({ length: bulkLinks }, () => this.#newLink(pickKind(this.#random)));
    const answer = await this.client.settle("POST", "/links/bulk", links.map(bodyOf));
    if (answer.isDoneUnseen) {
      for (const link of links) this.#created(link, await this.#idOf(link));
      return;
    }
    const entries = this.#parse(z.array(Entry), answer) ?? [];
    for (const [index, link] of links.entries()) {
      const entry = entries[index];
      this.#created(link, entry !== undefined && "id" in entry ? entry.id : undefined);
    }
  }

  /** Deletes a link, and gives its key to a new one. */
  async #recreateLink(): Promise<void> {
    const deleted = this.links.filter(({ state }) => state === "deleted");
    if (deleted.length === 0) return;
    const before = pick(this.#random, deleted.slice(-20));
    before.state = "replaced";
    await this.createLink("plain", before.key);
  }

  /** Changes the destination. */
  async #moveLink(link: SoakedLink): Promise<void> {
    const version = link.version + 1;
    link.sentVersion = version;
    const url = destinationOf(link, version);
    const answer = await this.client.settle("PATCH", `/links/${link.id}`, { url, ...linkKinds[link.kind].fields(url) });
    if (!this.#isDone(answer)) return;
    link.version = version;
    link.changes++;
  }

  async #undo(link: SoakedLink): Promise<void> {
    const [before, changed] = [link.comments, this.#newName("comment")];
    const saved = this.#parse(Saved, await this.client.settle("PATCH", `/links/${link.id}`, { comments: changed }));
    if (saved === undefined) return;
    link.comments = changed;
    link.changes++;
    const changes = [{ linkId: saved.id, updatedAt: saved.updatedAt }];
    const answer = await this.client.settle("POST", "/links/undo", { changes });
    if (!answer.isDoneUnseen && !this.#isDone(answer)) return;
    link.comments = before;
    link.changes++;
  }

  async #commentLinks(links: SoakedLink[]): Promise<void> {
    const comments = this.#newName("comment");
    const linkIds = links.flatMap(({ id }) => id ?? []);
    if (!this.#isDone(await this.client.settle("PATCH", "/links/bulk", { linkIds, data: { comments } }))) return;
    for (const link of links) {
      link.comments = comments;
      link.changes++;
    }
  }

  async #tagLink(link: SoakedLink): Promise<void> {
    const tagIds = [...this.tags.keys()].filter(() => this.#random() < 0.3).sort();
    if (Bun.deepEquals(tagIds, link.tagIds)) return;
    if (!this.#isDone(await this.client.settle("PATCH", `/links/${link.id}`, { tagIds }))) return;
    link.tagIds = tagIds;
    link.changes++;
  }

  async #deleteLink(link: SoakedLink): Promise<void> {
    link.state = "deleting";
    const answer = await this.client.settle("DELETE", `/links/${link.id}`);
    const isDone = answer.status === 200 || (answer.status === 404 && answer.wasUncertain);
    if (!isDone) this.#refused("DELETE", answer);
    link.state = "deleted";
    link.changes++;
  }

  async #deleteLinks(links: SoakedLink[]): Promise<void> {
    for (const link of links) link.state = "deleting";
    const ids = links.map(({ id }) => id).join(",");
    this.#isDone(await this.client.settle("DELETE", `/links/bulk?linkIds=${ids}`));
    for (const link of links) {
      link.state = "deleted";
      link.changes++;
    }
  }

  async #purge(link: SoakedLink): Promise<void> {
    const sentAt = performance.now();
    const answer = await this.client.settle("DELETE", `/links/${link.id}/clicks`);
    const purged = this.#parse(z.object({ purgedUntil: z.string() }), answer);
    if (purged === undefined) return;
    link.purges.push({ until: Date.parse(purged.purgedUntil), sentAt });
    this.#world.record.count("purges");
  }

  async #changeTags(): Promise<void> {
    const name = this.#newName("tag");
    const known = [...this.tags.keys()];
    const id = known.length === 0 ? undefined : pick(this.#random, known);
    if (id === undefined || (known.length < tagsMax && this.#random() < 0.5)) {
      const answer = await this.client.settle("POST", "/tags", { name });
      const created = answer.isDoneUnseen
        ? await this.#tagNamed(name)
        : this.#parse(z.object({ id: z.string() }), answer);
      if (created !== undefined) this.tags.set(created.id, name);
    } else if (this.#random() < 0.6) {
      if (this.#isDone(await this.client.settle("PATCH", `/tags/${id}`, { name }))) this.tags.set(id, name);
    } else {
      const answer = await this.client.settle("DELETE", `/tags/${id}`);
      if (answer.status !== 200 && !(answer.status === 404 && answer.wasUncertain)) this.#refused("DELETE", answer);
      this.tags.delete(id);
      for (const link of this.links) link.tagIds = link.tagIds.filter((each) => each !== id);
    }
  }

  async #changeDomains(): Promise<void> {
    const known = [...this.domains.keys()];
    const slug = known.length === 0 ? undefined : pick(this.#random, known);
    const notFoundUrl = `https://example.com/${this.#newName("gone")}`;
    if (slug === undefined || (known.length < 3 && this.#random() < 0.5)) {
      const added = `w${this.workspaceId}-${this.#newName("domain")}.example.com`;
      const answer = await this.client.settle("POST", "/domains", { slug: added });
      if (answer.isDoneUnseen || this.#isDone(answer)) this.domains.set(added, null);
    } else if (this.#random() < 0.6) {
      if (this.#isDone(await this.client.settle("PATCH", `/domains/${slug}`, { notFoundUrl }))) {
        this.domains.set(slug, notFoundUrl);
      }
    } else {
      const answer = await this.client.settle("DELETE", `/domains/${slug}`);
      if (answer.status !== 200 && !(answer.status === 404 && answer.wasUncertain)) this.#refused("DELETE", answer);
      this.domains.delete(slug);
    }
  }

  /** Calls about a link of another workspace must not find it. */
  async #readForeign(): Promise<void> {
    const id = this.#model.foreignId(this.#random, this.workspaceId);
    if (id === undefined) return;
    const method = pick(this.#random, ["GET", "PATCH", "DELETE"]);
    const body = method === "PATCH" ? { url: "https://example.com/stolen" } : undefined;
    const { status } = await this.client.settle(method, `/links/${id}`, body);
    this.#world.record.count("calls about foreign links");
    this.#world.record.requireEqual(
      "another workspace's link is not found",
      { method, id, status },
      { method, id, status: 404 },
    );
  }

  #newLink(kind: LinkKind, key?: string): SoakedLink {
    const link = newSoakedLink(kind, { workspaceId: this.workspaceId, host: this.#host, key });
    this.#model.add(link);
    return link;
  }

  #created(link: SoakedLink, id: string | undefined): void {
    if (id === undefined) {
      this.#world.record.violate("a created link is found", link);
      return;
    }
    link.id = id;
    link.changes++;
    this.links.push(link);
    this.#model.publish(link);
  }

  async #idOf({ host, key }: SoakedLink): Promise<string | undefined> {
    const answer = await this.client.settle("GET", `/links/info?domain=${host}&key=${key}`);
    return this.#parse(Created, answer)?.id;
  }

  async #tagNamed(name: string): Promise<{ id: string } | undefined> {
    const tags = this.#parse(
      z.array(z.object({ id: z.string(), name: z.string() })),
      await this.client.settle("GET", "/tags"),
    );
    return tags?.find((tag) => tag.name === name);
  }

  #newName(noun: string): string {
    return `${noun}-${++this.#names}`;
  }

  #isDone(answer: { status: number; body: unknown }): boolean {
    const isDone = answer.status === 200 || answer.status === 201;
    if (!isDone) this.#refused("a change", answer);
    return isDone;
  }

  #parse<Value>(schema: z.ZodType<Value>, answer: { status: number; body: unknown }): Value | undefined {
    const parsed = schema.safeParse(answer.body);
    if (parsed.success && answer.status < 300) return parsed.data;
    this.#refused("a call", answer);
    return undefined;
  }

  #refused(what: string, { status, body }: { status: number; body: unknown }): void {
    this.#world.record.violate(`${what} is accepted`, { workspaceId: this.workspaceId, status, body });
  }
}

function bodyOf(link: SoakedLink): object {
  const url = destinationOf(link, link.version);
  return { url, key: link.key, domain: link.host, ...linkKinds[link.kind].fields(url) };
}
