import { Link, useNavigate } from "@tanstack/react-router";
import { Download, Ellipsis, Mail, Radio, Share2 } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useBotChoice } from "../reports/count-menu.tsx";
import { collapsedClass, expandedClass, ReportControls } from "../reports/report-controls.tsx";
import { useView } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator, MenuSwitch } from "../ui/menu.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";

const loadExportDialog = async () => (await import("./export-dialog.tsx")).ExportDialog;
const loadShareDialog = async () => (await import("../share/report-share-dialog.tsx")).ReportShareDialog;

type OpenDialog = (dialog: "export" | "share") => void;

const squareClass = "size-9 border border-line bg-surface shadow-card";

/** The controls of analytics. A narrow page shows only the filter and the period, and has the others in a menu. */
export function PageActions() {
  const [dialog, setDialog] = useState<"export" | "share">();
  const close = () => setDialog(undefined);
  const ExportDialog = useLazyComponent(loadExportDialog, dialog === "export", close);
  const ShareDialog = useLazyComponent(loadShareDialog, dialog === "share", close);
  return (
    <>
      <LiveButton />
      <ReportControls isShort />
      <FileButtons onOpen={setDialog} />
      <MoreMenu onOpen={setDialog} />
      {ExportDialog !== undefined && <ExportDialog isOpen={dialog === "export"} onClose={close} />}
      {ShareDialog !== undefined && <ShareDialog isOpen={dialog === "share"} onClose={close} />}
    </>
  );
}

function useLive() {
  const { search, change } = useView();
  const isLive = search.live === true;
  return { isLive, toggle: () => change({ live: isLive ? undefined : true }) };
}

function LiveButton() {
  const { analytics } = useTexts();
  const { isLive, toggle } = useLive();
  return (
    <Button aria-pressed={isLive} onClick={toggle} className={classNames("aria-pressed:text-accent", expandedClass)}>
      <Radio aria-hidden />
      {analytics.live}
    </Button>
  );
}

function FileButtons({ onOpen }: { onOpen: OpenDialog }) {
  const { analytics, share } = useTexts();
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const className = classNames(squareClass, expandedClass);
  return (
    <>
      <IconButton label={analytics.export} className={className} onClick={() => onOpen("export")}>
        <Download aria-hidden />
      </IconButton>
      <IconButton label={share.title} className={className} onClick={() => onOpen("share")}>
        <Share2 aria-hidden />
      </IconButton>
      <IconButton
        label={analytics.emailReports}
        className={className}
        onClick={() =>
          void navigate({ to: "/w/$workspaceId/account/notifications", params: { workspaceId: String(id) } })
        }
      >
        <Mail aria-hidden />
      </IconButton>
    </>
  );
}

function MoreMenu({ onOpen }: { onOpen: OpenDialog }) {
  const { analytics, share, words } = useTexts();
  const { isLive, toggle } = useLive();
  const { id } = useWorkspace();
  const bots = useBotChoice();
  const isDefault = !isLive && bots.value === "exclude";
  return (
    <Menu
      trigger={
        <IconButton label={words.more} className={classNames(squareClass, collapsedClass, !isDefault && "text-accent")}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuSwitch isOn={isLive} onChange={toggle}>
        <Radio aria-hidden />
        {analytics.live}
      </MenuSwitch>
      <MenuItem onSelect={() => onOpen("export")}>
        <Download aria-hidden />
        {analytics.export}
      </MenuItem>
      <MenuItem onSelect={() => onOpen("share")}>
        <Share2 aria-hidden />
        {share.title}
      </MenuItem>
      <MenuItem asChild>
        <Link to="/w/$workspaceId/account/notifications" params={{ workspaceId: String(id) }}>
          <Mail aria-hidden />
          {analytics.emailReports}
        </Link>
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>{bots.label}</MenuLabel>
      <MenuChoice {...bots} />
    </Menu>
  );
}
