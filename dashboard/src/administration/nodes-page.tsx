import { useQuery } from "@tanstack/react-query";
import { Server } from "lucide-react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { ListTile } from "../ui/list-tile.tsx";
import { Empty } from "../ui/states.tsx";
import { administrationKey } from "./administration-list.tsx";

type Node = Schemas["Node"];

const tones: Record<Node["state"], Tone> = { running: "success", stopped: "neutral", silent: "danger" };
/** How often the page reads the nodes again, which report every two seconds. */
const refreshEveryMs = 5_000;

/** The nodes that share the database. */
export function NodesPage() {
  const { administration } = useTexts();
  const nodes = useQuery({
    queryKey: [...administrationKey, "nodes"],
    queryFn: () => answerOf(waypost.GET("/admin/nodes")),
    refetchInterval: refreshEveryMs,
  });
  return (
    <ListCard
      title={administration.nodes}
      about={administration.nodesAbout}
      query={nodes}
      none={
        <Empty icon={Server} title={administration.oneNode}>
          {administration.oneNodeHint}
        </Empty>
      }
    >
      {(node) => <NodeRow key={node.id} node={node} />}
    </ListCard>
  );
}

function NodeRow({ node: { id, host, version, state, leads, seenAt, spools } }: { node: Node }) {
  const { administration } = useTexts();
  const format = useFormat();
  const waiting = spools.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:gap-4 sm:px-5">
      <ListTile icon={Server} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 [overflow-wrap:anywhere]">{host}</span>
          <Badge tone={tones[state]}>{administration.nodeStates[state]}</Badge>
          {leads && <Badge tone="accent">{administration.leads}</Badge>}
          {waiting > 0 && state !== "running" && (
            <Badge tone="warning">{administration.waitingBytes(format.number(waiting))}</Badge>
          )}
        </p>
        <p className="text-[13px] text-muted [overflow-wrap:anywhere]">
          {[
            administration.version(version),
            ...(state === "running" ? [] : [administration.seen(format.ago(seenAt))]),
            id,
          ].join(" · ")}
        </p>
      </div>
    </li>
  );
}
