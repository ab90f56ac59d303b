import { useQuery } from "@tanstack/react-query";
import { Ban, Building2, Globe, Link2, type LucideIcon, Server, User } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { ListTile } from "../ui/list-tile.tsx";
import { Empty } from "../ui/states.tsx";
import { administrationKey } from "./administration-list.tsx";
import { useBlocking, useUnblocking } from "./use-blocking.ts";

type Block = Schemas["AdministeredBlock"];

const icons: Record<Block["kind"], LucideIcon> = {
  link: Link2,
  host: Server,
  domain: Globe,
  workspace: Building2,
  user: User,
};

/** All blocks of the instance. */
export function BlocksPage() {
  const { administration } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const blocks = useQuery({
    queryKey: [...administrationKey, "blocks"],
    queryFn: () => answerOf(waypost.GET("/admin/blocks")),
  });
  return (
    <>
      <ListCard
        title={administration.blocks}
        about={administration.blocksAbout}
        aside={
          <Button variant="primary" onClick={() => setOpen(true)}>
            <Ban aria-hidden />
            {administration.blockTarget}
          </Button>
        }
        query={blocks}
        none={
          <Empty icon={Ban} title={administration.noBlocks}>
            {administration.noBlocksHint}
          </Empty>
        }
      >
        {(block) => <BlockRow key={`${block.kind} ${block.target}`} block={block} />}
      </ListCard>
      {isOpen && <NewBlockDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function BlockRow({ block: { kind, target, name, reason, createdAt } }: { block: Block }) {
  const { administration } = useTexts();
  const format = useFormat();
  const shown = name ?? target;
  const end = useUnblocking({ kind, target, reason }, shown);
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:gap-4 sm:px-5">
      <ListTile icon={icons[kind]} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 [overflow-wrap:anywhere]">{shown}</span>
          <Badge>{administration.kinds[kind]}</Badge>
        </p>
        <p className="text-[13px] text-muted [overflow-wrap:anywhere]">{`${reason} · ${format.day(createdAt)}`}</p>
      </div>
      <Button
        size="small"
        aria-label={administration.unblockOne(shown)}
        isBusy={end.isPending}
        onClick={() => end.mutate(undefined)}
      >
        {administration.unblock}
      </Button>
    </li>
  );
}

function NewBlockDialog({ onClose }: { onClose(): void }) {
  const { administration } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const [kind, setKind] = useState<"link" | "host">("link");
  const [target, setTarget] = useState("");
  const [reason, setReason] = useState("");
  const blocking = useBlocking({ kind, target, reason }, target, onClose);
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={administration.blockTarget}
      about={administration.blockAbout}
      action={administration.block}
      onSubmit={() => blocking.mutate(undefined)}
      isBusy={blocking.isPending}
      error={blocking.error}
      shownFields={["target", "reason"]}
    >
      <Field label={administration.kind}>
        <Select value={kind} onChange={(event) => setKind(event.target.value === "host" ? "host" : "link")}>
          <option value="link">{administration.kinds.link}</option>
          <option value="host">{administration.kinds.host}</option>
        </Select>
      </Field>
      <Field
        label={administration.target}
        hint={administration.targetHints[kind]}
        fieldError={fieldErrorOf(blocking.error, "target")}
      >
        <Input
          required
          maxLength={2_048}
          autoCapitalize="none"
          spellCheck={false}
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        />
      </Field>
      <Field
        label={administration.reason}
        hint={administration.reasonHint}
        fieldError={fieldErrorOf(blocking.error, "reason")}
      >
        <Input required maxLength={1_000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
