import { Bookmark } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { filtersCountOf, viewQueryOf } from "./links-search.ts";
import { useSavedViews } from "./saved-views.ts";
import { useLinksSearch } from "./use-links-search.ts";

const loadDialog = async () => (await import("./saved-view-dialog.tsx")).SavedViewDialog;

/** Saves the search, filters and order of the list; absent for the whole list and for a saved view. */
export function SaveViewButton() {
  const { links } = useTexts();
  const { canWrite } = useWorkspace();
  const { search } = useLinksSearch();
  const views = useSavedViews().data;
  const [isOpen, setOpen] = useState(false);
  const Dialog = useLazyComponent(loadDialog, isOpen, () => setOpen(false));
  const query = viewQueryOf(search);
  const isNarrowed = search.search !== undefined || filtersCountOf(search) > 0;
  const isOffered = canWrite && isNarrowed && views?.every((view) => view.query !== query);
  return (
    <>
      {isOffered && (
        <Button variant="quiet" size="small" onClick={() => setOpen(true)}>
          <Bookmark />
          {links.views.save}
        </Button>
      )}
      {isOpen && Dialog !== undefined && <Dialog view={{ query }} onClose={() => setOpen(false)} />}
    </>
  );
}
