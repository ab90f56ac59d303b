import { z } from "zod";
import type { Random } from "../clicks.ts";
import { SoakClient } from "./soak-client.ts";
import { SoakEditor } from "./soak-editor.ts";
import type { SoakModel } from "./soak-model.ts";
import type { SoakWorld } from "./soak-world.ts";

/** How long a workspace lives before it is erased. */
const livesMs = 8_000;
const linksCount = 4;

/** Creates a workspace with links, lets visitors come for a while, and erases it. Its clicks must never return. */
export async function liveAndErase(
  world: SoakWorld,
  model: SoakModel,
  { ownerKey, number, random }: { ownerKey: string; number: number; random: Random },
): Promise<void> {
  const owner = new SoakClient(world, { key: ownerKey }, random);
  const name = `Short-lived ${number}`;
  const created = await owner.settle("POST", "/workspaces", { name });
  const workspaceId = created.isDoneUnseen ? await idOf(owner, name) : z.object({ id: z.int() }).parse(created.body).id;
  const editor = new SoakEditor(world, model, {
    ...{ tenant: { workspaceId, apiKey: ownerKey }, host: "localhost", random },
    inWorkspace: workspaceId,
  });
  for (let count = 0; count < linksCount; count++) await editor.createLink("plain");
  await Bun.sleep(livesMs);
  for (const link of editor.links) link.state = "deleting";
  model.erased.add(workspaceId);
  const query = `?workspaceId=${workspaceId}&confirm=${encodeURIComponent(name)}`;
  const { status, body, wasUncertain } = await owner.settle("DELETE", `/workspaces/${workspaceId}${query}`);
  // A repeated deletion finds no workspace.
  const isDone = status === 200 || (wasUncertain && [403, 404].includes(status));
  if (!isDone) world.record.violate("a workspace can be deleted", { status, body });
  for (const link of editor.links) link.state = "deleted";
  world.record.count("erased workspaces");
}

async function idOf(owner: SoakClient, name: string): Promise<number> {
  const { body } = await owner.settle("GET", "/workspaces");
  const { workspaces } = z.object({ workspaces: z.array(z.object({ id: z.int(), name: z.string() })) }).parse(body);
  const id = workspaces.find((workspace) => workspace.name === name)?.id;
  if (id === undefined) throw new Error(`The workspace ${name} was created, and is not listed.`);
  return id;
}
